/** Rows whose bodies have more values than a document may have, and those that have nearly as many. */
import { vocabularies } from '../../src/vocabulary/index.ts'
import { wrap } from '../../src/codec/protobuf-envelope.ts'
import { protobufForm } from '../protobuf/form.ts'
import { APPLY, ask, create, JSON_PATCH, MAPS, MERGE, NS, STRATEGIC } from './requests.ts'
import type { Ask, Row } from './row.ts'

const { type: PROTOBUF } = protobufForm(vocabularies.kubernetes)
const YAML = 'application/yaml'
/** What every user may create. */
const OWN_REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const REVIEW = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' }
const MAP = { apiVersion: 'v1', kind: 'ConfigMap' }
const QUOTA = { apiVersion: 'v1', kind: 'ResourceQuota' }
const OPTIONS = { apiVersion: 'v1', kind: 'DeleteOptions' }

/** Bytes of a body that are the same ones again and again. */
const MANY_BYTES = 2_800_000
const again = (text: string) => text.repeat(MANY_BYTES / text.length)
const items = (text: string) => again(`${text},`).slice(0, -1)
/** A message with the same field again and again, its length in four bytes where it is inside of another. */
const repeated = (bytes: readonly number[]) =>
  Buffer.alloc(bytes.length * Math.floor(MANY_BYTES / bytes.length), Buffer.from(bytes))
const inside = (number: number, inner: Buffer) => {
  const { length } = inner
  const sizes = [0, 7, 14].map((shift) => ((length >>> shift) & 0x7f) | 0x80)
  const tag = (number << 3) | 2
  const tags = tag < 0x80 ? [tag] : [(tag & 0x7f) | 0x80, tag >>> 7]
  return Buffer.concat([Buffer.from([...tags, ...sizes, length >>> 21]), inner])
}

const refused = (name: string, sent: Ask, status = 413): Row => ({
  name: `limit: ${name}`,
  ask: sent,
  status,
})
/** Of a user without a role. */
const byAnybody = (name: string, type: string, body: () => Buffer | string, status = 413): Row =>
  refused(
    name,
    { method: 'POST', path: OWN_REVIEW, type, body, headers: { 'impersonate-user': 'nobody' } },
    status,
  )
const owners = (item: string) => () => `{"metadata":{"ownerReferences":[${items(item)}]}}`
const message = (type: typeof MAP, make: () => Buffer) => () => wrap(type, make())

const reviews: Row[] = [
  byAnybody('empty owners as JSON', 'application/json', owners('{}')),
  byAnybody(
    'empty owners and a twin',
    'application/json',
    () => `{"a":1,"a":1,${owners('{}')().slice(1)}`,
  ),
  byAnybody('lists in lists as JSON', 'application/json', () => `[${again('[],[[]],[],')}[]]`),
  byAnybody('empty members as JSON', 'application/json', () => `{${again('"":{},')}"a":1}`),
  byAnybody(
    'long integers as JSON',
    'application/json',
    () => `{"a":[${items('9007199254740993')}]}`,
  ),
  byAnybody('strings of commas', 'application/json', () => `{"a":["${again(',[{')}"]}`, 0),
  byAnybody(
    'entries of owners',
    'application/json',
    () => `{"metadata":{"managedFields":[${items('{}')}]}}`,
  ),
  byAnybody(
    'empty owners as protobuf',
    PROTOBUF,
    message(REVIEW, () => inside(1, repeated([0x6a, 0]))),
  ),
  byAnybody(
    'texts as protobuf',
    PROTOBUF,
    message(REVIEW, () => inside(1, repeated([0x72, 0]))),
  ),
  byAnybody(
    'labels as protobuf',
    PROTOBUF,
    message(REVIEW, () => inside(1, repeated([0x5a, 0]))),
  ),
  byAnybody(
    'entries of owners as protobuf',
    PROTOBUF,
    message(REVIEW, () => inside(1, repeated([0x8a, 1, 0]))),
  ),
  byAnybody(
    'JSON inside of protobuf',
    PROTOBUF,
    message(REVIEW, () =>
      inside(1, inside(17, inside(7, inside(1, Buffer.from(`{"a":[${items('[]')}]}`))))),
    ),
  ),
  byAnybody('an envelope of JSON', PROTOBUF, () =>
    Buffer.concat([
      wrap(REVIEW, Buffer.from(owners('{}')())).subarray(0, -2),
      Buffer.from([0x22, 16]),
      Buffer.from('application/json'),
    ]),
  ),
  byAnybody(
    'unknown fields as protobuf',
    PROTOBUF,
    message(REVIEW, () => repeated([0xf8, 0x7f, 1])),
    0,
  ),
  byAnybody(
    'the same field as protobuf',
    PROTOBUF,
    message(REVIEW, () => repeated([0x0a, 0])),
    0,
  ),
  byAnybody(
    'the same time as protobuf',
    PROTOBUF,
    message(REVIEW, () => inside(1, repeated([0x42, 2, 0x08, 1]))),
  ),
  byAnybody(
    'the same large integer as protobuf',
    PROTOBUF,
    message(REVIEW, () => inside(1, repeated([0x38, ...Array<number>(9).fill(0xff), 1]))),
  ),
  byAnybody(
    'the same key in an entry as protobuf',
    PROTOBUF,
    message(REVIEW, () => inside(1, inside(11, repeated([0x0a, 1, 0x61])))),
    0,
  ),
  byAnybody(
    'the same value in an entry as protobuf',
    PROTOBUF,
    message(REVIEW, () => inside(1, inside(11, repeated([0x12, 1, 0x61])))),
  ),
  byAnybody(
    'a message of many fields again and again as protobuf',
    PROTOBUF,
    message(REVIEW, () =>
      Buffer.concat([
        inside(1, Buffer.concat([1, 2, 3, 4, 5].map((number) => inside(number, Buffer.from('a'))))),
        repeated([0x0a, 0]),
      ]),
    ),
    0,
  ),
  byAnybody(
    'versions in an envelope',
    PROTOBUF,
    () =>
      Buffer.concat([
        wrap(REVIEW, Buffer.alloc(0)).subarray(0, 4),
        inside(1, repeated([0x0a, 1, 0x61])),
        repeated([0x12, 0]).subarray(0, 200_000),
      ]),
    0,
  ),
  byAnybody('empty owners as YAML', YAML, () => `metadata: {ownerReferences: [${items('{}')}]}`),
  byAnybody('empty items as YAML', YAML, () => `a:\n${again('- \n')}`),
  byAnybody('a megabyte of empty items as YAML', YAML, () => `a:\n${'- \n'.repeat(340_000)}`),
  byAnybody(
    'long keys as YAML',
    YAML,
    () =>
      `metadata:\n  annotations:\n${Array.from({ length: 98_000 }, (_, i) => `    k${i}: "${'x'.repeat(14)}"\n`).join('')}`,
    0,
  ),
  byAnybody('escapes as YAML', YAML, () => `a: "${again('\\x41')}"`, 0),
  byAnybody('folded lines as YAML', YAML, () => `a: >\n${again(' x y z w v u t s\n')}`, 0),
  byAnybody('lines of a plain text as YAML', YAML, () => `a: x\n${again(' x y z w v u t s\n')}`, 0),
  byAnybody(
    'a megabyte of aliases as YAML',
    YAML,
    () => `a: &a\n${'- *b\n'.repeat(200_000).replace('*b', '&b []')}`,
  ),
]

const send = (
  method: string,
  path: string,
  body: () => Buffer | string,
  type = 'application/json',
) => ({ method, path, type, body }) satisfies Ask
const LIST = () => `{"a":[${items('[]')}]}`
const on = (row: Row): Row => ({
  ...row,
  before: [ask('POST', MAPS, () => ({ metadata: { name: 'big' } }))],
  after: [{ method: 'DELETE', path: `${MAPS}/big` }],
})
const bodies: Row[] = [
  on(refused('merge patch', send('PATCH', `${MAPS}/big`, LIST, MERGE))),
  on(refused('strategic merge patch', send('PATCH', `${MAPS}/big`, LIST, STRATEGIC))),
  on(
    refused(
      'JSON patch of empty lists',
      send(
        'PATCH',
        `${MAPS}/big`,
        () => `[{"op":"add","path":"/a","value":[${items('[]')}]}]`,
        JSON_PATCH,
      ),
    ),
  ),
  on(
    refused(
      'JSON patch of empty operations',
      send('PATCH', `${MAPS}/big`, () => `[${items('{}')}]`, JSON_PATCH),
    ),
  ),
  on(refused('apply of JSON', send('PATCH', `${MAPS}/big?fieldManager=a`, LIST, APPLY))),
  on(
    refused(
      'apply of YAML',
      send('PATCH', `${MAPS}/big?fieldManager=a`, () => `a:\n${'- \n'.repeat(340_000)}`, APPLY),
    ),
  ),
  on(
    refused(
      'JSON patch of long texts',
      send(
        'PATCH',
        `${MAPS}/big`,
        () =>
          JSON.stringify(
            Array.from({ length: 9_900 }, (_, i) => ({
              op: 'add',
              path: `/metadata/annotations/a${i}`,
              value: 'x'.repeat(250),
            })),
          ),
        JSON_PATCH,
      ),
      0,
    ),
  ),
  on(
    refused(
      'JSON patch of many values',
      send(
        'PATCH',
        `${MAPS}/big`,
        () =>
          JSON.stringify(
            Array.from({ length: 6_000 }, (_, i) => ({
              op: 'add',
              path: `/a${i}`,
              value: Object.fromEntries(
                Array.from({ length: 12 }, (_, j) => [`k${j}`, `${i} ${'x'.repeat(15)}`]),
              ),
            })),
          ),
        JSON_PATCH,
      ),
      0,
    ),
  ),
  on(refused('PUT', send('PUT', `${MAPS}/big`, LIST))),
  on(refused('DELETE', send('DELETE', `${MAPS}/big`, LIST))),
  on(
    refused(
      'DELETE with protobuf',
      send(
        'DELETE',
        `${MAPS}/big`,
        message(OPTIONS, () => repeated([0x2a, 0])),
        PROTOBUF,
      ),
    ),
  ),
  refused('DELETE of a collection', send('DELETE', `${MAPS}?labelSelector=none`, LIST)),
  refused('token', send('POST', `${NS}/serviceaccounts/default/token`, LIST)),
  refused(
    'map of empty keys as protobuf',
    send(
      'POST',
      MAPS,
      message(MAP, () => repeated([0x12, 4, 0x0a, 2, 0x61, 0x61])),
      PROTOBUF,
    ),
    0,
  ),
]

const hard = (count: number) => () => ({
  spec: {
    hard: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`requests.example.com/r${i}`, '1']),
    ),
  },
})
const quotas: Row[] = [
  create('quota of 30,000', `${NS}/resourcequotas`, hard(30_000)),
  create(
    'quota of 30,000 bad names',
    `${NS}/resourcequotas`,
    () => ({
      spec: {
        hard: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`-${i}-`, `${i}Kx`])),
      },
    }),
    0,
  ),
  create(
    'quota of odd amounts',
    `${NS}/resourcequotas`,
    () => ({
      spec: {
        hard: Object.fromEntries(
          Array.from({ length: 30_000 }, (_, i) => [
            `requests.example.com/r${i}`,
            `${i}.${'1'.repeat(60)}Mi`,
          ]),
        ),
      },
    }),
    0,
  ),
  create('quota of scopes and amounts', `${NS}/resourcequotas`, () => ({
    spec: {
      ...hard(45_000)().spec,
      scopes: Array.from({ length: 45_000 }, () => 'PriorityClass'),
    },
  })),
  create(
    'quota of scopes',
    `${NS}/resourcequotas`,
    () => ({
      spec: {
        hard: { pods: '1' },
        scopes: Array.from({ length: 30_000 }, (_, i) => `S${i}`),
        scopeSelector: {
          matchExpressions: Array.from({ length: 10_000 }, (_, i) => ({
            scopeName: 'PriorityClass',
            operator: 'In',
            values: [`v${i}`],
          })),
        },
      },
    }),
    0,
  ),
  {
    name: 'create quota of 30,000 as protobuf',
    ask: {
      method: 'POST',
      path: `${NS}/resourcequotas`,
      type: PROTOBUF,
      body: () =>
        protobufForm(vocabularies.kubernetes).write({
          ...QUOTA,
          metadata: { name: 'big' },
          ...hard(30_000)(),
        }),
    },
    status: 201,
    after: [{ method: 'DELETE', path: `${NS}/resourcequotas/big` }],
  },
]

export const limits: Row[] = [...reviews, ...bodies, ...quotas]
