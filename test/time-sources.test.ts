/** Which files read the time of the machine: all others are given a clock, so that tests can say what time it is. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '..', 'src')

/** Files that read the time of day, with their reason. */
const TIME_OF_DAY: Readonly<Record<string, string>> = {
  'base/clock.ts': 'it is the clock',
  'cli/commands/backup.ts': 'backups are named by the time',
  'ctl/api/api.ts': 'a command shows ages by the time of its machine',
  'ctl/base/io.ts': 'a command is given the time of its machine here',
  'http/date-text.ts': 'the header Date has the time of the machine',
  'profiling/profiler.ts': 'profiles have the time of the machine',
  'testing/test-clock.ts': 'it is a clock',
}

const reading = (pattern: RegExp): string[] =>
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file))
    .filter((file) => pattern.test(readFileSync(join(SOURCE, file), 'utf8')))
    .sort()

test('only clocks read the time of day: spans are measured by what never goes back', () => {
  expect(reading(/\bDate\.now\(|\bnew Date\(\)/)).toEqual(Object.keys(TIME_OF_DAY))
})
