/** How long until it answers, and what does it hold while idle? */
import { performance } from 'node:perf_hooks'
import type { Bench, Question } from '../bench.ts'
import type { Etcd } from '../etcd.ts'
import { cpuSeconds, memoryOf } from '../machine.ts'
import { plain, type Row, type Sample } from '../measure.ts'
import { firstLine, type Ours } from '../subjects.ts'

const BARE = `require('node:net').createServer().listen(0, '127.0.0.1', () => console.log('ready'))`
// Until the garbage of starting is gone, and until what was put off has been done.
const SETTLE_MS = 500
const DONE_WITHIN_MS = 10_000
const AGAIN_MS = 20

export const start: Question = {
  name: 'start',
  async ask(bench: Bench): Promise<Row[]> {
    const idle: { ours: Sample[]; bare: Sample[] } = { ours: [], bare: [] }
    const bare = async () => {
      const from = performance.now()
      const child = bench.workspace.command([process.execPath, '-e', BARE])
      await firstLine(child, 'bare node')
      const sample = started(from, child.pid ?? 0)
      await settle()
      idle.bare.push(plain(memoryOf(child.pid ?? 0).resident / 1e6))
      await bench.workspace.end(child)
      return sample
    }
    const ours = async (dataDir: string, etcd: Etcd | null) => {
      const from = performance.now()
      const server = await bench.ours({ dataDir, ...(etcd === null ? {} : { etcd }) })
      if (server === null) throw new Error('there is no server')
      const sample = started(from, server.target.pid)
      await allDone(server)
      await settle()
      idle.ours.push(plain(memoryOf(server.target.pid).resident / 1e6))
      await server.end()
      return sample
    }
    const goal = { of: 'ratio', is: 'at most', number: 3 } as const
    const hasOurs = bench.options.server !== null
    const again = bench.workspace.folder()
    const first = await bench.alternate(
      { question: 'start', what: 'start to ready, empty directory', unit: 'ms', goal },
      hasOurs
        ? async () => {
            const etcd = await bench.etcd()
            const sample = await ours(bench.workspace.folder(), etcd)
            await etcd?.end()
            return sample
          }
        : null,
      bare,
    )
    const etcd = hasOurs ? await bench.etcd() : null
    if (hasOurs) await ours(again, etcd)
    const second = await bench.alternate(
      { question: 'start', what: 'start to ready, second start', unit: 'ms', goal },
      hasOurs ? () => ours(again, etcd) : null,
      bare,
    )
    return [
      first,
      second,
      { question: 'start', what: 'resident while idle', unit: 'MB', ...idle, goal: null },
    ]
  },
}

function started(from: number, pid: number): Sample {
  return { value: performance.now() - from, cpuMicros: cpuSeconds(pid) * 1e6, loadCores: null }
}

/** Waits for the steps of the start that a server does while it serves already; what it is asked before fails. */
async function allDone(server: Pick<Ours, 'ask'>): Promise<void> {
  for (const end = performance.now() + DONE_WITHIN_MS; ; await pause(AGAIN_MS)) {
    try {
      await server.ask('GET', '/readyz')
      return
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const settle = () => pause(SETTLE_MS)
