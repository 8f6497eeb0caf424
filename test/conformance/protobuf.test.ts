/** The binary form over HTTP: bodies, answers, lists, watches, failures (seed 1, Binary envelope). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { DeleteOptions } from '../../src/kinds/meta/delete-options.ts'
import { APIResourceList, PartialObjectMetadata } from '../../src/kinds/meta/documents.ts'
import { unwrap, wrap } from '../../src/codec/protobuf-envelope.ts'
import { readerOf } from '../../src/codec/protobuf-wire.ts'
import { protobufOf } from '../../src/codec/protobuf.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'
import { protobufForm } from '../protobuf/form.ts'

const v = vocabularies.orch
const form = protobufForm(v)
const TYPE = 'application/vnd.orch.protobuf'
const NS = '/api/v1/namespaces/default/configmaps'
let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: false, disableAdmissionPlugins: ['ServiceAccount'] })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const configMap = (name: string, data: object = { k: 'v' }) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name },
  data,
})

/** A request whose answer is read as bytes. */
async function ask(method: string, path: string, raw?: Buffer, headers: object = {}) {
  const answer = await client.open(method, path, {
    ...(raw ? { raw } : {}),
    headers: { accept: TYPE, 'content-type': TYPE, ...headers },
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }
}

describe('answers', () => {
  test('an object in its envelope: four bytes, then type and message', async () => {
    await client.post(NS, configMap('one'))
    const { status, headers, bytes } = await ask('GET', `${NS}/one`)
    expect([status, headers['content-type']]).toEqual([200, TYPE])
    expect(bytes.subarray(0, 4)).toEqual(Buffer.from([0x6b, 0x38, 0x73, 0]))
    const { kind, apiVersion, contentEncoding, contentType } = unwrap(bytes)
    expect({ kind, apiVersion, contentEncoding, contentType }).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      contentEncoding: '',
      contentType: '',
    })
    expect(form.read(bytes)).toEqual((await client.get(`${NS}/one`)).body)
  })

  test('a list, whole and in chunks', async () => {
    for (const name of ['l1', 'l2', 'l3'])
      await client.post(NS, { ...configMap(name), metadata: { name, labels: { l: 'yes' } } })
    const whole = form.read((await ask('GET', `${NS}?labelSelector=l`)).bytes)
    const { body } = await client.get(`${NS}?labelSelector=l`)
    expect(whole).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' })
    expect(whole.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
    expect(whole.items).toEqual(body.items)
    const first = form.read((await ask('GET', `${NS}?limit=2`)).bytes)
    expect([first.items.length, typeof first.metadata.continue]).toEqual([2, 'string'])
    expect(first.metadata.remainingItemCount).toBeGreaterThan(0)
  })

  test('metadata alone', async () => {
    const accept = `${TYPE};as=PartialObjectMetadata;g=meta.orch.io;v=v1`
    const { status, bytes } = await ask('GET', `${NS}/one`, undefined, { accept })
    const { kind, apiVersion, raw } = unwrap(bytes)
    const { metadata } = protobufOf(PartialObjectMetadata.shape, v).decode(raw) as any
    expect([status, kind, apiVersion, metadata.name]).toEqual([
      200,
      'PartialObjectMetadata',
      'meta.orch.io/v1',
      'one',
    ])
  })

  test('a table is not made; the next clause is taken', async () => {
    const as = 'as=Table;g=meta.orch.io;v=v1'
    const only = await client.get(NS, { headers: { accept: `${TYPE};${as}` } })
    expect([only.status, only.body.reason]).toEqual([406, 'NotAcceptable'])
    const both = await client.get(NS, {
      headers: { accept: `${TYPE};${as},application/json;${as}` },
    })
    expect([both.status, both.body.kind]).toEqual([200, 'Table'])
  })

  test('a failure is a Status in the same form', async () => {
    const { status, headers, bytes } = await ask('GET', `${NS}/absent`)
    const { body } = await client.get(`${NS}/absent`)
    expect([status, headers['content-type']]).toEqual([404, TYPE])
    expect(form.read(bytes)).toEqual(body)
  })

  test('what is served', async () => {
    const { bytes } = await ask('GET', '/apis/apps/v1')
    const { kind, raw } = unwrap(bytes)
    const list = protobufOf(APIResourceList.shape, v).decode(raw) as any
    const { body } = await client.get('/apis/apps/v1')
    expect(kind).toBe('APIResourceList')
    expect(list.resources.map((r: any) => [r.name, r.verbs])).toEqual(
      body.resources.map((r: any) => [r.name, r.verbs]),
    )
  })

  test('large answers are compressed for those who take it', async () => {
    await client.post(NS, configMap('large', { k: 'x'.repeat(300_000) }))
    const { headers, bytes } = await ask('GET', `${NS}/large`, undefined, {
      'accept-encoding': 'gzip',
    })
    expect(headers['content-encoding']).toBe('gzip')
    expect(bytes.length).toBeLessThan(10_000)
  })
})

describe('bodies', () => {
  test('create, update, and a JSON answer to a binary body', async () => {
    const made = await ask('POST', NS, form.write(configMap('made')))
    expect([made.status, form.read(made.bytes).data]).toEqual([201, { k: 'v' }])
    const object = form.read(made.bytes)
    object.data = { k: 'w' }
    const updated = await ask('PUT', `${NS}/made`, form.write(object), {
      accept: 'application/json',
    })
    expect([updated.status, JSON.parse(updated.bytes.toString()).data]).toEqual([200, { k: 'w' }])
  })

  test('defaults are filled and rules hold, as for JSON', async () => {
    const pod = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    }
    const { bytes } = await ask('POST', '/api/v1/namespaces/default/pods', form.write(pod))
    expect(form.read(bytes).spec).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
    })
    const wrong = { ...pod, metadata: { name: 'UPPER' } }
    const refused = await ask('POST', '/api/v1/namespaces/default/pods', form.write(wrong))
    expect([refused.status, form.read(refused.bytes).reason]).toEqual([422, 'Invalid'])
  })

  test('delete options', async () => {
    await client.post(NS, configMap('kept'))
    const options = (uid: string) =>
      wrap(
        { kind: 'DeleteOptions', apiVersion: 'v1' },
        protobufOf(DeleteOptions.shape, v).encode({ preconditions: { uid } }),
      )
    expect((await ask('DELETE', `${NS}/kept`, options('other'))).status).toBe(409)
    const { uid } = (await client.get(`${NS}/kept`)).body.metadata
    expect((await ask('DELETE', `${NS}/kept`, options(uid))).status).toBe(200)
  })

  const envelope = form.write(configMap('bad'))
  for (const { name, raw, status = 400 } of [
    { name: 'nothing', raw: Buffer.alloc(0) },
    { name: 'a wrong prefix', raw: Buffer.from('{"kind":"ConfigMap"}') },
    { name: 'an envelope that is cut off', raw: envelope.subarray(0, envelope.length - 9) },
    {
      name: 'a message of another wire type',
      raw: wrap({ kind: 'ConfigMap', apiVersion: 'v1' }, Buffer.from([0x08, 0x01])),
    },
    {
      name: 'a message that says it is longer than it is',
      raw: wrap(
        { kind: 'ConfigMap', apiVersion: 'v1' },
        Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f]),
      ),
    },
    {
      name: 'text that is no UTF-8',
      raw: wrap({ kind: 'ConfigMap', apiVersion: 'v1' }, Buffer.from([0x0a, 3, 0x0a, 1, 0xff])),
    },
    {
      name: 'a group',
      raw: wrap({ kind: 'ConfigMap', apiVersion: 'v1' }, Buffer.from([0x7b, 0x7c])),
    },
    { name: 'another kind', raw: wrap({ kind: 'Pod', apiVersion: 'v1' }, Buffer.alloc(0)) },
    { name: 'an unknown kind', raw: wrap({ kind: 'Nothing', apiVersion: 'v9' }, Buffer.alloc(0)) },
  ]) {
    test(`${name} is refused and changes nothing`, async () => {
      const reply = await ask('POST', NS, raw)
      expect([reply.status, form.read(reply.bytes).reason]).toEqual([status, 'BadRequest'])
      expect((await client.get(`${NS}/bad`)).status).toBe(404)
    })
  }

  test('nesting without end is refused', async () => {
    let raw = Buffer.alloc(0)
    // A schema inside a schema, and so on: field 28 holds items of a list of schemas.
    const tag = (number: number) => {
      const value = (number << 3) | 2
      return value < 128 ? [value] : [(value & 127) | 128, value >> 7]
    }
    const lengthOf = (n: number): number[] =>
      n < 128 ? [n] : [(n & 127) | 128, ...lengthOf(n >> 7)]
    const nest = (number: number) => {
      raw = Buffer.concat([Buffer.from([...tag(number), ...lengthOf(raw.length)]), raw])
    }
    for (let i = 0; i < 5000; i++) nest(28)
    for (const number of [1, 4, 7, 2]) nest(number)
    const reply = await ask(
      'POST',
      '/apis/apiextensions.orch.io/v1/customresourcedefinitions',
      wrap({ kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.orch.io/v1' }, raw),
    )
    expect([reply.status, form.read(reply.bytes).reason]).toEqual([400, 'BadRequest'])
  })

  test('another media type tells what is taken', async () => {
    const { status, body } = await client.post(NS, configMap('x'), {
      headers: { 'content-type': 'application/cbor' },
    })
    expect([status, body.message]).toEqual([
      415,
      `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, ${TYPE}`,
    ])
  })
})

describe('watch', () => {
  test('frames have their length in front, and hold whole envelopes', async () => {
    const { body } = await client.get(NS)
    const { resourceVersion } = body.metadata
    const answer = await client.open(
      'GET',
      `${NS}?watch=true&resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3Dwatched`,
      { headers: { accept: `${TYPE};stream=watch` } },
    )
    expect(answer.headers['content-type']).toBe(`${TYPE};stream=watch`)
    await client.post(NS, configMap('watched'))
    await client.merge(`${NS}/watched`, { data: { k: 'w' } })
    await client.delete(`${NS}/watched`)
    const events: [string, any][] = []
    let rest = Buffer.alloc(0)
    for await (const chunk of answer) {
      rest = Buffer.concat([rest, chunk as Buffer])
      while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
        const length = rest.readUInt32BE(0)
        events.push(eventOf(rest.subarray(4, 4 + length)))
        rest = rest.subarray(4 + length)
      }
      if (events.length >= 3) break
    }
    expect(events.map(([type, object]) => [type, object.kind, object.data])).toEqual([
      ['ADDED', 'ConfigMap', { k: 'v' }],
      ['MODIFIED', 'ConfigMap', { k: 'w' }],
      ['DELETED', 'ConfigMap', { k: 'w' }],
    ])
  })

  function eventOf(message: Buffer): [string, any] {
    const reader = readerOf(message)
    reader.uint32()
    const type = reader.string()
    reader.uint32()
    const extension = readerOf(reader.bytes())
    extension.uint32()
    return [type, form.read(Buffer.from(extension.bytes()))]
  }
})

describe('writes', () => {
  const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
  const deployment = (name: string) => ({
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name, labels: { number: name } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'c', image: `image:${name}` }] },
      },
    },
  })

  interface Stored {
    readonly metadata: Readonly<Record<string, unknown>> & {
      readonly name: string
      readonly managedFields: readonly Readonly<Record<string, unknown>>[]
    }
  }

  test('creates that are like earlier ones make the objects that JSON makes', async () => {
    const made: unknown[] = []
    const comparable = ({ metadata, ...rest }: Stored) => {
      const { name, labels, managedFields, ...others } = metadata
      const { uid: _u, resourceVersion: _r, creationTimestamp: _t, ...known } = others
      const entry = { ...managedFields[0], time: null }
      const text = JSON.stringify({ labels, ...rest }).replaceAll(name, 'NAME')
      return { ...known, entry, text }
    }
    for (let i = 0; i < 6; i++) {
      const binary = await ask('POST', DEPLOYMENTS, form.write(deployment(`binary-${i}`)))
      expect(binary.status).toBe(201)
      expect(form.read(binary.bytes)).toMatchObject({ metadata: { name: `binary-${i}` } })
      const json = await client.post(DEPLOYMENTS, deployment(`json-${i}`))
      expect(json.status).toBe(201)
      for (const way of ['binary', 'json'])
        made.push(comparable((await client.get(`${DEPLOYMENTS}/${way}-${i}`)).body))
    }
    for (const one of made) expect(one).toEqual(made[0])
  })

  test('a field that is zero without a presence of its own is set', async () => {
    await client.post(DEPLOYMENTS, deployment('scaled'))
    const path = `${DEPLOYMENTS}/scaled`
    const scale = {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'scaled', namespace: 'default' },
      spec: { replicas: 0 },
    }
    const reply = await ask('PUT', `${path}/scale`, form.write(scale))
    expect([reply.status, (await client.get(path)).body.spec.replicas]).toEqual([200, 0])
  })

  test('an update takes a field away by its zero', async () => {
    const services = '/api/v1/namespaces/default/services'
    const service = {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'zero' },
      spec: { ports: [{ port: 80 }], publishNotReadyAddresses: true, selector: { a: 'b' } },
    }
    expect((await ask('POST', services, form.write(service))).status).toBe(201)
    const { body } = await client.get(`${services}/zero`)
    expect(body.spec.publishNotReadyAddresses).toBe(true)
    body.spec.publishNotReadyAddresses = false
    expect((await ask('PUT', `${services}/zero`, form.write(body))).status).toBe(200)
    const after = (await client.get(`${services}/zero`)).body.spec
    expect(after.publishNotReadyAddresses).toBeUndefined()
  })
})
