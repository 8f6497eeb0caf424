import { expect, test } from 'vitest'
import { isEquivalent } from './canonical-json.ts'
import { revisionHash, templateHash } from './hashes.ts'
import { revisionData } from './revisions.ts'

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c' }] } }

test('templates that mean the same have the same hash, which collisions change', () => {
  const other = {
    spec: { containers: [{ name: 'c', ports: [] }], volumes: undefined },
    metadata: { labels: { app: 'web' } },
  }
  expect(isEquivalent(template, other)).toBe(true)
  const hashes = [template, other].map((one) => templateHash(one, undefined))
  expect(hashes[0]).toBe(hashes[1])
  const all = [undefined, 0, 1, 2].map((count) => templateHash(template, count))
  expect(new Set(all).size).toBe(4)
  for (const hash of all) expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/)
})

test('the digits of the sum are written in letters', () => {
  // FNV-1 of the text `0` is 84696367.
  expect(revisionHash('', 0)).toBe('d8bfb7bc')
  expect(revisionHash('a', 0)).not.toBe(revisionHash('a', 1))
})

test('the data of a revision is sorted, with the escapes of the reference', () => {
  const data = revisionData({
    spec: { containers: [{ name: 'c', args: ['<&>\u2028'], image: 'x' }] },
    metadata: { labels: { b: '1', a: '2' } },
  } as never)
  expect(data).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"a":"2","b":"1"}},' +
      '"spec":{"containers":[{"args":["\\u003c\\u0026\\u003e\\u2028"],"image":"x","name":"c"}]}}}}',
  )
})
