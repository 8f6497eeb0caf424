import { serversPrefix } from '../../base/store-keys.ts'
import type { Change, Engine, Revision } from '../engine.ts'
import { itemsOf } from './snapshot.ts'

/** Result of a copy. */
export interface Copied {
  readonly objects: number
  /** Number added to every revision; 0 where the target was new enough to take them unchanged. */
  readonly moved: number
  /** Newest revision of the target. */
  readonly revision: Revision
}

/** How a copy is made. */
export interface CopyOptions {
  /** Called now and then with the revision reached and the last one. */
  readonly onProgress?: (revision: Revision, last: Revision) => void
}

/** Target of a copy: an engine, which may have a fast way to use up revisions with a placeholder key. */
export interface CopyTarget extends Engine {
  spend?(revisions: number, key: string): Promise<Revision>
}

/** Written where the source has revisions of which nothing is left, and removed at the end. */
const FILLER = `${serversPrefix('migration')}filler`
const FILLERS_AT_ONCE = 256
const SPENT_AT_ONCE = 10_000
const PROGRESS_EVERY = 10_000

interface Step {
  readonly at: Revision
  readonly keys: string[]
}

/**
 * Copies everything of one engine to another that is empty. A target gives revisions itself, so that the source's
 * history is played: at each revision that a value still has, the keys that were made or changed then are written,
 * and in between others are used up. Neither may have another writer. Throws an Error; the target is then partial.
 */
export async function copyStore(
  from: Engine,
  to: CopyTarget,
  { onProgress = () => {} }: CopyOptions = {},
): Promise<Copied> {
  if ((await to.range('', { limit: 1 })).items.length > 0) {
    throw new Error(`the ${to.name} store that is copied to has objects already; use an empty one`)
  }
  const source = from.revision()
  const { steps, objects } = await stepsOf(from, source)
  const first = steps[0]?.at ?? source
  const moved = Math.max(0, to.revision() + 1 - Math.max(1, first))
  const last = source + moved
  const writer = new Writer(to, last, onProgress)
  for (const { at, keys } of steps) {
    await writer.fillUpTo(at + moved - 1)
    const items = await Promise.all(keys.map((key) => from.get(key, { at: source })))
    const changes = items.flatMap((item) => (item ? [{ key: item.key, value: item.value }] : []))
    await writer.write(changes)
  }
  await writer.fillUpTo(last)
  const revision = await writer.finish()
  // Where revisions are unchanged, clients continue; else their revisions must not match another state.
  await to.compact(moved === 0 ? last : revision)
  onProgress(revision, last)
  return { objects, moved, revision }
}

/** The revisions at which the present keys were created or changed, in order. */
async function stepsOf(from: Engine, at: Revision): Promise<{ steps: Step[]; objects: number }> {
  const steps = new Map<Revision, Step>()
  let objects = 0
  const add = (revision: Revision, key: string) => {
    const step = steps.get(revision)
    if (step) step.keys.push(key)
    else steps.set(revision, { at: revision, keys: [key] })
  }
  for await (const items of itemsOf(from, at)) {
    for (const { key, created, changed } of items) {
      objects++
      add(created, key)
      if (changed !== created) add(changed, key)
    }
  }
  return { steps: [...steps.values()].sort((a, b) => a.at - b.at), objects }
}

class Writer {
  readonly #to: CopyTarget
  readonly #last: Revision
  readonly #tell: (revision: Revision, last: Revision) => void
  #at: Revision
  #told = 0
  #hasFiller = false

  constructor(to: CopyTarget, last: Revision, tell: (revision: Revision, last: Revision) => void) {
    this.#to = to
    this.#last = last
    this.#tell = tell
    this.#at = to.revision()
  }

  /** One commit, which must get the next revision. */
  async write(changes: readonly Change[]): Promise<void> {
    this.#reached(this.#at + 1, [await this.#commit(changes)])
  }

  /** Uses up revisions. */
  async fillUpTo(revision: Revision): Promise<void> {
    while (this.#at < revision) {
      const { spend } = this.#to
      const atOnce = spend ? SPENT_AT_ONCE : FILLERS_AT_ONCE
      const count = Math.min(atOnce, revision - this.#at)
      this.#hasFiller = true
      const reached = spend
        ? [await spend.call(this.#to, count, FILLER)]
        : await this.#commitFillers(count)
      this.#reached(this.#at + count, reached)
    }
  }

  #commitFillers(count: number): Promise<readonly Revision[]> {
    const change = { key: FILLER, value: Buffer.from([0]) }
    return Promise.all(Array.from({ length: count }, () => this.#commit([change])))
  }

  /** Removes the keys written only to use up revisions. */
  async finish(): Promise<Revision> {
    if (this.#hasFiller) await this.write([{ key: FILLER, value: null }])
    return this.#at
  }

  async #commit(changes: readonly Change[]): Promise<Revision> {
    const commit = await this.#to.commit(changes)
    if (!commit.done) throw new Error(`${commit.key} was not written`)
    return commit.at
  }

  #reached(expected: Revision, reached: readonly Revision[]): void {
    const newest = Math.max(...reached)
    if (newest !== expected) {
      throw new Error(
        `the ${this.#to.name} store is at revision ${newest}, not ${expected}: somebody else writes to it; stop that, empty it and try again`,
      )
    }
    this.#at = newest
    if (newest - this.#told < PROGRESS_EVERY) return
    this.#told = newest
    this.#tell(newest, this.#last)
  }
}
