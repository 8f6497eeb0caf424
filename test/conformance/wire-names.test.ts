/** Names of the protocol that clients have built in: understood under both brands, answered as they were asked for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { ConfigMap } from '../../src/kinds/core/config-map.ts'
import { unwrap, wrap } from '../../src/codec/protobuf-envelope.ts'
import { protobufOf } from '../../src/codec/protobuf.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default/configmaps'
const BINARY = {
  orch: 'application/vnd.orch.protobuf',
  kubernetes: 'application/vnd.kubernetes.protobuf',
} as const
const META = { orch: 'meta.orch.io', kubernetes: 'meta.k8s.io' } as const

let server: RunningServer
let client: Client
const started = (vocabulary: 'orch' | 'kubernetes') => {
  beforeAll(async () => {
    server = await startServer({ vocabulary, controllers: false })
    client = new Client(server)
    await client.post(NS, { metadata: { name: 'a' }, data: { k: '1' } })
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })
}
const accepting = (accept: string) => ({ headers: { accept } })
const binary = async (path: string, accept: string) => {
  const answer = await client.open('GET', path, accepting(accept))
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  const { kind, apiVersion } = unwrap(Buffer.concat(chunks))
  return [answer.statusCode, answer.headers['content-type'], kind, apiVersion]
}

describe('vocabulary orch', () => {
  started('orch')
  for (const brand of ['orch', 'kubernetes'] as const) {
    const [media, group] = [BINARY[brand], META[brand]]

    for (const version of ['v1', 'v1beta1']) {
      const g = `g=${group};v=${version}`
      test(`${group}/${version}: tables and metadata of an object and of a list`, async () => {
        const shown = await Promise.all(
          [
            [`${NS}/a`, 'Table'],
            [NS, 'Table'],
            [`${NS}/a`, 'PartialObjectMetadata'],
            [NS, 'PartialObjectMetadataList'],
          ].map(async ([path = '', as]) => {
            const { body } = await client.get(path, accepting(`application/json;as=${as};${g}`))
            const inner = body.rows?.[0]?.object ?? body.items?.[0] ?? {}
            return [body.kind, body.apiVersion, inner.apiVersion]
          }),
        )
        const asked = `${group}/${version}`
        expect(shown).toEqual([
          ['Table', asked, asked],
          ['Table', asked, asked],
          ['PartialObjectMetadata', asked, undefined],
          ['PartialObjectMetadataList', asked, asked],
        ])
      })

      test(`${group}/${version}: metadata in the binary form`, async () => {
        expect([
          await binary(`${NS}/a`, `${media};as=PartialObjectMetadata;${g}`),
          await binary(NS, `${media};as=PartialObjectMetadataList;${g}`),
        ]).toEqual([
          [200, media, 'PartialObjectMetadata', `${group}/${version}`],
          [200, media, 'PartialObjectMetadataList', `${group}/${version}`],
        ])
      })
    }

    test(`${media}: objects, lists, failures and documents`, async () => {
      expect([
        await binary(`${NS}/a`, media),
        await binary(NS, media),
        await binary(`${NS}/none`, media),
        await binary('/api/v1', media),
        await binary('/apis', `${media},application/json`),
      ]).toEqual([
        [200, media, 'ConfigMap', 'v1'],
        [200, media, 'ConfigMapList', 'v1'],
        [404, media, 'Status', 'v1'],
        [200, media, 'APIResourceList', 'v1'],
        [200, media, 'APIGroupList', 'v1'],
      ])
    })

    test(`${media}: bodies`, async () => {
      const name = `made-as-${brand}`
      const message = protobufOf(ConfigMap.shape, vocabularies.orch).encode({
        metadata: { name },
        data: { k: '2' },
      })
      const made = await client.ask('POST', NS, {
        raw: wrap({ kind: 'ConfigMap', apiVersion: 'v1' }, message),
        headers: { 'content-type': media },
      })
      expect([made.status, made.body.metadata.name, made.body.data]).toEqual([
        201,
        name,
        { k: '2' },
      ])
      const gone = await client.ask('DELETE', `${NS}/${name}`, {
        raw: wrap({ kind: 'DeleteOptions', apiVersion: 'v1' }, Buffer.alloc(0)),
        headers: { 'content-type': media },
      })
      expect([gone.status, gone.body.status]).toEqual([200, 'Success'])
    })
  }
})

describe('vocabulary kubernetes', () => {
  started('kubernetes')
  test('knows its own names only', async () => {
    const asked = await Promise.all([
      client.get(NS, accepting(BINARY.orch)),
      client.get(NS, accepting(`application/json;as=Table;g=${META.orch};v=v1`)),
      client.ask('POST', NS, { raw: 'x', headers: { 'content-type': BINARY.orch } }),
    ])
    expect(asked.map(({ status, body }) => [status, body.reason])).toEqual([
      [406, 'NotAcceptable'],
      [406, 'NotAcceptable'],
      [415, 'UnsupportedMediaType'],
    ])
  })
})
