import { celEngine } from './engine.ts'
import { findAllPattern, findPattern, matchesPattern } from './pattern.ts'
import { sameCelValue } from './same-value.ts'
import * as texts from './text-functions.ts'
import { inZone, TIME_PARTS } from './time-functions.ts'
import { readUrl, UrlValue } from './url-value.ts'

type Environment = InstanceType<ReturnType<typeof celEngine>['Environment']>

// Our functions have names that no expression can contain, since the library's own cannot be replaced.
const OURS = '@'

/** Names of calls that are redirected to our functions. */
const REPLACED: ReadonlySet<string> = new Set([
  'charAt',
  'find',
  'findAll',
  'getEscapedPath',
  'getHost',
  'getHostname',
  'getPort',
  'getQuery',
  'getScheme',
  'indexOf',
  'isSorted',
  'isURL',
  'join',
  'lastIndexOf',
  'lowerAscii',
  'matches',
  'max',
  'min',
  'replace',
  'split',
  'substring',
  'sum',
  'trim',
  'upperAscii',
  'url',
  ...Object.keys(TIME_PARTS),
])

/** Names of calls that lead to the library. */
const STANDARD: ReadonlySet<string> = new Set([
  'all',
  'bool',
  'bytes',
  'contains',
  'double',
  'duration',
  'dyn',
  'endsWith',
  'exists',
  'exists_one',
  'filter',
  'has',
  'int',
  'map',
  'size',
  'startsWith',
  'string',
  'timestamp',
  'type',
  'uint',
])

/** The internal name of a call; null for an unknown function. */
export function insideName(name: string): string | null {
  if (REPLACED.has(name)) return `${OURS}${name}`
  return STANDARD.has(name) ? name : null
}

/** The name a call was written with. */
export const writtenName = (name: string): string =>
  name.startsWith(OURS) ? name.slice(OURS.length) : name

/** A text of the library with the names as they were written. */
export const asWritten = (message: string): string =>
  message.replaceAll(/@(?=[A-Za-z])/g, '').replaceAll(/\bobject\.\d+/g, 'object')

type Handler = (...args: never[]) => unknown

interface Declaration {
  readonly name: string
  readonly on?: string
  readonly takes: readonly string[]
  readonly gives: string
  readonly run: Handler
}

const on = (
  receiver: string,
  name: string,
  takes: readonly string[],
  gives: string,
  run: Handler,
): Declaration => ({ name, on: receiver, takes, gives, run })

const int = (value: number): bigint => BigInt(value)

const TEXTS: readonly Declaration[] = [
  on('string', 'charAt', ['int'], 'string', (s: string, i: bigint) => texts.charAt(s, Number(i))),
  on('string', 'indexOf', ['string'], 'int', (s: string, p: string) => int(texts.indexOf(s, p))),
  on('string', 'indexOf', ['string', 'int'], 'int', (s: string, p: string, i: bigint) =>
    int(texts.indexOf(s, p, Number(i))),
  ),
  on('string', 'lastIndexOf', ['string'], 'int', (s: string, p: string) =>
    int(texts.lastIndexOf(s, p)),
  ),
  on('string', 'lastIndexOf', ['string', 'int'], 'int', (s: string, p: string, i: bigint) =>
    int(texts.lastIndexOf(s, p, Number(i))),
  ),
  on('string', 'lowerAscii', [], 'string', texts.lowerAscii),
  on('string', 'upperAscii', [], 'string', texts.upperAscii),
  on('string', 'replace', ['string', 'string'], 'string', (s: string, p: string, by: string) =>
    texts.replace(s, p, by),
  ),
  on(
    'string',
    'replace',
    ['string', 'string', 'int'],
    'string',
    (s: string, p: string, by: string, n: bigint) => texts.replace(s, p, by, Number(n)),
  ),
  on('string', 'split', ['string'], 'list<string>', (s: string, p: string) => texts.split(s, p)),
  on('string', 'split', ['string', 'int'], 'list<string>', (s: string, p: string, n: bigint) =>
    texts.split(s, p, Number(n)),
  ),
  on('string', 'substring', ['int'], 'string', (s: string, i: bigint) =>
    texts.substring(s, Number(i)),
  ),
  on('string', 'substring', ['int', 'int'], 'string', (s: string, i: bigint, j: bigint) =>
    texts.substring(s, Number(i), Number(j)),
  ),
  on('string', 'trim', [], 'string', texts.trim),
  on('list<string>', 'join', [], 'string', (list: string[]) => list.join('')),
  on('list<string>', 'join', ['string'], 'string', (list: string[], by: string) => list.join(by)),
  on('string', 'matches', ['string'], 'bool', matchesPattern),
  { name: 'matches', takes: ['string', 'string'], gives: 'bool', run: matchesPattern },
  on('string', 'find', ['string'], 'string', findPattern),
  on('string', 'findAll', ['string'], 'list<string>', (s: string, p: string) =>
    findAllPattern(s, p, -1),
  ),
  on('string', 'findAll', ['string', 'int'], 'list<string>', (s: string, p: string, n: bigint) =>
    findAllPattern(s, p, Number(n)),
  ),
]

const URL_TYPE = 'net.URL'

function urlOf(text: string): UrlValue {
  const url = readUrl(text)
  if (!url) throw new RangeError(`URL parse error during conversion from string: ${text}`)
  return url
}

const URLS: readonly Declaration[] = [
  { name: 'url', takes: ['string'], gives: URL_TYPE, run: urlOf },
  { name: 'isURL', takes: ['string'], gives: 'bool', run: (s: string) => readUrl(s) !== null },
  on(URL_TYPE, 'getScheme', [], 'string', (url: UrlValue) => url.scheme),
  on(URL_TYPE, 'getHost', [], 'string', (url: UrlValue) => url.host),
  on(URL_TYPE, 'getHostname', [], 'string', (url: UrlValue) => url.hostname),
  on(URL_TYPE, 'getPort', [], 'string', (url: UrlValue) => url.port),
  on(URL_TYPE, 'getEscapedPath', [], 'string', (url: UrlValue) => url.escapedPath),
  on(URL_TYPE, 'getQuery', [], 'map<string, list<string>>', (url: UrlValue) => url.parameters),
]

const DURATION = 'google.protobuf.Duration'
const TIMESTAMP = 'google.protobuf.Timestamp'
const ORDERED = ['int', 'uint', 'double', 'bool', 'string', 'bytes', DURATION, TIMESTAMP]

type List = readonly unknown[]

/** Below 0 where the left value comes first. */
function compare(a: unknown, b: unknown): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  const [left, right] = [a as number, b as number]
  return left < right ? -1 : Number(left > right)
}

/** The first item that no other one comes before, in the direction. */
function extreme(list: List, name: string, direction: 1 | -1): unknown {
  if (list.length === 0) throw new RangeError(`${name} called on empty list`)
  return list.reduce((best, item) => (compare(item, best) * direction < 0 ? item : best))
}

const LISTS: readonly Declaration[] = ORDERED.flatMap((item) => [
  on(`list<${item}>`, 'isSorted', [], 'bool', (list: List) =>
    list.every((one, i) => i === 0 || compare(list[i - 1], one) <= 0),
  ),
  on(`list<${item}>`, 'min', [], item, (list: List) => extreme(list, 'min', 1)),
  on(`list<${item}>`, 'max', [], item, (list: List) => extreme(list, 'max', -1)),
])

const PLACES: readonly Declaration[] = [
  on('list<T>', 'indexOf', ['T'], 'int', (list: List, item: unknown) =>
    int(list.findIndex((one) => sameCelValue(one, item))),
  ),
  on('list<T>', 'lastIndexOf', ['T'], 'int', (list: List, item: unknown) =>
    int(list.findLastIndex((one) => sameCelValue(one, item))),
  ),
]

const MAX_INT = 2n ** 63n

/** Sums computed with the operator of the item type. */
const SUMS: readonly Declaration[] = [
  on('list<int>', 'sum', [], 'int', (list: readonly bigint[]) => {
    let sum = 0n
    for (const one of list) {
      sum += one
      if (sum >= MAX_INT || sum < -MAX_INT) throw new RangeError('integer overflow')
    }
    return sum
  }),
  on('list<double>', 'sum', [], 'double', (list: readonly number[]) =>
    list.reduce((sum, one) => sum + one, 0),
  ),
  on(`list<${DURATION}>`, 'sum', [], DURATION, (list: readonly Summable[]) => {
    const zero = celEngine().evaluate("duration('0s')") as Summable
    return list.reduce((sum, one) => sum.addDuration(one), zero)
  }),
]

const TIMES: readonly Declaration[] = [
  ...Object.entries(TIME_PARTS).flatMap(([name, part]) => [
    on(TIMESTAMP, name, [], 'int', (time: Date) => int(part(time))),
    on(TIMESTAMP, name, ['string'], 'int', (time: Date, zone: string) =>
      int(part(inZone(time, zone))),
    ),
  ]),
  ...(['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'] as const).map((name) =>
    on(DURATION, name, [], 'int', (span: Span) => span[name]()),
  ),
]

type Span = Record<'getHours' | 'getMinutes' | 'getSeconds' | 'getMilliseconds', () => bigint>

interface Summable {
  addDuration(other: Summable): Summable
}

let base: Environment | null = null

/** The environment that those of all schemas come from. */
export function baseEnvironment(): Environment {
  if (base) return base
  const environment = new (celEngine().Environment)()
  environment.registerType(URL_TYPE, { ctor: UrlValue, fields: {} })
  environment.registerOperator(`${URL_TYPE} == ${URL_TYPE}`, (a: UrlValue, b: UrlValue) =>
    a.equals(b),
  )
  for (const { name, on: receiver, takes, gives, run } of [
    ...TEXTS,
    ...URLS,
    ...LISTS,
    ...PLACES,
    ...SUMS,
    ...TIMES,
  ]) {
    environment.registerFunction({
      name: `${OURS}${name}`,
      ...(receiver === undefined ? {} : { receiverType: receiver }),
      returnType: gives,
      params: takes.map((type, i) => ({ name: `arg${i}`, type })),
      handler: run as (...args: unknown[]) => unknown,
      async: false,
    } as never)
  }
  base = environment
  return environment
}
