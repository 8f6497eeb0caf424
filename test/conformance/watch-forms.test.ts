/** Events of watches that ask for another shape: metadata only, tables; both protocols, both media types, both brands. */
import { connect } from 'node:http2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock, startServer, type RunningServer } from '../../src/index.ts'
import { PartialObjectMetadata } from '../../src/kinds/meta/documents.ts'
import { MAGIC, unwrap } from '../../src/codec/protobuf-envelope.ts'
import { protobufOf } from '../../src/codec/protobuf.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default/configmaps'
const MINUTE_MS = 60_000

/** Bytes of an answer as they come. */
interface Stream {
  readonly type: string
  read(): Promise<Buffer>
  close(): void
}

type Open = (server: RunningServer, path: string, accept: string) => Promise<Stream>

/** Chunks of a stream, one for each call. */
function chunksOf(source: NodeJS.ReadableStream): () => Promise<Buffer> {
  const found = source[Symbol.asyncIterator]()
  return async () => Buffer.from((await found.next()).value as Buffer)
}

const PROTOCOLS: Record<string, Open> = {
  async 'HTTP/1.1'(server, path, accept) {
    const client = new Client(server)
    const answer = await client.open('GET', path, { headers: { accept } })
    const close = () => {
      answer.destroy()
      client.close()
    }
    return { type: answer.headers['content-type'] ?? '', read: chunksOf(answer), close }
  },
  async 'HTTP/2'(server, path, accept) {
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64')
    const session = connect(server.url, {
      ca: server.ca,
      cert: read('client-certificate-data'),
      key: read('client-key-data'),
    })
    const stream = session.request({ ':path': path, accept })
    const type = await new Promise<string>((resolve, reject) => {
      stream.once('response', (headers) => resolve(headers['content-type'] ?? ''))
      stream.once('error', reject)
    })
    return { type, read: chunksOf(stream), close: () => session.destroy() }
  },
}

/** Type and object of an event in the binary form. */
function readEvent(chunk: Buffer) {
  // Four bytes of length, then a message with the type and the object in its envelope.
  const frame = chunk.subarray(4, 4 + chunk.readUInt32BE(0))
  const typeLength = frame[1]!
  const type = frame.toString('utf8', 2, 2 + typeLength)
  const { apiVersion, kind, raw } = unwrap(frame.subarray(frame.indexOf(MAGIC)))
  return { type, apiVersion, kind, raw }
}

for (const { vocabulary, group, media } of [
  { vocabulary: 'kubernetes', group: 'meta.k8s.io', media: 'application/vnd.kubernetes.protobuf' },
  { vocabulary: 'orch', group: 'meta.orch.io', media: 'application/vnd.orch.protobuf' },
  { vocabulary: 'orch', group: 'meta.k8s.io', media: 'application/vnd.kubernetes.protobuf' },
] as const) {
  describe(`vocabulary ${vocabulary}, asked for ${group}`, () => {
    const clock = new ManualClock()
    const v = vocabularies[vocabulary]
    let server: RunningServer
    let client: Client
    beforeAll(async () => {
      server = await startServer({ vocabulary, controllers: false, clock })
      await server.settled()
      client = new Client(server)
      await client.post(NS, { metadata: { name: 'a' }, data: { k: '1' } })
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })
    const latest = async () => (await client.get(NS)).body.metadata.resourceVersion as string
    const watching = (version: string, more = '') =>
      `${NS}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}${more}`

    for (const [protocol, open] of Object.entries(PROTOCOLS)) {
      for (const version of ['v1', 'v1beta1']) {
        test(`${protocol}: a bookmark of metadata in JSON, ${version}`, async () => {
          const at = await latest()
          const accept = `application/json;as=PartialObjectMetadata;g=${group};v=${version}`
          const stream = await open(server, watching(at), accept)
          clock.advance(MINUTE_MS)
          const text = (await stream.read()).toString('utf8')
          stream.close()
          expect([stream.type, text]).toEqual([
            'application/json',
            `{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"${group}/${version}","metadata":{"resourceVersion":"${at}","creationTimestamp":null}}}\n`,
          ])
        })

        test(`${protocol}: a bookmark of metadata in the binary form, ${version}`, async () => {
          const at = await latest()
          const accept = `${media};as=PartialObjectMetadata;g=${group};v=${version}`
          const stream = await open(server, watching(at), accept)
          clock.advance(MINUTE_MS)
          const { raw, ...event } = readEvent(await stream.read())
          stream.close()
          expect([
            stream.type,
            event,
            protobufOf(PartialObjectMetadata.shape, v).decode(raw),
          ]).toEqual([
            `${media};stream=watch`,
            {
              type: 'BOOKMARK',
              apiVersion: `${group}/${version}`,
              kind: 'PartialObjectMetadata',
            },
            { metadata: { resourceVersion: at } },
          ])
        })

        test(`${protocol}: columns are in the first event of tables, rows in each, ${version}`, async () => {
          const at = await latest()
          const accept = `application/json;as=Table;g=${group};v=${version}`
          const stream = await open(server, watching(at), accept)
          const next = async () => {
            const { type, object } = JSON.parse((await stream.read()).toString('utf8'))
            return { type, ...object }
          }
          const row = (cells: unknown[], metadata: object) => ({
            cells,
            object: {
              kind: 'PartialObjectMetadata',
              apiVersion: `${group}/${version}`,
              metadata: expect.objectContaining(metadata),
            },
          })
          clock.advance(MINUTE_MS)
          const head = { kind: 'Table', apiVersion: `${group}/${version}` }
          const first = await next()
          expect(first).toEqual({
            type: 'BOOKMARK',
            ...head,
            metadata: { resourceVersion: at },
            columnDefinitions: [
              expect.objectContaining({ name: 'Name' }),
              expect.objectContaining({ name: 'Data' }),
              expect.objectContaining({ name: 'Age' }),
            ],
            rows: [row(['', 0, '<unknown>'], { resourceVersion: at, creationTimestamp: null })],
          })
          const name = `t-${version}-${protocol === 'HTTP/2' ? '2' : '1'}-${group}`
          const { body: made } = await client.post(NS, {
            metadata: { name },
            data: { a: '', b: '' },
          })
          expect(await next()).toEqual({
            type: 'ADDED',
            ...head,
            metadata: { resourceVersion: made.metadata.resourceVersion },
            columnDefinitions: null,
            rows: [row([name, 2, '0s'], made.metadata)],
          })
          clock.advance(MINUTE_MS)
          const { resourceVersion } = made.metadata
          expect(await next()).toEqual({
            type: 'BOOKMARK',
            ...head,
            metadata: { resourceVersion },
            columnDefinitions: null,
            rows: [row(['', 0, '<unknown>'], { resourceVersion, creationTimestamp: null })],
          })
          stream.close()
        })
      }
    }

    test('every kind has a table of bookmarks', async () => {
      const { groups } = (await client.get('/apis')).body
      const roots = [
        '/api/v1',
        ...groups.map(
          (one: { preferredVersion: { groupVersion: string } }) =>
            `/apis/${one.preferredVersion.groupVersion}`,
        ),
      ]
      for (const root of roots) {
        for (const { name, verbs, kind } of (await client.get(root)).body.resources) {
          if (!verbs.includes('watch')) continue
          const at = (await client.get(`${root}/${name}`)).body.metadata.resourceVersion as string
          const watch = await client.watch(
            `${root}/${name}?watch=1&allowWatchBookmarks=true&includeObject=Object&resourceVersion=${at}`,
            { headers: { accept: `application/json;as=Table;g=${group};v=v1` } },
          )
          clock.advance(MINUTE_MS)
          const { type, object } = (await watch.next())!
          watch.close()
          expect([type, object.rows.length, object.rows[0].object.kind]).toEqual([
            'BOOKMARK',
            1,
            kind,
          ])
          expect(object.rows[0].cells).toHaveLength(object.columnDefinitions.length)
        }
      }
    })
  })
}
