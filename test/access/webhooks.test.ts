/** Remote services that know tokens and decide about requests (seed 1; authentication page 8, authorization page 8). */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import type { ServerOptions } from '../../src/server/options/server-options.ts'
import type { Client } from '../client.ts'
import { freePort, untilRefused } from '../ports.ts'
import { remoteService, type Received, type RemoteService } from '../remote-service.ts'
import {
  expectUnauthorized,
  inNamespace,
  Realm,
  refused,
  REVIEWS,
  rule,
  said,
  TOKEN_REVIEWS,
  who,
} from './realm.fixture.ts'

const SECOND = 1000
const PODS = inNamespace('default', 'pods')
const MAPS = inNamespace('default', 'configmaps')
const SECRETS = inNamespace('default', 'secrets')
const listing = (resource: string) =>
  `list resource "${resource}" in API group "" in the namespace "default"`

/** A way to the services that can be shut; nobody takes the port then. */
class Doorway {
  readonly #to: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly port: number

  constructor(port: number, to: number) {
    this.port = port
    this.#to = to
    this.#server = createServer((near) => {
      const far = connect(this.#to, '127.0.0.1')
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one)
        one.pipe(other)
        one.on('error', () => {})
        one.on('close', () => {
          this.#sockets.delete(one)
          other.destroy()
        })
      }
    })
  }

  async open(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async shut(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, 'close')
    await untilRefused(this.port)
  }
}

/** One of the versions that reviews are spoken in, and how long answers are to be remembered. */
interface Case {
  readonly name: string
  /** Given to the server, or its default. */
  readonly version?: string
  readonly spoken: string
  /** Field of the user's groups in reviews of access. */
  readonly groups: string
  readonly tokenTtlMs?: number
  readonly allowedTtlMs?: number
  readonly refusedTtlMs?: number
  /** What holds then. */
  readonly seconds: { readonly token: number; readonly allowed: number; readonly refused: number }
}

const CASES: readonly Case[] = [
  {
    name: 'v1beta1, the default, with the default times',
    spoken: 'v1beta1',
    groups: 'group',
    seconds: { token: 120, allowed: 300, refused: 30 },
  },
  {
    name: 'v1, with other times',
    version: 'v1',
    spoken: 'v1',
    groups: 'groups',
    tokenTtlMs: 40 * SECOND,
    allowedTtlMs: 60 * SECOND,
    refusedTtlMs: 5 * SECOND,
    seconds: { token: 40, allowed: 60, refused: 5 },
  },
]

/** A client configuration as people write them; its files lie beside it or stand in it. */
const configuration = (server: string, authority: object, user: object): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'remote', user: 'server' } }],
    clusters: [{ name: 'remote', cluster: { server, ...authority } }],
    users: [{ name: 'server', user }],
  })

const data = (pem: string) => Buffer.from(pem).toString('base64')

for (const { name, version, spoken, groups, seconds, ...ttl } of CASES) {
  describe(name, () => {
    const tokenVersion = `authentication.orch.io/${spoken}`
    const accessVersion = `authorization.orch.io/${spoken}`
    const clock = new ManualClock()
    let remote: RemoteService
    let doorway: Doorway
    let realm: Realm
    let jane: Client
    let joe: Client
    /** What the services say; by token, and by resource or path. */
    let tokens: Record<string, object>
    let decisions: Record<string, object>
    const address = (path: string) => `https://127.0.0.1:${doorway.port}/${path}`

    const reply = ({ body }: Received) => {
      const { kind, spec } = body as {
        kind: string
        spec: {
          token: string
          resourceAttributes?: { resource: string }
          nonResourceAttributes?: { path: string }
        }
      }
      if (kind === 'TokenReview') {
        return { body: { kind, apiVersion: tokenVersion, status: tokens[spec.token] ?? {} } }
      }
      const about = spec.resourceAttributes?.resource ?? spec.nonResourceAttributes?.path ?? ''
      const status = decisions[about] ?? { allowed: false }
      return { body: { kind, apiVersion: accessVersion, status } }
    }

    beforeAll(async () => {
      remote = await remoteService()
      doorway = new Doorway(await freePort(), Number(new URL(remote.url).port))
      await doorway.open()
      const forTokens = remote.clientCertificate('asks for tokens')
      const forAccess = remote.clientCertificate('asks for access')
      const options = (file: (name: string) => string): ServerOptions => ({
        clock,
        authentication: {
          webhook: {
            configFile: file('tokens.yaml'),
            ...(version === undefined ? {} : { version }),
            ...(ttl.tokenTtlMs === undefined ? {} : { cacheTtlMs: ttl.tokenTtlMs }),
          },
        },
        authorization: {
          modes: ['Webhook', 'RBAC'],
          webhook: {
            configFile: file('access.yaml'),
            ...(version === undefined ? {} : { version }),
            ...(ttl.allowedTtlMs === undefined ? {} : { authorizedTtlMs: ttl.allowedTtlMs }),
            ...(ttl.refusedTtlMs === undefined ? {} : { unauthorizedTtlMs: ttl.refusedTtlMs }),
          },
        },
      })
      realm = await Realm.start(options, {
        'remote.crt': remote.ca,
        'own.crt': forTokens.cert,
        'own.key': forTokens.key,
        'tokens.yaml': configuration(
          address('tokens'),
          { 'certificate-authority': 'remote.crt' },
          { 'client-certificate': 'own.crt', 'client-key': 'own.key' },
        ),
        'access.yaml': configuration(
          address('access'),
          { 'certificate-authority-data': data(remote.ca) },
          {
            'client-certificate-data': data(forAccess.cert),
            'client-key-data': data(forAccess.key),
          },
        ),
      })
      await realm.allow({ user: 'jane' }, rule('get,list configmaps'), 'default')
      await realm.allow({ group: 'readers' }, rule('list pods'), 'default')
      jane = realm.as({ token: 'token-of-jane' })
      joe = realm.user('joe', 'people')
    })
    afterAll(async () => {
      await realm.close()
      await doorway.shut()
      await remote.close()
    })
    beforeEach(() => {
      // Nothing is remembered of the test before.
      clock.advance(3600 * SECOND)
      remote.requests.length = 0
      remote.replies = [reply]
      decisions = {}
      tokens = {
        'token-of-jane': {
          authenticated: true,
          user: {
            username: 'jane',
            uid: '42',
            groups: ['readers'],
            extra: { 'example.com/floor': ['3', '4'] },
          },
        },
      }
    })

    const asked = (kind: string) =>
      remote.requests.filter(({ body }) => (body as { kind: string }).kind === kind)

    describe('the service that knows tokens', () => {
      test('gives a user who may do what bindings allow', async () => {
        expect(await who(jane)).toEqual({
          name: 'jane',
          uid: '42',
          groups: ['readers', 'system:authenticated'],
          extra: { 'example.com/floor': ['3', '4'] },
        })
        expect((await jane.get(MAPS)).status).toBe(200)
        expect((await jane.get(PODS)).status).toBe(200)
        expect(said(await jane.get(SECRETS))).toEqual(
          refused('secrets', 'jane', listing('secrets')),
        )
      })

      test('is asked with the certificate of the configuration, in its version', async () => {
        await jane.get(MAPS)
        expect(
          asked('TokenReview').map(({ line, client, body }) => ({ line, client, body })),
        ).toEqual([
          {
            line: 'POST /tokens?timeout=30s',
            client: 'asks for tokens',
            body: {
              kind: 'TokenReview',
              apiVersion: tokenVersion,
              metadata: { creationTimestamp: null },
              spec: { token: 'token-of-jane', audiences: ['https://orch.default.svc'] },
              status: { user: {} },
            },
          },
        ])
      })

      test('is asked again when its answer is too old', async () => {
        const counts: number[] = []
        for (const passed of [0, 11, seconds.token - 12, 2]) {
          clock.advance(passed * SECOND)
          await jane.get(MAPS)
          counts.push(asked('TokenReview').length)
        }
        // The common memory of ten seconds stands before it and may be younger than its answer.
        clock.advance(11 * SECOND)
        await jane.get(MAPS)
        expect([...counts, asked('TokenReview').length]).toEqual([1, 1, 1, 1, 2])
      })

      test('is remembered for what it does not know, too', async () => {
        const stranger = realm.as({ token: 'token-of-nobody' })
        for (const passed of [0, seconds.token - 1]) {
          clock.advance(passed * SECOND)
          expectUnauthorized(await stranger.get(MAPS))
        }
        expect(asked('TokenReview').length).toBe(1)
        clock.advance(2 * SECOND)
        tokens['token-of-nobody'] = { authenticated: true, user: { username: 'jane' } }
        expect((await stranger.get(MAPS)).status).toBe(200)
      })

      for (const { what, status, error } of [
        { what: 'nothing', status: {}, error: 'invalid bearer token' },
        {
          what: 'an error',
          status: { authenticated: false, error: 'the token is worn' },
          error: '[invalid bearer token, the token is worn]',
        },
        {
          what: 'another audience',
          status: { authenticated: true, audiences: ['elsewhere'], user: { username: 'jane' } },
          error: 'invalid bearer token',
        },
      ]) {
        test(`lets nobody in with ${what}; a review tells why`, async () => {
          tokens['token-of-jane'] = status
          expectUnauthorized(await jane.get(MAPS))
          const { body } = await realm.admin.post(TOKEN_REVIEWS, {
            spec: { token: 'token-of-jane' },
          })
          expect(body.status).toEqual({ user: {}, error })
        })
      }

      test('shows its users in reviews', async () => {
        const { body } = await realm.admin.post(TOKEN_REVIEWS, { spec: { token: 'token-of-jane' } })
        expect(body.status).toEqual({
          authenticated: true,
          user: {
            username: 'jane',
            uid: '42',
            groups: ['readers', 'system:authenticated'],
            extra: { 'example.com/floor': ['3', '4'] },
          },
          audiences: ['https://orch.default.svc'],
        })
      })

      describe('out of reach', () => {
        beforeEach(() => doorway.shut())
        afterEach(() => doorway.shut().then(() => doorway.open()))

        test('knows nobody until it is back', async () => {
          expectUnauthorized(await jane.get(MAPS))
          const { body } = await realm.admin.post(TOKEN_REVIEWS, {
            spec: { token: 'token-of-jane' },
          })
          const why = `Post "${address('tokens')}?timeout=30s": dial tcp 127.0.0.1:${doorway.port}: connect: connection refused`
          expect(body.status).toEqual({ user: {}, error: `[invalid bearer token, ${why}]` })
          await doorway.open()
          expect((await jane.get(MAPS)).status).toBe(200)
        })

        test('does not matter while its answer is remembered', async () => {
          await doorway.open()
          expect((await jane.get(MAPS)).status).toBe(200)
          await doorway.shut()
          clock.advance(11 * SECOND)
          expect((await jane.get(`${MAPS}?limit=1`)).status).toBe(200)
        })
      })
    })

    describe('the service that decides', () => {
      test('is asked with the certificate of the configuration, in its version', async () => {
        await joe.get(`${PODS}/one/log`)
        await joe.get('/docs/a')
        const user = { user: 'joe', [groups]: ['people', 'system:authenticated'] }
        const review = (spec: object) => ({
          line: 'POST /access?timeout=30s',
          client: 'asks for access',
          body: {
            kind: 'SubjectAccessReview',
            apiVersion: accessVersion,
            metadata: { creationTimestamp: null },
            spec,
            status: { allowed: false },
          },
        })
        expect(remote.requests.map(({ line, client, body }) => ({ line, client, body }))).toEqual([
          review({
            resourceAttributes: {
              namespace: 'default',
              verb: 'get',
              version: 'v1',
              resource: 'pods',
              subresource: 'log',
              name: 'one',
            },
            ...user,
          }),
          review({ nonResourceAttributes: { path: '/docs/a', verb: 'get' }, ...user }),
        ])
      })

      test('is not asked about the privileged group', async () => {
        expect((await realm.admin.get(SECRETS)).status).toBe(200)
        expect(remote.requests).toEqual([])
      })

      test('allows what no binding does', async () => {
        decisions['secrets'] = { allowed: true }
        expect((await joe.get(SECRETS)).status).toBe(200)
        expect(said(await joe.get(PODS))).toEqual(refused('pods', 'joe', listing('pods')))
      })

      test('denies what a binding allows, with its reason', async () => {
        decisions['configmaps'] = { allowed: false, denied: true, reason: 'not on <Sundays>' }
        expect(said(await jane.get(MAPS))).toEqual(
          refused('configmaps', 'jane', `${listing('configmaps')}: not on <Sundays>`),
        )
      })

      test('leaves what it has no opinion about to the next mode', async () => {
        decisions['configmaps'] = { allowed: false, reason: 'no idea' }
        decisions['secrets'] = { allowed: false, reason: 'no idea' }
        expect((await jane.get(MAPS)).status).toBe(200)
        expect(said(await jane.get(SECRETS))).toEqual(
          refused('secrets', 'jane', `${listing('secrets')}: no idea`),
        )
      })

      test('is asked again when its decision is too old', async () => {
        const times = async (resource: string, ages: readonly number[]) => {
          remote.requests.length = 0
          const counts: number[] = []
          for (const passed of ages) {
            clock.advance(passed * SECOND)
            await joe.get(inNamespace('default', resource))
            counts.push(asked('SubjectAccessReview').length)
          }
          return counts
        }
        decisions['secrets'] = { allowed: true }
        decisions['events'] = { allowed: false, denied: true }
        const allowed = [0, seconds.allowed - 1, 2]
        const others = [0, seconds.refused - 1, 2]
        expect([
          await times('secrets', allowed),
          await times('events', others),
          await times('endpoints', others),
        ]).toEqual([
          [1, 1, 2],
          [1, 1, 2],
          [1, 1, 2],
        ])
      })

      describe('in reviews', () => {
        const about = (resource: string) => ({
          spec: {
            user: 'joe',
            resourceAttributes: { namespace: 'default', verb: 'list', resource },
          },
        })
        for (const { what, decision, status } of [
          {
            what: 'a denial',
            decision: { allowed: false, denied: true, reason: 'no' },
            status: { allowed: false, denied: true, reason: 'no' },
          },
          {
            what: 'a permission',
            decision: { allowed: true, reason: 'yes' },
            status: { allowed: true, reason: 'yes' },
          },
          {
            what: 'no opinion',
            decision: { allowed: false, reason: 'no idea' },
            status: { allowed: false, reason: 'no idea' },
          },
          {
            what: 'both at once',
            decision: { allowed: true, denied: true, reason: 'well' },
            status: {
              allowed: false,
              denied: true,
              reason: 'well',
              evaluationError:
                'webhook subject access review returned both allow and deny response',
            },
          },
        ]) {
          test(`${what} shows`, async () => {
            decisions['secrets'] = decision
            const { body } = await realm.admin.post(
              `${REVIEWS}/subjectaccessreviews`,
              about('secrets'),
            )
            expect(body.status).toEqual(status)
          })
        }

        test('of rules it cannot be told', async () => {
          const { body } = await realm
            .user('joe')
            .post(`${REVIEWS}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } })
          expect({
            incomplete: body.status.incomplete,
            evaluationError: body.status.evaluationError,
          }).toEqual({
            incomplete: true,
            evaluationError: 'webhook authorizer does not support user rule resolution',
          })
        })
      })

      test('both at once is a failure for who asks', async () => {
        decisions['secrets'] = { allowed: true, denied: true, reason: 'well' }
        expect(said(await joe.get(SECRETS))).toEqual([
          500,
          `Internal Server Error: "${SECRETS}": webhook subject access review returned both allow and deny response\n`,
        ])
      })

      describe('out of reach', () => {
        beforeEach(() => doorway.shut())
        afterEach(() => doorway.shut().then(() => doorway.open()))
        const why = () =>
          `Post "${address('access')}?timeout=30s": dial tcp 127.0.0.1:${doorway.port}: connect: connection refused`

        test('is a failure for whom nobody else allows, until it is back', async () => {
          const answer = await joe.get(SECRETS)
          expect([said(answer), answer.headers['content-type']]).toEqual([
            [500, `Internal Server Error: "${SECRETS}": ${why()}\n`],
            'text/plain; charset=utf-8',
          ])
          await doorway.open()
          decisions['secrets'] = { allowed: true }
          expect((await joe.get(SECRETS)).status).toBe(200)
        })

        test('does not keep the next mode from allowing', async () => {
          expect((await realm.user('jane').get(MAPS)).status).toBe(200)
        })

        test('shows in a review', async () => {
          const { body } = await realm.admin.post(`${REVIEWS}/subjectaccessreviews`, {
            spec: { user: 'joe', nonResourceAttributes: { path: '/docs', verb: 'get' } },
          })
          expect(body.status).toEqual({ allowed: false, evaluationError: why() })
        })
      })
    })
  })
}

describe('a server does not start', () => {
  const good = configuration('https://127.0.0.1:1/', {}, {})
  const errorOf = (options: (file: (name: string) => string) => ServerOptions) =>
    Realm.start(options, { 'good.yaml': good, 'bad.yaml': '{"kind":"List"}' }).then(
      (realm) => realm.close(),
      (error: Error) => error.message.replaceAll(/\S*\/realm-\w+\//g, ''),
    )
  const modes = ['Webhook']
  for (const { name, options, message } of [
    {
      name: 'without the file for tokens',
      options: (file) => ({ authentication: { webhook: { configFile: file('none.yaml') } } }),
      message:
        'authentication.webhook.configFile: cannot use the client configuration none.yaml: there is no such file',
    },
    {
      name: 'without the file for access',
      options: (file) => ({ authorization: { modes, webhook: { configFile: file('none.yaml') } } }),
      message:
        'authorization.webhook.configFile: cannot use the client configuration none.yaml: there is no such file',
    },
    {
      name: 'with a file that is none',
      options: (file) => ({ authentication: { webhook: { configFile: file('bad.yaml') } } }),
      message:
        'authentication.webhook.configFile: cannot use the client configuration bad.yaml: the configuration is of kind "List", version "v1", not "Config", "v1"',
    },
    {
      name: 'with a version of token reviews that nobody speaks',
      options: (file) => ({
        authentication: { webhook: { configFile: file('good.yaml'), version: 'v2' } },
      }),
      message: 'authentication.webhook.version must be one of v1, v1beta1, not "v2"',
    },
    {
      name: 'with a version of access reviews that nobody speaks',
      options: (file) => ({
        authorization: { modes, webhook: { configFile: file('good.yaml'), version: 'v2' } },
      }),
      message: 'authorization.webhook.version must be one of v1, v1beta1, not "v2"',
    },
    {
      name: 'with a file and no mode for it',
      options: (file) => ({ authorization: { webhook: { configFile: file('good.yaml') } } }),
      message: 'authorization.webhook.configFile needs authorization.modes Webhook',
    },
    {
      name: 'with the mode and no file',
      options: () => ({ authorization: { modes } }),
      message: 'authorization.modes Webhook needs authorization.webhook.configFile',
    },
  ] satisfies {
    name: string
    options: (file: (name: string) => string) => ServerOptions
    message: string
  }[]) {
    test(name, async () => {
      expect(await errorOf(options)).toBe(message)
    })
  }
})
