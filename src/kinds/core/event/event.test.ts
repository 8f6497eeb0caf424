import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codecOf, Decoding, type JsonObject } from '../../../codec/codec.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { c, cells, problems, read } from '../../hooks.fixture.ts'
import { convertFromStorage, convertToStorage } from './convert.ts'
import { Event, events } from './event.ts'
import { NewEvent } from './new-event.ts'

const strict: HookContext = { ...c, groupVersion: 'events.orch.io/v1' }

const eventOf = (given: object, metadata: object = {}): Event =>
  read(events, { metadata: { name: 'e', namespace: 'n', ...metadata }, ...given })

const pod = { kind: 'Pod', namespace: 'n', name: 'p' }
const time = '2030-01-01T00:00:00.001000Z'
const report = {
  involvedObject: pod,
  eventTime: time,
  reportingComponent: 'a.com/b',
  reportingInstance: 'i',
  action: 'Do',
  reason: 'Because',
  type: 'Normal',
}
const DIFFERS = (namespace: string) =>
  `Invalid involvedObject.namespace: Invalid value: "${namespace}": does not match event.namespace`
const LONG = (field: string, max: number) =>
  `Invalid ${field}: Invalid value: "": can have at most ${max} characters`
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const UNREPORTED = [
  'Required reportingComponent: Required value',
  'Invalid reportingComponent: Invalid value: "": name part must be non-empty',
  `Invalid reportingComponent: Invalid value: "": ${QUALIFIED}`,
  'Required reportingInstance: Required value',
  'Required action: Required value',
  'Required reason: Required value',
]

describe('rules of both versions', () => {
  const rows: [name: string, given: object, namespace: string, expected: string[]][] = [
    ['a plain event', { involvedObject: pod }, 'n', []],
    ['an object of another namespace', { involvedObject: pod }, 'm', [DIFFERS('n')]],
    ['an object without namespace, in the default one', { involvedObject: {} }, 'default', []],
    ['an object without namespace, elsewhere', { involvedObject: {} }, 'n', [DIFFERS('')]],
    ['a full report', report, 'n', []],
    ['a report elsewhere', report, 'm', []],
    ['a report about no namespace', { ...report, involvedObject: {} }, 'orch-system', []],
    ['such a report elsewhere', { ...report, involvedObject: {} }, 'n', [DIFFERS('')]],
    ['an empty report', { involvedObject: pod, eventTime: time }, 'n', UNREPORTED],
    [
      'a report that is too long',
      {
        ...report,
        reportingInstance: 'a'.repeat(129),
        action: 'a'.repeat(129),
        reason: 'a'.repeat(129),
        message: 'a'.repeat(1025),
      },
      'n',
      [
        LONG('reportingInstance', 128),
        LONG('action', 128),
        LONG('reason', 128),
        LONG('message', 1024),
      ],
    ],
    [
      'a report of the greatest length',
      {
        ...report,
        reportingInstance: 'a'.repeat(128),
        action: 'a'.repeat(128),
        reason: 'a'.repeat(128),
        message: 'a'.repeat(1024),
      },
      'n',
      [],
    ],
  ]
  for (const [name, given, namespace, expected] of rows) {
    test(name, () => expect(problems(events, eventOf(given, { namespace }))).toEqual(expected))
  }
  test('a wrong namespace', () => {
    const [first, second] = problems(events, eventOf({}, { namespace: 'N' }))
    expect(first).toBe(DIFFERS(''))
    expect(second).toMatch(/^Invalid namespace: Invalid value: "N": a lowercase RFC 1123 subdomain/)
  })
})

describe('a create in the events group', () => {
  const rows: [name: string, given: object, expected: string[]][] = [
    ['a full report', report, []],
    [
      'a plain event',
      {
        involvedObject: pod,
        firstTimestamp: '2030-01-01T00:00:00Z',
        lastTimestamp: '2030-01-01T00:00:00Z',
        count: 2,
        source: { host: 'h' },
      },
      [
        'Required eventTime: Required value',
        'Invalid type: Invalid value: "": has invalid value: ',
        'Invalid firstTimestamp: Invalid value: "": needs to be unset',
        'Invalid lastTimestamp: Invalid value: "": needs to be unset',
        'Invalid count: Invalid value: "": needs to be unset',
        'Invalid source: Invalid value: "": needs to be unset',
      ],
    ],
    [
      'another type',
      { ...report, type: 'Error' },
      ['Invalid type: Invalid value: "": has invalid value: Error'],
    ],
    ['a series', { ...report, series: { count: 2, lastObservedTime: time } }, []],
    [
      'an empty series',
      { ...report, series: {} },
      [
        'Invalid series.count: Invalid value: "": should be at least 2',
        'Required series.lastObservedTime: Required value',
      ],
    ],
    [
      'nobody who reports',
      { ...report, reportingComponent: '' },
      [
        'Required reportingController: Required value',
        'Invalid reportingController: Invalid value: "": name part must be non-empty',
        `Invalid reportingController: Invalid value: "": ${QUALIFIED}`,
      ],
    ],
  ]
  for (const [name, given, expected] of rows) {
    test(name, () => {
      expect(problems(events, eventOf(given), { hooks: strict })).toEqual(expected)
    })
  }
  test('the name is a subdomain there, a path segment elsewhere', () => {
    const event = eventOf(report, { name: 'A' })
    expect(problems(events, event)).toEqual([])
    expect(problems(events, event, { hooks: strict })).toHaveLength(1)
    expect(events.nameRule!('A:b')).toEqual([])
  })
})

describe('an update', () => {
  const old = eventOf(report)
  const other = {
    involvedObject: { ...pod, name: 'q' },
    reason: 'r',
    message: 'm',
    source: { component: 'c' },
    firstTimestamp: '2030-01-01T00:00:00Z',
    lastTimestamp: '2030-01-01T00:00:00Z',
    count: 1,
    type: 'Warning',
    eventTime: '2030-01-01T00:00:00.000002Z',
    action: 'a',
    related: {},
    reportingComponent: 'c',
    reportingInstance: 'j',
  }
  test('in the core group everything may change', () => {
    expect(problems(events, eventOf(other), { old })).toEqual([])
  })
  test('in the events group nothing may but the series', () => {
    const is = (field: string, value: unknown) =>
      `Invalid ${field}: Invalid value: ${JSON.stringify(value)}: field is immutable`
    expect(problems(events, eventOf(other), { old, hooks: strict })).toEqual([
      is('involvedObject', { kind: 'Pod', namespace: 'n', name: 'q' }),
      is('reason', 'r'),
      is('message', 'm'),
      is('source', { component: 'c' }),
      is('firstTimestamp', '2030-01-01T00:00:00Z'),
      is('lastTimestamp', '2030-01-01T00:00:00Z'),
      is('count', 1),
      is('reason', 'r'),
      is('type', 'Warning'),
      is('eventTime', '2030-01-01T00:00:00.000002Z'),
      is('action', 'a'),
      is('related', {}),
      is('reportingController', 'c'),
      is('reportingInstance', 'j'),
    ])
  })
  test('a series is looked at when it changes', () => {
    const series = { count: 1, lastObservedTime: time }
    const next = eventOf({ ...report, series })
    expect(problems(events, next, { old, hooks: strict })).toEqual([
      'Invalid series.count: Invalid value: "": should be at least 2',
    ])
    expect(problems(events, next, { old: next, hooks: strict })).toEqual([])
  })
})

describe('the table', () => {
  const rows: [name: string, given: object, expected: unknown[]][] = [
    [
      'a plain event',
      {
        involvedObject: { ...pod, fieldPath: 'spec' },
        firstTimestamp: '2030-01-01T00:00:00Z',
        lastTimestamp: '2030-01-01T00:59:50Z',
        count: 7,
        type: 'Normal',
        reason: 'r',
        message: ' m\n',
        source: { component: 'c', host: 'h' },
      },
      ['10s', 'Normal', 'r', 'pod/p', 'spec', 'c, h', 'm', '60m', '7', 'e'],
    ],
    [
      'a report',
      { ...report, involvedObject: { kind: 'Pod' } },
      ['59m', 'Normal', 'Because', 'pod', '', 'a.com/b, i', '', '59m', '1', 'e'],
    ],
    [
      'a series',
      { ...report, series: { count: 4, lastObservedTime: '2030-01-01T00:59:50.000000Z' } },
      ['10s', 'Normal', 'Because', 'pod/p', '', 'a.com/b, i', '', '59m', '4', 'e'],
    ],
    ['an empty event', {}, ['<unknown>', '', '', '', '', '', '', '<unknown>', '1', 'e']],
  ]
  for (const [name, given, expected] of rows) {
    test(name, () => expect(cells(events, eventOf(given))).toEqual(expected))
  }
})

test('selectors', () => {
  const { selectable } = events
  const values = (event: Event) =>
    Object.fromEntries(Object.entries(selectable!).map(([name, of]) => [name, of(event)]))
  const event = eventOf({ ...report, source: { component: 'c' } })
  expect(values(event)).toMatchObject({
    'involvedObject.kind': 'Pod',
    source: 'c',
    reportingComponent: 'a.com/b',
  })
  expect(values(eventOf(report)).source).toBe('a.com/b')
})

describe('the two versions', () => {
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const text = maybe(fc.string())
  const number = maybe(fc.integer({ min: -2147483648, max: 2147483647 }))
  const seconds = fc.integer({ min: 0, max: 4e9 }).map((s) => new Date(s * 1000).toISOString())
  const whole = maybe(seconds.map((iso) => `${iso.slice(0, 19)}Z`))
  const micro = maybe(seconds.map((iso) => `${iso.slice(0, 19)}.000001Z`))
  const reference = fc.record({
    kind: text,
    namespace: text,
    name: text,
    uid: text,
    apiVersion: text,
    resourceVersion: text,
    fieldPath: text,
  })
  const series = maybe(fc.record({ count: number, lastObservedTime: micro }))
  const common = {
    metadata: fc.record({ name: text, labels: maybe(fc.dictionary(fc.string(), fc.string())) }),
    reason: text,
    type: text,
    eventTime: micro,
    series,
    action: text,
    related: maybe(reference),
    reportingInstance: text,
  }
  const source = maybe(fc.record({ component: text, host: text }))
  const core = fc.record({
    ...common,
    involvedObject: reference,
    message: text,
    source,
    firstTimestamp: whole,
    lastTimestamp: whole,
    count: number,
    reportingComponent: text,
  })
  const grouped = fc.record({
    ...common,
    regarding: reference,
    note: text,
    deprecatedSource: source,
    deprecatedFirstTimestamp: whole,
    deprecatedLastTimestamp: whole,
    deprecatedCount: number,
    reportingController: text,
  })
  const hubCodec = codecOf(Event.shape)
  const newCodec = codecOf(NewEvent.shape)

  test('hold the same', () => {
    fc.assert(
      fc.property(core, (given) => {
        const event = hubCodec.decode(given, new Decoding())
        // By way of the wire, as clients see it.
        const shown = newCodec.plain(convertFromStorage(event as never) as unknown as JsonObject)
        const back = convertToStorage(newCodec.decode(shown, new Decoding()) as never)
        expect(back).toEqual(event)
        expect(Object.keys(hubCodec.plain(back as unknown as JsonObject))).toEqual(
          Object.keys(hubCodec.plain(event)),
        )
      }),
      { numRuns: 200 },
    )
    fc.assert(
      fc.property(grouped, (given) => {
        const event = newCodec.decode(given, new Decoding())
        const stored = hubCodec.plain(convertToStorage(event as never) as unknown as JsonObject)
        const back = convertFromStorage(hubCodec.decode(stored, new Decoding()) as never)
        expect(back).toEqual(event)
      }),
      { numRuns: 200 },
    )
  })
})
