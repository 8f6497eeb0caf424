import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { openLmdb } from '../lmdb/engine.ts'
import { openLmdbSnapshot } from '../lmdb/snapshot.ts'
import { openMemory } from '../memory/engine.ts'
import { Compacted, revisionAfter, type Item } from '../engine.ts'
import { encodeFile, encodeHeading, MARK } from './form.ts'
import { readPkiFiles } from './pki-files.ts'
import { checkBackup, restoreBackup } from './restore.ts'
import { snapshotOf } from './snapshot.ts'
import { allOf, temporaryDir, writeHistory } from './store.fixture.ts'
import { writeBackup } from './write.ts'

const clock = new ManualClock()
const dir = temporaryDir()
const format = { vocabulary: 'one' }
const timeMs = clock.now()

let good = Buffer.alloc(0)
let items: Item[] = []
let revision = 0
const dataDir = join(dir, 'data')
const path = join(dir, 'good.backup')

beforeAll(async () => {
  const engine = await openLmdb({ dir: join(dataDir, 'store'), clock, format })
  await writeHistory(engine, 3_000)
  items = await allOf(engine)
  revision = engine.revision()
  mkdirSync(join(dataDir, 'pki'))
  writeFileSync(join(dataDir, 'pki', 'ca.key'), 'KEY')
  writeFileSync(join(dataDir, 'pki', 'ca.crt'), 'CERTIFICATE')
  writeFileSync(join(dataDir, 'pki', 'ca.crt.0a1b2c'), 'CERT')
  // The engine has the directory all the while.
  const snapshot = await openLmdbSnapshot(join(dataDir, 'store'))
  await engine.commit([{ key: '/later', value: Buffer.from('later') }])
  await writeBackup(snapshot, { path, timeMs, files: await readPkiFiles(dataDir) })
  await snapshot.close()
  await engine.close()
  good = readFileSync(path)
})

test('a restore has the state of the backup, without history and with an increased revision', async () => {
  expect(items.length).toBe(2_400)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const heading = {
    version: 2,
    format,
    revision,
    time: '2024-01-02T03:04:05.000Z',
    objects: items.length,
    files: 2,
  }
  expect(await checkBackup(path)).toEqual(heading)
  const target = join(dir, 'restored')
  expect(await restoreBackup({ path, dataDir: target, clock })).toEqual({
    heading,
    revision: 2_000_000,
  })
  expect(readdirSync(target).sort()).toEqual(['pki', 'store'])
  expect(
    ['ca.crt', 'ca.key'].map((name) => [
      name,
      readFileSync(join(target, 'pki', name), 'utf8'),
      statSync(join(target, 'pki', name)).mode & 0o777,
    ]),
  ).toEqual([
    ['ca.crt', 'CERTIFICATE', 0o600],
    ['ca.key', 'KEY', 0o600],
  ])
  const engine = await openLmdb({ dir: join(target, 'store'), clock, format, verify: 'all' })
  expect([engine.revision(), engine.oldest()]).toEqual([2_000_000, 2_000_000])
  expect(await allOf(engine)).toEqual(items)
  for (const at of [revision, revision + 1, 1_999_999]) {
    await expect(engine.range('/', { at })).rejects.toEqual(new Compacted(2_000_000))
    const changes = engine.changes('/', at, 2_000_000)
    await expect(changes[Symbol.asyncIterator]().next()).rejects.toEqual(new Compacted(2_000_000))
  }
  // Later writes: old values are read at past revisions, and compacted.
  const { key } = items[0]!
  expect(await engine.commit([{ key, value: Buffer.from('new') }])).toEqual({
    done: true,
    at: 2_000_001,
  })
  expect(await engine.get(key, { at: 2_000_000 })).toEqual(items[0])
  expect(engine.revisionAt(clock.now())).toBe(2_000_001)
  await engine.compact(2_000_001)
  expect(await allOf(engine)).toEqual([
    { ...items[0], value: Buffer.from('new'), changed: 2_000_001 },
    ...items.slice(1),
  ])
  await engine.close()
})

test('an engine without a data file, and an empty one, can be backed up', async () => {
  const memory = openMemory({ clock })
  const empty = join(dir, 'empty.backup')
  await writeBackup(await snapshotOf(memory, format), { path: empty, timeMs })
  expect(await checkBackup(empty)).toMatchObject({ objects: 0, revision: 0 })
  await restoreBackup({ path: empty, dataDir: join(dir, 'from-empty'), clock })
  await writeHistory(memory, 1_200)
  const full = join(dir, 'memory.backup')
  await writeBackup(await snapshotOf(memory, format), { path: full, timeMs })
  const target = join(dir, 'from-memory')
  await restoreBackup({ path: full, dataDir: target, clock })
  const engine = await openLmdb({ dir: join(target, 'store'), clock, format })
  expect(await allOf(engine)).toEqual(await allOf(memory))
  await engine.close()
})

describe('revisions after a restore', () => {
  for (const [from, bump, expected] of [
    [0, 1_000_000, 1_000_000],
    [1, 1_000_000, 2_000_000],
    [999_999, 1_000_000, 2_000_000],
    [1_000_000, 1_000_000, 2_000_000],
    [1_000_001, 1_000_000, 3_000_000],
    [5_400_000, 20_000_000, 26_000_000],
    [5, 0, 1_000_000],
  ] as const) {
    test(`${from} + ${bump}`, () => expect(revisionAfter(from, bump)).toBe(expected))
  }
})

describe('a backup that is not as it was written', () => {
  const damaged = (what: string) =>
    new RegExp(`^backup .*/bad is damaged: ${what} \\(before byte \\d+\\); use another copy of it$`)
  const cutOff = (part: string) =>
    new RegExp(`^backup .*/bad is cut off: it ends in its ${part}, after \\d+ bytes; use`)
  const flipped = (at: number) => {
    const bytes = Buffer.from(good)
    bytes[at < 0 ? bytes.length + at : at]! ^= 0x10
    return bytes
  }
  const headingEnd = () => MARK.length + 4 + good.readUInt32LE(MARK.length)
  const valueAt = () => good.indexOf(Buffer.from(items[1_000]!.value))
  for (const { name, bytes, message } of [
    { name: 'nothing', bytes: () => Buffer.alloc(0), message: /\/bad is not a backup$/ },
    { name: 'text', bytes: () => Buffer.from('x'.repeat(99)), message: /\/bad is not a backup$/ },
    { name: 'mark', bytes: () => flipped(3), message: /\/bad is not a backup$/ },
    {
      name: 'line ends changed',
      bytes: () => Buffer.from(good.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
      message: /\/bad is not a backup$/,
    },
    {
      name: 'length of the heading',
      bytes: () => flipped(MARK.length),
      message: damaged('the checksum of the heading does not match'),
    },
    {
      name: 'length of the heading, far off',
      bytes: () => flipped(MARK.length + 3),
      message: damaged('the heading cannot be read'),
    },
    {
      name: 'heading',
      bytes: () => flipped(MARK.length + 20),
      message: damaged('the checksum of the heading does not match'),
    },
    {
      name: 'checksum of the heading',
      bytes: () => flipped(headingEnd() + 1),
      message: damaged('the checksum of the heading does not match'),
    },
    {
      name: 'kind of a record',
      bytes: () => flipped(headingEnd() + 32),
      message: damaged('a record of unknown kind'),
    },
    {
      name: 'a value',
      bytes: () => flipped(valueAt()),
      message: damaged('its checksum does not match'),
    },
    {
      name: 'the first key',
      bytes: () => flipped(headingEnd() + 32 + 23 + 3),
      message: damaged('its objects are out of order'),
    },
    {
      name: 'a file',
      bytes: () => flipped(good.lastIndexOf('KEY')),
      message: damaged('its checksum does not match'),
    },
    { name: 'end mark', bytes: () => flipped(-33), message: damaged('a record of unknown kind') },
    { name: 'checksum', bytes: () => flipped(-1), message: damaged('its checksum does not match') },
    { name: 'cut in the mark', bytes: () => good.subarray(0, 9), message: /is not a backup$/ },
    { name: 'cut in the heading', bytes: () => good.subarray(0, 60), message: cutOff('heading') },
    {
      name: 'cut in the middle',
      bytes: () => good.subarray(0, good.length >> 1),
      message: cutOff('records'),
    },
    {
      name: 'cut in the checksum',
      bytes: () => good.subarray(0, good.length - 1),
      message: cutOff('checksum'),
    },
    {
      name: 'more at the end',
      bytes: () => Buffer.concat([good, Buffer.from('x')]),
      message: damaged('something follows its end'),
    },
    {
      name: 'twice the same',
      bytes: () => Buffer.concat([good, good]),
      message: damaged('something follows its end'),
    },
  ]) {
    test(name, async () => {
      const bad = join(dir, 'bad')
      writeFileSync(bad, bytes())
      const target = join(dir, 'not-made')
      await expect(restoreBackup({ path: bad, dataDir: target, clock })).rejects.toThrow(message)
      await expect(checkBackup(bad)).rejects.toThrow(message)
      expect(existsSync(target)).toBe(false)
    })
  }

  test('any byte: nothing is restored, and the present data stays', async () => {
    const small = join(dir, 'small.backup')
    const memory = openMemory({ clock })
    await writeHistory(memory, 6)
    const files = [{ name: 'ca.key', content: Buffer.from('KEY') }]
    await writeBackup(await snapshotOf(memory), { path: small, timeMs, files })
    const bytes = readFileSync(small)
    const bad = join(dir, 'bad')
    const accepted: number[] = []
    for (let at = 0; at < bytes.length; at++) {
      for (const change of [0x01, 0x80, 0xff]) {
        const copy = Buffer.from(bytes)
        copy[at]! ^= change
        writeFileSync(bad, copy)
        const isGood = await checkBackup(bad).then(
          () => true,
          (error: Error) => error.name !== 'UnusableBackup',
        )
        if (isGood) accepted.push(at)
      }
    }
    expect(accepted).toEqual([])
  })
})

test('a backup of another form and one with a path for a name are refused', async () => {
  const { createHash } = await import('node:crypto')
  const sum = (bytes: Buffer) => Buffer.concat([bytes, createHash('sha256').update(bytes).digest()])
  const heading = { version: 2, format, revision: 1, time: '', objects: 0, files: 1 }
  const file = (name: string) =>
    sum(
      Buffer.concat([
        sum(encodeHeading(heading)),
        encodeFile({ name, content: Buffer.from('x') }),
        Buffer.from([0]),
      ]),
    )
  for (const { bytes, message } of [
    {
      bytes: sum(encodeHeading({ ...heading, version: 3 })),
      message: `${join(dir, 'bad')} has form 3, this program reads form 2`,
    },
    { bytes: file('../x'), message: 'the backup has a file whose name is a path: "../x"' },
    { bytes: file('..'), message: 'the backup has a file whose name is a path: ".."' },
  ]) {
    writeFileSync(join(dir, 'bad'), bytes)
    const target = join(dir, 'not-made')
    await expect(restoreBackup({ path: join(dir, 'bad'), dataDir: target, clock })).rejects.toThrow(
      message,
    )
    expect(existsSync(target)).toBe(false)
  }
})

describe('a data directory', () => {
  const made = (name: string, files: Record<string, string>) => {
    const target = join(dir, name)
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(target, file, '..'), { recursive: true })
      writeFileSync(join(target, file), text)
    }
    return target
  }
  for (const { name, files, message } of [
    {
      name: 'with a store',
      files: { 'store/data.mdb': 'x' },
      message: 'store holds a store already; choose another directory with --data-dir',
    },
    {
      name: 'of another program',
      files: { 'letter.txt': 'dear' },
      message: 'holds other files, such as letter.txt; choose an empty one with --data-dir',
    },
    {
      name: 'with keys',
      files: { 'pki/ca.key': 'other' },
      message:
        'pki holds keys already and the backup has keys too; remove it or choose another directory with --data-dir',
    },
  ]) {
    test(`${name} is refused and stays as it is`, async () => {
      const target = made(name, files)
      await expect(restoreBackup({ path, dataDir: target, clock })).rejects.toThrow(message)
      expect(readdirSync(target)).toHaveLength(1)
      for (const [file, text] of Object.entries(files))
        expect(readFileSync(join(target, file), 'utf8')).toBe(text)
    })
  }

  test('with leftovers of a killed restore is accepted', async () => {
    const target = made('pieces', { 'store.partial/data.mdb': 'x', 'pki.partial/ca.key': 'x' })
    await restoreBackup({ path, dataDir: target, clock })
    expect(readdirSync(target).sort()).toEqual(['pki', 'store'])
  })

  test('where another restore runs is left alone', async () => {
    const target = join(dir, 'busy')
    const other = await openLmdb({ dir: join(target, 'store.partial'), clock })
    await expect(restoreBackup({ path, dataDir: target, clock })).rejects.toThrow(
      `is in use by process ${process.pid}`,
    )
    expect(readdirSync(target)).toEqual(['store.partial'])
    await other.close()
  })
})

test('an existing file is not replaced; a failed backup leaves no file', async () => {
  const snapshot = await openLmdbSnapshot(join(dataDir, 'store'))
  await expect(writeBackup(snapshot, { path, timeMs })).rejects.toThrow(
    `${path} is there already; choose another name or remove it`,
  )
  expect(readFileSync(path)).toEqual(good)
  const before = readdirSync(dir)
  const failing = {
    ...snapshot,
    items: async function* () {
      yield items.slice(0, 9)
      throw new Error('disk gone')
    },
  }
  await expect(writeBackup(failing, { path: join(dir, 'x'), timeMs })).rejects.toThrow('disk gone')
  expect(readdirSync(dir)).toEqual(before)
  await snapshot.close()
})

test('a directory without a store cannot be backed up', async () => {
  await expect(openLmdbSnapshot(join(dir, 'none'))).rejects.toThrow(
    `there is no store in ${join(dir, 'none')}; choose another with --data-dir`,
  )
  expect(existsSync(join(dir, 'none'))).toBe(false)
  await expect(readPkiFiles(join(dir, 'none'))).rejects.toThrow('leave --with-pki away')
})
