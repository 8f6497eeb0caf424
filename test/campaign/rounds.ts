/** Rounds of faults under one load after another, and the sums of what was found. */
import { lineOf, runCampaign, type Campaign, type Figures } from '../faults/campaign.ts'
import type { Fault } from '../faults/scene.ts'
import { goesOn, type PartOptions, type PartResult } from './part.ts'

/** Most rounds under one load: what it records is checked as a whole, which takes longer the more there is. */
const MOST_TOGETHER = 5

/** What the rounds are made with. */
export interface Rounds extends Pick<Campaign, 'subject' | 'disk' | 'cluster' | 'random'> {
  readonly faults: readonly Fault[]
}

/** What is added up. */
const SUMMED = [
  ...(['rounds', 'operations', 'reads', 'writes', 'unknown'] as const),
  ...(['watches', 'events', 'expired'] as const),
] as const

/** Sums of many loads. */
export class Sums {
  #loads = 0
  readonly #numbers: Record<(typeof SUMMED)[number], number> = {
    ...{ rounds: 0, operations: 0, reads: 0, writes: 0, unknown: 0 },
    ...{ watches: 0, events: 0, expired: 0 },
  }
  #outageMs = 0
  readonly violations: string[] = []

  add(figures: Figures): void {
    this.#loads++
    for (const name of SUMMED) this.#numbers[name] += figures[name]
    this.#outageMs = Math.max(this.#outageMs, figures.outageMs)
    this.violations.push(
      ...figures.violations.map((what) => `${figures.store}, ${figures.fault}: ${what}`),
    )
  }

  get rounds(): number {
    return this.#numbers.rounds
  }

  result(more: PartResult['figures'] = {}): PartResult {
    const { rounds, ...numbers } = this.#numbers
    return {
      rounds,
      figures: {
        ...{ loads: this.#loads, ...numbers },
        ...{ 'longest outage, s': Math.round(this.#outageMs / 100) / 10 },
        ...more,
      },
      violations: this.violations,
      skipped: null,
    }
  }
}

/** Does rounds of faults in turn until there were enough. Servers run before and after. */
export async function runRounds(
  { faults, ...stage }: Rounds,
  options: PartOptions,
  sums: Sums,
): Promise<void> {
  const together = Math.min(MOST_TOGETHER, Math.ceil(options.rounds / faults.length))
  let done = 0
  for (let load = 0; goesOn(options, done); load++) {
    const rounds = Math.min(together, options.rounds - done)
    const figures = await runCampaign({
      ...stage,
      fault: faults[load % faults.length]!,
      rounds,
      seed: options.seed * 1_000 + sums.rounds,
      prefix: `c${sums.rounds}-`,
    })
    sums.add(figures)
    done += rounds
    options.say(`${sums.rounds} rounds; ${lineOf(figures)}`)
  }
}
