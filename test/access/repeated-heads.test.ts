/** Requests that a connection repeats are for the same user, and allowed the same, as if each was read anew. */
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inNamespace, Realm, rule, subject } from './realm.fixture.ts'

const realms: Realm[] = []
beforeAll(async () => {
  for (const directHttp1 of [true, false])
    realms.push(await Realm.start(() => ({ serving: { directHttp1 } })))
})
afterAll(() => Promise.all(realms.map((realm) => realm.close())))

const CONFIG_MAPS = inNamespace('default', 'configmaps')
const SECRETS = inNamespace('default', 'secrets')

/** One connection. */
class Connection {
  readonly #realm: Realm
  readonly #agent: Agent

  constructor(realm: Realm, user: string) {
    this.#realm = realm
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      rejectUnauthorized: false,
      ...realm.certificate({ subject: subject(user) }),
    })
  }

  /** Status and, of a refusal, the message. */
  async get(path: string, headers: OutgoingHttpHeaders = {}): Promise<unknown> {
    const sent = request(new URL(path, this.#realm.server.url), { agent: this.#agent, headers })
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const { kind, message } = JSON.parse(await text(response))
    return [response.statusCode, message ?? kind]
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** What one user gets, over one connection, before and after the role is taken away. */
async function story(realm: Realm): Promise<unknown[]> {
  const verbs = ['impersonate']
  await realm.allow({ user: 'bob' }, { verbs, apiGroups: [''], resources: ['users'] })
  const binding = await realm.allow({ user: 'bob' }, rule('list configmaps'))
  await realm.allow({ user: 'carol' }, rule('list secrets'))
  const bob = new Connection(realm, 'bob')
  const carol = { 'Impersonate-User': 'carol' }
  const got: unknown[] = []
  const ask = async (path: string, headers: OutgoingHttpHeaders = {}) => {
    for (let i = 0; i < 3; i++) got.push(await bob.get(path, headers))
  }
  await ask(CONFIG_MAPS)
  await ask(SECRETS)
  await ask(SECRETS, carol)
  await ask(CONFIG_MAPS, carol)
  await ask(CONFIG_MAPS, { Authorization: 'Bearer unknown' })
  await ask(CONFIG_MAPS, { 'X-Remote-User': 'carol' })
  for (const path of [CONFIG_MAPS, SECRETS, `${CONFIG_MAPS}?limit=1`, CONFIG_MAPS])
    got.push(await bob.get(path))
  await realm.admin.delete(binding)
  await expect.poll(() => bob.get(CONFIG_MAPS)).toEqual([403, expect.anything()])
  await ask(CONFIG_MAPS)
  bob.close()
  return got
}

test('users, refusals and impersonation over one connection', async () => {
  const [own, nodes] = await Promise.all(realms.map(story))
  expect(own).toEqual(nodes)
  const statuses = (own as [number, string][]).map(([status]) => status)
  const three = (status: number) => [status, status, status]
  expect(statuses).toEqual([
    ...[...three(200), ...three(403), ...three(200), ...three(403), ...three(200), ...three(200)],
    ...[200, 403, 200, 200],
    ...three(403),
  ])
})
