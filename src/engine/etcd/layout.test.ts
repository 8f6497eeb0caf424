import { describe, expect, test } from 'vitest'
import { Layout } from './layout.ts'

const layout = new Layout('/mine')

describe('where keys are', () => {
  test.each([
    ['/registry/core/configmaps/ns/name', '/mine/core/configmaps/ns/name'],
    ['/registry/core/namespaces/name', '/mine/core/namespaces/name'],
    ['/registry/example.com/widgets/ns/name', '/mine/example.com/widgets/ns/name'],
    [
      '/registry/servers/claims/serviceips/IPv4/10.0.0.1',
      '/mine/servers/claims/serviceips/IPv4/10.0.0.1',
    ],
    ['/registry/core/configmaps/ä/\u{1f600}', '/mine/core/configmaps/ä/\u{1f600}'],
    ['/registry/', '/mine/'],
  ])('%s: %s', (key, place) => {
    expect([layout.toEtcd(key), layout.toKey(place)]).toEqual([place, key])
  })

  test.each([['registry/a'], ['/registry2/a'], ['/a'], ['/registry/.revision'], ['']])(
    '%j has none',
    (key) => {
      expect(() => layout.toEtcd(key)).toThrow(`the key ${key} has no place in etcd`)
    },
  )

  test.each([['/mine2/core/configmaps/a'], ['/registry/core/nodes/a'], ['/mine/.revision']])(
    '%s is none of ours',
    (place) => {
      expect(layout.toKey(place)).toBeNull()
    },
  )

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

describe('below the usual prefix keys are the same in both', () => {
  const usual = new Layout('/registry')

  test.each([['/registry/core/configmaps/ns/name'], ['/registry/core/configmaps/ä/\u{1f600}']])(
    '%s',
    (key) => {
      expect([usual.toEtcd(key), usual.toKey(key)]).toEqual([key, key])
    },
  )

  test.each([['/registry2/a'], ['/a'], ['/registry/.revision'], ['']])('%j is none', (key) => {
    expect(() => usual.toEtcd(key)).toThrow(`the key ${key} has no place in etcd`)
    expect(usual.toKey(key)).toBeNull()
  })
})

describe('keys come in the order of the store', () => {
  const keys = [
    '/registry/apps/deployments/ns/a',
    '/registry/core/configmaps/ns/a',
    '/registry/core/endpoints/ns/a',
    '/registry/core/endpoints/ns/b',
    '/registry/core/events/ns/a',
    '/registry/core/services/ns/a',
    '/registry/example.com/services/ns/a',
    '/registry/example.com/zoo/ä',
  ]
  const stands = keys.map((key) => layout.toEtcd(key)).sort()
  const walk = (prefix: string, start?: string) => {
    const span = layout.span(prefix, start)
    return span === null
      ? []
      : stands
          .filter((place) => place >= span.from && place < span.end)
          .map((place) => layout.toKey(place)!)
  }

  test.each([
    [''],
    ['/'],
    ['/reg'],
    ['/registry/'],
    ['/registry/e'],
    ['/registry/core/endpoints/'],
    ['/registry/core/endpoints/ns/b'],
    ['/registry/nothing/'],
    ['/other/'],
  ])('under %j', (prefix) => {
    expect(walk(prefix)).toEqual(keys.filter((key) => key.startsWith(prefix)))
  })

  test.each([
    ['', '/registry/core/endpoints/ns/b'],
    ['/', '/registry/core/endpoints/ns/a\0'],
    ['/', '/a'],
    ['/', '/z'],
    ['/registry/', '/registry/m'],
    ['/registry/core/services/', '/registry/core/services/ns/a\0'],
    ['/registry/core/services/', '/registry/a'],
    ['/registry/core/services/', '/registry/core/t'],
  ])('under %j from %j on', (prefix, start) => {
    expect(walk(prefix, start)).toEqual(
      keys.filter((key) => key.startsWith(prefix) && key >= start),
    )
  })
})
