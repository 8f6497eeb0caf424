import { expect, test } from 'vitest'
import { buildCatalogue } from '../catalogue/catalogue.ts'
import { resources } from '../kinds/index.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { encodeRecord } from '../engine/record.ts'
import { StoredObject } from '../cache/stored-object.ts'
import { selection } from './selection.ts'

const pods = buildCatalogue(resources, vocabularies.orch, () => true).find('', 'v1', 'pods')!

function podOf(labels: object, fields: object): StoredObject {
  const head = '{"metadata":{"resourceVersion":"'
  const record = encodeRecord({
    head,
    tail: '"}}',
    metaStart: 12,
    metaLength: head.length - 12 + 2,
    selectors: JSON.stringify({ l: labels, f: fields }),
  })
  const at = { key: '/registry/core/pods/ns/a', revision: 7, created: 7, prev: null }
  return StoredObject.of(record, at, null)
}

const pod = podOf(
  { app: 'web', 'a.b/c': '', n: '5', __proto__x: 'y' },
  { 'spec.nodeName': 'node-1', 'status.phase': 'Running' },
)

const table: readonly (readonly [labels: string, fields: string, isChosen: boolean])[] = [
  ['app=web', '', true],
  ['app==web', '', true],
  ['app=we', '', false],
  ['app=webs', '', false],
  ['app in (web)', '', true],
  ['app in (web,api)', '', true],
  ['app in (db,api)', '', false],
  ['app notin (db,api)', '', true],
  ['app!=web', '', false],
  ['app!=db', '', true],
  ['web', '', false],
  ['app', '', true],
  ['!app', '', false],
  ['!web', '', true],
  ['a.b/c', '', true],
  ['a.b/c=', '', true],
  ['a.b/c=x', '', false],
  ['n>4', '', true],
  ['n>5', '', false],
  ['m>4', '', false],
  // A field value does not match a label.
  ['spec.nodeName=node-1', '', false],
  ['', 'spec.nodeName=node-1', true],
  ['', 'spec.nodeName=node', false],
  ['', 'spec.nodeName=', false],
  ['', 'spec.nodeName!=node-1', false],
  ['', 'spec.nodeName!=', true],
  ['', 'status.phase=Running,spec.nodeName=node-1', true],
  ['', 'status.phase=Running,spec.nodeName=node-2', false],
  ['', 'metadata.name=a', true],
  ['', 'metadata.name=b', false],
  ['', 'metadata.name!=b', true],
  ['', 'metadata.namespace=ns', true],
  ['', 'metadata.namespace=other', false],
  ['app=web', 'metadata.name=a,spec.nodeName=node-1', true],
]

test.each(table)('labels %j and fields %j choose a pod: %s', (labels, fields, isChosen) => {
  expect(selection(pods, labels, fields).matches?.(pod)).toBe(isChosen)
})

test('an object without labels matches negative requirements', () => {
  const bare = podOf({}, {})
  const chosen = (labels: string, fields: string) => selection(pods, labels, fields).matches?.(bare)
  expect([chosen('app', ''), chosen('!app', ''), chosen('', 'spec.nodeName=')]).toEqual([
    false,
    true,
    true,
  ])
})
