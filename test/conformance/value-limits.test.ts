/**
 * Bodies of more values than a document may have are refused while they are read, whatever reads them: the text of each
 * ends in a fault that a reader would meet only behind the limit.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wrap } from '../../src/codec/protobuf-envelope.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default'
const MAPS = `${NS}/configmaps`
const PODS = `${NS}/pods`
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const THINGS = '/apis/example.com/v1/namespaces/default/things'
const PROTOBUF = vocabularies.kubernetes.resolve('application/vnd.{brand}.protobuf')
const MANY = 100_001

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes' })
  await server.settled()
  client = new Client(server)
  for (const [path, body] of [
    [MAPS, { metadata: { name: 'x' } }],
    [PODS, { metadata: { name: 'x' }, spec: { containers: [{ name: 'c', image: 'i' }] } }],
    [`${NS}/replicationcontrollers`, replicationController()],
    [CRDS, definition()],
  ] as const)
    expect((await client.post(path, body)).status).toBe(201)
  await server.settled()
  expect((await client.post(THINGS, { ...THING, metadata: { name: 'x' } })).status).toBe(201)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const THING = { apiVersion: 'example.com/v1', kind: 'Thing' }

function replicationController() {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  }
  return { metadata: { name: 'x' }, spec: { replicas: 0, selector: { a: 'b' }, template } }
}

function definition() {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  }
}

const items = '{},'.repeat(MANY)
const json = `{"metadata":{"finalizers":[${items}{}]},"a":}`
const operations = `[${items}{}`
const yaml = `a:\n${'- x\n'.repeat(MANY)}b: [*none]\n`
/** A message of another kind is not read: field 1 holds so many messages of two bytes, and a fault. */
const message = (kind: string, apiVersion: string) =>
  wrap(
    { kind, apiVersion },
    Buffer.concat([
      Buffer.from([0x0a, ...lengthOf(2 * MANY)]),
      // Finalizers, or what is field 14 of another message.
      Buffer.alloc(2 * MANY, Buffer.from([0x72, 0])),
      Buffer.from([0x07]),
    ]),
  )

function lengthOf(bytes: number): number[] {
  return [(bytes & 0x7f) | 0x80, ((bytes >>> 7) & 0x7f) | 0x80, bytes >>> 14]
}

interface Sent {
  readonly type: string
  readonly body: string | Buffer
}
const asJson: Sent = { type: 'application/json', body: json }
const asYaml: Sent = { type: 'application/yaml', body: yaml }
const binary = (kind: string, apiVersion = 'v1'): Sent => ({
  type: PROTOBUF,
  body: message(kind, apiVersion),
})
const patches: readonly Sent[] = [
  { type: 'application/json-patch+json', body: operations },
  { type: 'application/merge-patch+json', body: json },
  { type: 'application/strategic-merge-patch+json', body: json },
  { type: 'application/apply-patch+yaml', body: json },
  { type: 'application/apply-patch+yaml', body: yaml },
]
const forCustom = patches.filter(({ type }) => !type.includes('strategic'))
const patched = (path: string) => `${path}?fieldManager=a`

const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const rows: readonly { method: string; path: string; sent: readonly Sent[] }[] = [
  { method: 'POST', path: MAPS, sent: [asJson, asYaml, binary('ConfigMap')] },
  { method: 'PUT', path: `${MAPS}/x`, sent: [asJson, asYaml, binary('ConfigMap')] },
  { method: 'PATCH', path: patched(`${MAPS}/x`), sent: patches },
  { method: 'PATCH', path: patched(`${PODS}/x/status`), sent: patches },
  { method: 'DELETE', path: `${MAPS}/x`, sent: [asJson, asYaml] },
  { method: 'DELETE', path: `${MAPS}?labelSelector=none`, sent: [asJson, asYaml] },
  {
    method: 'POST',
    path: `${PODS}/x/eviction`,
    sent: [asJson, asYaml, binary('Eviction', 'policy/v1')],
  },
  { method: 'POST', path: `${PODS}/x/binding`, sent: [asJson, asYaml, binary('Binding')] },
  { method: 'PUT', path: `${PODS}/x/ephemeralcontainers`, sent: [asJson, asYaml, binary('Pod')] },
  {
    method: 'POST',
    path: `${NS}/serviceaccounts/default/token`,
    sent: [asJson, asYaml, binary('TokenRequest', 'authentication.k8s.io/v1')],
  },
  {
    method: 'PUT',
    path: `${NS}/replicationcontrollers/x/scale`,
    sent: [asJson, asYaml, binary('Scale', 'autoscaling/v1')],
  },
  { method: 'PATCH', path: patched(`${NS}/replicationcontrollers/x/scale`), sent: patches },
  {
    method: 'POST',
    path: REVIEW,
    sent: [asJson, asYaml, binary('SelfSubjectAccessReview', 'authorization.k8s.io/v1')],
  },
  { method: 'POST', path: THINGS, sent: [asJson, asYaml] },
  { method: 'PUT', path: `${THINGS}/x`, sent: [asJson, asYaml] },
  { method: 'PATCH', path: patched(`${THINGS}/x`), sent: forCustom },
  { method: 'DELETE', path: `${THINGS}/x`, sent: [asJson, asYaml] },
  { method: 'POST', path: CRDS, sent: [asJson, asYaml] },
]

describe('bodies of too many values are refused before they are read to the end', () => {
  for (const { method, path, sent } of rows)
    for (const { type, body } of sent)
      test(`${method} ${path} as ${type}, ${body.length} bytes`, async () => {
        const { status, body: answer } = await client.ask(method, path, {
          raw: body,
          headers: { 'content-type': type },
        })
        expect([status, answer.reason, answer.message]).toEqual([
          413,
          'RequestEntityTooLarge',
          'Request entity too large: the document must have at most 100000 fields and list items',
        ])
      })
})
