/** A file system of a test's own, to be filled and to be made unwritable. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** A file system of a fixed size. */
export interface Disk {
  readonly path: string
  /** Leaves no byte. */
  fill(): void
  /** Gives the space back. */
  free(): void
  readOnly(on: boolean): void
  unmount(): void
}

/** What folders are called that something may be mounted on; the id of the process that does so follows. */
export const DISK_PREFIX = 'faults-'

/** Unmounts what runs left behind that were themselves killed. */
export function unmountForgotten(): void {
  for (const line of mounts().split('\n')) {
    const path = line.split(' ')[1] ?? ''
    const owner = Number(/^(\d+)-/.exec(basename(path).slice(DISK_PREFIX.length))?.[1])
    const isOurs = dirname(path) === tmpdir() && basename(path).startsWith(DISK_PREFIX)
    if (!isOurs || Number.isNaN(owner) || existsSync(`/proc/${owner}`)) continue
    try {
      run('umount', '--lazy', path)
      rmSync(path, { recursive: true, force: true })
    } catch {
      // It is no fault of this run.
    }
  }
}

/** Mounts a file system in memory; the reason where this is not permitted. */
export function mountDisk(path: string, bytes: number): Disk | string {
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', path)
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: Buffer }
    return stderr?.toString().trim() || message
  }
  const ballast = join(path, 'ballast')
  return {
    path,
    fill: () => {
      const file = openSync(ballast, 'a')
      try {
        const { bavail, bsize } = statfsSync(path)
        const block = Buffer.alloc(bsize)
        for (let i = 0; i < bavail + 1; i++) writeSync(file, block)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    free: () => {
      truncateSync(ballast, 0)
      rmSync(ballast)
    },
    readOnly: (on) => run('mount', '-o', `remount,${on ? 'ro' : 'rw'}`, path),
    // Lazily: what still holds a file of it lets go when it ends.
    unmount: () => run('umount', '--lazy', path),
  }
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

const mounts = (): string =>
  existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : ''
