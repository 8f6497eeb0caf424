/** What the parts of the campaign have in common. */

/** How a part is run. */
export interface PartOptions {
  readonly seed: number
  /** How much is done, in the unit of the part. */
  readonly rounds: number
  /** When it ends at the latest, by `performance.now()`; a round that has begun is finished. */
  readonly until: number
  /** Shows a line of progress. */
  say(line: string): void
}

/** What a part came to. */
export interface PartResult {
  /** How much was done. */
  readonly rounds: number
  readonly figures: Readonly<Record<string, number | string>>
  /** What must not be: none in a good run. */
  readonly violations: readonly string[]
  /** Why nothing was done; null where something was. */
  readonly skipped: string | null
}

/** One kind of trouble, over and over. */
export interface Part {
  readonly name: string
  /** What it shows, in a sentence. */
  readonly shows: string
  /** What its rounds are. */
  readonly unit: string
  /** Rounds of a full run. */
  readonly full: number
  run(options: PartOptions): Promise<PartResult>
}

/** The result of a part that cannot be run here. */
export const skippedFor = (why: string): PartResult => ({
  rounds: 0,
  figures: {},
  violations: [],
  skipped: why,
})

/** Whether a part goes on after so many rounds. */
export const goesOn = ({ rounds, until }: PartOptions, done: number): boolean =>
  done < rounds && performance.now() < until

/** Ends what was started, the last first; whatever one throws, all of them are tried. */
export class Closers {
  readonly #all: (() => unknown)[] = []

  add(close: () => unknown): void {
    this.#all.push(close)
  }

  async close(): Promise<void> {
    const failed: unknown[] = []
    for (const close of this.#all.splice(0).toReversed()) {
      try {
        await close()
      } catch (error) {
        failed.push(error)
      }
    }
    if (failed.length > 0) throw new AggregateError(failed, 'not everything could be ended')
  }
}

/** The words of an error. */
export const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
