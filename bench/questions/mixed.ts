/** Do short requests starve while large lists are sent, or objects are made? */
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { Plan, Target } from '../load/job.ts'
import { plain, type Row } from '../measure.ts'
import { startLoad } from '../subjects.ts'

const GETS = 4
const CREATES = 16

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
    const others = startLoad(bench.workspace)
    /** Rounds of gets beside other requests, and alone. */
    const beside = (what: string, goal: Row['goal'], connections: number, plan: () => Plan) =>
      bench.alternate(
        { question: 'mixed', what, unit: 'ms', goal },
        async () => {
          const load = others.run({
            is: 'requests',
            target,
            protocol: 'h1',
            connections,
            streams: 1,
            plan: plan(),
            // Longer than the gets with their warming up.
            seconds: seconds * 2,
            warmUpSeconds: 0,
            atMost: 1_000_000,
          })
          const [sample] = await Promise.all([gets(), load])
          return sample
        },
        gets,
      )
    const lists = await beside(
      `get p99 while ${listItems} x 2 KiB are listed, to idle`,
      { of: 'ratio', is: 'at most', number: 4 },
      1,
      () => ({ is: 'get', path }),
    )
    const made = await bench.namespace(ours, 'mixed-creates')
    let round = 0
    const creates = await beside(
      `get p99 while ${CREATES} connections create 2 KiB, to idle`,
      null,
      CREATES,
      () => ({
        is: 'create',
        path: made,
        prefix: `round-${round++}-`,
        sizeBytes: OBJECT_BYTES,
        count: Number.MAX_SAFE_INTEGER,
      }),
    )
    return [lists, creates, await besideYaml(bench, others, { target, path, made })]
  },
}

/** Rounds of creates beside another client that lists as YAML, which takes a second, and alone. */
function besideYaml(
  bench: Bench,
  others: ReturnType<typeof startLoad>,
  { target, path, made }: { readonly target: Target; readonly path: string; readonly made: string },
): Promise<Row> {
  let round = 0
  // By the clock: the server's CPU is that of the list as well.
  const creates = async () => {
    const { operations, seconds } = await bench.requests(
      target,
      'h1',
      { connections: CREATES },
      {
        is: 'create',
        path: made,
        prefix: `beside-${round++}-`,
        sizeBytes: OBJECT_BYTES,
        count: Number.MAX_SAFE_INTEGER,
      },
    )
    return plain(operations / seconds)
  }
  return bench.alternate(
    {
      question: 'mixed',
      what: `creates over ${CREATES} connections while a list is sent as YAML, to none`,
      unit: '/s',
      goal: { of: 'ratio', is: 'at least', number: 0.4 },
    },
    async () => {
      const load = others.run({
        is: 'requests',
        target,
        protocol: 'h1',
        connections: 1,
        streams: 1,
        plan: { is: 'get', path, accept: 'application/yaml' },
        seconds: bench.options.seconds * 2,
        warmUpSeconds: 0,
        atMost: 1_000_000,
      })
      const [sample] = await Promise.all([creates(), load])
      return sample
    },
    creates,
  )
}
