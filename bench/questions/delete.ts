/** What does it cost to delete a collection, beside making it, and are others served meanwhile? */
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { LoadResult } from '../load/job.ts'
import { plain, type Row, type Sample } from '../measure.ts'
import { startLoad } from '../subjects.ts'

const PREFIX = 'settings-'

export const deletion: Question = {
  name: 'delete',
  async ask(bench: Bench): Promise<Row[]> {
    const { listItems } = bench.options
    const { ours, target } = await bench.served()
    if (ours === null) return []
    let places = 0
    /** Objects in a namespace of their own, and what it took to make them. */
    const made = async () => {
      const path = await bench.namespace(ours, `delete-${places++}`)
      const [prefix, sizeBytes, count] = [PREFIX, OBJECT_BYTES, listItems]
      const result = await bench.add(target, { is: 'create', path, prefix, sizeBytes, count })
      return { path, sample: sampleOf(result, listItems) }
    }
    // The first ones warm the server up.
    await removed(bench, ours.target, (await made()).path)
    let { path } = await made()
    const row = await bench.alternate(
      {
        question: 'delete',
        what: `deletecollection of ${listItems} objects, to as many creates`,
        unit: '/s',
        goal: null,
        costs: { of: 'bare', atMost: 0.4 },
      },
      async () => sampleOf(await removed(bench, target, path), listItems),
      async () => {
        const next = await made()
        path = next.path
        return next.sample
      },
    )
    const one = `${(await made()).path}/${PREFIX}0000000`
    const gets = async () =>
      plain(
        (await bench.requests(target, 'h1', { connections: 1 }, { is: 'get', path: one })).p99Ms,
      )
    await gets()
    const remover = startLoad(bench.workspace)
    const beside = await bench.alternate(
      {
        question: 'delete',
        what: `get p99 while ${listItems} objects are deleted, to idle`,
        unit: 'ms',
        goal: { of: 'ratio', is: 'at most', number: 4 },
      },
      async () => p99Until(removedBy(remover, target, (await made()).path), gets),
      gets,
    )
    return [row, beside]
  },
}

const once = (target: LoadTarget, path: string) =>
  ({
    is: 'requests',
    target,
    protocol: 'h1',
    connections: 1,
    streams: 1,
    plan: { is: 'deleteCollection', path },
    seconds: 600,
    warmUpSeconds: 0,
    atMost: 1,
  }) as const

type LoadTarget = Parameters<Bench['once']>[0]

const removed = (bench: Bench, target: LoadTarget, path: string) => bench.run(once(target, path))
const removedBy = (load: ReturnType<typeof startLoad>, target: LoadTarget, path: string) =>
  load.run(once(target, path))

/** The p99 of gets in a round that lies within other work as far as that lasts. */
async function p99Until(work: Promise<LoadResult>, gets: () => Promise<Sample>): Promise<Sample> {
  const [sample] = await Promise.all([gets(), work])
  return sample
}

const sampleOf = (result: LoadResult, objects: number): Sample => ({
  value: objects / result.seconds,
  cpuMicros: (result.serverCpuSeconds / objects) * 1e6,
  loadCores: result.loadCpuSeconds / result.seconds,
})
