/** Suites run wherever the project is checked out. Those that need something besides say so, and here is all they may need. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasEtcd } from './store/etcd.ts'

const ROOT = join(import.meta.dirname, '..')

/** What a suite may be skipped for; each condition as it is written. */
const REASONS: Readonly<Record<string, string>> = {
  '!hasEtcd': 'no etcd is installed; CI has one',
  '!hasEtcd()': 'the same',
  'skip !== null': 'the same, of a store that a suite gets',
  'why !== null': 'the same',
  "store === 'etcd' && !hasEtcd": 'the same',
  '!existsSync(PROGRAM)': 'nothing was built; CI builds first',
  '!existsSync(join(ROOT, PROGRAM))': 'the same',
  "!existsSync(join(ROOT, 'dist', 'bin', 'orch.js'))": 'the same',
  "!existsSync(join(ROOT, 'dist', 'src', 'index.js'))": 'the same',
  'FOLDER === undefined':
    'the conformance data of the expression language is not beside the project',
  '!isBuilt': 'the programs are not built',
  '!hasSystemd': 'the machine has no systemd',
  '!canFetch': 'other releases of Node.js cannot be fetched',
  "process.platform !== 'linux'": 'the addresses 127.0.0.2 and up exist on Linux only',
  'address === undefined': 'the machine has no address besides loopback',
  "process.platform !== 'linux' || address === undefined":
    'addresses of a whole network are bound on Linux only',
}

const files = ['src', 'test', 'bench', 'tools'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
)

// A case, not a condition: what is skipped there would look as if it had passed.
test('CI has what suites need', () => {
  if (process.env['CI'] === undefined) return
  const program = existsSync(join(ROOT, 'dist', 'bin', 'orch.js'))
  const systemd = existsSync('/usr/bin/systemd-notify')
  expect({ etcd: hasEtcd, program, systemd }).toEqual({
    etcd: true,
    program: true,
    systemd: true,
  })
})

test('suites are skipped for known reasons only', () => {
  const found = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const conditions = [...text.matchAll(/\b(?:describe|test|it)\.skipIf\((.*?)\)[.(]/g)]
    return conditions
      .map(([, condition]) => condition!)
      .filter((condition) => !Object.hasOwn(REASONS, condition))
      .map((condition) => `${file}: ${condition}`)
  })
  expect(found).toEqual([])
})

test('nothing is skipped for good', () => {
  const found = files.filter((file) =>
    /\b(?:describe|test|it)\.(?:skip|only|todo)\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(found.filter((file) => file !== join('test', 'suites.test.ts'))).toEqual([])
})

test('no suite reads what is outside the project', () => {
  const found = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const depth = file.split('/').length - 1
    const paths = text.matchAll(/import\.meta\.dirname,\s*(?:\.\.\.\[)?((?:'\.\.',?\s*)+)/g)
    const ups = [...paths].map(([, steps]) => steps!.split('..').length - 1)
    return ups.some((up) => up > depth) ? [file] : []
  })
  expect(found).toEqual([])
})

test('no suite measures time: machines differ', () => {
  const clock = /\bperformance\.now\b|\bprocess\.(?:hrtime|cpuUsage)\b/
  const found = files.filter(
    (file) =>
      /\.(?:test|fixture)\.ts$/.test(file) && clock.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(found.filter((file) => file !== join('test', 'suites.test.ts'))).toEqual([])
})
