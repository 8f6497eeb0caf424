/** What would several processes behind one port gain here at most? Two servers apart have nothing to agree on. */
import { type Bench, type Question } from '../bench.ts'
import type { LoadResult, Plan, Target } from '../load/job.ts'
import type { Row, Sample } from '../measure.ts'
import { startLoad } from '../subjects.ts'

const CONNECTIONS = 16
const WARM_UP_SECONDS = 0.5

export const processes: Question = {
  name: 'processes',
  // Reads come from memory, whatever is under it.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    if (bench.options.server === null) return []
    const { listItems } = bench.options
    const generators = [startLoad(bench.workspace), startLoad(bench.workspace)] as const
    const targets: Target[] = []
    let path = ''
    for (let i = 0; i < 2; i++) {
      const { ours, target } = await bench.served()
      if (ours === null) return []
      bench.say(`making ${listItems} objects`)
      path = await bench.fill(ours, 'shared', 'settings-', listItems)
      targets.push(target)
    }
    const [first, second] = targets as [Target, Target]
    const run = async (plan: Plan, connections: number, used: readonly [Target, Target]) => {
      const { seconds } = bench.options
      const warmUpSeconds = Math.min(WARM_UP_SECONDS, seconds / 2)
      const job = { is: 'requests', protocol: 'h1', connections, streams: 1, plan } as const
      const bounds = { seconds, warmUpSeconds, atMost: Number.MAX_SAFE_INTEGER }
      return Promise.all(
        generators.map((generator, i) => generator.run({ ...job, ...bounds, target: used[i]! })),
      )
    }
    const row = async (what: string, plan: Plan, connections: number, inBytes = false) => {
      // Both have seen such requests before it counts.
      await run(plan, connections, [first, second])
      const unit = inBytes ? ('MB/s' as const) : ('/s' as const)
      return bench.alternate(
        { question: 'processes', what: `${what}, two servers, to one`, unit, goal: null },
        async () => together(await run(plan, connections, [first, second]), 1, inBytes),
        // Both windows count the one server, so each has half of its CPU time.
        async () => together(await run(plan, connections, [first, first]), 1 / 2, inBytes),
      )
    }
    const item = { is: 'get', path: `${path}/settings-0000000` } as const
    return [
      await row(`get 2 KiB, 2 x ${CONNECTIONS} connections`, item, CONNECTIONS),
      await row(`list ${listItems} x 2 KiB, 2 x 1 connection`, { is: 'get', path }, 1, true),
    ]
  },
}

/** What two generators saw at the same time. */
function together(results: readonly LoadResult[], share: number, inBytes: boolean): Sample {
  let rate = 0
  let cores = 0
  let loadCores = 0
  for (const { operations, bytes, seconds, serverCpuSeconds, loadCpuSeconds } of results) {
    rate += (inBytes ? bytes / 1e6 : operations) / seconds
    cores += (serverCpuSeconds * share) / seconds
    loadCores += loadCpuSeconds / seconds
  }
  return { value: rate, cpuMicros: (cores / rate) * 1e6, loadCores }
}
