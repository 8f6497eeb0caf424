import { describe, expect, test } from 'vitest'
import { Layout } from './layout.ts'

const layout = new Layout('/registry', { things: 'older.example.com/things' })

describe('where keys stand', () => {
  test.each([
    ['/configmaps/ns/name', '/registry/configmaps/ns/name'],
    ['/namespaces/name', '/registry/namespaces/name'],
    ['/services/ns/name', '/registry/services/specs/ns/name'],
    ['/endpoints/ns/name', '/registry/services/endpoints/ns/name'],
    ['/nodes/name', '/registry/minions/name'],
    ['/ingresses/ns/name', '/registry/ingress/ns/name'],
    ['/replicationcontrollers/ns/name', '/registry/controllers/ns/name'],
    ['/example.com/widgets/ns/name', '/registry/example.com/widgets/ns/name'],
    ['/things/name', '/registry/older.example.com/things/name'],
    ['/ranges/serviceips/IPv4', '/registry/ranges/serviceips/IPv4'],
    ['/services', '/registry/services'],
    ['/configmaps/ä/\u{1f600}', '/registry/configmaps/ä/\u{1f600}'],
  ])('%s: %s', (key, place) => {
    expect([layout.toEtcd(key), layout.toKey(place)]).toEqual([place, key])
  })

  test.each([
    ['configmaps/a', 'a key begins with /'],
    ['/minions/a', 'the key /minions/a has no place in etcd'],
    ['/.revision', 'the key /.revision has no place in etcd'],
  ])('%s is refused', (key, message) => {
    expect(() => layout.toEtcd(key)).toThrow(message)
  })

  test.each([
    ['/registry2/configmaps/a'],
    ['/registry/nodes/a'],
    ['/registry/services/others/a'],
    ['/registry/.revision'],
  ])('%s is none of ours', (place) => {
    expect(layout.toKey(place)).toBeNull()
  })

  test.each([
    ['registry', '/registry/'],
    ['/registry/', '/registry/'],
    ['/a/b', '/a/b/'],
    ['/', '/'],
    ['', '/'],
  ])('prefix %j begins keys with %s', (prefix, root) => {
    expect(new Layout(prefix).root).toBe(root)
  })
})

describe('keys come in the order of the store, wherever they stand', () => {
  const keys = [
    '/a.example.com/widgets/ns/a',
    '/configmaps/ns/a',
    '/endpoints/ns/a',
    '/endpoints/ns/b',
    '/endpointslices/ns/a',
    '/events/ns/a',
    '/ingressclasses/a',
    '/ingresses/ns/a',
    '/namespaces/a',
    '/nodes/a',
    '/pods/ns/a',
    '/replicationcontrollers/ns/a',
    '/secrets/ns/a',
    '/services/ns/a',
    '/services/ns/b',
    '/things/a',
    '/zoo/ä',
  ]
  const stands = keys.map((key) => layout.toEtcd(key)).sort()
  const walk = (prefix: string, start?: string) =>
    layout.spans(prefix, start).flatMap(({ from, end, mixed }) =>
      stands
        .filter((place) => place >= from && place < end)
        .map((place) => layout.toKey(place)!)
        .filter((key) => !mixed || !layout.isMoved(key)),
    )

  test.each([
    [''],
    ['/'],
    ['/e'],
    ['/endpoints'],
    ['/endpoints/'],
    ['/endpoints/ns/'],
    ['/ingress'],
    ['/nodes/'],
    ['/s'],
    ['/services/ns/b'],
    ['/nothing/'],
  ])('under %j', (prefix) => {
    expect(walk(prefix)).toEqual(keys.filter((key) => key.startsWith(prefix)))
  })

  test.each([
    ['/', '/endpoints/ns/b'],
    ['/', '/endpoints/ns/a\0'],
    ['/', '/m'],
    ['/', '/services/'],
    ['/', '/zz'],
    ['/services/', '/services/ns/a\0'],
    ['/services/', '/a'],
    ['/services/', '/t'],
  ])('under %j from %j on', (prefix, start) => {
    expect(walk(prefix, start)).toEqual(
      keys.filter((key) => key.startsWith(prefix) && key >= start),
    )
  })
})
