/** Made-up requests by the million: the grammar fuzzer with one seed after another. */
import { Admin } from '../fuzz/admin.ts'
import { partSeed } from '../fuzz/dice.ts'
import { findingText, lineOf } from '../fuzz/report.ts'
import { Run, type Figures } from '../fuzz/run.ts'
import { startSubject, type SubjectOptions } from '../fuzz/subject.ts'
import { learnWorld } from '../fuzz/world.ts'
import { hasEtcd } from '../store/etcd.ts'
import { goesOn, wordsOf, type Part } from './part.ts'

/** Requests with one seed, to one server. */
const TOGETHER = 50_000
/** A server that takes longer for them is one with a fault. */
const MOST_SECONDS = 3_600
const MODES: readonly SubjectOptions[] = [
  { vocabulary: 'orch', store: 'lmdb' },
  { vocabulary: 'kubernetes', store: 'memory' },
  ...(hasEtcd ? [{ vocabulary: 'kubernetes', store: 'etcd' } as const] : []),
  { vocabulary: 'orch', store: 'memory' },
  { vocabulary: 'kubernetes', store: 'lmdb' },
]

/** Requests by grammar, with mutated bytes, in all media types, over both protocols. */
export const fuzz: Part = {
  name: 'fuzz',
  shows: 'no request gets an error of the server, kills it, or changes what it must not',
  unit: 'requests',
  full: 10_000_000,
  async run(options) {
    const seeds: string[] = []
    const violations: string[] = []
    const statuses = new Map<number, number>()
    const sums = { requests: 0, written: 0, roundTrips: 0, longestTurnMs: 0 }
    for (let part = 0; goesOn(options, sums.requests); part++) {
      const seed = partSeed(options.seed, part, 0)
      const mode = MODES[part % MODES.length]!
      const name = `${mode.vocabulary}/${mode.store} seed ${seed}`
      const requests = Math.min(TOGETHER, options.rounds - sums.requests)
      const left = (options.until - performance.now()) / 1_000
      const seconds = Math.max(1, Math.min(MOST_SECONDS, left))
      const figures = await fuzzed(mode, { seed, requests, seconds }).catch((error: unknown) => {
        violations.push(`${name}: ${wordsOf(error)}`)
        return null
      })
      seeds.push(name)
      if (figures === null) break
      sums.requests += Math.max(1, figures.requests)
      sums.written += figures.written
      sums.roundTrips += figures.roundTrips
      sums.longestTurnMs = Math.max(sums.longestTurnMs, figures.longestTurnMs)
      for (const [status, count] of figures.statuses)
        statuses.set(status, (statuses.get(status) ?? 0) + count)
      violations.push(...figures.findings.map((found) => `${name}: ${findingText(found)}`))
      options.say(`${sums.requests} requests; ${lineOf(figures)}`)
    }
    return {
      rounds: sums.requests,
      figures: {
        'writes taken': sums.written,
        'read back': sums.roundTrips,
        'longest turn, ms': sums.longestTurnMs,
        statuses: [...statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`)
          .join(', '),
        seeds: seeds.join(', '),
      },
      violations,
      skipped: null,
    }
  },
}

async function fuzzed(
  mode: SubjectOptions,
  amount: { readonly seed: number; readonly requests: number; readonly seconds: number },
): Promise<Figures> {
  const subject = await startSubject(mode)
  try {
    const admin = new Admin(subject.where)
    const ask = async (path: string) => (await admin.ask('GET', path)).body
    const world = await learnWorld(mode.vocabulary, ask).finally(() => admin.close())
    return await new Run(subject, world, amount).go()
  } finally {
    await subject.close()
  }
}
