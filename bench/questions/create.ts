/** What does a durable create cost above the store, and how long does one alone take? */
import { configMapsIn, OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import { flushMs } from '../flush.ts'
import type { Store } from '../options.ts'
import type { LoadResult } from '../load/job.ts'
import { plain, rateOf, type Row, type Sample } from '../measure.ts'

// The busiest first: seconds of one request after the other are too few for a server to have compiled what they run.
const CONNECTIONS = [128, 16, 1]

export const create: Question = {
  name: 'create',
  async ask(bench: Bench): Promise<Row[]> {
    const { ours, target } = await bench.served()
    const rows: Row[] = []
    const alone: Alone = { ours: [], flushes: [], store: [] }
    const places = new Map<number, readonly string[]>()
    for (const connections of CONNECTIONS)
      places.set(connections, await bench.namespaces(ours, `create-${connections}`))
    for (const connections of CONNECTIONS) {
      const make = (round: number): Promise<LoadResult> =>
        bench.requests(
          target,
          'h1',
          { connections },
          {
            is: 'create',
            path: configMapsIn(places.get(connections)![round]!),
            prefix: 'settings-',
            sizeBytes: OBJECT_BYTES,
            count: Number.MAX_SAFE_INTEGER,
          },
        )
      rows.push(
        await bench.alternate(
          {
            question: 'create',
            what: `create 2 KiB, durable, ${connections} connection${connections === 1 ? '' : 's'}`,
            unit: '/s',
            goal: connections === 128 ? { of: 'ratio', is: 'at least', number: 0.1 } : null,
            // Without the CPU of etcd itself.
            ...(connections === 128
              ? { costs: { of: 'gets', atMost: bench.store === 'etcd' ? 5 : 3 } as const }
              : {}),
          },
          ours &&
            (async (round) => {
              const result = await make(round)
              if (connections === 1) alone.ours.push(plain(result.p50Ms))
              return rateOf(result)
            }),
          async () => {
            if (connections > 1) return bench.rawStore(connections)
            alone.flushes.push(plain(flushMs(bench.workspace.folder(), bench.options.seconds)))
            const sample = await bench.rawStore(connections)
            alone.store.push(plain(sample.p50Ms ?? 0))
            return sample
          },
        ),
      )
    }
    return [...rows, ...aloneRows(alone, bench.store)]
  },
}

/** Times of one round each, with nothing beside them: a create, one flush of the disk, one write to the store. */
interface Alone {
  readonly ours: Sample[]
  readonly flushes: Sample[]
  readonly store: Sample[]
}

/** A server is held to what waits for the disk: itself, or etcd, which alone takes longer than a server of ours may. */
function aloneRows({ ours, flushes, store }: Alone, engine: Store): Row[] {
  const row = { question: 'create', unit: 'ms' } as const
  const goal = (number: number) => ({ of: 'ratio', is: 'at most', number }) as const
  const toFlush = {
    ...row,
    what: 'one create alone, p50, to one fdatasync, p50',
    ours,
    bare: flushes,
  }
  if (engine === 'lmdb') return [{ ...toFlush, goal: goal(6) }]
  return [
    { ...toFlush, goal: null },
    {
      ...row,
      what: 'one write to the store alone, p50, to one fdatasync, p50',
      ours: store,
      bare: flushes,
      goal: null,
    },
    {
      ...row,
      what: 'one create alone, p50, to one write to the store alone, p50',
      ours,
      bare: store,
      goal: goal(2),
    },
  ]
}
