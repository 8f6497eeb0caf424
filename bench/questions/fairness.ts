/** Does one busy client delay another? */
import type { Bench, Question } from '../bench.ts'
import type { Target } from '../load/job.ts'
import { plain, type Row } from '../measure.ts'
import { startLoad } from '../subjects.ts'
import { certified, RBAC_PATH } from '../users.ts'

const BUSY_CONNECTIONS = 200
const QUIET = 'bench-quiet'

interface Clients {
  readonly alone: Target
  readonly beside: Target
}

export const fairness: Question = {
  name: 'fairness',
  // Reads come from memory, whatever is under it.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const { seconds } = bench.options
    const { ours, target: busy } = await bench.served()
    if (ours === null) return []
    const path = `${await bench.fill(ours, 'fairness', 'settings-', 1)}/settings-0000000`
    await ours.ask('POST', `${RBAC_PATH}/clusterrolebindings`, {
      metadata: { name: QUIET },
      roleRef: { kind: 'ClusterRole', name: 'bench-worker' },
      subjects: [{ kind: 'User', name: QUIET }],
    })
    const quiet = certified(ours, QUIET)
    const others = startLoad(bench.workspace)
    /** Rounds of a quiet client beside a busy one, and alone. */
    const alternate = async (what: string, goal: Row['goal'], { alone, beside }: Clients) => {
      const plan = { is: 'get', path } as const
      const gets = async () =>
        plain((await bench.requests(alone, 'h1', { connections: 1 }, plan)).p99Ms)
      return bench.alternate(
        { question: 'fairness', what, unit: 'ms', goal },
        async () => {
          const load = others.run({
            is: 'requests',
            target: beside,
            protocol: 'h1',
            connections: BUSY_CONNECTIONS,
            streams: 1,
            plan,
            // Longer than the gets with their warming up.
            seconds: seconds * 2,
            warmUpSeconds: 0,
            atMost: 10_000_000,
          })
          const [sample] = await Promise.all([gets(), load])
          return sample
        },
        gets,
      )
    }
    const row = await alternate(
      `get p99 beside a user with ${BUSY_CONNECTIONS} busy connections, to idle`,
      { of: 'ratio', is: 'at most', number: 3 },
      { alone: quiet, beside: busy },
    )
    // What the loop of Node and two busy processes on this machine do to a client, without any fairness.
    const { text, headers } = await ours.ask('GET', path)
    const type = String(headers['content-type'])
    const bare = await bench.bare({ is: 'http', headers: { 'content-type': type }, body: text })
    const floor = await alternate('the same of a bare server, to idle', null, {
      alone: bare.target,
      beside: bare.target,
    })
    // What two busy processes do to a client of a third one: the share of the machine.
    const elsewhere = await alternate('the same while that user is busy at another server', null, {
      alone: quiet,
      beside: bare.target,
    })
    return [row, floor, elsewhere]
  },
}
