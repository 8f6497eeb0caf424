/** What does it cost to tell many watchers, above writing the bytes to as many sockets? */
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { Target } from '../load/job.ts'
import { plain, rateOf, type Row, type Sample } from '../measure.ts'

const IN_FLIGHT = 4
const STREAMS = 100

export const watch: Question = {
  name: 'watch',
  async ask(bench: Bench): Promise<Row[]> {
    const { watchers, seconds } = bench.options
    const shapes = [
      {
        protocol: 'h1',
        connections: watchers,
        streams: 1,
        what: `watch, ${watchers} watchers, https`,
        idleKiB: 64,
      },
      {
        protocol: 'h2',
        connections: Math.ceil(watchers / STREAMS),
        streams: STREAMS,
        what: `watch, ${watchers} watchers, h2, ${STREAMS} streams each`,
        idleKiB: 20,
      },
    ] as const
    const ours = await bench.ours()
    const frame = ours === null ? `${'v'.repeat(OBJECT_BYTES + 40)}\n` : await eventOf(bench, ours)
    const bare = await bench.bare({ is: 'fan-out', frame })
    const flood = (target: Target, path: string, lanes: (typeof shapes)[number] | Bare) =>
      bench.run({
        is: 'watch',
        target,
        protocol: lanes.protocol,
        connections: lanes.connections,
        streams: lanes.streams,
        path: `${path}?watch=1`,
        writes: {
          is: 'create',
          path,
          prefix: 'settings-',
          sizeBytes: OBJECT_BYTES,
          count: 1_000_000,
        },
        inFlight: IN_FLIGHT,
        seconds,
      })
    const rows: Row[] = []
    for (const shape of shapes) {
      const idle: Sample[] = []
      rows.push(
        await bench.alternate(
          {
            question: 'watch',
            what: shape.what,
            unit: '/s',
            goal: { of: 'ratio', is: 'at least', number: 0.7 },
          },
          ours &&
            (async (round) => {
              const path = await bench.namespace(ours, `watch-${shape.protocol}-${round}`)
              const result = await flood(ours.target, path, shape)
              // Later rounds find the memory of earlier watchers free.
              if (round === 0) idle.push(plain(result.watcherBytes / 1024))
              return rateOf(result)
            }),
          async () =>
            rateOf(
              await flood(bare.target, '/', { protocol: 'h1', connections: watchers, streams: 1 }),
            ),
        ),
      )
      if (ours === null) continue
      rows.push({
        question: 'watch',
        what: `resident for each idle watcher, ${shape.protocol === 'h1' ? 'https' : 'h2'}`,
        unit: 'KiB',
        ours: idle,
        bare: [],
        goal: { of: 'value', is: 'at most', number: shape.idleKiB },
      })
    }
    return rows
  },
}

interface Bare {
  readonly protocol: 'h1'
  readonly connections: number
  readonly streams: 1
}

/** An event as a watcher gets it. */
async function eventOf(
  bench: Bench,
  ours: NonNullable<Awaited<ReturnType<Bench['ours']>>>,
): Promise<string> {
  const path = await bench.fill(ours, 'watch-frame', 'settings-', 1)
  const { text } = await ours.ask('GET', `${path}?watch=1&timeoutSeconds=1`)
  const line = text.split('\n')[0]
  if (line === undefined || line.length < OBJECT_BYTES / 2)
    throw new Error('the watch told of no event')
  return `${line}\n`
}
