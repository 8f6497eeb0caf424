/** What ran in the longest gap: a profile of the processor, cut to that time. */
import { Session, type Profiler } from 'node:inspector/promises'
import type { Gap } from './event-loop-gap.ts'

/** Microseconds between two samples. */
const SAMPLE_US = 500

/** Functions with the share of a gap that was spent in each or in what it called. */
const SHOWN = 25

export class GapProfile {
  readonly #session = new Session()

  /** Begins to look at what runs. */
  async start(): Promise<void> {
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
    await this.#session.post('Profiler.start')
  }

  /** Lines that tell of the functions that ran in a gap. */
  async stop(gap: Gap): Promise<string[]> {
    const { profile } = await this.#session.post('Profiler.stop')
    this.#session.disconnect()
    return told(profile, gap)
  }
}

function told(profile: Profiler.Profile, gap: Gap): string[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const own = new Map<string, number>()
  const all = new Map<string, number>()
  for (const { id, us } of within(profile, gap)) {
    let at: number | undefined = id
    const seen = new Set<string>()
    for (; at !== undefined; at = parents.get(at)) {
      const name = nameOf(nodes.get(at)!)
      if (at === id) own.set(name, (own.get(name) ?? 0) + us)
      if (!seen.has(name)) all.set(name, (all.get(name) ?? 0) + us)
      seen.add(name)
    }
  }
  const lines = (title: string, times: Map<string, number>) => [
    title,
    ...[...times]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, SHOWN)
      .map(([name, us]) => `${(us / 1000).toFixed(0).padStart(6)} ms ${name}`),
  ]
  return [...lines('with what it called:', all), ...lines('itself:', own)]
}

/** Samples of a time; microseconds of the clock of profiles. */
function within(
  { samples = [], timeDeltas = [], startTime }: Profiler.Profile,
  { fromUs, toUs }: Gap,
): { id: number; us: number }[] {
  let at = startTime
  return samples.flatMap((id, i) => {
    at += timeDeltas[i] ?? 0
    return at < fromUs || at > toUs ? [] : [{ id, us: timeDeltas[i + 1] ?? 0 }]
  })
}

const nameOf = ({ callFrame: { functionName, url, lineNumber } }: Profiler.ProfileNode) =>
  `${functionName || '(anonymous)'} ${url.slice(url.lastIndexOf('/') + 1)}:${lineNumber + 1}`
