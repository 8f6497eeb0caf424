/** Paths with the verb in them, `/api/v1/watch/...`: what is authorized, and what is left of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { Realm, refused, rule, said } from './realm.fixture.ts'

const MAPS = 'namespaces/default/configmaps'
const ONE = 'fieldSelector=metadata.name%3Done'
let realm: Realm

beforeAll(async () => {
  realm = await Realm.start()
  await realm.made(`/api/v1/${MAPS}`, { metadata: { name: 'one' } })
  await realm.allow({ user: 'lister' }, rule('get,list configmaps'))
  await realm.allow({ user: 'watcher' }, rule('watch configmaps,namespaces'))
  await realm.allow({ user: 'of-one' }, rule('watch configmaps', ['one']))
  await realm.allow({ user: 'of-place' }, rule('watch configmaps,namespaces'), 'default')
})
afterAll(() => realm.close())

/** What a watch answers, as `said` tells it; the first event when it begins. */
async function begins(user: Client, path: string): Promise<unknown> {
  const reply = await user.get(`${path}${path.includes('?') ? '&' : '?'}timeoutSeconds=1`)
  if (reply.status !== 200) return said(reply)
  expect(reply.text).toMatch(/^\{"type":"ADDED"/)
  return 200
}

describe('authorized as a watch of what the path names', () => {
  const cannot = (user: string, what: string, where: string, name = '') => {
    const shown = name === '' ? what : `${what} "${name}"`
    return refused(shown, user, `watch resource "${what}" in API group "" ${where}`)
  }
  const EVERYWHERE = 'at the cluster scope'
  const HERE = 'in the namespace "default"'
  for (const [user, path, answer] of [
    ['lister', `watch/${MAPS}`, cannot('lister', 'configmaps', HERE)],
    ['lister', `watch/${MAPS}/one`, cannot('lister', 'configmaps', HERE, 'one')],
    ['lister', 'watch/configmaps', cannot('lister', 'configmaps', EVERYWHERE)],
    ['lister', `watch/${MAPS}?watch=false`, cannot('lister', 'configmaps', HERE)],
    ['watcher', `watch/${MAPS}`, 200],
    ['watcher', `watch/${MAPS}/one`, 200],
    ['watcher', 'watch/configmaps', 200],
    ['watcher', 'watch/namespaces', 200],
    ['watcher', 'watch/namespaces/default', 200],
    // What says no elsewhere does not count here.
    ['watcher', `watch/${MAPS}?watch=false`, 200],
    ['of-one', `watch/${MAPS}/one`, 200],
    ['of-one', `watch/${MAPS}/two`, cannot('of-one', 'configmaps', HERE, 'two')],
    ['of-one', `watch/${MAPS}`, cannot('of-one', 'configmaps', HERE)],
    // A selector names an object for the other form only.
    ['of-one', `watch/${MAPS}?${ONE}`, cannot('of-one', 'configmaps', HERE)],
    ['of-one', `${MAPS}?watch&${ONE}`, 200],
    ['of-place', `watch/${MAPS}`, 200],
    ['of-place', 'watch/namespaces/default', 200],
    ['of-place', 'watch/configmaps', cannot('of-place', 'configmaps', EVERYWHERE)],
    ['of-place', 'watch/namespaces', cannot('of-place', 'namespaces', EVERYWHERE)],
  ] as const) {
    test(`${user} ${path}`, async () => {
      expect(await begins(realm.user(user), `/api/v1/${path}`)).toEqual(answer)
    })
  }
})

const failure = (code: number, reason: string, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  details: {},
  code,
})
const NOTHING = failure(404, 'NotFound', 'the server could not find the requested resource')
const NOT_SO = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
)

describe('only what can be watched is there', () => {
  for (const [method, path, answer] of [
    ...['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
      [`watch/${MAPS}`, `watch/${MAPS}/one`, 'watch/configmaps'].map(
        (path) => [method, path, NOT_SO] as const,
      ),
    ),
    ['GET', 'watch/configmaps/one', NOTHING],
    ['GET', `watch/${MAPS}/one/more`, NOTHING],
    ['GET', 'watch/namespaces/default/pods/p/status', NOTHING],
    ['GET', 'watch/namespaces/default/status', NOTHING],
    ['GET', 'watch/namespaces/default/nodes', NOTHING],
    ['GET', 'watch/componentstatuses', NOTHING],
    ['GET', 'watch/namespaces/default/bindings', NOTHING],
    ['GET', 'watch/nothing', NOTHING],
    ['GET', `proxy/${MAPS}/one`, NOTHING],
    ['POST', 'proxy/nodes/one', NOTHING],
  ] as const) {
    test(`${method} ${path}`, async () => {
      const { status, body } = await realm.admin.ask(method, `/api/v1/${path}`)
      expect([status, body]).toEqual([answer.code, answer])
    })
  }

  test('a path that ends with the verb', async () => {
    for (const path of ['/api/v1/watch', '/apis/apps/v1/proxy']) {
      const { status, headers, text } = await realm.admin.get(path)
      expect([status, headers['content-type'], text]).toEqual([
        500,
        'text/plain; charset=utf-8',
        `Internal Server Error: "${path}": unable to determine kind and namespace from url, ${path}\n`,
      ])
    }
  })
})
