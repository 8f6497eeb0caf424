import { describe, expect, test } from 'vitest'
import { isTimeZone, scheduleProblem } from './cron-schedule.ts'

describe('schedules that can be read', () => {
  for (const text of [
    '* * * * *',
    '? ? ? ? ?',
    '  0   12 1\t1 0 ',
    '*/5 0-12/3 1,15,31 jan-DEC sun,Sat',
    '5/10 * * * *',
    '1,,2 * * * *',
    '+5 007 * * *',
    '*-3 * * * *',
    '0 0 31 2 *',
    '@yearly',
    '@annually',
    '@monthly',
    '@weekly',
    '@daily',
    '@midnight',
    '@hourly',
    '@every 1h30m',
    '@every 90s',
    'TZ=UTC 0 0 * * *',
    'CRON_TZ=Europe/Vienna @daily',
    'TZ= 0 0 * * *',
  ]) {
    test(text, () => expect(scheduleProblem(text)).toBe(null))
  }
})

describe('schedules that cannot', () => {
  const table: readonly [text: string, problem: string][] = [
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['0 * * * * *', 'expected exactly 5 fields, found 6: [0 * * * * *]'],
    ['hello', 'expected exactly 5 fields, found 1: [hello]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * 13 *', 'end of range (13) above maximum (12): 13'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['12345678901 * * * *', 'end of range (12345678901) above maximum (59): 12345678901'],
    ['5-2 * * * *', 'beginning of range (5) beyond end of range (2): 5-2'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['*/-1 * * * *', 'negative number (-1) not allowed: -1'],
    ['-1 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['jan * * * *', 'failed to parse int from jan: strconv.Atoi: parsing "jan": invalid syntax'],
    ['@reboot', 'unrecognized descriptor: @reboot'],
    ['@every', 'unrecognized descriptor: @every'],
    ['@every day', 'failed to parse duration @every day: time: invalid duration "day"'],
    ['TZ=UTC', 'failed to parse schedule "TZ=UTC"'],
    ['TZ=UTC ', 'expected exactly 5 fields, found 0: []'],
    ['TZ=Mars/Base 0 0 * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
  ]
  for (const [text, problem] of table) {
    test(text, () => expect(scheduleProblem(text)).toBe(problem))
  }
})

describe('names of time zones', () => {
  for (const [name, known] of [
    ['', true],
    ['UTC', true],
    ['Local', true],
    ['Europe/Vienna', true],
    ['Asia/Calcutta', true],
    ['America/Argentina/Buenos_Aires', true],
    ['Etc/GMT+5', true],
    ['europe/vienna', false],
    ['America/new_york', false],
    ['+05:00', false],
    ['../etc/passwd', false],
    ['Mars/Base', false],
  ] as const) {
    test(JSON.stringify(name), () => expect(isTimeZone(name)).toBe(known))
  }
})
