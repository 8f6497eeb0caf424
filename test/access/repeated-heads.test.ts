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

  /** `user`: of its certificate; absent: it has none. */
  constructor(realm: Realm, user?: string) {
    this.#realm = realm
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      rejectUnauthorized: false,
      ...(user === undefined ? {} : realm.certificate({ subject: subject(user) })),
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

/** What service accounts get over one connection without a certificate, as through a proxy. */
async function tokenStory(realm: Realm): Promise<unknown[]> {
  const accounts = inNamespace('default', 'serviceaccounts')
  const tokenOf = async (name: string): Promise<string> => {
    await realm.made(accounts, { metadata: { name } })
    const { status } = await realm.made(`${accounts}/${name}/token`, { spec: {} })
    return status.token
  }
  const [robot, other] = [await tokenOf('robot'), await tokenOf('other')]
  const binding = await realm.allow({ account: 'default/robot' }, rule('list configmaps'))
  await realm.allow({ account: 'default/other' }, rule('list secrets'))
  const connection = new Connection(realm)
  const got: unknown[] = []
  const ask = async (...tokens: string[]) => {
    for (const token of tokens) {
      const headers = { Authorization: `Bearer ${token}` }
      for (const path of [CONFIG_MAPS, SECRETS, CONFIG_MAPS])
        got.push(await connection.get(path, headers))
    }
  }
  // The claims of one under the signature of the other, and a signature that differs in one letter.
  const mixed = robot.slice(0, robot.lastIndexOf('.')) + other.slice(other.lastIndexOf('.'))
  const letter = robot.at(-5) === 'A' ? 'B' : 'A'
  const changed = robot.slice(0, -5) + letter + robot.slice(-4)
  await ask(robot, robot, other, robot, mixed, robot, changed, robot, other)
  await realm.admin.delete(binding)
  const headers = { Authorization: `Bearer ${robot}` }
  await expect.poll(() => connection.get(CONFIG_MAPS, headers)).toEqual([403, expect.anything()])
  await ask(robot, other)
  connection.close()
  return got
}

test('tokens of several accounts over one connection', async () => {
  const [own, nodes] = await Promise.all(realms.map(tokenStory))
  expect(own).toEqual(nodes)
  const robot = [200, 403, 200]
  const other = [403, 200, 403]
  const unknown = [401, 401, 401]
  expect((own as [number, string][]).map(([status]) => status)).toEqual([
    ...[
      ...robot,
      ...robot,
      ...other,
      ...robot,
      ...unknown,
      ...robot,
      ...unknown,
      ...robot,
      ...other,
    ],
    ...[403, 403, 403, ...other],
  ])
})
