import type { Served } from '../schema/catalogue.ts'
import type { Version } from '../store/cache/version.ts'

/** An object that has owners, or that ends and is waited for. */
export interface Node {
  readonly served: Served
  /** Key in the store. */
  readonly key: string
  readonly references: readonly Reference[]
  /** The object as an owner that ends when its dependents have; null when it does not. */
  readonly waiting: Owner | null
}

interface Reference {
  readonly owner: Owner
  /** Foreground deletion of the owner waits for this object. */
  readonly blocks: boolean
}

/** An object that others name as their owner, whether it exists or not. */
interface Owner {
  readonly uid: string
  readonly dependents: Set<Node>
  /** Key of the owner while it waits for its dependents. */
  endingKey: string | null
}

const NO_REFERENCES: readonly Reference[] = []
// As wide as the field's memory of owners that are gone.
const GONE = 500

/**
 * Who depends on whom, by uid. Objects without owners are not kept: whether an owner exists is asked of the store,
 * which has all of it in memory. `due` is told the key of each object that may have to go or may be let go.
 */
export class GarbageGraph {
  readonly #due: (key: string) => void
  readonly #nodes = new Map<string, Node>()
  readonly #owners = new Map<string, Owner>()
  readonly #gone = new Set<string>()

  constructor(due: (key: string) => void) {
    this.#due = due
  }

  /** Objects and owners that are kept. */
  get size(): { readonly nodes: number; readonly owners: number } {
    return { nodes: this.#nodes.size, owners: this.#owners.size }
  }

  /** Takes in the present state of an object. */
  set(served: Served, version: Version): void {
    const metadata = version.metadata()
    const owners = ownersIn(metadata)
    const ending = endingIn(metadata)
    const { key } = version
    const before = this.#nodes.get(key)
    if (owners === NO_OWNERS && ending === null) {
      if (before) this.#drop(before)
      return
    }
    const uid = uidIn(metadata)
    const waiting = ending === null ? null : this.#end(uid, key, ending, before)
    if (before && isSame(before, owners, waiting)) return
    const references = owners.map(({ uid, blockOwnerDeletion }) => ({
      owner: this.#owner(uid),
      blocks: blockOwnerDeletion === true,
    }))
    const node: Node = {
      served,
      key,
      references: references.length === 0 ? NO_REFERENCES : references,
      waiting,
    }
    for (const { owner } of references) owner.dependents.add(node)
    this.#nodes.set(key, node)
    if (before) this.#unlink(before)
    if (ending === null) this.#due(key)
  }

  /** Takes out an object that is gone; its dependents are due. */
  removed(version: Version): void {
    const before = this.#nodes.get(version.key)
    if (before) this.#drop(before)
    const uid = uidIn(version.metadata())
    const owner = this.#owners.get(uid)
    if (!owner) return
    owner.endingKey = null
    if (owner.dependents.size > 0) this.#remember(uid)
    for (const { key } of owner.dependents) this.#due(key)
    this.#forget(owner)
  }

  /** Objects that name this one as an owner. */
  dependentsOf(uid: string): ReadonlySet<Node> {
    return this.#owners.get(uid)?.dependents ?? NO_NODES
  }

  /**
   * Whether foreground deletion of an object still has something to wait for. Objects that wait for each other, all in
   * foreground deletion, do not count: none of them would ever go.
   */
  isBlocked(uid: string): boolean {
    const start = this.#owners.get(uid)
    if (!start) return false
    const seen = new Set([start])
    // Depth first: what is not going itself is found in the first branches.
    const path = [blockersOf(start)]
    let isInRing = false
    let hasBlockers = false
    for (let branch = path.at(-1); branch; branch = path.at(-1)) {
      const { value: next, done } = branch.next()
      if (done) {
        path.pop()
        continue
      }
      hasBlockers = true
      if (next === null) return true
      if (next === start) isInRing = true
      if (seen.has(next)) continue
      seen.add(next)
      const further = blockersOf(next)
      const first = further.next()
      // It goes by itself, and then this object's turn may come.
      if (first.done === true) return true
      path.push(blockersOf(next))
    }
    return hasBlockers && !isInRing
  }

  /** Whether an owner was seen to go lately. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid)
  }

  /** An object ends with a word about its dependents; that it waits is news once for the dependents. */
  #end(
    uid: string,
    key: string,
    ending: 'orphan' | 'foreground',
    before: Node | undefined,
  ): Owner | null {
    this.#due(key)
    if (ending !== 'foreground') return null
    if (before?.waiting) return before.waiting
    const owner = this.#owner(uid)
    owner.endingKey = key
    for (const dependent of owner.dependents) this.#due(dependent.key)
    return owner
  }

  #drop(node: Node): void {
    this.#nodes.delete(node.key)
    this.#unlink(node)
  }

  /** Owners that wait for the object look again. */
  #unlink(node: Node): void {
    for (const { owner } of node.references) {
      owner.dependents.delete(node)
      if (owner.endingKey !== null) this.#due(owner.endingKey)
      this.#forget(owner)
    }
  }

  #owner(uid: string): Owner {
    let owner = this.#owners.get(uid)
    if (!owner)
      this.#owners.set(uid, (owner = { uid, dependents: new Set<Node>(), endingKey: null }))
    return owner
  }

  #forget(owner: Owner): void {
    if (owner.dependents.size === 0 && owner.endingKey === null) this.#owners.delete(owner.uid)
  }

  #remember(uid: string): void {
    this.#gone.add(uid)
    if (this.#gone.size <= GONE) return
    for (const oldest of this.#gone) {
      this.#gone.delete(oldest)
      break
    }
  }
}

const NO_NODES: ReadonlySet<Node> = new Set()

/** What blocks an owner: those that wait in turn, and null for each that does not. */
function* blockersOf(owner: Owner): Generator<Owner | null, void> {
  for (const { references, waiting } of owner.dependents) {
    for (const reference of references)
      if (reference.blocks && reference.owner === owner) yield waiting
  }
}

interface OwnerText {
  readonly uid: string
  readonly blockOwnerDeletion?: boolean
}

const NO_OWNERS: readonly OwnerText[] = []
// Inside of text these bytes would stand with backslashes, and no map of text has a list as a value.
const OWNERS = Buffer.from('"ownerReferences":[')
const UID = Buffer.from('"uid":"')
const FINALIZERS = Buffer.from('"finalizers":[')
const ENDING = Buffer.from('"deletionTimestamp":"')
const QUOTE = 0x22
const BACKSLASH = 0x5c
const CLOSE = 0x5d

/** Owner references in stored metadata, without reading the rest of it. */
function ownersIn(metadata: Buffer): readonly OwnerText[] {
  const at = metadata.indexOf(OWNERS)
  if (at === -1) return NO_OWNERS
  const owners = listAt(metadata, at + OWNERS.length - 1) as OwnerText[]
  return owners.length === 0 ? NO_OWNERS : owners
}

/** The uid in stored metadata, which stands among its first fields. */
function uidIn(metadata: Buffer): string {
  const at = metadata.indexOf(UID)
  if (at === -1) return ''
  const start = at + UID.length
  return metadata.toString('latin1', start, metadata.indexOf(QUOTE, start))
}

/** What an ending object wants to become of its dependents; null when nothing, or when it does not end. */
function endingIn(metadata: Buffer): 'orphan' | 'foreground' | null {
  if (metadata.indexOf(ENDING) === -1) return null
  const at = metadata.indexOf(FINALIZERS)
  if (at === -1) return null
  const finalizers = listAt(metadata, at + FINALIZERS.length - 1) as string[]
  if (!finalizers.includes('orphan') && !finalizers.includes('foregroundDeletion')) return null
  // An annotation may have the name of the field.
  const { deletionTimestamp } = JSON.parse(metadata.toString('utf8')) as {
    deletionTimestamp?: string
  }
  if (deletionTimestamp === undefined) return null
  return finalizers.includes('orphan') ? 'orphan' : 'foreground'
}

/** A list without lists in it that begins at `start`. */
function listAt(bytes: Buffer, start: number): unknown[] {
  let inText = false
  for (let i = start + 1; i < bytes.length; i++) {
    const byte = bytes[i]
    if (inText) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (byte === CLOSE) return JSON.parse(bytes.toString('utf8', start, i + 1)) as unknown[]
  }
  return []
}

function isSame(node: Node, owners: readonly OwnerText[], waiting: Owner | null): boolean {
  return (
    node.waiting === waiting &&
    node.references.length === owners.length &&
    node.references.every(
      ({ owner, blocks }, i) =>
        owner.uid === owners[i]!.uid && blocks === (owners[i]!.blockOwnerDeletion === true),
    )
  )
}
