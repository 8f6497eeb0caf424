/** Completion indexes of a Job, and the text in which its status keeps them: `0-2,5,7,8`. */

/** From the first to the last index of a run. */
type Run = readonly [first: number, last: number]

/** Indexes that have succeeded. */
export class Indexes {
  readonly #runs: readonly Run[]

  private constructor(runs: readonly Run[]) {
    this.#runs = runs
  }

  /** Reads a status; indexes from `completions` on are left out, and the rest where it cannot be read. */
  static parse(text: string | undefined, completions: number): Indexes {
    const runs: Run[] = []
    for (const part of (text ?? '').split(',')) {
      const [, first, last = first] = /^([0-9]{1,10})(?:-([0-9]{1,10}))?$/.exec(part) ?? []
      if (first === undefined) break
      const end = Math.min(Number(last), completions - 1)
      if (Number(first) <= end) runs.push([Number(first), end])
    }
    return new Indexes(joined(runs))
  }

  static of(indexes: Iterable<number>): Indexes {
    return new Indexes(joined(Array.from(indexes, (index): Run => [index, index])))
  }

  with(others: Iterable<number>): Indexes {
    return new Indexes(
      joined([...this.#runs, ...Array.from(others, (index): Run => [index, index])]),
    )
  }

  has(index: number): boolean {
    return this.#runs.some(([first, last]) => index >= first && index <= last)
  }

  get count(): number {
    return this.#runs.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  }

  /** A run of two is written with a comma. */
  toString(): string {
    return this.#runs
      .map(([first, last]) =>
        first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`,
      )
      .join()
  }
}

/** Runs in order that neither overlap nor touch. */
function joined(runs: readonly Run[]): readonly Run[] {
  const result: [number, number][] = []
  for (const [first, last] of [...runs].sort(([a], [b]) => a - b)) {
    const before = result.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else result.push([first, last])
  }
  return result
}
