/** Functions of every release: sizes, texts, conversions, parts of times. */
import { parseDuration } from '../../base/duration.ts'
import { parseNanoTime } from '../../base/time.ts'
import {
  type CostRule,
  decoding,
  encoding,
  patternSearch,
  search,
  traversal,
} from '../cost-rule.ts'
import { failure } from '../failure.ts'
import {
  type FunctionDeclaration,
  global,
  member,
  type OverloadParts,
} from '../function-declaration.ts'
import {
  checkedInt,
  Double,
  formatDouble,
  type Int,
  intOfDouble,
  Uint,
  uintOf,
  uintOfDouble,
} from '../numbers.ts'
import { matchesPattern } from '../pattern.ts'
import { inZone, TIME_PARTS } from '../time-functions.ts'
import { Span, Time } from '../time-value.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  param,
  STRING,
  TIMESTAMP,
  type Type,
  typeOfType,
  UINT,
} from '../type.ts'
import { lengthOf, type MapValue, TypeValue, typeNameOf } from '../values.ts'
import { DYN_FUNCTION } from './standard-operators.ts'

const A = param('A')
const B = param('B')

const SIZES: readonly (readonly [string, Type, (value: never) => Int])[] = [
  ['string', STRING, (text: string) => lengthOf(text)],
  ['bytes', BYTES, (bytes: Uint8Array) => bytes.length],
  ['list', listOf(A), (list: readonly unknown[]) => list.length],
  ['map', mapOf(A, B), (map: MapValue) => map.size],
]

const size = (): readonly FunctionDeclaration[] => [
  global(
    'size',
    ...SIZES.map(([name, type, run]): OverloadParts => [`size_${name}`, [type], INT, run]),
  ),
  member(
    'size',
    ...SIZES.map(([name, type, run]): OverloadParts => [`${name}_size`, [type], INT, run]),
  ),
]

const textTest = (
  name: string,
  run: (text: string, part: string) => boolean,
  cost: CostRule,
): FunctionDeclaration => member(name, [`${idOf(name)}_string`, [STRING, STRING], BOOL, run, cost])

const idOf = (name: string): string => name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)

const texts = (): readonly FunctionDeclaration[] => [
  textTest('contains', (text, part) => text.includes(part), search),
  textTest('startsWith', (text, part) => text.startsWith(part), traversal(1)),
  textTest('endsWith', (text, part) => text.endsWith(part), traversal(1)),
  textTest('matches', matchesPattern, patternSearch),
]

/** Searching for a pattern by a function without a receiver. */
export const globalMatches = (): FunctionDeclaration =>
  global('matches', ['matches', [STRING, STRING], BOOL, matchesPattern])

function thrown<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw failure((error as Error).message)
  }
}

const quoted = (text: string): string => JSON.stringify(text)

function parsedInt(text: string): Int {
  if (!/^[+-]?\d+$/.test(text)) {
    throw failure(`strconv.ParseInt: parsing ${quoted(text)}: invalid syntax`)
  }
  try {
    return checkedInt(BigInt(text.replace(/^\+/, '')))
  } catch {
    throw failure(`strconv.ParseInt: parsing ${quoted(text)}: value out of range`)
  }
}

function parsedUint(text: string): Uint {
  if (!/^\d+$/.test(text)) {
    throw failure(`strconv.ParseUint: parsing ${quoted(text)}: invalid syntax`)
  }
  const value = BigInt(text)
  if (value >= 2n ** 64n) {
    throw failure(`strconv.ParseUint: parsing ${quoted(text)}: value out of range`)
  }
  return uintOf(Number.isSafeInteger(Number(value)) ? Number(value) : value)
}

const NUMBER = /^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)$/

function parsedDouble(text: string): Double {
  const special = /^([+-]?)(?:inf|infinity)$/i.exec(text)
  if (special) return new Double(special[1] === '-' ? -Infinity : Infinity)
  if (/^nan$/i.test(text)) return new Double(NaN)
  if (!NUMBER.test(text)) {
    throw failure(`strconv.ParseFloat: parsing ${quoted(text)}: invalid syntax`)
  }
  const value = Number(text)
  if (Number.isFinite(value)) return new Double(value)
  throw failure(`strconv.ParseFloat: parsing ${quoted(text)}: value out of range`)
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

function parsedBool(text: string): boolean {
  if (TRUE.has(text)) return true
  if (FALSE.has(text)) return false
  throw failure(`strconv.ParseBool: parsing ${quoted(text)}: invalid syntax`)
}

function decodedText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw failure('invalid UTF-8 in bytes, cannot convert to string')
  }
}

function timeOf(text: string): Time {
  const { seconds, nanos } = thrown(() => parseNanoTime(text))
  return Time.of(seconds, nanos)
}

const same = (value: unknown) => value

const numberConversions = (): readonly FunctionDeclaration[] => [
  global(
    'int',
    ['int64_to_int64', [INT], INT, same],
    ['uint64_to_int64', [UINT], INT, ({ value }: Uint) => checkedInt(BigInt(value))],
    ['double_to_int64', [DOUBLE], INT, ({ value }: Double) => intOfDouble(value)],
    ['string_to_int64', [STRING], INT, parsedInt],
    ['timestamp_to_int64', [TIMESTAMP], INT, ({ seconds }: Time) => seconds],
    ['duration_to_int64', [DURATION], INT, ({ nanoseconds }: Span) => checkedInt(nanoseconds)],
  ),
  global(
    'uint',
    ['uint64_to_uint64', [UINT], UINT, same],
    ['int64_to_uint64', [INT], UINT, uintOf],
    ['double_to_uint64', [DOUBLE], UINT, ({ value }: Double) => uintOfDouble(value)],
    ['string_to_uint64', [STRING], UINT, parsedUint],
  ),
  global(
    'double',
    ['double_to_double', [DOUBLE], DOUBLE, same],
    ['int64_to_double', [INT], DOUBLE, (value: Int) => new Double(Number(value))],
    ['uint64_to_double', [UINT], DOUBLE, ({ value }: Uint) => new Double(Number(value))],
    ['string_to_double', [STRING], DOUBLE, parsedDouble],
  ),
]

const textConversions = (): readonly FunctionDeclaration[] => [
  global(
    'bool',
    ['bool_to_bool', [BOOL], BOOL, same],
    ['string_to_bool', [STRING], BOOL, parsedBool],
  ),
  global(
    'bytes',
    ['bytes_to_bytes', [BYTES], BYTES, same],
    [
      'string_to_bytes',
      [STRING],
      BYTES,
      (text: string) => new Uint8Array(Buffer.from(text)),
      encoding,
    ],
  ),
  global(
    'string',
    ['string_to_string', [STRING], STRING, same],
    ['bool_to_string', [BOOL], STRING, String],
    ['int64_to_string', [INT], STRING, String],
    ['uint64_to_string', [UINT], STRING, ({ value }: Uint) => String(value)],
    ['double_to_string', [DOUBLE], STRING, ({ value }: Double) => formatDouble(value)],
    ['bytes_to_string', [BYTES], STRING, decodedText, decoding],
    ['timestamp_to_string', [TIMESTAMP], STRING, String],
    ['duration_to_string', [DURATION], STRING, String],
  ),
]

const timeConversions = (): readonly FunctionDeclaration[] => [
  global(
    'timestamp',
    ['timestamp_to_timestamp', [TIMESTAMP], TIMESTAMP, same],
    ['string_to_timestamp', [STRING], TIMESTAMP, timeOf],
    ['int64_to_timestamp', [INT], TIMESTAMP, (seconds: Int) => Time.of(Number(seconds), 0)],
  ),
  global(
    'duration',
    ['duration_to_duration', [DURATION], DURATION, same],
    [
      'string_to_duration',
      [STRING],
      DURATION,
      (text: string) => new Span(thrown(() => parseDuration(text))),
    ],
    ['int64_to_duration', [INT], DURATION, (nanoseconds: Int) => new Span(BigInt(nanoseconds))],
  ),
  global('type', [
    'type',
    [A],
    typeOfType(A),
    (value: unknown) => new TypeValue(typeNameOf(value)),
  ]),
  DYN_FUNCTION,
]

const dateOf = ({ seconds, nanos }: Time): Date =>
  new Date(seconds * 1000 + Math.floor(nanos / 1_000_000))

const HOUR = 3_600_000_000_000n
const MINUTE = 60_000_000_000n
const SECOND = 1_000_000_000n
const MILLISECOND = 1_000_000n

/** Spans as the number of whole units; that includes milliseconds, as in the reference. */
const SPAN_PARTS: Readonly<Record<string, (span: bigint) => bigint>> = {
  getHours: (span) => span / HOUR,
  getMinutes: (span) => span / MINUTE,
  getSeconds: (span) => span / SECOND,
  getMilliseconds: (span) => span / MILLISECOND,
}

const times = (): readonly FunctionDeclaration[] => [
  ...Object.entries(TIME_PARTS).map(([name, part]) =>
    member(
      name,
      [`timestamp_to_${name}`, [TIMESTAMP], INT, (time: Time) => part(dateOf(time))],
      [
        `timestamp_to_${name}_with_tz`,
        [TIMESTAMP, STRING],
        INT,
        (time: Time, zone: string) => part(inZone(dateOf(time), zone)),
      ],
    ),
  ),
  ...Object.entries(SPAN_PARTS).map(([name, part]) =>
    member(name, [
      `duration_to_${name}`,
      [DURATION],
      INT,
      ({ nanoseconds }: Span) => checkedInt(part(nanoseconds)),
    ]),
  ),
]

/** All functions. */
export const standardFunctions = (): readonly FunctionDeclaration[] => [
  ...size(),
  ...texts(),
  ...numberConversions(),
  ...textConversions(),
  ...timeConversions(),
  ...times(),
]

/** Types that have names. */
export const STANDARD_TYPES: readonly (readonly [string, Type])[] = [
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['int', INT],
  ['uint', UINT],
  ['string', STRING],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['null_type', NULL],
  ['type', typeOfType()],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
]
