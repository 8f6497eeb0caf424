/** Header fields that decide something, with values that are usual and others. */
import type { Dice } from './dice.ts'
import type { Field } from './request.ts'
import { hostileText } from './values.ts'

/** The media types of a vocabulary. */
export interface MediaTypes {
  readonly protobuf: string
  /** The group of tables and metadata alone. */
  readonly meta: string
}

/** What answers may be asked for. */
export function acceptOf(types: MediaTypes, random: Dice): string {
  const { protobuf, meta } = types
  const base = random.weighted([
    [6, 'application/json'],
    [3, 'application/yaml'],
    [3, protobuf],
    [1, '*/*'],
    [1, 'application/*'],
    [1, 'text/plain'],
    [1, 'application/cbor'],
  ])
  const as = random.weighted([
    [6, ''],
    [2, `;as=Table;v=v1;g=${meta}`],
    [1, `;as=PartialObjectMetadata;v=v1;g=${meta}`],
    [1, `;as=PartialObjectMetadataList;v=v1;g=${meta}`],
    [1, `;as=Table;v=v1beta1;g=${meta}`],
    [1, ';as=Table;g=x;v=1'],
    [1, ';stream=watch'],
    [1, ';q=0.5,application/json;q=0.9'],
    [1, ';q=0'],
    [1, ';q=x;'],
    [1, ',application/json'],
    [1, ';charset="a\\"b"'],
  ])
  return base + as
}

const FIELDS: readonly ((random: Dice) => Field)[] = [
  (random) => [
    'accept-encoding',
    random.pick(['gzip', 'gzip;q=0', 'identity;q=0', 'br, gzip', '*', '', 'deflate']),
  ],
  (random) => ['content-encoding', random.pick(['gzip', 'identity', 'br', 'x'])],
  (random) => ['if-none-match', random.pick(['*', '"x"', 'W/"x"', ''])],
  (random) => ['if-modified-since', random.pick(['Thu, 01 Jan 1970 00:00:00 GMT', 'x'])],
  (random) => ['range', random.pick(['bytes=0-1', 'bytes=-1', 'x'])],
  (random) => ['cookie', hostileText(random)],
  (random) => ['audit-id', random.pick(['x', hostileText(random)])],
  (random) => ['user-agent', random.pick(['', 'x'.repeat(5000), hostileText(random)])],
  (random) => ['origin', hostileText(random)],
  (random) => ['x-forwarded-for', random.pick(['1.2.3.4', '::1', hostileText(random)])],
  (random) => ['x-remote-user', random.pick(['admin', hostileText(random)])],
  () => ['x-remote-group', 'system:masters'],
  () => ['x-http-method-override', 'DELETE'],
  (random) => [
    'impersonate-user',
    random.pick(['', ' ', 'fz-nobody', 'fz-nobody ', hostileText(random)]),
  ],
  (random) => ['impersonate-group', random.pick(['', 'g', hostileText(random)])],
  (random) => ['impersonate-uid', hostileText(random)],
  (random) => [
    `impersonate-extra-${random.pick(['a', '%2f', '%zz', '', 'A%00'])}`,
    hostileText(random),
  ],
  (random) => [
    'authorization',
    random.pick([
      'Bearer',
      'Bearer ',
      'Bearer x',
      'Basic YTpi',
      'x',
      'Bearer a.b.c',
      'bearer  fz-t2',
    ]),
  ],
  (random) => ['x-fz', hostileText(random)],
]

/** What changes how the message itself is read: nothing is concluded when it stays without an answer. */
const OF_MESSAGE: readonly ((random: Dice) => Field)[] = [
  (random) => [
    'content-length',
    random.pick(['0', '1', '-1', '1e3', '+1', '99999999999', '0x1', '5, 5', '']),
  ],
  (random) => [
    'transfer-encoding',
    random.pick(['chunked', 'gzip, chunked', 'identity', 'x', 'chunked, chunked']),
  ],
  (random) => [
    'connection',
    random.pick(['close', 'upgrade', 'keep-alive', 'content-length', 'x']),
  ],
  (random) => ['upgrade', random.pick(['websocket', 'SPDY/3.1', 'h2c', 'x'])],
  (random) => ['expect', random.pick(['100-continue', 'x'])],
  (random) => [
    'host',
    random.pick(['', 'a b', 'localhost:99999', 'user@host', hostileText(random)]),
  ],
  (random) => ['te', random.pick(['trailers', 'gzip'])],
  () => ['trailer', 'authorization'],
  (random) => [
    'sec-websocket-protocol',
    random.pick([
      'v4.channel.k8s.io',
      'base64.channel.k8s.io',
      'base64url.bearer.authorization.k8s.io.eA',
      'x',
    ]),
  ],
  () => ['sec-websocket-key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
]

/** A few fields, and whether the message may be one without an end because of them. */
export function extraFields(random: Dice): {
  readonly fields: readonly Field[]
  readonly isOpen: boolean
} {
  const fields: Field[] = []
  for (let i = random.between(1, 3); i > 0; i--) fields.push(sendable(random.pick(FIELDS)(random)))
  const isOpen = random.chance(0.15)
  if (isOpen)
    for (let i = random.between(1, 2); i > 0; i--)
      fields.push(sendable(random.pick(OF_MESSAGE)(random)))
  if (random.chance(0.02)) {
    const count = random.pick([50, 300, 1200])
    fields.push(...Array.from({ length: count }, (_, i): Field => [`x-fz-${i}`, 'y']))
  }
  return { fields, isOpen }
}

/** Without what would end the field: that is for changes of bytes. Beyond Latin-1 the bytes of UTF-8. */
const sendable = ([name, value]: Field): Field => [
  name,
  Buffer.from(value.replace(/[\r\n]/g, ' ')).toString('latin1'),
]
