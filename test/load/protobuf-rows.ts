/** Rows whose bodies are in the binary form, where an item of a list may take two bytes. */
import { vocabularies } from '../../src/vocabulary/index.ts'
import { wrap } from '../../src/codec/protobuf-envelope.ts'
import { protobufForm } from '../protobuf/form.ts'
import { env, keys, MAPS, PODS, podSpec, type Json } from './requests.ts'
import { many, type Row } from './row.ts'

const v = vocabularies.kubernetes
const form = protobufForm(v)

const POD = { apiVersion: 'v1', kind: 'Pod' }
const MAP = { apiVersion: 'v1', kind: 'ConfigMap' }

const row = (name: string, path: string, body: () => Buffer, status = 0): Row => ({
  name: `protobuf ${name}`,
  ask: { method: 'POST', path, type: form.type, body },
  status,
  after: [{ method: 'DELETE', path: `${path}/big` }],
})
const object = (type: typeof POD, rest: Json) => () =>
  form.write({ ...type, metadata: { name: 'big' }, ...rest })
/** A message of the kind with the same few bytes as often as they fit, and a name in front. */
const repeated = (type: typeof POD, bytes: readonly number[], times: number) => () =>
  wrap(
    type,
    Buffer.concat([
      Buffer.from([0x0a, 5, 0x0a, 3, ...Buffer.from('big')]),
      Buffer.alloc(bytes.length * times, Buffer.from(bytes)),
    ]),
  )

export const protobufs: Row[] = [
  row('map of many keys', MAPS, object(MAP, { data: keys(95_000) }), 201),
  row('environment', PODS, object(POD, podSpec({ env: env() })), 201),
  row(
    'volumes',
    PODS,
    object(
      POD,
      podSpec({}, { volumes: many((i) => ({ name: `v${i}`, emptyDir: {} }), { values: 45_000 }) }),
    ),
    201,
  ),
  row('entries of two bytes', MAPS, repeated(MAP, [0x12, 0], 1_500_000)),
  row('metadata again and again', MAPS, repeated(MAP, [0x0a, 0], 1_500_000)),
  row('finalizers of two bytes', MAPS, repeated(MAP, [0x0a, 2, 0x72, 0], 750_000)),
  row('containers of two bytes', PODS, repeated(POD, [0x12, 2, 0x12, 0], 750_000)),
  row('unknown fields', MAPS, repeated(MAP, [0xf8, 0x7f, 1], 1_000_000)),
  row('a nested message', PODS, () => {
    let inner: Buffer = Buffer.alloc(0)
    for (let i = 0; i < 5_000; i++) inner = message(2, inner)
    return wrap(POD, inner)
  }),
]

function message(number: number, inner: Buffer): Buffer {
  const length: number[] = []
  for (let rest = inner.length; ; rest >>>= 7) {
    if (rest < 0x80) {
      length.push(rest)
      break
    }
    length.push((rest & 0x7f) | 0x80)
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), inner])
}
