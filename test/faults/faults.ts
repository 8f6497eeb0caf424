/** What is done to a server while clients work with it. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { History } from './history.ts'
import type { Random } from './random.ts'
import type { Subject } from './subject.ts'

/** What a fault can reach. */
export interface Scene {
  readonly subject: Subject
  readonly history: History
  readonly random: Random
  /** The load, to be seen going on and to be made heavier. */
  readonly load: { padding: number; readonly written: number; readonly read: number }
  /** The file system of the data directory, where one could be mounted. */
  readonly disk?: Disk
}

/** One way to trouble a server; throws when the server does not come through it as it must. */
export interface Fault {
  readonly name: string
  run(scene: Scene): Promise<void>
}

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

/** Mounts a file system in memory; null where this is not permitted. */
export function mountDisk(path: string, bytes: number): Disk | null {
  const run = (...args: string[]) =>
    execFileSync(args[0]!, args.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', path)
  } catch {
    return null
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
    readOnly: (on) => void run('mount', '-o', `remount,${on ? 'ro' : 'rw'}`, path),
    unmount: () => void run('umount', path),
  }
}

/** The server dies at once, in the middle of whatever it does. */
export const killed: Fault = {
  name: 'kill',
  run: async (scene) => {
    await kill(scene)
    await scene.subject.start()
    await answers(scene)
  },
}

/** It dies again while it starts. */
export const killedTwice: Fault = {
  name: 'kill while it starts',
  run: async (scene) => {
    await kill(scene)
    const starting = scene.subject.start().catch(() => {})
    await wait(50 + scene.random.below(900))
    await kill(scene)
    await starting
    await scene.subject.start()
    await answers(scene)
  },
}

/** It is asked to end, and ends in order. */
export const stopped: Fault = {
  name: 'stop',
  run: async (scene) => {
    const { subject, history } = scene
    const code = await subject.stop()
    settle(history, subject)
    if (code !== 0) throw new Error(`it ended with ${code}: ${subject.errors}`)
    await subject.start()
    await answers(scene)
  },
}

/** It stands still for a while, and goes on. */
export const paused: Fault = {
  name: 'pause',
  run: async (scene) => {
    scene.subject.signal('SIGSTOP')
    await wait(200 + scene.random.below(1000))
    scene.subject.signal('SIGCONT')
    await answers(scene)
  },
}

/** Its disk is full: it reads on, and writes on when there is space again. */
export const diskFull: Fault = {
  name: 'disk full',
  run: async (scene) => {
    const disk = scene.disk!
    const { load } = scene
    const padding = load.padding
    load.padding = 40_000
    disk.fill()
    try {
      await wait(700)
      const { read } = load
      await until('a read while the disk is full', () => load.read >= read + 20)
    } finally {
      load.padding = padding
      disk.free()
    }
    await answers(scene)
  },
}

/** It dies while its disk is full, and starts when there is space again. */
export const diskFullKilled: Fault = {
  name: 'kill with a full disk',
  run: async (scene) => {
    const disk = scene.disk!
    const padding = scene.load.padding
    scene.load.padding = 40_000
    disk.fill()
    await wait(400)
    await kill(scene)
    scene.load.padding = padding
    try {
      // It may serve or say that it cannot.
      await scene.subject.start().then(
        () => wait(200),
        (error: Error) => {
          if (!/space|full/i.test(error.message))
            throw new Error(`it does not say why: ${error.message}`)
        },
      )
      await kill(scene)
    } finally {
      disk.free()
    }
    await scene.subject.start()
    await answers(scene)
  },
}

/** It is started on a file system that cannot be written: it says so, and harms nothing. */
export const readOnlyDisk: Fault = {
  name: 'read-only file system',
  run: async (scene) => {
    const { subject, disk } = scene
    await kill(scene)
    disk!.readOnly(true)
    try {
      const said = await subject.start().then(
        () => 'it started',
        (error: Error) => error.message,
      )
      if (!/read-only|EROFS/i.test(said)) throw new Error(`it does not say why: ${said}`)
    } finally {
      await subject.kill()
      disk!.readOnly(false)
    }
    await subject.start()
    await answers(scene)
  },
}

async function kill({ subject, history }: Scene): Promise<void> {
  await subject.kill()
  settle(history, subject)
}

function settle(history: History, subject: Subject): void {
  if (subject.endsWhole) history.settle(history.tick())
}

/** Clients are answered again, reads and writes. */
async function answers({ load, subject }: Scene): Promise<void> {
  const { written, read } = load
  await until(
    `answers; it said: ${subject.errors || 'nothing'}`,
    () => load.written >= written + 10 && load.read >= read + 10,
  )
}

async function until(what: string, done: () => boolean): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!done()) {
    if (performance.now() > deadline) throw new Error(`no ${what}`)
    await wait(10)
  }
}

/** Lets some time pass, in which the load goes on. */
export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
