import { inBackground } from '../../base/background-pace.ts'
import type { Entry } from '../../client/entry.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { Amounts } from '../../quota/amounts.ts'
import type { Evaluator } from '../../quota/evaluator.ts'
import type { ScopeTraits } from '../../quota/scopes.ts'

/** What an object takes, and what scopes ask of it. */
export interface Counted {
  readonly usage: Amounts
  /** Null: in no scope. */
  readonly traits: ScopeTraits | null
}

/** Notified of an object that was counted, is counted otherwise, or is no longer. */
export type CountChanged = (before: Counted | null, after: Counted | null) => void

/** The objects of one resource. */
interface ResourceCounts {
  readonly counted: Map<string, Counted>
  /** Objects that changed while all are read; null when they are not. */
  touched: Set<string> | null
  /** Resolves when all have been read. */
  filled: Promise<void> | null
}

/** An entry of an informer, of a resource that an evaluator measures. */
type AnyEntry = Pick<Entry<object>, 'name' | 'object'>

/** What the objects of a namespace with quotas take, of the resources that its quotas limit. */
export class NamespaceCounts {
  readonly #resources = new Map<Evaluator, ResourceCounts>()
  readonly #changed: CountChanged
  readonly #now: () => number

  constructor(changed: CountChanged, now: () => number) {
    this.#changed = changed
    this.#now = now
  }

  /** Everything that is counted of a resource. */
  of(evaluator: Evaluator): Iterable<Counted> {
    return this.#resources.get(evaluator)?.counted.values() ?? []
  }

  /** An object that was added or changed. */
  set(evaluator: Evaluator, entry: AnyEntry): void {
    const counts = this.#resources.get(evaluator)
    if (!counts) return
    counts.touched?.add(entry.name)
    this.#count(counts, evaluator, entry)
  }

  /** An object that was deleted. */
  delete(evaluator: Evaluator, { name }: Pick<AnyEntry, 'name'>): void {
    const counts = this.#resources.get(evaluator)
    if (!counts) return
    counts.touched?.add(name)
    this.#uncount(counts, name)
  }

  /** Counts all objects of a resource, unless that is done; `again` in any case. */
  fill(evaluator: Evaluator, list: () => Iterable<AnyEntry>, again = false): Promise<void> {
    const counts = this.#resources.get(evaluator) ?? {
      counted: new Map(),
      touched: null,
      filled: null,
    }
    this.#resources.set(evaluator, counts)
    if (counts.filled && (!again || counts.touched)) return counts.filled
    return (counts.filled = this.#fill(counts, evaluator, [...list()]))
  }

  /** Forgets a resource that is no longer served. */
  forget(evaluator: Evaluator): void {
    const counts = this.#resources.get(evaluator)
    if (!counts) return
    for (const name of counts.counted.keys()) this.#uncount(counts, name)
    this.#resources.delete(evaluator)
  }

  /** Objects that change meanwhile are newer than what was listed. */
  async #fill(
    counts: ResourceCounts,
    evaluator: Evaluator,
    listed: readonly AnyEntry[],
  ): Promise<void> {
    const touched = (counts.touched = new Set<string>())
    const names = new Set<string>()
    await inBackground(listed, (entry) => {
      names.add(entry.name)
      if (!touched.has(entry.name)) this.#count(counts, evaluator, entry)
    })
    for (const name of counts.counted.keys())
      if (!names.has(name) && !touched.has(name)) this.#uncount(counts, name)
    counts.touched = null
  }

  #count({ counted }: ResourceCounts, evaluator: Evaluator, entry: AnyEntry): void {
    const before = counted.get(entry.name) ?? null
    if (before && evaluator.isCount) return
    // Of a resource whose objects are just counted nothing is decoded.
    const object = (evaluator.isCount ? {} : entry.object) as Typed
    const after: Counted = {
      usage: evaluator.usage(object, this.#now()),
      traits: evaluator.traits?.(object) ?? null,
    }
    counted.set(entry.name, after)
    this.#changed(before, after)
  }

  #uncount({ counted }: ResourceCounts, name: string): void {
    const before = counted.get(name)
    if (before && counted.delete(name)) this.#changed(before, null)
  }
}
