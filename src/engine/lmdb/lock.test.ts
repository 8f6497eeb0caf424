import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { openLmdb } from './engine.ts'
import { DataDirInUse, lockDir } from './lock.ts'

const FIXTURE = join(import.meta.dirname, 'lock.fixture.ts')
const NODE = [process.execPath, '--import', 'tsx', FIXTURE] as const
const canUnshare = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0

let parent = ''
let dir = ''
const children: ChildProcess[] = []
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lock-'))
  dir = join(parent, 'data', 'store')
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(parent, { recursive: true, force: true })
})

/** Path of an open file of this process. */
function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

const failing = (): number => {
  throw new Error('times are unknown')
}

/** A process that takes the lock or prints why not. */
async function holder(before: readonly string[] = []) {
  const [program = '', ...args] = [...before, ...NODE, dir]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, said: said.toString().trim() }
}

const killed = async (child: ChildProcess) => {
  child.kill('SIGKILL')
  await once(child, 'close')
}

const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(DataDirInUse)
    return (error as Error).message
  }
  return 'not refused'
}

const inUseBy = (who: string) =>
  `data directory ${dir} is in use by ${who}; stop it or choose another with --data-dir`

test('a second lock in the same process fails until the first is released', async () => {
  const lock = lockDir(dir)
  expect(lock.isLeft).toBe(false)
  expect(refusal(() => lockDir(dir))).toBe(inUseBy(`process ${process.pid}`))
  // A thread of the process counts as little.
  const code = `
    const { parentPort } = require('node:worker_threads')
    import('tsx/esm/api')
      .then(({ register }) => register())
      .then(() => import(${JSON.stringify(join(import.meta.dirname, 'lock.ts'))}))
      .then(({ lockDir }) => lockDir(${JSON.stringify(dir)}))
      .then(() => 'taken', (error) => error.message)
      .then((text) => parentPort.postMessage(text))`
  const worker = new Worker(code, { eval: true })
  const [said] = (await once(worker, 'message')) as [string]
  await worker.terminate()
  expect(said).toBe(inUseBy(`process ${process.pid}`))
  lock.release()
  lock.release()
  // The folders made for it are gone.
  expect(readdirSync(parent)).toEqual([])
  const next = lockDir(dir)
  expect(next.isLeft).toBe(false)
  next.release()
})

describe('a starting child process with copies of the open files does not hold the lock', () => {
  /** A process that has copies of the open files of the store, as each has between its making and its program. */
  function heir() {
    const open = readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(`${dir}/`))
    const stdio = ['ignore', 'ignore', 'ignore', ...open.map(Number)] as const
    children.push(spawn('sleep', ['600'], { stdio: [...stdio] }))
    return open.length
  }

  test('after it is closed', async () => {
    const clock = new ManualClock()
    const engine = await openLmdb({ dir, clock, journalAfter: 0 })
    await engine.commit([{ key: '/a', value: Buffer.from('1') }])
    expect(heir()).toBeGreaterThan(2)
    await engine.close()
    await (await openLmdb({ dir, clock })).close()
  })

  test('after a lock that was not used', () => {
    const lock = lockDir(dir)
    expect(heir()).toBe(1)
    writeFileSync(join(dir, 'data.mdb'), '')
    lock.holdData()
    expect(heir()).toBe(2)
    lock.removeStore()
    lock.release()
    lockDir(dir).release()
  })

  test.each([
    ['another vocabulary', { format: { vocabulary: 'other' } }],
    ['times to live that cannot be recorded', { ttlMs: failing }],
  ])('after it could not be opened for %s', async (_, options) => {
    const clock = new ManualClock()
    const engine = await openLmdb({ dir, clock, format: { vocabulary: 'one' } })
    await engine.commit([{ key: '/a', value: Buffer.from('1') }])
    await engine.close()
    for (let i = 0; i < 2; i++) {
      const opening = openLmdb({ dir, clock, journalAfter: 0, ...options })
      heir()
      await expect(opening).rejects.toMatchObject({ name: 'UnusableDataDir' })
      const left = readdirSync('/proc/self/fd').map((fd) => linkOf(fd))
      expect(left.filter((path) => path.startsWith(`${dir}/`))).toEqual([])
    }
    expect(readdirSync(dir)).not.toContain('lock')
    await (await openLmdb({ dir, clock })).close()
  })
})

test('the lock of a killed process is released', async () => {
  const { child, said } = await holder()
  expect(said).toBe('taken')
  expect(refusal(() => lockDir(dir))).toBe(inUseBy(`process ${child.pid}`))
  await killed(child)
  const lock = lockDir(dir)
  expect(lock.isLeft).toBe(true)
  lock.release()
})

test('processes in different PID namespaces exclude each other', async ({ skip }) => {
  // test/store/two-servers.test.ts has the same without the permission.
  if (!canUnshare) skip('no PID namespaces are permitted here')
  const { child, said } = await holder([
    'unshare',
    '--pid',
    '--fork',
    '--mount-proc',
    '--kill-child',
  ])
  expect(said).toBe('taken')
  const [pid] = readFileSync(join(dir, 'lock'), 'utf8').split(' ')
  const elsewhere = `process ${pid} of ${hostname()}, in another container or machine`
  expect(Number(pid)).toBeLessThan(100)
  expect(refusal(() => lockDir(dir))).toBe(inUseBy(elsewhere))
  const second = await holder(['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'])
  expect(second.said).toBe(inUseBy(elsewhere))
  expect(existsSync(join(dir, 'lock'))).toBe(true)
  await killed(child)
  await expect
    .poll(() => {
      try {
        lockDir(dir).release()
        return 'taken'
      } catch (error) {
        return (error as Error).message
      }
    })
    .toBe('taken')
})

test('of many that start at one time one wins', { timeout: 60_000 }, async () => {
  mkdirSync(dir, { recursive: true })
  // The files of a killed process are in the way of each.
  writeFileSync(join(dir, 'lock'), '999999999 1 host -\n')
  const all = await Promise.all(Array.from({ length: 8 }, () => holder()))
  const words = all.map(({ said }) => said)
  expect(words.filter((said) => said === 'taken')).toHaveLength(1)
  const refused = /^data directory .+ is in use by (another process|process \d+); /
  expect(words.filter((said) => refused.test(said))).toHaveLength(7)
})

describe('a removed lock file', () => {
  test('lets no second one in where there is a store', async () => {
    const clock = new ManualClock()
    const engine = await openLmdb({ dir, clock })
    await rm(join(dir, 'lock'))
    const refused = { name: 'DataDirInUse', message: inUseBy('another process') }
    await expect(openLmdb({ dir, clock })).rejects.toMatchObject(refused)
    await expect(openLmdb({ dir, clock })).rejects.toMatchObject(refused)
    await engine.commit([{ key: '/a', value: Buffer.from('1') }])
    await engine.close()
    const again = await openLmdb({ dir, clock })
    expect((await again.get('/a'))?.value.toString()).toBe('1')
    await again.close()
  })

  test('and is another one at the end stays', () => {
    const lock = lockDir(dir)
    writeFileSync(join(dir, 'other'), '')
    const path = join(dir, 'lock')
    const moved = spawnSync('mv', [join(dir, 'other'), path]).status
    expect(moved).toBe(0)
    lock.release()
    expect(existsSync(path)).toBe(true)
  })
})

describe('a file system without locks', () => {
  const locks = {
    tryLock(): boolean {
      throw Object.assign(new Error('no locks available'), { code: 'ENOLCK' })
    },
    unlock(): void {
      throw Object.assign(new Error('no locks available'), { code: 'ENOLCK' })
    },
  }

  test('is refused, and nothing is left', () => {
    expect(() => lockDir(dir, { locks })).toThrow(
      `data directory ${dir} cannot be locked (ENOLCK): nothing would keep a second server away from it; choose one on a local disk with --data-dir, or make sure that there is one server and start it with --allow-unlocked-data-dir`,
    )
    expect(readdirSync(parent)).toEqual([])
  })

  test('is accepted where that is permitted', async () => {
    const told: string[] = []
    const onUnlocked = (why: string) => void told.push(why)
    const engine = await openLmdb({ dir, clock: new ManualClock(), locks, onUnlocked })
    await engine.close()
    const why = `data directory ${dir} cannot be locked (ENOLCK)`
    expect(told).toEqual([why])
  })
})

test('a server of an earlier release that still runs has the directory', () => {
  mkdirSync(dir, { recursive: true })
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  const path = join(dir, 'lock')
  writeFileSync(path, `${process.pid} ${started}\n`)
  expect(refusal(() => lockDir(dir))).toBe(inUseBy(`process ${process.pid}`))
  writeFileSync(path, `${process.pid} 1\n`)
  lockDir(dir).release()
})

test('folder and lock are for their owner alone, whatever they were', () => {
  mkdirSync(dir, { recursive: true, mode: 0o777 })
  writeFileSync(join(dir, 'lock'), '', { mode: 0o644 })
  const lock = lockDir(dir)
  const modes = [dir, join(dir, 'lock')].map((path) => (statSync(path).mode & 0o777).toString(8))
  expect(modes).toEqual(['700', '600'])
  lock.release()
})
