import { describe, expect, test } from 'vitest'
import {
  canonicalMicroTime,
  canonicalTime,
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
} from './time.ts'

describe('times are stored in UTC without fraction', () => {
  const cases: [string, string][] = [
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05.999Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05.123456789Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05,5Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05+00:00', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05+02:00', '2024-01-02T01:04:05Z'],
    ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00Z'],
    ['2024-02-28T23:30:00.5-01:00', '2024-02-29T00:30:00Z'],
    ['2024-01-02T03:04:05-05:30', '2024-01-02T08:34:05Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['0050-06-07T08:09:10+01:00', '0050-06-07T07:09:10Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z'],
  ]
  test.each(cases)('%s is %s', (text, canonical) => {
    expect(canonicalTime(text)).toBe(canonical)
    expect(canonicalTime(canonical)).toBe(canonical)
  })
})

describe('micro times have six digits', () => {
  const cases: [string, string][] = [
    ['2024-01-02T03:04:05.000000Z', '2024-01-02T03:04:05.000000Z'],
    ['2024-01-02T03:04:05.123456Z', '2024-01-02T03:04:05.123456Z'],
    ['2024-01-02T03:04:05.123456+02:00', '2024-01-02T01:04:05.123456Z'],
    ['2024-12-31T23:59:59.000001-00:01', '2025-01-01T00:00:59.000001Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ]
  test.each(cases)('%s is %s', (text, canonical) => {
    expect(canonicalMicroTime(text)).toBe(canonical)
  })
})

describe('micro times in the form in which they are stored stay, where they are times', () => {
  const days = ['2024-02-29', '2023-02-29', '2024-04-31', '2024-12-31', '0050-06-07', '2024-00-01']
  const others = ['2024-13-01', '2024-01-00', '2024-06-28']
  const times = ['00:00:00', '23:59:59', '24:00:00', '10:60:00', '10:00:60']
  const texts = [...days, ...others].flatMap((day) => times.map((time) => `${day}T${time}.000001Z`))
  test.each(texts)('%s', (text) => {
    // What is not canonical is read element by element.
    const plain = () => canonicalMicroTime(text.replace('Z', '+00:00'))
    let wanted: string | null = null
    try {
      wanted = plain()
    } catch {
      // It is no time.
    }
    if (wanted === null) expect(() => canonicalMicroTime(text)).toThrow('parsing time')
    else expect(canonicalMicroTime(text)).toBe(wanted)
  })
})

const LAYOUT = '"2006-01-02T15:04:05Z07:00"'
const MICRO = '"2006-01-02T15:04:05.000000Z07:00"'

describe('texts that are no times', () => {
  const cases: [string, string][] = [
    ['', `parsing time "" as ${LAYOUT}: cannot parse "" as "2006"`],
    ['x', `parsing time "x" as ${LAYOUT}: cannot parse "x" as "2006"`],
    ['2024', `parsing time "2024" as ${LAYOUT}: cannot parse "" as "-"`],
    ['2024-1-02', `parsing time "2024-1-02" as ${LAYOUT}: cannot parse "1-02" as "01"`],
    ['2024-01-02', `parsing time "2024-01-02" as ${LAYOUT}: cannot parse "" as "T"`],
    [
      '2024-01-02 03:04:05Z',
      `parsing time "2024-01-02 03:04:05Z" as ${LAYOUT}: cannot parse " 03:04:05Z" as "T"`,
    ],
    [
      '2024-01-02t03:04:05z',
      `parsing time "2024-01-02t03:04:05z" as ${LAYOUT}: cannot parse "t03:04:05z" as "T"`,
    ],
    ['2024-01-02T03:04Z', `parsing time "2024-01-02T03:04Z" as ${LAYOUT}: cannot parse "Z" as ":"`],
    [
      '2024-01-02T03:04:05',
      `parsing time "2024-01-02T03:04:05" as ${LAYOUT}: cannot parse "" as "Z07:00"`,
    ],
    [
      '2024-01-02T03:04:05.Z',
      `parsing time "2024-01-02T03:04:05.Z" as ${LAYOUT}: cannot parse ".Z" as "Z07:00"`,
    ],
    [
      '2024-01-02T03:04:05+0200',
      `parsing time "2024-01-02T03:04:05+0200" as ${LAYOUT}: cannot parse "+0200" as "Z07:00"`,
    ],
    ['2024-13-02T03:04:05Z', 'parsing time "2024-13-02T03:04:05Z": month out of range'],
    ['2024-00-02T03:04:05Z', 'parsing time "2024-00-02T03:04:05Z": month out of range'],
    ['2024-01-32T03:04:05Z', 'parsing time "2024-01-32T03:04:05Z": day out of range'],
    ['2024-01-00T03:04:05Z', 'parsing time "2024-01-00T03:04:05Z": day out of range'],
    ['2023-02-29T03:04:05Z', 'parsing time "2023-02-29T03:04:05Z": day out of range'],
    ['1900-02-29T03:04:05Z', 'parsing time "1900-02-29T03:04:05Z": day out of range'],
    ['2024-01-02T24:04:05Z', 'parsing time "2024-01-02T24:04:05Z": hour out of range'],
    ['2024-01-02T03:60:05Z', 'parsing time "2024-01-02T03:60:05Z": minute out of range'],
    ['2024-01-02T03:04:60Z', 'parsing time "2024-01-02T03:04:60Z": second out of range'],
    ['2024-01-02T03:04:05Zx', 'parsing time "2024-01-02T03:04:05Zx": extra text: "x"'],
    [
      '2024-01-02T03:04:05+25:00',
      'parsing time "2024-01-02T03:04:05+25:00": time zone offset hour out of range',
    ],
    ['0000-01-01T00:00:00+01:00', 'parsing time "0000-01-01T00:00:00+01:00": year out of range'],
    ['9999-12-31T23:59:59-01:00', 'parsing time "9999-12-31T23:59:59-01:00": year out of range'],
  ]
  test.each(cases)('%j', (text, message) => {
    expect(() => canonicalTime(text)).toThrow(new Error(message))
    expect(() => parseTime(text)).toThrow(new Error(message))
  })

  const micro: [string, string][] = [
    [
      '2024-01-02T03:04:05Z',
      `parsing time "2024-01-02T03:04:05Z" as ${MICRO}: cannot parse "Z" as ".000000"`,
    ],
    [
      '2024-01-02T03:04:05.123Z',
      `parsing time "2024-01-02T03:04:05.123Z" as ${MICRO}: cannot parse ".123Z" as ".000000"`,
    ],
    [
      '2024-01-02T03:04:05.1234567Z',
      `parsing time "2024-01-02T03:04:05.1234567Z" as ${MICRO}: cannot parse "7Z" as "Z07:00"`,
    ],
  ]
  test.each(micro)('micro %j', (text, message) => {
    expect(() => canonicalMicroTime(text)).toThrow(new Error(message))
  })
})

test('times are milliseconds', () => {
  expect([
    parseTime('1970-01-01T00:00:01Z'),
    parseTime('1970-01-01T00:00:01.2345Z'),
    parseTime('1970-01-01T01:00:00+01:00'),
    parseTime('1969-12-31T23:59:59.25Z'),
    parseMicroTime('1970-01-01T00:00:01.000250Z'),
  ]).toEqual([1000, 1234, 0, -750, 1000.25])
})

test('days of four centuries are read and printed alike', () => {
  for (let ms = Date.UTC(1800, 0, 1); ms < Date.UTC(2200, 0, 1); ms += 86_400_000 * 7 + 3_723_000) {
    const text = new Date(ms).toISOString().slice(0, 19) + 'Z'
    expect([parseTime(text), canonicalTime(text), formatTime(ms)]).toEqual([ms, text, text])
  }
})

test('milliseconds print', () => {
  expect([formatTime(0), formatTime(1_704_164_645_999), formatTime(-1)]).toEqual([
    '1970-01-01T00:00:00Z',
    '2024-01-02T03:04:05Z',
    '1969-12-31T23:59:59Z',
  ])
  expect([formatMicroTime(0), formatMicroTime(1_704_164_645_999), formatMicroTime(-1)]).toEqual([
    '1970-01-01T00:00:00.000000Z',
    '2024-01-02T03:04:05.999000Z',
    '1969-12-31T23:59:59.999000Z',
  ])
})

test('a micro time survives its number', () => {
  for (const text of [
    '2024-01-02T03:04:05.123456Z',
    '2024-01-02T03:04:05.000001Z',
    '2024-01-02T03:04:05.999999Z',
  ]) {
    expect(formatMicroTime(parseMicroTime(text))).toBe(text)
  }
})
