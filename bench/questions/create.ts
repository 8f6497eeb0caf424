/** What does a durable create cost above the store, and how long does one alone take? */
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import { flushMs } from '../flush.ts'
import type { LoadResult } from '../load/job.ts'
import { plain, rateOf, type Row, type Sample } from '../measure.ts'

// The busiest first: seconds of one request after the other are too few for a server to have compiled what they run.
const CONNECTIONS = [128, 16, 1]

export const create: Question = {
  name: 'create',
  async ask(bench: Bench): Promise<Row[]> {
    const { ours, target } = await bench.served()
    const rows: Row[] = []
    const alone: { ours: Sample[]; bare: Sample[] } = { ours: [], bare: [] }
    for (const connections of CONNECTIONS) {
      const make = async (round: number): Promise<LoadResult> => {
        if (ours === null) throw new Error('there is no server')
        const path = await bench.namespace(ours, `create-${connections}-${round}`)
        return bench.requests(
          target,
          'h1',
          { connections },
          {
            is: 'create',
            path,
            prefix: 'settings-',
            sizeBytes: OBJECT_BYTES,
            count: Number.MAX_SAFE_INTEGER,
          },
        )
      }
      rows.push(
        await bench.alternate(
          {
            question: 'create',
            what: `create 2 KiB, durable, ${connections} connection${connections === 1 ? '' : 's'}`,
            unit: '/s',
            goal: connections === 128 ? { of: 'ratio', is: 'at least', number: 0.1 } : null,
          },
          ours &&
            (async (round) => {
              const result = await make(round)
              if (connections === 1) alone.ours.push(plain(result.p50Ms))
              return rateOf(result)
            }),
          async () => {
            if (connections === 1)
              alone.bare.push(plain(flushMs(bench.workspace.folder(), bench.options.seconds)))
            return bench.rawStore(connections)
          },
        ),
      )
    }
    rows.push({
      question: 'create',
      what: 'one create alone, p50, to one fdatasync, p50',
      unit: 'ms',
      ...alone,
      goal: { of: 'ratio', is: 'at most', number: 6 },
    })
    return rows
  },
}
