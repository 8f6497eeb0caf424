import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { temporaryDir } from '../../engine/backup/store.fixture.ts'
import { openLmdb } from '../../engine/lmdb/engine.ts'
import { main } from '../main.ts'

const dir = temporaryDir()
const clock = new ManualClock()
const PAGE = 4_096

beforeAll(async () => {
  const engine = await openLmdb({ dir: join(dir, 'running', 'store'), clock, journalAfter: 0 })
  for (const key of ['/a', '/b', '/c', '/d'])
    await engine.commit([{ key, value: Buffer.from(key) }])
  // The state after a crash.
  cpSync(join(dir, 'running'), join(dir, 'stopped'), {
    recursive: true,
    filter: (path) => !path.endsWith('lock'),
  })
  await engine.close()
})

function stopped(name: string): { readonly home: string; readonly journal: string } {
  const home = join(dir, name)
  cpSync(join(dir, 'stopped'), home, { recursive: true })
  return { home, journal: join(home, 'store', 'journal') }
}

async function run(...args: string[]) {
  const said = { code: -1, stdout: '', stderr: '' }
  await main(['cut-journal', ...args], {
    version: '1',
    terminal: {
      out: (text) => void (said.stdout += text),
      err: (text) => void (said.stderr += text),
      onSignal: () => {},
      exit: (code) => void (said.code = code),
    },
  })
  return said
}

test('the damage is removed, and the revision advanced', async () => {
  const { home, journal } = stopped('damaged')
  const bytes = readFileSync(journal)
  bytes[2 * PAGE + 40]! ^= 4
  writeFileSync(journal, bytes)
  const store = join(home, 'store')
  await expect(openLmdb({ dir: store, clock })).rejects.toThrow(
    `journal ${journal} is damaged at byte ${2 * PAGE}: the writes of revision 2 cannot be read, and later ones up to 4 follow; restore a backup into another directory (docs/backup.md), or give up 3 writes with the command cut-journal (docs/store.md)`,
  )
  expect(await run('--data-dir', home, '--revision-bump=5')).toEqual({
    code: 0,
    stdout: `${store} has everything up to revision 1; 3 writes were given up, and it is at revision 1000000 now\n`,
    stderr: '',
  })
  const engine = await openLmdb({ dir: store, clock, verify: 'all' })
  const { items } = await engine.range('')
  expect([items.map(({ key }) => key), engine.revision()]).toEqual([['/a'], 1_000_000])
  await engine.close()
})

test('a journal that is gone is done without', async () => {
  const { home, journal } = stopped('gone')
  rmSync(journal)
  const store = join(home, 'store')
  await expect(openLmdb({ dir: store, clock })).rejects.toThrow(
    `journal ${journal} is missing; writes from revision 1 on may be missing: put the right one back, restore a backup into another directory (docs/backup.md), or give up what is missing with the command cut-journal (docs/store.md)`,
  )
  expect(await run('--data-dir', home)).toEqual({
    code: 0,
    stdout: `${store} has everything up to revision 0; all later writes were given up, and it is at revision 1000000 now\n`,
    stderr: '',
  })
  const engine = await openLmdb({ dir: store, clock, verify: 'all' })
  expect(engine.revision()).toBe(1_000_000)
  await engine.close()
})

test('a journal without damage stays, and so does a directory without a store', async () => {
  const { home } = stopped('good')
  const store = join(home, 'store')
  expect(await run('--data-dir', home)).toEqual({
    code: 0,
    stdout: `the journal of ${store} is not damaged; nothing was changed\n`,
    stderr: '',
  })
  const engine = await openLmdb({ dir: store, clock })
  expect(engine.revision()).toBe(4)
  expect(await run('--data-dir', home)).toEqual({
    code: 1,
    stdout: '',
    stderr: `orch cut-journal: data directory ${store} is in use by process ${process.pid}; stop it or choose another with --data-dir\n`,
  })
  await engine.close()
  const nowhere = join(dir, 'nowhere')
  expect(await run('--data-dir', nowhere)).toEqual({
    code: 1,
    stdout: '',
    stderr: `orch cut-journal: there is no store in ${join(nowhere, 'store')}; choose another with --data-dir\n`,
  })
})
