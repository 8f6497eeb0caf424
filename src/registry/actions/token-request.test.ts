import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plugin } from '../../admission/plugin.ts'
import { authenticationContext, freshKey } from '../../authn/service-account/objects.fixture.ts'
import { TokenIssuer } from '../../authn/service-account/issue.ts'
import { CredentialError } from '../../authn/authenticator.ts'
import { ManualClock } from '../../base/clock.ts'
import { forbidden } from '../../meta/errors.ts'
import { badRequest, failure, invalid, type Failure } from '../../../test/failure.ts'
import { orch } from '../../vocabulary/orch.ts'
import { inProcess } from '../../server/in-process.fixture.ts'
import { admissionChain } from '../../admission/chain.ts'
import { BoundTokens } from '../../authn/service-account/bound-token.ts'
import { client } from './actions.fixture.ts'

const NOW = Date.parse('2030-01-01T01:00:00Z')

const key = freshKey()
const issuer = new TokenIssuer({
  v: orch,
  clock: new ManualClock(NOW),
  key: key.signing,
  issuer: 'https://server.example',
  apiAudiences: ['api', 'api2'],
  maxExpirationSeconds: 7200,
  extend: true,
})

/** Objects that admission saw, and a request that it refuses. */
const seen: object[] = []
const watcher: Plugin = {
  handles: (operation) => operation === 'CREATE',
  mutate({ object, subresource }) {
    const live = object?.live
    if (subresource !== 'token' || live?.metadata.labels?.['touch'] === undefined) return
    Object.assign(live, {
      spec: { ...(live as { spec?: object }).spec, audiences: ['touched'] },
    })
  },
  validate({ object, resource: { resource }, subresource, namespace, name }) {
    if (subresource !== 'token') return
    const live = object?.live
    seen.push(structuredClone({ resource, namespace, name, object: { ...live } }))
    if (live?.metadata.labels?.['refuse'] !== undefined) {
      throw forbidden({ group: '', resource: 'serviceaccounts' }, name, 'no')
    }
  },
}

let server: Awaited<ReturnType<typeof inProcess>>
let bench: ReturnType<typeof client>
let uids: Record<'account' | 'pod' | 'secret', string>
beforeAll(async () => {
  server = await inProcess()
  const api = {
    ...server.api,
    clock: new ManualClock(NOW),
    admission: admissionChain([watcher], server.api.clock),
    tokens: issuer,
  }
  bench = client(api)
  const make = (resource: string, object: object) =>
    bench.make({ resource, namespace: 'ns' }, object)
  const spec = { containers: [{ name: 'c', image: 'i' }] }
  uids = {
    account: await make('serviceaccounts', { metadata: { name: 'robot' } }),
    pod: await make('pods', {
      metadata: { name: 'own' },
      spec: { ...spec, serviceAccountName: 'robot' },
    }),
    secret: await make('secrets', { metadata: { name: 'secret' } }),
  }
  await make('pods', {
    metadata: { name: 'foreign' },
    spec: { ...spec, serviceAccountName: 'boss' },
  })
})
afterAll(() => server.close())

const ask = (body: object, name = 'robot'): Promise<any> =>
  bench.post({ resource: 'serviceaccounts', subresource: 'token', namespace: 'ns', name }, body)
const answered = (spec: object, seconds: number, metadata: object = {}) => ({
  code: 201,
  status: {
    token: expect.stringMatching(/^eyJ/),
    expirationTimestamp: new Date(NOW + seconds * 1000).toISOString().replace('.000', ''),
  },
  kind: 'TokenRequest',
  apiVersion: 'authentication.orch.io/v1',
  metadata: {
    name: 'robot',
    namespace: 'ns',
    creationTimestamp: '2030-01-01T01:00:00Z',
    ...metadata,
  },
  spec,
})

test('a token for nothing in particular', async () => {
  seen.length = 0
  bench.warnings.length = 0
  const got = await ask({})
  const spec = { audiences: ['api', 'api2'], expirationSeconds: 3600 }
  expect(got).toEqual(answered(spec, 3600))
  const now = NOW / 1000
  expect(decodeJwt(got.status.token)).toEqual({
    aud: ['api', 'api2'],
    exp: now + 3600,
    iat: now,
    iss: 'https://server.example',
    nbf: now,
    sub: 'system:serviceaccount:ns:robot',
    'orch.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: uids.account } },
  })
  expect(bench.warnings).toEqual([])
  expect(seen).toEqual([
    {
      resource: 'serviceaccounts',
      namespace: 'ns',
      name: 'robot',
      object: expect.objectContaining({
        metadata: { name: 'robot', namespace: 'ns', creationTimestamp: '2030-01-01T01:00:00Z' },
        status: { token: '', expirationTimestamp: '0001-01-01T00:00:00Z' },
      }),
    },
  ])
})

test('the response follows the spec, whatever status and system fields were sent', async () => {
  const spec = { audiences: ['vault'], expirationSeconds: 600 }
  expect(
    await ask({
      metadata: {
        name: 'robot',
        namespace: 'ns',
        uid: 'mine',
        creationTimestamp: '2000-01-01T00:00:00Z',
        labels: { a: 'b' },
      },
      spec,
      status: { token: 'mine' },
    }),
  ).toEqual(answered(spec, 600, { labels: { a: 'b' } }))
})

describe('bound to an object', () => {
  for (const { name, kind, object, of, apiVersion = 'v1', sendsUid = false } of [
    { name: 'a pod', kind: 'Pod', object: 'own', of: 'pod' },
    { name: 'a pod of this uid', kind: 'Pod', object: 'own', of: 'pod', sendsUid: true },
    { name: 'a secret', kind: 'Secret', object: 'secret', of: 'secret' },
    {
      name: 'a secret of no version',
      kind: 'Secret',
      object: 'secret',
      of: 'secret',
      apiVersion: '',
    },
  ] as const) {
    test(name, async () => {
      const uid = uids[of]
      const boundObjectRef = {
        kind,
        ...(apiVersion === '' ? {} : { apiVersion }),
        name: object,
        ...(sendsUid ? { uid } : {}),
      }
      const got = await ask({ spec: { audiences: ['api'], boundObjectRef } })
      expect(got).toEqual(
        answered({ audiences: ['api'], expirationSeconds: 3600, boundObjectRef }, 3600),
      )
      expect(decodeJwt(got.status.token)['orch.io']).toEqual({
        namespace: 'ns',
        serviceaccount: { name: 'robot', uid: uids.account },
        [of]: { name: object, uid },
      })
    })
  }

  test('the response hides the longer real lifetime from a pod that never refreshes its token', async () => {
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'own' }
    const got = await ask({ spec: { expirationSeconds: 3607, boundObjectRef } })
    expect(got).toEqual(
      answered({ audiences: ['api', 'api2'], expirationSeconds: 3607, boundObjectRef }, 3607),
    )
    expect(decodeJwt(got.status.token).exp).toBe(NOW / 1000 + 31_536_000)
  })
})

test('a lifetime beyond the maximum is shortened with a warning', async () => {
  bench.warnings.length = 0
  expect(await ask({ spec: { audiences: ['a'], expirationSeconds: 9000 } })).toEqual(
    answered({ audiences: ['a'], expirationSeconds: 7200 }, 7200),
  )
  expect(bench.warnings).toEqual(['requested expiration of 9000 seconds shortened to 7200 seconds'])
})

test('admission may change the request', async () => {
  const got = await ask({ metadata: { labels: { touch: '' } }, spec: { audiences: ['a'] } })
  expect(decodeJwt(got.status.token).aud).toEqual(['touched'])
})

describe('refusals', () => {
  const group = { group: 'authentication.orch.io', kind: 'TokenRequest' }
  const notFound = (resource: string, name: string): Failure => ({
    code: 404,
    reason: 'NotFound',
    message: `${resource} "${name}" not found`,
    details: { name, kind: resource },
  })
  for (const { name, account = 'robot', body, expected } of [
    {
      name: 'another name',
      body: { metadata: { name: 'boss' } },
      expected: invalid({ ...group, name: 'robot' }, [
        [
          'metadata.name',
          'Invalid',
          'Invalid value: "boss": must match the service account name if specified',
        ],
      ]),
    },
    {
      name: 'another namespace, before the account is looked for',
      account: 'nobody',
      body: { metadata: { namespace: 'other' } },
      expected: invalid({ ...group, name: 'nobody' }, [
        [
          'metadata.namespace',
          'Invalid',
          'Invalid value: "other": must match the service account namespace if specified',
        ],
      ]),
    },
    {
      name: 'no such account, before the rules',
      account: 'nobody',
      body: { spec: { expirationSeconds: 1 } },
      expected: notFound('serviceaccounts', 'nobody'),
    },
    {
      name: 'too short, before admission',
      body: { metadata: { labels: { refuse: '' } }, spec: { expirationSeconds: 599 } },
      expected: invalid({ ...group, name: '' }, [
        [
          'spec.expirationSeconds',
          'Invalid',
          'Invalid value: 599: may not specify a duration less than 10 minutes',
        ],
      ]),
    },
    {
      name: 'too long',
      body: { spec: { expirationSeconds: 2 ** 32 + 1 } },
      expected: invalid({ ...group, name: '' }, [
        [
          'spec.expirationSeconds',
          'Invalid',
          'Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
        ],
      ]),
    },
    {
      name: 'admission, before the object is looked for',
      body: {
        metadata: { labels: { refuse: '' } },
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
      },
      expected: {
        code: 403,
        reason: 'Forbidden',
        message: 'serviceaccounts "robot" is forbidden: no',
        details: { name: 'robot', kind: 'serviceaccounts' },
      },
    },
    {
      name: 'another kind of object',
      body: { spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } } },
      expected: badRequest('cannot bind token to object of type /v1, Kind=ConfigMap'),
    },
    {
      name: 'another group',
      body: { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'apps/v1', name: 'own' } } },
      expected: badRequest('cannot bind token to object of type apps/v1, Kind=Pod'),
    },
    {
      name: 'no such pod',
      body: { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } } },
      expected: notFound('pods', 'none'),
    },
    {
      name: 'a pod of another account',
      body: { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'foreign' } } },
      expected: badRequest(
        'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
      ),
    },
    {
      name: 'no such secret',
      body: { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } } },
      expected: notFound('secrets', 'none'),
    },
    {
      name: 'a namesake of the object',
      body: {
        spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'secret', uid: 'x' } },
      },
      expected: {
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on Secret "secret": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
        details: { name: 'secret', kind: 'Secret' },
      },
    },
  ] satisfies { name: string; account?: string; body: object; expected: Failure }[]) {
    test(name, async () => expect(await ask(body, account)).toEqual(failure(expected)))
  }

  test('every request is refused without a signing key', async () => {
    const path = { resource: 'serviceaccounts', subresource: 'token', namespace: 'ns', name: 'x' }
    expect(await client(server.api).post(path, {})).toEqual(
      failure({
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        details: {},
      }),
    )
  })
})

test('a token is valid until its account is deleted', async () => {
  const path = { resource: 'serviceaccounts', namespace: 'ns', name: 'short' }
  const uid = await bench.make({ ...path, name: '' }, { metadata: { name: 'short' } })
  const { token } = (await ask({}, 'short')).status
  const tokens = new BoundTokens({
    v: orch,
    clock: new ManualClock(NOW),
    keys: [key.verifying],
    objects: server.source,
    issuers: ['https://server.example'],
    apiAudiences: ['api'],
    count: () => {},
  })
  expect(await tokens.authenticateToken(token, authenticationContext())).toEqual({
    user: {
      name: 'system:serviceaccount:ns:short',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
      extra: {},
    },
    audiences: ['api'],
  })
  await bench.remove(path)
  await expect(tokens.authenticateToken(token, authenticationContext())).rejects.toThrow(
    new CredentialError('serviceaccounts "short" not found'),
  )
  await bench.make({ ...path, name: '' }, { metadata: { name: 'short' } })
  await expect(tokens.authenticateToken(token, authenticationContext())).rejects.toThrow(
    /^service account UID \([-0-9a-f]{36}\) does not match claim \([-0-9a-f]{36}\)$/,
  )
})
