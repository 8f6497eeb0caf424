import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { kubernetes } from '../../vocabulary/kubernetes.ts'
import { orch } from '../../vocabulary/orch.ts'
import { TokenIssuer, type BoundObject } from './issue.ts'
import { verifiedClaims } from './jwt.ts'
import { freshKey, NOW, NOW_SECONDS } from './objects.fixture.ts'

const { signing, verifying } = freshKey()
const account = { namespace: 'ns', name: 'robot', uid: 'u1' }
const pod: BoundObject = { kind: 'Pod', name: 'pod', uid: 'p1' }
const secret: BoundObject = { kind: 'Secret', name: 'secret', uid: 's1' }

const issuer = (rest: object = {}, v = orch) =>
  new TokenIssuer({
    v,
    // Parts of a second do not show in tokens.
    clock: new ManualClock(NOW + 999),
    key: signing,
    issuer: 'https://server.example',
    apiAudiences: ['api', 'api2'],
    maxExpirationSeconds: 0,
    extend: true,
    ...rest,
  })

const claims = (own: object, rest: object = {}) => ({
  aud: ['api'],
  exp: NOW_SECONDS + 600,
  iat: NOW_SECONDS,
  iss: 'https://server.example',
  nbf: NOW_SECONDS,
  sub: 'system:serviceaccount:ns:robot',
  'orch.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'u1' }, ...own },
  ...rest,
})
const podClaim = { pod: { name: 'pod', uid: 'p1' } }
const YEAR = 31_536_000

describe('tokens', () => {
  for (const {
    name,
    seconds = 600,
    audiences = ['api'],
    bound = null,
    parts = {},
    expected,
    said = seconds,
    warnings = [],
  } of [
    { name: 'of an account', expected: claims({}) },
    { name: 'of a pod', bound: pod, expected: claims(podClaim) },
    {
      name: 'of a secret',
      bound: secret,
      expected: claims({ secret: { name: 'secret', uid: 's1' } }),
    },
    {
      name: 'for the audiences of the server',
      audiences: [],
      expected: claims({}, { aud: ['api', 'api2'] }),
    },
    {
      name: 'of a pod, with an extended lifetime',
      bound: pod,
      seconds: 3607,
      expected: claims({ ...podClaim, warnafter: NOW_SECONDS + 3607 }, { exp: NOW_SECONDS + YEAR }),
    },
    {
      name: 'no longer when that is off',
      bound: pod,
      seconds: 3607,
      parts: { extend: false },
      expected: claims(podClaim, { exp: NOW_SECONDS + 3607 }),
    },
    {
      name: 'no longer for another life',
      bound: pod,
      seconds: 3608,
      expected: claims(podClaim, { exp: NOW_SECONDS + 3608 }),
    },
    {
      name: 'no longer with another audience',
      bound: pod,
      seconds: 3607,
      audiences: ['api', 'vault'],
      expected: claims(podClaim, { exp: NOW_SECONDS + 3607, aud: ['api', 'vault'] }),
    },
    {
      name: 'no longer for a secret',
      bound: secret,
      seconds: 3607,
      expected: claims({ secret: { name: 'secret', uid: 's1' } }, { exp: NOW_SECONDS + 3607 }),
    },
    {
      name: 'no longer without an object',
      seconds: 3607,
      expected: claims({}, { exp: NOW_SECONDS + 3607 }),
    },
    {
      name: 'for the most that is allowed',
      seconds: 7200,
      parts: { maxExpirationSeconds: 3600 },
      expected: claims({}, { exp: NOW_SECONDS + 3600 }),
      said: 3600,
      warnings: ['requested expiration of 7200 seconds shortened to 3600 seconds'],
    },
    {
      name: 'not longer once shortened',
      bound: pod,
      seconds: 3607,
      parts: { maxExpirationSeconds: 3600 },
      expected: claims(podClaim, { exp: NOW_SECONDS + 3600 }),
      said: 3600,
      warnings: ['requested expiration of 3607 seconds shortened to 3600 seconds'],
    },
    {
      name: 'just as long as is allowed',
      seconds: 3600,
      parts: { maxExpirationSeconds: 3600 },
      expected: claims({}, { exp: NOW_SECONDS + 3600 }),
    },
  ]) {
    test(name, async () => {
      const { token, ...rest } = await issuer(parts).issue({
        account,
        audiences,
        expirationSeconds: seconds,
        boundObject: bound,
      })
      expect(await verifiedClaims(token, [verifying])).toEqual(expected)
      expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', kid: verifying.kid })
      expect(rest).toEqual({
        audiences: expected.aud,
        expirationSeconds: said,
        expiresAt: NOW + said * 1000,
        warnings,
      })
    })
  }
})

for (const { v, expected } of [
  {
    v: orch,
    expected: {
      iss: 'orch/serviceaccount',
      'orch.io/serviceaccount/namespace': 'ns',
      'orch.io/serviceaccount/secret.name': 'robot-token',
      'orch.io/serviceaccount/service-account.name': 'robot',
      'orch.io/serviceaccount/service-account.uid': 'u1',
      sub: 'system:serviceaccount:ns:robot',
    },
  },
  {
    v: kubernetes,
    expected: {
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': 'ns',
      'kubernetes.io/serviceaccount/secret.name': 'robot-token',
      'kubernetes.io/serviceaccount/service-account.name': 'robot',
      'kubernetes.io/serviceaccount/service-account.uid': 'u1',
      sub: 'system:serviceaccount:ns:robot',
    },
  },
]) {
  test(`a token for a secret has no end, in the words of ${v.name}`, async () => {
    expect(decodeJwt(await issuer({}, v).issueLegacy(account, 'robot-token'))).toEqual(expected)
  })
}
