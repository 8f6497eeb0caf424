/** The disk of the embedded store is full, slow or read-only at random moments. */
import { mkdtemp, rm } from 'node:fs/promises'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { diskFull, diskFullKilled, readOnlyDisk } from '../faults/disk-faults.ts'
import { DISK_PREFIX, mountDisk, unmountForgotten } from '../faults/disk.ts'
import { seeded } from '../faults/random.ts'
import { kill, recovered, type Fault } from '../faults/scene.ts'
import { wait } from '../faults/waiting.ts'
import { started } from './kills.ts'
import { Closers, skippedFor, type Part, type PartOptions, type PartResult } from './part.ts'
import { runRounds, Sums } from './rounds.ts'

const DISK_BYTES = 64 << 20
const SLOW_DISK = pathToFileURL(join(import.meta.dirname, 'slow-disk.ts')).href

/** Faults of a file system of its own. */
export const disk: Part = {
  name: 'disk',
  shows: 'a disk that is full, slow or read-only loses nothing, and reads are answered',
  unit: 'rounds of faults of a disk',
  full: 500,
  async run(options) {
    unmountForgotten()
    const closers = new Closers()
    try {
      const dir = await mkdtemp(join(tmpdir(), `${DISK_PREFIX}${process.pid}-`))
      closers.add(() => rm(dir, { recursive: true, force: true }))
      const mounted = mountDisk(dir, DISK_BYTES)
      if (typeof mounted === 'string') return skippedFor(`no file system of its own: ${mounted}`)
      closers.add(() => mounted.unmount())
      return await onDisk(dir, mounted, { options, closers })
    } finally {
      await closers.close()
    }
  },
}

async function onDisk(
  dir: string,
  mounted: Exclude<ReturnType<typeof mountDisk>, string>,
  { options, closers }: { readonly options: PartOptions; readonly closers: Closers },
): Promise<PartResult> {
  const control = `${dir}.slow`
  closers.add(() => rmSync(control, { force: true }))
  const slow = slowed(control)
  const place = {
    host: '127.0.0.1',
    command: ['env', `SLOW_DISK=${control}`],
    nodeFlags: ['--import', SLOW_DISK],
  }
  const subject = await started({ dir, historyMs: 10_000, places: [place] }, closers)
  const sums = new Sums()
  const faults = [diskFull, slow.paused, diskFullKilled, slow.killed, readOnlyDisk]
  const stage = { subject, faults, random: seeded(options.seed), disk: mounted, cluster: null }
  await runRounds(stage, options, sums)
  return sums.result()
}

/** Faults of a disk whose writes take longer while a file says so. */
function slowed(control: string): Readonly<Record<'paused' | 'killed', Fault>> {
  const during = async (ms: number, work: () => Promise<void>): Promise<void> => {
    writeFileSync(control, `${ms}`)
    try {
      await work()
    } finally {
      rmSync(control, { force: true })
    }
  }
  return {
    paused: {
      name: 'disk slow',
      run: async (scene) => {
        await during(scene.random.pick([20, 200, 1_500]), () => recovered(scene))
        await recovered(scene)
      },
    },
    killed: {
      name: 'server killed on a slow disk',
      run: async (scene) => {
        const [server] = scene.subject.servers
        await during(scene.random.pick([50, 500]), async () => {
          await wait(200 + scene.random.below(1_500))
          await kill(scene, server!)
          await server!.start()
        })
        await recovered(scene)
      },
    },
  }
}
