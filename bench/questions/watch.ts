/** What does it cost to tell many watchers, above writing the bytes to as many sockets? */
import { setTimeout as wait } from 'node:timers/promises'
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { LoadResult, Protocol, Target } from '../load/job.ts'
import { plain, rateOf, type Row, type Sample } from '../measure.ts'
import { openFilesLimit } from '../machine.ts'
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
  /** Asked only with the smallest number of watchers. */
  readonly onlyFew?: boolean
}

const SHAPES: readonly Shape[] = [
  { what: 'https, one event at a time', protocol: 'h1', streams: 1, inFlight: 1, idleKiB: 64 },
  {
    what: 'https, four events at a time',
    protocol: 'h1',
    streams: 1,
    inFlight: 4,
    idleKiB: null,
    onlyFew: true,
  },
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

const MANY_ROUNDS = 2
const TRIES = 100
const TRY_AGAIN_MS = 50

// Files of the server beside its watchers.
const SPARE_FILES = 200

// A goal without a figure.
const NO_PLAIN =
  'n/a: resident for each idle watcher over HTTP/1.1 without TLS, since the server always speaks TLS'

export const watch: Question = {
  name: 'watch',
  async ask(bench: Bench): Promise<Row[]> {
    const rows: Row[] = []
    const [few] = bench.options.watchers
    for (const watchers of bench.options.watchers) {
      // Who watches many is told from memory, whatever is under it.
      if (bench.store === 'etcd' && watchers !== few) continue
      const files = openFilesLimit()
      if (watchers + SPARE_FILES > files) {
        bench.notes.push(
          `watch: ${watchers} watchers need more than the ${files} open files that a process may have (ulimit -n)`,
        )
        continue
      }
      for (const shape of SHAPES)
        if (watchers === few || !shape.onlyFew)
          rows.push(...(await askShape(bench, shape, watchers)))
    }
    bench.notes.push(NO_PLAIN)
    return rows
  },
}

/** Servers are new for each shape: memory that earlier watchers left free would hide that of later ones. */
async function askShape(bench: Bench, shape: Shape, watchers: number): Promise<Row[]> {
  const { ours, target } = await bench.served()
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
        const from = await stateOf(ours, path)
        const result = await flood(bench, target, { path, from }, shape, watchers)
        return sampleOf(result, round, idle.ours)
      }),
    async (round) =>
      sampleOf(
        await flood(
          bench,
          bare.target,
          { path: '/', from: '' },
          { ...shape, ...SOCKETS },
          watchers,
        ),
        round,
        idle.bare,
      ),
    // Opening many takes long.
    watchers > bench.options.watchers[0]!
      ? { rounds: Math.min(MANY_ROUNDS, bench.options.rounds) }
      : {},
  )
  await ours?.end()
  await bare.end()
  if (shape.idleKiB === null) return [row]
  const goal = { of: 'value', is: 'at most', number: shape.idleKiB } as const
  const what = `resident for each of ${watchers} idle watchers, ${shape.protocol === 'h1' ? 'https' : 'h2'}`
  return [row, { question: 'watch', what, unit: 'KiB', ...idle, goal }]
}

function flood(
  bench: Bench,
  target: Target,
  { path, from }: { readonly path: string; readonly from: string },
  { protocol, streams, inFlight }: Pick<Shape, 'protocol' | 'streams' | 'inFlight'>,
  watchers: number,
): Promise<LoadResult> {
  return bench.run({
    is: 'watch',
    target,
    protocol,
    connections: Math.ceil(watchers / streams),
    streams,
    path: `${path}?watch=1&resourceVersion=${from}`,
    writes: { is: 'create', path, prefix: 'settings-', sizeBytes: OBJECT_BYTES, count: 100_000 },
    inFlight,
    seconds: bench.options.seconds,
  })
}

/** A state to watch from, with what the cluster itself puts into a new namespace: no watcher is told of that. */
async function stateOf(ours: Ours, path: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const { text } = await ours.ask('GET', path)
    const { metadata, items } = JSON.parse(text) as {
      metadata: { resourceVersion: string }
      items: unknown[]
    }
    if (items.length > 0 || tries === TRIES) return metadata.resourceVersion
    await wait(TRY_AGAIN_MS)
  }
}

/** An event as a watcher gets it. */
async function eventOf(bench: Bench, ours: Ours): Promise<string> {
  const path = await bench.fill(ours, 'watch-frame', 'settings-', 1)
  const { text } = await ours.ask('GET', `${path}?watch=1&timeoutSeconds=1`)
  const line = text.split('\n').find((event) => event.includes('settings-'))
  if (line === undefined || line.length < OBJECT_BYTES / 2)
    throw new Error('the watch told of no event')
  return `${line}\n`
}
