import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { LogFile, type LogFileOptions } from './log-file.ts'

let dir: string
let clock: ManualClock
const faults: unknown[] = []
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'log-file-'))
  clock = new ManualClock(Date.parse('2024-01-02T03:04:05.006Z'))
  faults.length = 0
})
afterEach(() => {
  rmSync(dir, { recursive: true })
  expect(faults).toEqual([])
})

const open = (options: Partial<LogFileOptions> = {}) =>
  new LogFile(
    {
      path: join(dir, 'audit.log'),
      maxAgeDays: 0,
      maxBackups: 0,
      maxSizeMb: 1,
      compress: false,
      ...options,
    },
    { clock, onFault: (error) => void faults.push(error) },
  )
const names = () => readdirSync(dir).sort()
const text = (name: string) => readFileSync(join(dir, name), 'utf8')
const HALF = `${'x'.repeat((1 << 19) - 1)}\n`

test('folder and file are for the server alone', async () => {
  const file = open({ path: join(dir, 'a/b/audit.log') })
  file.writeNow('one\n')
  await file.write(Buffer.from('two\n'))
  await file.close()
  expect(text('a/b/audit.log')).toBe('one\ntwo\n')
  expect(statSync(join(dir, 'a/b')).mode & 0o777).toBe(0o700)
  expect(statSync(join(dir, 'a/b/audit.log')).mode & 0o777).toBe(0o600)
})

test('an existing file is appended to and keeps its mode', async () => {
  writeFileSync(join(dir, 'audit.log'), 'old\n', { mode: 0o640 })
  const file = open()
  file.writeNow('new\n')
  await file.close()
  expect(text('audit.log')).toBe('old\nnew\n')
  expect(statSync(join(dir, 'audit.log')).mode & 0o777).toBe(0o640)
})

test('a full file is kept under the time of its end', async () => {
  const file = open()
  file.writeNow(HALF)
  file.writeNow(HALF)
  expect(names()).toEqual(['audit.log'])
  await file.write(Buffer.from('next\n'))
  await file.write(Buffer.from(HALF))
  await file.write(Buffer.from(HALF))
  expect(names()).toEqual([
    'audit-2024-01-02T03-04-05.006.log',
    'audit-2024-01-02T03-04-05.007.log',
    'audit.log',
  ])
  expect(text('audit-2024-01-02T03-04-05.006.log')).toBe(HALF + HALF)
  expect(text('audit.log')).toBe(HALF)
  await file.close()
})

test('so many older files are kept', async () => {
  const file = open({ maxBackups: 2 })
  for (let i = 0; i < 9; i++) {
    clock.advance(1000)
    file.writeNow(HALF)
  }
  await file.close()
  expect(names()).toEqual([
    'audit-2024-01-02T03-04-12.006.log',
    'audit-2024-01-02T03-04-14.006.log',
    'audit.log',
  ])
})

test('older files are removed, other files are not', async () => {
  for (const name of [
    'audit-2023-12-30T00-00-00.000.log',
    'audit-2024-01-01T00-00-00.000.log',
    'audit-old.log',
  ]) {
    writeFileSync(join(dir, name), '')
    utimesSync(join(dir, name), 0, 0)
  }
  await open({ maxAgeDays: 2 }).close()
  expect(names()).toEqual(['audit-2024-01-01T00-00-00.000.log', 'audit-old.log', 'audit.log'])
})

test('older files are compressed', async () => {
  const file = open({ compress: true })
  file.writeNow(HALF)
  file.writeNow(HALF)
  file.writeNow('next\n')
  await file.close()
  expect(names()).toEqual(['audit-2024-01-02T03-04-05.006.log.gz', 'audit.log'])
  const packed = join(dir, 'audit-2024-01-02T03-04-05.006.log.gz')
  expect(gunzipSync(readFileSync(packed)).toString()).toBe(HALF + HALF)
  expect(statSync(packed).mode & 0o777).toBe(0o600)
})

test('a folder in the place of the file', () => {
  expect(() => open({ path: dir })).toThrow('EISDIR')
})
