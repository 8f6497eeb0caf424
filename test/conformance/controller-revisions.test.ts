/** The data of a controller revision: any JSON value, kept as it was sent, in every form. */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { formatJson, parseJson } from '../../src/codec/json-text.ts'
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
  '9007199254740993',
  '{"a":[9007199254740993,-9223372036854775808],"b":{"":123456789012345678901234567890}}',
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

    const dataOf = ({ text }: Reply) => (parseJson(text) as { data?: unknown }).data
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
            raw: form.write({ ...TYPE, metadata: { name }, data: parseJson(data), revision: 1 }),
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
            expect([made.status, dataOf(made)]).toEqual([201, parseJson(data)])
            const compact = formatJson(parseJson(data))
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
            expect([back.status, dataOf(back)]).toEqual([200, parseJson(data)])
            // The binary form carries the JSON text.
            const binary = await client.open('GET', `${PATH}/${name}`, {
              headers: { accept: form.type },
            })
            const chunks: Buffer[] = []
            for await (const chunk of binary) chunks.push(chunk as Buffer)
            expect(form.read(Buffer.concat(chunks)).data).toEqual(parseJson(data))
            // Another value is a change, which is refused; the same one again is none.
            const again = await client.merge(`${PATH}/${name}`, { data: { other: 1 }, revision: 2 })
            expect([again.status, again.body.details.causes[0].field]).toEqual([422, 'data'])
            const same = await client.ask('PATCH', `${PATH}/${name}?fieldManager=m&force=true`, {
              raw: textOf(name, data),
              headers: { 'content-type': 'application/apply-patch+yaml' },
            })
            expect([same.status, dataOf(same)]).toEqual([200, parseJson(data)])
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

    test('large integers survive every patch of something else', async () => {
      const data = '{"a":9007199254740993}'
      const name = `r${serial++}`
      await ways[0]![1](name, data)
      for (const [type, raw] of [
        ['application/merge-patch+json', '{"metadata":{"labels":{"a":"1"}}}'],
        ['application/strategic-merge-patch+json', '{"metadata":{"labels":{"b":"2"}}}'],
        [
          'application/json-patch+json',
          '[{"op":"test","path":"/data/a","value":9007199254740993},{"op":"add","path":"/metadata/labels/c","value":"3"}]',
        ],
        ['application/apply-patch+yaml', textOf(name, data)],
      ] as const) {
        const force = type.includes('apply') ? '&force=true' : ''
        const reply = await client.ask('PATCH', `${PATH}/${name}?fieldManager=m${force}`, {
          raw,
          headers: { 'content-type': type },
        })
        expect([type, reply.status, dataOf(reply)]).toEqual([type, 200, parseJson(data)])
      }
    })

    test('a large integer in fields of managers is no set of fields', async () => {
      for (const value of ['9007199254740993', '5']) {
        const entry = `{"manager":"m","operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":${value}}}`
        const reply = await client.ask('POST', PATH, {
          raw: textOf(`r${serial++}`, '1').replace(
            '"metadata":{',
            `"metadata":{"managedFields":[${entry}],`,
          ),
          headers: { 'content-type': 'application/json' },
        })
        expect([reply.status, reply.body.metadata.managedFields]).toEqual([
          201,
          [
            expect.objectContaining({
              manager: 'unknown',
              fieldsV1: { 'f:data': {}, 'f:revision': {} },
            }),
          ],
        ])
      }
    })

    test('large integers are in lists, watches and the binary form of both, and tell two apart', async () => {
      const data = '{"a":9007199254740993}'
      const name = `r${serial++}`
      const watches = await Promise.all(
        ['application/json', `${form.type};stream=watch`].map((accept) =>
          client.open('GET', `${PATH}?watch=true&fieldSelector=metadata.name%3D${name}`, {
            headers: { accept },
          }),
        ),
      )
      // Creates that are alike are learned from.
      for (let i = 0; i < 4; i++) {
        const other = `${name}-${i}`
        const made = await ways[0]![1](other, data)
        expect([made.status, dataOf(made)]).toEqual([201, parseJson(data)])
      }
      await ways[0]![1](name, data)
      for (const watch of watches) {
        const [chunk] = (await once(watch, 'data')) as [Buffer]
        expect(chunk.toString('latin1')).toContain(`"a":9007199254740993`)
        watch.destroy()
      }
      const list = await client.get(`${PATH}?fieldSelector=metadata.name%3D${name}`)
      expect(list.text).toContain(`"data":${data},"revision":1`)
      const binary = await client.open('GET', PATH, { headers: { accept: form.type } })
      const chunks: Buffer[] = []
      for await (const chunk of binary) chunks.push(chunk as Buffer)
      expect(Buffer.concat(chunks).toString('latin1')).toContain(data)
      const { body: live } = await client.get(`${PATH}/${name}`)
      const update = (sent: string) =>
        client.ask('PUT', `${PATH}/${name}`, {
          raw: textOf(name, sent).replace(
            '"metadata":{',
            `"metadata":{"resourceVersion":"${live.metadata.resourceVersion}",`,
          ),
          headers: { 'content-type': 'application/json' },
        })
      const refused = await update('{"a":9007199254740992}')
      expect([refused.status, refused.body.details.causes]).toEqual([
        422,
        [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: {"a":9007199254740992}: field is immutable',
            field: 'data',
          },
        ],
      ])
      const again = await update('{"a":9007199254740994}')
      expect(again.body.details.causes[0].message).toBe(
        'Invalid value: {"a":9007199254740994}: field is immutable',
      )
      expect((await update(data)).status).toBe(200)
    })
  })
}
