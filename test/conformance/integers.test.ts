/** Integers as they are written in JSON: digits alone make one, and the generation has all 64 bits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { parseJson } from '../../src/codec/json-text.ts'
import { Client, type Reply } from '../client.ts'

const NS = 'namespaces/default'
const MAPS = `/api/v1/${NS}/configmaps`
const DEPLOYMENTS = `/apis/apps/v1/${NS}/deployments`
const BINARY = 'application/vnd.orch.protobuf'

const JSON_PATCH_TWICE = '[{"op":"replace","path":"/spec/replicas","value":{"a":1.5},"value":5}]'

let server: RunningServer
let client: Client
let serial = 0

beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const send = (method: string, path: string, raw: string, type = 'application/json') =>
  client.ask(method, path, { raw, headers: { 'content-type': type } })
const patch = (type: string, path: string, raw: string) =>
  send('PATCH', path, raw, `application/${type}`)

const deployment = (name: string, replicas: string) =>
  `{"metadata":{"name":"${name}"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":1,"x.io/y":2}}}]}}}}`

/** Each way of writing an integer into an object that is there. */
const WAYS: Readonly<
  Record<string, (path: string, name: string, value: string) => Promise<Reply>>
> = {
  update: (path, name, value) => send('PUT', path, deployment(name, value)),
  'merge patch': (path, _, value) =>
    patch('merge-patch+json', path, `{"spec":{"replicas":${value}}}`),
  'JSON patch': (path, _, value) =>
    patch('json-patch+json', path, `[{"op":"replace","path":"/spec/replicas","value":${value}}]`),
  'JSON patch of more': (path, _, value) =>
    patch(
      'json-patch+json',
      path,
      `[{"op":"test","path":"/spec/paused","value":null},{"op":"add","path":"/spec/strategy","value":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":${value}}}}]`,
    ),
  'strategic merge patch': (path, _, value) =>
    patch('strategic-merge-patch+json', path, `{"spec":{"replicas":${value}}}`),
  'apply patch': (path, name, value) =>
    patch(
      'apply-patch+yaml',
      `${path}?fieldManager=m&force=true`,
      `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"${name}"},"spec":{"replicas":${value}}}`,
    ),
  scale: (path, name, value) =>
    send('PUT', `${path}/scale`, `{"metadata":{"name":"${name}"},"spec":{"replicas":${value}}}`),
}
// These merge values, not text.
const LENIENT = ['strategic merge patch', 'apply patch']

const VALUES: readonly (readonly [written: string, is: number])[] = [
  ['1.0', 1],
  ['1e1', 10],
  ['1E+1', 10],
  ['100e-2', 1],
  ['-0.0', 0],
  ['0e5', 0],
]

describe('with a fraction or an exponent', () => {
  for (const [way, write] of Object.entries(WAYS)) {
    test(way, async () => {
      const name = `d${++serial}`
      const path = `${DEPLOYMENTS}/${name}`
      const made = await send('POST', DEPLOYMENTS, deployment(name, '7'))
      expect(made.status, made.text).toBe(201)
      for (const [written, is] of VALUES) {
        const before = await client.get(path)
        const reply = await write(path, name, written)
        if (LENIENT.includes(way)) {
          expect([written, reply.status, reply.body.spec.replicas]).toEqual([written, 200, is])
          continue
        }
        const code = way.includes('patch') ? 422 : 400
        expect([written, reply.status]).toEqual([written, code])
        expect(reply.body.message).toMatch(
          new RegExp(`expected an integer, found the number ${written.replace('+', '\\+')}$`),
        )
        expect((await client.get(path)).body).toEqual(before.body)
      }
      for (const written of ['-0', '3', '0']) {
        const reply = await write(path, name, written)
        expect([written, reply.status]).toEqual([written, 200])
        expect(reply.text).not.toMatch(/[:,[]-0/)
      }
    })
  }

  test('create', async () => {
    for (const [written] of VALUES) {
      const { status, body } = await send('POST', DEPLOYMENTS, deployment('never', written))
      expect([status, body.message]).toEqual([
        400,
        `Deployment in version "v1" cannot be handled as a Deployment: spec.replicas: expected an integer, found the number ${written}`,
      ])
    }
  })

  test('YAML knows no difference', async () => {
    for (const [written, is] of [
      ['1.0', 1],
      ['1e+1', 10],
    ] as const) {
      const name = `d${++serial}`
      const yaml = `metadata: {name: ${name}}\nspec:\n  replicas: ${written}\n  selector: {matchLabels: {a: b}}\n  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}\n`
      const reply = await send('POST', DEPLOYMENTS, yaml, 'application/yaml')
      expect([reply.status, reply.body.spec?.replicas]).toEqual([201, is])
    }
  })

  test('a number under a key that is given again is not what is looked at', async () => {
    const name = `d${++serial}`
    const path = `${DEPLOYMENTS}/${name}`
    expect((await send('POST', DEPLOYMENTS, deployment(name, '2.5,"replicas":1'))).status).toBe(201)
    for (const [type, raw, status, message] of [
      ['merge-patch+json', '{"spec":{"replicas":1.5},"spec":{"replicas":3}}', 200, undefined],
      ['strategic-merge-patch+json', '{"spec":{"replicas":1.5,"replicas":4}}', 200, undefined],
      ['json-patch+json', JSON_PATCH_TWICE, 200, undefined],
      ['merge-patch+json', '{"spec":{"replicas":1,"replicas":1.5}}', 422, /the number 1\.5$/],
      ['merge-patch+json', '{"spec":{"replicas":1.5},"spec":"a"}', 422, /found a string$/],
      ['merge-patch+json', '{"metadata":{"generation":1e0},"metadata":[1]}', 422, /found a list$/],
    ] as const) {
      const reply = await patch(type, path, raw)
      expect([raw, reply.status]).toEqual([raw, status])
      if (message) expect(reply.body.message).toMatch(message)
    }
    expect((await client.get(path)).body.spec.replicas).toBe(5)
  })

  test('the options of a deletion', async () => {
    for (const written of ['1.0', '1e0', '0.0']) {
      const reply = await send('DELETE', `${MAPS}/none`, `{"gracePeriodSeconds":${written}}`)
      expect([reply.status, reply.body.message]).toEqual([
        400,
        `error decoding DeleteOptions: gracePeriodSeconds: expected an integer, found the number ${written}`,
      ])
    }
  })

  test('an integer or a text', async () => {
    const raw = (port: string) =>
      `{"metadata":{"name":"s${++serial}"},"spec":{"ports":[{"port":80,"targetPort":${port}}]}}`
    const services = `/api/v1/${NS}/services`
    expect((await send('POST', services, raw('80.0'))).status).toBe(400)
    expect((await send('POST', services, raw('80'))).status).toBe(201)
  })

  test('a quantity keeps how it is written', async () => {
    for (const [written, is] of [
      ['1e3', '1e3'],
      ['1.5', '1500m'],
      ['2.0', '2'],
      ['1000', '1k'],
    ] as const) {
      const name = `d${++serial}`
      const raw = deployment(name, '1').replace('"x.io/y":2', `"memory":${written}`)
      const made = await send('POST', DEPLOYMENTS, raw)
      const { limits } = made.body.spec.template.spec.containers[0].resources
      expect([written, limits.memory]).toEqual([written, is])
    }
  })

  test('what JSON cannot carry', async () => {
    const reply = await send('POST', DEPLOYMENTS, deployment('never', '1e400'))
    expect([reply.status, reply.body.reason]).toEqual([400, 'BadRequest'])
    expect(reply.body.message).toContain('json: cannot unmarshal number 1e400')
    for (const written of ['9223372036854775808', '1e19', '2147483648'])
      expect((await send('POST', DEPLOYMENTS, deployment('never', written))).status).toBe(400)
  })

  test('a place that moves within the patch', async () => {
    const name = `d${++serial}`
    await send('POST', DEPLOYMENTS, deployment(name, '1'))
    const ports = '/spec/template/spec/containers/0/ports'
    const operations = (port: string) =>
      `[{"op":"add","path":"${ports}","value":[]},{"op":"add","path":"${ports}/-","value":{"containerPort":${port}}},{"op":"add","path":"${ports}/0","value":{"containerPort":81}}]`
    const path = `${DEPLOYMENTS}/${name}`
    const reply = await patch('json-patch+json', path, operations('80.0'))
    expect([reply.status, reply.body.message]).toEqual([
      422,
      ' "" is invalid: patch: Invalid value: Deployment in version "v1" cannot be handled as a Deployment: spec.template.spec.containers[0].ports[1].containerPort: expected an integer, found the number 80.0',
    ])
    expect((await patch('json-patch+json', path, operations('80'))).status).toBe(200)
  })
})

describe('the generation', () => {
  const MAX = '9223372036854775807'
  const generationOf = (text: string) =>
    (parseJson(text) as { metadata: { generation?: unknown } }).metadata.generation

  for (const written of [MAX, '9007199254740993', '9007199254740991', '5']) {
    test(`${written} is kept by kinds that do not count`, async () => {
      const name = `m${++serial}`
      const raw = `{"metadata":{"name":"${name}","generation":${written},"finalizers":["a.io/b"]}}`
      const made = await send('POST', MAPS, raw)
      expect(made.status, made.text).toBe(201)
      const is = BigInt(written)
      const path = `${MAPS}/${name}`
      const seen = async () => {
        const { text } = await client.get(path)
        return BigInt(generationOf(text) as number | bigint)
      }
      expect(BigInt(generationOf(made.text) as number | bigint)).toBe(is)
      expect(await seen()).toBe(is)
      // What a client says of it later counts for nothing.
      await send(
        'PUT',
        path,
        `{"metadata":{"name":"${name}","generation":1,"finalizers":["a.io/b"]},"data":{"a":"1"}}`,
      )
      await patch('merge-patch+json', path, `{"metadata":{"generation":2},"data":{"b":"1"}}`)
      await patch('strategic-merge-patch+json', path, `{"data":{"c":"1"}}`)
      await patch(
        'json-patch+json',
        path,
        `[{"op":"test","path":"/metadata/generation","value":${written}},{"op":"add","path":"/data/d","value":"1"}]`,
      )
      await patch(
        'apply-patch+yaml',
        `${path}?fieldManager=m`,
        `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"},"data":{"e":"1"}}`,
      )
      const { text, body } = await client.get(path)
      expect(Object.keys(body.data)).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(text).toContain(`"generation":${written},`)
      for (const accept of [
        'application/yaml',
        'application/json;as=Table;g=meta.orch.io;v=v1',
        'application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1',
      ]) {
        const reply = await client.get(path, { headers: { accept } })
        expect([accept, reply.status, reply.text.includes(written)]).toEqual([accept, 200, true])
      }
      expect((await client.get(`${path}?pretty=1`)).text).toContain(`"generation": ${written},`)
      // There and back in the binary form.
      const binary = await client.open('GET', path, { headers: { accept: BINARY } })
      const pieces: Buffer[] = []
      for await (const piece of binary) pieces.push(piece as Buffer)
      const back = await client.ask('PUT', path, {
        raw: Buffer.concat(pieces),
        headers: { 'content-type': BINARY },
      })
      expect([back.status, back.text.includes(`"generation":${written},`)]).toEqual([200, true])
      // A deletion that waits counts once more, as far as can be counted.
      const gone = await client.delete(path)
      expect(gone.status).toBe(200)
      expect(await seen()).toBe(written === MAX ? is : is + 1n)
      const freed = await patch('merge-patch+json', path, `{"metadata":{"finalizers":null}}`)
      expect([freed.status, (await client.get(path)).status]).toEqual([200, 404])
    })
  }

  test('it begins at one where it is counted', async () => {
    const name = `d${++serial}`
    const raw = deployment(name, '1').replace('"metadata":{', `"metadata":{"generation":${MAX},`)
    const made = await send('POST', DEPLOYMENTS, raw)
    expect([made.status, made.body.metadata.generation]).toEqual([201, 1])
  })

  test('a driver counts on from what it was given', async () => {
    const drivers = '/apis/storage.orch.io/v1/csidrivers'
    const raw = `{"metadata":{"name":"driver.a.io","generation":${MAX}},"spec":{"storageCapacity":true}}`
    expect((await send('POST', drivers, raw)).status).toBe(201)
    const path = `${drivers}/driver.a.io`
    const reply = await patch('merge-patch+json', path, '{"spec":{"storageCapacity":false}}')
    expect([reply.status, reply.text.includes(`"generation":${MAX},`)]).toEqual([200, true])
  })

  for (const [written, status, why] of [
    ['9223372036854775808', 400, 'is out of the range of a 64-bit integer'],
    ['-9223372036854775809', 400, 'is out of the range of a 64-bit integer'],
    ['-9223372036854775808', 422, 'must be greater than or equal to 0'],
    ['-1', 422, 'must be greater than or equal to 0'],
    ['1.0', 400, 'expected an integer, found the number 1.0'],
    ['"1"', 400, 'expected an integer, found a string'],
  ] as const) {
    test(`${written} is none`, async () => {
      const raw = `{"metadata":{"name":"never","generation":${written}}}`
      const reply = await send('POST', MAPS, raw)
      expect([reply.status, String(reply.body.message).endsWith(why)]).toEqual([status, true])
    })
  }
})
