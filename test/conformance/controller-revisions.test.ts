/** The data of a controller revision: any JSON value, kept as it was sent, in every form. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { wrap } from '../../src/codec/protobuf-envelope.ts'
import { unwrap } from '../../src/codec/protobuf-envelope.ts'
import { readerOf } from '../../src/codec/protobuf-wire.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client, type Reply } from '../client.ts'
import { protobufForm } from '../protobuf/form.ts'

const PATH = '/apis/apps/v1/namespaces/default/controllerrevisions'
const TYPE = { apiVersion: 'apps/v1', kind: 'ControllerRevision' }
const VALUES = [
  '{}',
  '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"b":"1","a":null}}}}}',
  '{"":0,"__proto__":{"x":[]},"kind":"Odd"}',
  '[]',
  '[1,null,{"b":[],"a":{}},"",[false]]',
  '0',
  '-12.5',
  '9007199254740991',
  'true',
  'false',
  '""',
  '"text \\u2028 \\" \\\\ ü"',
]

for (const vocabulary of ['orch', 'kubernetes'] as const) {
  describe(`vocabulary ${vocabulary}`, () => {
    const form = protobufForm(vocabularies[vocabulary])
    let server: RunningServer
    let client: Client
    let serial = 0
    beforeAll(async () => {
      server = await startServer({ vocabulary, controllers: false })
      client = new Client(server)
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })

    const textOf = (name: string, data: string) =>
      `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"},"data":${data},"revision":1}`

    const ways: readonly [name: string, send: (name: string, data: string) => Promise<Reply>][] = [
      [
        'JSON',
        (name, data) =>
          client.ask('POST', PATH, {
            raw: textOf(name, data),
            headers: { 'content-type': 'application/json' },
          }),
      ],
      [
        'YAML',
        (name, data) =>
          client.ask('POST', PATH, {
            raw: textOf(name, data),
            headers: { 'content-type': 'application/yaml' },
          }),
      ],
      [
        'protobuf',
        (name, data) =>
          client.ask('POST', PATH, {
            raw: form.write({ ...TYPE, metadata: { name }, data: JSON.parse(data), revision: 1 }),
            headers: { 'content-type': form.type, accept: 'application/json' },
          }),
      ],
      [
        'apply',
        (name, data) =>
          client.ask('PATCH', `${PATH}/${name}?fieldManager=m`, {
            raw: textOf(name, data),
            headers: { 'content-type': 'application/apply-patch+yaml' },
          }),
      ],
    ]
    for (const [way, send] of ways) {
      describe(way, () => {
        for (const data of VALUES) {
          test(data, async () => {
            const name = `r${serial++}`
            const made = await send(name, data)
            expect([made.status, made.body.data]).toEqual([201, JSON.parse(data)])
            const compact = JSON.stringify(JSON.parse(data))
            expect(made.text).toContain(`"data":${compact},"revision":1`)
            const owned = made.body.metadata.managedFields[0].fieldsV1
            expect(owned).toEqual({ 'f:data': {}, 'f:revision': {} })
            const { text } = await client.get(`${PATH}/${name}`)
            expect(text).toContain(`"data":${compact},"revision":1`)
            const yaml = await client.get(`${PATH}/${name}`, {
              headers: { accept: 'application/yaml' },
            })
            const back = await client.ask('PUT', `${PATH}/${name}`, {
              raw: yaml.text,
              headers: { 'content-type': 'application/yaml' },
            })
            expect([back.status, back.body.data]).toEqual([200, JSON.parse(data)])
            // The binary form carries the JSON text.
            const binary = await client.open('GET', `${PATH}/${name}`, {
              headers: { accept: form.type },
            })
            const chunks: Buffer[] = []
            for await (const chunk of binary) chunks.push(chunk as Buffer)
            expect(form.read(Buffer.concat(chunks)).data).toEqual(JSON.parse(data))
            // Another value is a change, which is refused; the same one again is none.
            const again = await client.merge(`${PATH}/${name}`, { data: { other: 1 }, revision: 2 })
            expect([again.status, again.body.details.causes[0].field]).toEqual([422, 'data'])
            const same = await client.ask('PATCH', `${PATH}/${name}?fieldManager=m&force=true`, {
              raw: textOf(name, data),
              headers: { 'content-type': 'application/apply-patch+yaml' },
            })
            expect([same.status, same.body.data]).toEqual([200, JSON.parse(data)])
          })
        }

        test('none', async () => {
          const reply = await send(`r${serial++}`, 'null')
          expect([reply.status, reply.body.details.causes]).toEqual([
            422,
            [
              {
                reason: 'FieldValueRequired',
                message: 'Required value: data is mandatory',
                field: 'data',
              },
            ],
          ])
        })
      })
    }

    test('the binary form of a client that leaves blanks', async () => {
      const name = `r${serial++}`
      const whole = form.write({ ...TYPE, metadata: { name }, data: 'HOLE', revision: 1 })
      const { raw } = unwrap(whole)
      const text = '{ "a" : [ 1, 2 ] }'
      // RawExtension{raw: "HOLE" with quotes}: six bytes of text in eight of message.
      const at = raw.indexOf('"HOLE"')
      const message = Buffer.concat([
        raw.subarray(0, at - 3),
        Buffer.from([text.length + 2, 0x0a, text.length]),
        Buffer.from(text),
        raw.subarray(at + 6),
      ])
      expect(readerOf(message).len).toBe(message.length)
      const made = await client.ask('POST', PATH, {
        raw: wrap(TYPE, message),
        headers: { 'content-type': form.type, accept: 'application/json' },
      })
      expect([made.status, made.body.data]).toEqual([201, { a: [1, 2] }])
    })

    test('an integer that cannot be kept exactly is refused, not rounded', async () => {
      const reply = await client.ask('POST', PATH, {
        raw: textOf('large', '{"a":9007199254740993}'),
        headers: { 'content-type': 'application/json' },
      })
      expect([reply.status, reply.body.message]).toEqual([
        400,
        'ControllerRevision in version "v1" cannot be handled as a ControllerRevision: data: 9007199254740993 is beyond the integers that are represented exactly',
      ])
    })
  })
}
