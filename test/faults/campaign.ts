/** Rounds of one fault under one load, and what was found in what its clients saw. */
import { checkHistory } from './check.ts'
import { History } from './history.ts'
import { Load } from './load.ts'
import type { Fault, Scene } from './scene.ts'
import { wait } from './waiting.ts'

/** What a campaign came to. */
export interface Figures {
  readonly store: string
  readonly fault: string
  readonly rounds: number
  readonly operations: number
  /** Gets and lists that were answered. */
  readonly reads: number
  /** Writes that were acknowledged. */
  readonly writes: number
  /** Operations of which nobody knows whether they happened. */
  readonly unknown: number
  readonly watches: number
  readonly events: number
  readonly expired: number
  /** The longest time without an acknowledged write, milliseconds. */
  readonly outageMs: number
  readonly violations: readonly string[]
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Where and how often a fault is to happen. */
export interface Campaign extends Pick<Scene, 'subject' | 'random' | 'disk' | 'cluster'> {
  readonly fault: Fault
  readonly rounds: number
  readonly seed: number
  /** What its objects are called; no other campaign on the same store has the same. */
  readonly prefix: string
}

/** An error of a store that is one with the server; of one that is not, it has its own words. */
const EXCUSED = { lmdb: [429, 500, 503, 507], etcd: [429, 503, 504] }

/** Runs the rounds. The servers run before and, whatever happened, after it. */
export async function runCampaign(campaign: Campaign): Promise<Figures> {
  const { fault, rounds, seed, prefix, subject, random } = campaign
  const now = () => performance.now()
  const history = new History(now)
  let clients = 0
  const load = new Load({
    seed,
    prefix,
    keys: 6,
    writers: 12,
    watchers: 5,
    history,
    endsWhole: subject.endsWhole,
    excused: subject.endsWhole ? EXCUSED.lmdb : EXCUSED.etcd,
    connect: () => subject.servers[clients++ % subject.servers.length]!.client(),
    now,
  })
  const scene: Scene = { ...campaign, history, load }
  const troubles: string[] = []
  await load.start()
  try {
    for (let i = 0; i < rounds; i++) {
      await wait(200 + random.below(600))
      await fault.run(scene).catch(async (error: Error) => {
        troubles.push(`round ${i}: ${error.message}`)
        for (const server of subject.servers) if (!server.running) await server.start()
      })
    }
    await load.end()
  } finally {
    load.abort()
  }
  const { wrong, counts } = checkHistory(history, load, subject)
  return {
    store: subject.name,
    fault: fault.name,
    rounds,
    operations: counts.operations,
    reads: load.tally.read,
    writes: load.tally.written,
    unknown: history.operations.filter(({ outcome }) => outcome.is === 'unknown').length,
    watches: counts.watches,
    events: counts.events,
    expired: counts.expired,
    outageMs: Math.round(load.tally.longestOutageMs),
    violations: [...troubles, ...load.tally.surprises, ...wrong],
    statuses: Object.fromEntries(load.tally.statuses),
  }
}

/** Figures as a line. */
export function lineOf(figures: Figures): string {
  const { store, fault, rounds, operations, reads, writes, unknown } = figures
  const { watches, events, expired, outageMs, violations } = figures
  return [
    `${store}, ${fault}:`,
    `${rounds} faults,`,
    `${operations} operations (${reads} reads, ${writes} writes, ${unknown} unknown),`,
    `${watches} watches (${events} events, ${expired} expired),`,
    `longest outage ${(outageMs / 1000).toFixed(1)} s,`,
    `${violations.length} violations`,
  ].join(' ')
}
