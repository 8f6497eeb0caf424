import { expect, test } from 'vitest'
import { ALLOCATION_PREFIX } from '../registry/allocations.ts'
import { tablePrefixOf } from '../base/store-keys.ts'
import { AUTHORITIES_KEY } from './bootstrap/authorities.ts'
import { resources } from '../kinds/index.ts'
import { buildCatalogue } from '../catalogue/catalogue.ts'
import { AUTHORITY_PREFIX, readOwnRecord, SERVER_LEASE_PREFIX } from './server-records.ts'
import { encodeBody } from '../engine/record.ts'
import { Layout } from '../engine/etcd/layout.ts'
import { vocabularies } from '../vocabulary/index.ts'

const OWN = [
  AUTHORITIES_KEY,
  `${SERVER_LEASE_PREFIX}192.0.2.1`,
  `${SERVER_LEASE_PREFIX}2001:db8::1`,
]

test('no resource has a key of the servers', () => {
  const tables = [AUTHORITY_PREFIX, SERVER_LEASE_PREFIX, ALLOCATION_PREFIX]
  expect(OWN.map(tablePrefixOf)).toEqual([
    AUTHORITY_PREFIX,
    SERVER_LEASE_PREFIX,
    SERVER_LEASE_PREFIX,
  ])
  const prefixes = Object.values(vocabularies).flatMap((v) => {
    const catalogue = buildCatalogue(resources, v)
    return [...catalogue.entries()].flatMap(({ versions }) =>
      versions.map(({ keyPrefix }) => keyPrefix),
    )
  })
  expect(prefixes.length).toBeGreaterThan(100)
  const clashes = prefixes.filter((prefix) =>
    tables.some((own) => own.startsWith(prefix) || prefix.startsWith(own)),
  )
  expect(clashes).toEqual([])
  // Groups that users define have a dot.
  expect(tables.filter((prefix) => prefix.includes('.'))).toEqual([])
})

test('each has its place in etcd', () => {
  const layout = new Layout('/registry')
  expect(OWN.map((key) => layout.toEtcd(key))).toEqual(OWN)
  expect(OWN.map((key) => layout.toKey(layout.toEtcd(key)))).toEqual(OWN)
})

test('a record is read as it was written', () => {
  const body = { authorities: { ca: 'ä"\n' }, n: 1 }
  const item = { key: `${AUTHORITY_PREFIX}x`, value: encodeBody(body), created: 3, changed: 12 }
  expect(readOwnRecord(item)).toEqual({ metadata: { resourceVersion: '12' }, ...body })
})
