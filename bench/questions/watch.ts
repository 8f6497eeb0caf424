/** What does it cost to tell many watchers, above writing the bytes to as many sockets? */
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { LoadResult, Protocol, Target } from '../load/job.ts'
import { plain, rateOf, type Row, type Sample } from '../measure.ts'
import type { Ours } from '../subjects.ts'

interface Shape {
  readonly what: string
  readonly protocol: Protocol
  /** Watchers of one connection. */
  readonly streams: number
  /** Events on their way at once; with more than one, a server may send several in one write. */
  readonly inFlight: number
  /** What one idle watcher may hold; null: not asked again. */
  readonly idleKiB: number | null
}

const SHAPES: readonly Shape[] = [
  { what: 'https, one event at a time', protocol: 'h1', streams: 1, inFlight: 1, idleKiB: 64 },
  { what: 'https, four events at a time', protocol: 'h1', streams: 1, inFlight: 4, idleKiB: null },
  {
    what: 'h2, 100 streams each, one event at a time',
    protocol: 'h2',
    streams: 100,
    inFlight: 1,
    idleKiB: 20,
  },
]

// The bare server writes to as many sockets as there are watchers, whatever carries ours.
const SOCKETS = { protocol: 'h1', streams: 1 } as const

export const watch: Question = {
  name: 'watch',
  async ask(bench: Bench): Promise<Row[]> {
    const rows: Row[] = []
    for (const shape of SHAPES) rows.push(...(await askShape(bench, shape)))
    return rows
  },
}

/** Servers are new for each shape: memory that earlier watchers left free would hide that of later ones. */
async function askShape(bench: Bench, shape: Shape): Promise<Row[]> {
  const { watchers } = bench.options
  const ours = await bench.ours()
  const frame = ours === null ? `${'v'.repeat(OBJECT_BYTES + 40)}\n` : await eventOf(bench, ours)
  const bare = await bench.bare({ is: 'fan-out', frame })
  const idle: { ours: Sample[]; bare: Sample[] } = { ours: [], bare: [] }
  const sampleOf = (result: LoadResult, round: number, side: Sample[]) => {
    if (round === 0) side.push(plain(result.watcherBytes / 1024))
    return rateOf(result)
  }
  const row = await bench.alternate(
    {
      question: 'watch',
      what: `watch, ${watchers} watchers, ${shape.what}`,
      unit: '/s',
      goal: { of: 'ratio', is: 'at least', number: 0.7 },
    },
    ours &&
      (async (round) => {
        const path = await bench.namespace(ours, `watch-${round}`)
        return sampleOf(await flood(bench, ours.target, path, shape), round, idle.ours)
      }),
    async (round) =>
      sampleOf(await flood(bench, bare.target, '/', { ...shape, ...SOCKETS }), round, idle.bare),
  )
  await ours?.end()
  await bare.end()
  if (shape.idleKiB === null) return [row]
  const goal = { of: 'value', is: 'at most', number: shape.idleKiB } as const
  const what = `resident for each idle watcher, ${shape.protocol === 'h1' ? 'https' : 'h2'}`
  return [row, { question: 'watch', what, unit: 'KiB', ...idle, goal }]
}

function flood(
  bench: Bench,
  target: Target,
  path: string,
  { protocol, streams, inFlight }: Pick<Shape, 'protocol' | 'streams' | 'inFlight'>,
): Promise<LoadResult> {
  return bench.run({
    is: 'watch',
    target,
    protocol,
    connections: Math.ceil(bench.options.watchers / streams),
    streams,
    path: `${path}?watch=1`,
    writes: { is: 'create', path, prefix: 'settings-', sizeBytes: OBJECT_BYTES, count: 100_000 },
    inFlight,
    seconds: bench.options.seconds,
  })
}

/** An event as a watcher gets it. */
async function eventOf(bench: Bench, ours: Ours): Promise<string> {
  const path = await bench.fill(ours, 'watch-frame', 'settings-', 1)
  const { text } = await ours.ask('GET', `${path}?watch=1&timeoutSeconds=1`)
  const line = text.split('\n')[0]
  if (line === undefined || line.length < OBJECT_BYTES / 2)
    throw new Error('the watch told of no event')
  return `${line}\n`
}
