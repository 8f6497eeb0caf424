import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UnusableDataDir } from '../store.ts'

const NAME = 'lock'
const mine = new Set<string>()

/** Whether somebody has a data directory, or had it and ended without giving it back. */
export const isLocked = (dir: string): boolean => existsSync(join(dir, NAME))

/** Whether a process that runs has a data directory. */
export const isHeld = (dir: string): boolean => holderOf(join(dir, NAME)) !== null

/**
 * Takes a data directory for this process; returns what gives it back. A lock that a killed process left behind
 * is recognised by its start time and taken over. Throws UnusableDataDir when another process has it.
 */
export function lockDir(dir: string): () => void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, NAME)
  if (mine.has(path)) throw inUse(dir, process.pid)
  const content = `${process.pid} ${startTime(process.pid)}\n`
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 2) throw error
      const holder = holderOf(path)
      if (holder !== null) throw inUse(dir, holder)
      rmSync(path, { force: true })
    }
  }
  mine.add(path)
  return () => {
    if (mine.delete(path)) rmSync(path, { force: true })
  }
}

const inUse = (dir: string, pid: number) =>
  new UnusableDataDir(
    `data directory ${dir} is in use by process ${pid}; stop it or choose another with --data-dir`,
  )

/** Process that holds a lock and is still the one that took it; null when there is none. */
function holderOf(path: string): number | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  const [pidText = '', started = ''] = text.trim().split(' ')
  const pid = Number(pidText)
  if (!Number.isInteger(pid) || pid <= 0) return null
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return null
  }
  // A pid is used again; together with its start time it is not.
  return startTime(pid) === started ? pid : null
}

/** States of a process that has ended, and that nobody has collected yet, as in a container without an init. */
const ENDED = new Set(['Z', 'X'])

/** Start time of a process in ticks since boot, `ended` after its end; a constant where the system does not tell. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ENDED.has(state) ? 'ended' : (numbers[18] ?? '-')
  } catch {
    return '-'
  }
}
