/** Do short requests starve while large lists are sent? */
import type { Bench, Question } from '../bench.ts'
import { plain, type Row } from '../measure.ts'
import { startLoad } from '../subjects.ts'

const GETS = 4

export const mixed: Question = {
  name: 'mixed',
  // Reads come from memory, whatever is under it.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const { listItems, seconds } = bench.options
    const { ours, target } = await bench.served()
    if (ours === null) return []
    bench.say(`making ${listItems} objects`)
    const path = await bench.fill(ours, 'mixed', 'settings-', listItems)
    const one = `${path}/settings-0000000`
    const gets = async () =>
      plain(
        (await bench.requests(target, 'h1', { connections: GETS }, { is: 'get', path: one })).p99Ms,
      )
    const lister = startLoad(bench.workspace)
    const row = await bench.alternate(
      {
        question: 'mixed',
        what: `get p99 while ${listItems} x 2 KiB are listed, to idle`,
        unit: 'ms',
        goal: { of: 'ratio', is: 'at most', number: 4 },
      },
      async () => {
        const lists = lister.run({
          is: 'requests',
          target,
          protocol: 'h1',
          connections: 1,
          streams: 1,
          plan: { is: 'get', path },
          // Longer than the gets with their warming up.
          seconds: seconds * 2,
          warmUpSeconds: 0,
          atMost: 100_000,
        })
        const [sample] = await Promise.all([gets(), lists])
        return sample
      },
      gets,
    )
    return [row]
  },
}
