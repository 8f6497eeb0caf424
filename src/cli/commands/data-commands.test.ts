import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { open, type RootDatabase } from 'lmdb'
import { DATA_FILE, databases, openOptions, TIME_BYTES } from '../../engine/lmdb/layout.ts'
import { openLmdb } from '../../engine/lmdb/engine.ts'
import { issue } from '../../pki/issue.ts'
import { openMemory } from '../../engine/memory/engine.ts'
import type { Engine, Item } from '../../engine/engine.ts'
import { main } from '../main.ts'
import type { EtcdPlace } from '../../server/options/etcd-options.ts'
import type { OpenEtcd } from './etcd-access.ts'

const dir = mkdtempSync(join(tmpdir(), 'data-commands-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function run(args: string, openEtcd?: OpenEtcd) {
  const said = { stdout: '', stderr: '', code: -1 }
  await main(args.split(' '), {
    version: '1.2.3',
    terminal: {
      out: (text) => void (said.stdout += text),
      err: (text) => void (said.stderr += text),
      onSignal: () => {},
      exit: (code) => void (said.code = code),
    },
    ...(openEtcd ? { openEtcd } : {}),
  })
  return said
}

const data = join(dir, 'data')
let items: readonly Item[] = []
const all = async (engine: Engine) =>
  (await engine.range('')).items.map((item) => ({ ...item, value: Buffer.from(item.value) }))

beforeAll(async () => {
  const engine = await openLmdb({
    dir: join(data, 'store'),
    clock: systemClock,
    format: { vocabulary: 'kubernetes' },
  })
  for (const [key, value] of [
    ['/registry/a', '1'],
    ['/registry/b', '2'],
    ['/registry/a', '3'],
    ['/registry/c', '4'],
    ['/registry/c', null],
  ] as const) {
    await engine.commit([{ key, value: value === null ? null : Buffer.from(value) }])
  }
  items = await all(engine)
  await engine.close()
})

test('backup, check and restore', async () => {
  const file = join(dir, 'a.backup')
  expect(await run(`backup --data-dir=${data} --file=${file}`)).toEqual({
    code: 0,
    stdout: `wrote 2 objects at revision 5 to ${file}\n`,
    stderr: '',
  })
  expect(await run(`backup --data-dir=${data} --file=${file}`)).toEqual({
    code: 1,
    stdout: '',
    stderr: `orch backup: ${file} is there already; choose another name or remove it\n`,
  })
  const checked = await run(`restore --check --file ${file}`)
  expect({ ...checked, stdout: checked.stdout.replace(/taken .*Z/, 'taken T') }).toEqual({
    code: 0,
    stdout: `${file} is good: 2 objects at revision 5, taken T\n`,
    stderr: '',
  })
  const target = join(dir, 'restored')
  expect(await run(`restore --file ${file} --data-dir ${target} --revision-bump 5000001`)).toEqual({
    code: 0,
    stdout: `restored 2 objects of revision 5 to ${target}, which is at revision 6000000 now\n`,
    stderr: '',
  })
  const format = { vocabulary: 'kubernetes' }
  const engine = await openLmdb({ dir: join(target, 'store'), clock: systemClock, format })
  expect([engine.revision(), await all(engine)]).toEqual([6_000_000, items])
  await engine.close()
})

const madeCertificate = (use: 'authority' | 'client') =>
  issue({
    subject: { commonName: 'x' },
    notBeforeMs: Date.now() - 60_000,
    notAfterMs: Date.now() + 3_600_000,
    use,
  })

test('migrate, there and back', async () => {
  const etcd = openMemory({ clock: systemClock })
  const places: EtcdPlace[] = []
  const openEtcd: OpenEtcd = async (place) => {
    places.push(place)
    // The store of the etcd outlives a command.
    return Object.assign(Object.create(etcd) as Engine, {
      name: 'etcd',
      revision: () => etcd.revision(),
      range: etcd.range.bind(etcd),
      commit: etcd.commit.bind(etcd),
      compact: etcd.compact.bind(etcd),
      close: async () => {},
    })
  }
  const authority = madeCertificate('authority')
  const own = madeCertificate('client')
  const pem = { ca: authority.cert, cert: own.cert, key: own.key }
  const [ca, cert, key] = Object.entries(pem).map(([name, text]) => {
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  })
  const flags = `--etcd-servers=https://a:1,https://b:2 --etcd-cafile=${ca} --etcd-certfile=${cert} --etcd-keyfile=${key} --vocabulary=kubernetes`
  expect(await run(`migrate --data-dir=${data} ${flags}`, openEtcd)).toEqual({
    code: 0,
    stdout: 'copied 2 objects with their versions to etcd, which is at revision 6 now\n',
    stderr: 'at revision 6 of 5\n',
  })
  expect(places).toEqual([
    {
      servers: ['https://a:1', 'https://b:2'],
      prefix: '/registry',
      ca: Buffer.from(pem.ca),
      cert: Buffer.from(pem.cert),
      key: Buffer.from(pem.key),
    },
  ])
  expect(await all(etcd)).toEqual(items)
  const target = join(dir, 'back')
  expect(await run(`migrate --to=lmdb --data-dir=${target} ${flags}`, openEtcd)).toEqual({
    code: 0,
    stdout: `copied 2 objects with their versions to ${target}, which is at revision 6 now\n`,
    stderr: '',
  })
  const format = { vocabulary: 'kubernetes' }
  const engine = await openLmdb({ dir: join(target, 'store'), clock: systemClock, format })
  expect([engine.revision(), await all(engine)]).toEqual([6, items])
  await engine.close()
  for (const { args, stderr } of [
    {
      args: `migrate --data-dir=${data} ${flags}`,
      stderr:
        'orch migrate: the etcd store that is copied to has objects already; use an empty one\n',
    },
    {
      args: `migrate --to=lmdb --data-dir=${target} ${flags}`,
      stderr: `orch migrate: ${join(target, 'store')} holds a store already; choose another directory with --data-dir\n`,
    },
    {
      args: `migrate --data-dir=${data} --etcd-servers=http://a`,
      stderr: `orch migrate: data directory ${join(data, 'store')} was made with vocabulary kubernetes, not orch; start with --vocabulary kubernetes or choose another with --data-dir\n`,
    },
  ]) {
    expect(await run(args, openEtcd)).toEqual({ code: 1, stdout: '', stderr })
  }
})

describe('events are moved', () => {
  for (const { flag, life } of [
    { flag: '', life: 3_600_000 },
    { flag: '--event-ttl=10m', life: 600_000 },
    { flag: '--event-ttl=0', life: undefined },
  ]) {
    test(flag === '' ? 'for an hour' : `with ${flag}`, async () => {
      const data = join(dir, `events${flag}`)
      const etcd = openMemory({ clock: systemClock })
      await etcd.commit([{ key: '/registry/core/events/a/b', value: Buffer.from('1') }])
      await etcd.commit([{ key: '/registry/core/pods/a/b', value: Buffer.from('2') }])
      const given: (number | undefined)[] = []
      const openEtcd = (target: Engine): OpenEtcd => {
        return async (_place, ttlMs) => {
          given.push(ttlMs?.('/registry/core/events/a/b'), ttlMs?.('/registry/core/pods/a/b'))
          return target
        }
      }
      const args = `--data-dir=${data} --etcd-servers=http://a:1 ${flag}`.trim()
      const from = Date.now()
      expect((await run(`migrate --to=lmdb ${args}`, openEtcd(etcd))).stderr).toBe('')
      const to = Date.now()
      const root = open(openOptions(join(data, 'store', DATA_FILE))) as RootDatabase<Buffer, Buffer>
      const { expiries } = databases(root)
      const found = [...expiries.getRange({})].map(({ key, value }) => {
        const at = key.readUIntBE(0, TIME_BYTES) - (life ?? 0)
        return { key: value.toString(), isTimely: at >= from && at <= to }
      })
      await root.close()
      expect(found).toEqual(
        life === undefined ? [] : [{ key: '/registry/core/events/a/b', isTimely: true }],
      )
      const target = openMemory({ clock: systemClock })
      expect((await run(`migrate --to=etcd ${args}`, openEtcd(target))).code).toBe(0)
      // What is copied from is given no times.
      expect(given).toEqual([undefined, undefined, life, undefined])
    })
  }
})

describe('refused', () => {
  const lone = join(dir, 'lone')
  for (const { args, stderr } of [
    { args: 'backup', stderr: '--file must not be empty\nSee orch backup --help.' },
    {
      args: `backup --store=etcd --file=${lone}`,
      stderr: '--etcd-servers must be specified',
    },
    {
      args: `backup --store=etcd --etcd-servers=http://a --with-pki --file=${lone}`,
      stderr: '--with-pki is for --store lmdb',
    },
    {
      args: `backup --store=etcd --etcd-servers=https://a --etcd-certfile=${lone} --file=${lone}`,
      stderr: '--etcd-certfile and --etcd-keyfile must be given together',
    },
    {
      args: `migrate --etcd-servers=https://a --etcd-cafile=${lone}`,
      stderr: `--etcd-cafile: cannot read ${lone}: there is no such file`,
    },
    {
      args: `migrate --etcd-servers=https://a --data-dir=${lone}`,
      stderr: `there is no store in ${join(lone, 'store')}; choose another with --data-dir`,
    },
    {
      args: 'restore --file=x --revision-bump=0',
      stderr: '--revision-bump must be from 1 to 1000000000000, not 0\nSee orch restore --help.',
    },
    {
      args: `backup --with-pki --file=${lone} --data-dir=${data}`,
      stderr: `there are no keys in ${join(data, 'pki')}; leave --with-pki away`,
    },
  ]) {
    test(args.replaceAll(dir, ''), async () => {
      const name = args.split(' ')[0]
      expect(await run(args)).toEqual({ code: 1, stdout: '', stderr: `orch ${name}: ${stderr}\n` })
    })
  }
})

test('help and version need no other flags', async () => {
  for (const name of ['backup', 'restore', 'migrate']) {
    const { stdout, code } = await run(`${name} --help`)
    expect([code, stdout.includes(`\n  orch ${name} [flags]\n`)]).toEqual([0, true])
    expect(await run(`${name} --version`)).toEqual({
      code: 0,
      stdout: `orch ${name} 1.2.3\n`,
      stderr: '',
    })
  }
})

test('keys are included on request', async () => {
  mkdirSync(join(data, 'pki'))
  writeFileSync(join(data, 'pki', 'ca.key'), 'KEY')
  const [file, target] = [join(dir, 'keys.backup'), join(dir, 'with-keys')]
  expect((await run(`backup --with-pki --file=${file} --data-dir=${data}`)).stdout).toBe(
    `wrote 2 objects at revision 5 and 1 files of keys to ${file}\n`,
  )
  expect((await run(`restore --file=${file} --data-dir=${target}`)).code).toBe(0)
  expect(readFileSync(join(target, 'pki', 'ca.key'), 'utf8')).toBe('KEY')
})
