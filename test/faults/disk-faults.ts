/** What is done to the file system that a server with its own store writes to. */
import type { Disk } from './disk.ts'
import { kill, recovered, type Fault, type Scene } from './scene.ts'
import type { ServerProcess } from './subject.ts'
import { until, wait } from './waiting.ts'

/** Bytes of an object that soon finds no place. */
const LARGE = 40_000

/** The disk is full: the server refuses writes, answers every read, and writes when there is space again. */
export const diskFull: Fault = {
  name: 'disk full',
  run: async (scene) => {
    const { tally } = scene.load
    const { writesRefused, readsRefused } = tally
    await filled(scene, async () => {
      await until('write refused on a full disk', () => tally.writesRefused > writesRefused + 5)
      const { read } = tally
      await until('read while the disk is full', () => tally.read >= read + 50)
      if (tally.readsRefused > readsRefused)
        throw new Error(`${tally.readsRefused - readsRefused} reads were refused on a full disk`)
    })
    await recovered(scene)
  },
}

/** The server dies while its disk is full, and starts when there is space again. */
export const diskFullKilled: Fault = {
  name: 'server killed on a full disk',
  run: async (scene) => {
    const [server] = disked(scene)
    await filled(scene, async () => {
      await wait(400)
      await kill(scene, server)
      // It may serve or say that it cannot.
      await server.start().then(
        () => wait(200),
        (error: Error) => {
          if (!/space|full/i.test(error.message))
            throw new Error(`it does not say why: ${error.message}`)
        },
      )
      await kill(scene, server)
    })
    await server.start()
    await recovered(scene)
  },
}

/** It is started on a file system that cannot be written: it says so, and harms nothing. */
export const readOnlyDisk: Fault = {
  name: 'read-only file system',
  run: async (scene) => {
    const [server, disk] = disked(scene)
    await kill(scene, server)
    disk.readOnly(true)
    try {
      const said = await server.start().then(
        () => 'it started',
        (error: Error) => error.message,
      )
      if (!/read-only|EROFS/i.test(said)) throw new Error(`it does not say why: ${said}`)
    } finally {
      await server.kill()
      disk.readOnly(false)
    }
    await server.start()
    await recovered(scene)
  },
}

async function filled(scene: Scene, work: () => Promise<void>): Promise<void> {
  const [, disk] = disked(scene)
  const { padding } = scene.load
  scene.load.padding = LARGE
  disk.fill()
  try {
    await work()
  } finally {
    scene.load.padding = padding
    disk.free()
  }
}

function disked({ subject, disk }: Scene): [ServerProcess, Disk] {
  if (!disk) throw new Error('there is no file system to do this to')
  return [subject.servers[0]!, disk]
}
