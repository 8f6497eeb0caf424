import { expect, test } from 'vitest'
import { NEVER, readSchedule } from './schedule.ts'

/** The next three times after one. */
function next(schedule: string, after: string, count = 3): string[] {
  const read = readSchedule(schedule)
  const times: string[] = []
  for (let ms = Date.parse(after); times.length < count;) {
    ms = read.next(ms)
    times.push(new Date(ms).toISOString().replace(':00.000Z', 'Z'))
  }
  return times
}

const BERLIN = 'TZ=Europe/Berlin'
const ROWS: readonly [schedule: string, after: string, expected: string[]][] = [
  [
    'TZ=UTC */5 * * * *',
    '2024-01-02T03:04:05Z',
    ['2024-01-02T03:05Z', '2024-01-02T03:10Z', '2024-01-02T03:15Z'],
  ],
  ['TZ=UTC 0 0 29 2 *', '2024-02-29T00:00:00Z', ['2028-02-29T00:00Z']],
  [
    'TZ=UTC 0 12 13 * fri',
    '2024-01-01T00:00:00Z',
    ['2024-01-05T12:00Z', '2024-01-12T12:00Z', '2024-01-13T12:00Z'],
  ],
  [
    'TZ=UTC 0 12 13 * ?',
    '2024-01-01T00:00:00Z',
    ['2024-01-13T12:00Z', '2024-02-13T12:00Z', '2024-03-13T12:00Z'],
  ],
  ['TZ=UTC 0 12 */1 * 1', '2024-01-01T13:00:00Z', ['2024-01-08T12:00Z']],
  [
    'TZ=UTC 30 1-3,22/1 * jan-feb *',
    '2024-02-29T03:30:00Z',
    ['2024-02-29T22:30Z', '2024-02-29T23:30Z', '2025-01-01T01:30Z'],
  ],
  ['TZ=UTC */70 * * * *', '2024-01-01T00:00:00Z', ['2024-01-01T01:00Z']],
  ['CRON_TZ=UTC @weekly', '2024-01-01T00:00:00Z', ['2024-01-07T00:00Z', '2024-01-14T00:00Z']],
  ['TZ=UTC @yearly', '2024-01-01T00:00:00Z', ['2025-01-01T00:00Z']],
  // The hour is not there on the day of the change, and is there twice half a year later.
  [
    `${BERLIN} 30 2 * * *`,
    '2026-03-28T00:00:00Z',
    ['2026-03-28T01:30Z', '2026-03-30T00:30Z', '2026-03-31T00:30Z'],
  ],
  [
    `${BERLIN} 30 2 * * *`,
    '2026-10-24T03:00:00Z',
    ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-26T01:30Z'],
  ],
  [`${BERLIN} 0 0 * * *`, '2026-10-24T12:00:00Z', ['2026-10-24T22:00Z', '2026-10-25T23:00Z']],
  ['TZ=Asia/Kolkata 0 0 * * *', '2026-01-01T00:00:00Z', ['2026-01-01T18:30Z']],
  [
    'TZ=America/New_York 15 1 * * *',
    '2026-11-01T00:00:00Z',
    ['2026-11-01T05:15Z', '2026-11-01T06:15Z', '2026-11-02T06:15Z'],
  ],
]
for (const [schedule, after, expected] of ROWS)
  test(`${schedule} after ${after}`, () => {
    expect(next(schedule, after, expected.length)).toEqual(expected)
  })

test('@every counts from the last time, in whole seconds', () => {
  expect(next('@every 1h30m', '2024-01-02T03:04:05.7Z', 1)).toEqual(['2024-01-02T04:34:05.000Z'])
  expect(next('@every 1500ms', '2024-01-02T03:04:05Z', 1)).toEqual(['2024-01-02T03:04:06.000Z'])
  expect(next('@every 1ms', '2024-01-02T03:04:05Z', 1)).toEqual(['2024-01-02T03:04:06.000Z'])
})

test('a day that never comes is the earliest time of all', () => {
  expect(readSchedule('TZ=UTC 0 0 31 2 *').next(0)).toBe(NEVER)
})

for (const [text, message] of [
  ['', 'empty spec string'],
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['* * * * 7', 'end of range (7) above maximum (6): 7'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ['TZ=No/Where * * * * *', 'provided bad location No/Where: unknown time zone No/Where'],
  ['TZ=UTC', 'failed to parse schedule "TZ=UTC"'],
] as const)
  test(`"${text}" is not a schedule`, () => {
    expect(() => readSchedule(text)).toThrow(message)
  })
