/** Objects in their newest known state: what a controller wrote may be newer than what it has heard of. */
import type { Typed } from '../../meta/object-meta.ts'

/** A write of this controller that its informer has not reported yet. */
interface Write<T> {
  readonly uid: string
  readonly revision: bigint
  /** Null: it was deleted. */
  readonly object: T | null
}

/** The last writes of a controller, by the keys of objects, until its informer has caught up with them. */
export class Newest<T extends Typed> {
  readonly #writes = new Map<string, Write<T>>()

  /** Remembers the result of a write. */
  wrote(key: string, object: T): void {
    const { uid = '' } = object.metadata
    this.#writes.set(key, { uid, revision: revisionOf(object), object })
  }

  /** Remembers the deletion of an object of this state. */
  removed(key: string, object: T): void {
    const { uid = '' } = object.metadata
    this.#writes.set(key, { uid, revision: revisionOf(object), object: null })
  }

  /** Whether a write of the object is remembered. */
  has(key: string): boolean {
    return this.#writes.has(key)
  }

  /** Whether what the informer knows is what was written here. */
  isWritten(key: string, known: T | null): boolean {
    const write = this.#writes.get(key)
    if (!write) return false
    if (known === null) return write.object === null
    return write.object !== null && revisionOf(known) === write.revision
  }

  /** The object, where `known` is what the informer knows. */
  pick(key: string, known: T | null): T | null {
    const write = this.#writes.get(key)
    if (!write) return known
    const isHeard = known
      ? revisionOf(known) >= write.revision &&
        (write.object !== null || known.metadata.uid !== write.uid)
      : write.object === null
    if (!isHeard) return write.object
    this.#writes.delete(key)
    return known
  }

  /** Forgets a write that failed, or whose object was deleted since. */
  forget(key: string, uid?: string): void {
    if (uid === undefined || this.#writes.get(key)?.uid === uid) this.#writes.delete(key)
  }

  /** Forgets all of them: the informer has listed everything again. */
  clear(): void {
    this.#writes.clear()
  }
}

const revisionOf = ({ metadata }: Typed): bigint => BigInt(metadata.resourceVersion ?? 0)
