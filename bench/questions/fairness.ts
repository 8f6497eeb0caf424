/** Does one busy client delay another? */
import type { Bench, Question } from '../bench.ts'
import { plain, type Row } from '../measure.ts'
import { startLoad } from '../subjects.ts'
import { certified, RBAC_PATH } from '../users.ts'

const BUSY_CONNECTIONS = 200
const QUIET = 'bench-quiet'

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
    const plan = { is: 'get', path } as const
    const gets = async () =>
      plain((await bench.requests(quiet, 'h1', { connections: 1 }, plan)).p99Ms)
    const others = startLoad(bench.workspace)
    const row = await bench.alternate(
      {
        question: 'fairness',
        what: `get p99 beside a user with ${BUSY_CONNECTIONS} busy connections, to idle`,
        unit: 'ms',
        goal: { of: 'ratio', is: 'at most', number: 3 },
      },
      async () => {
        const load = others.run({
          is: 'requests',
          target: busy,
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
    return [row]
  },
}
