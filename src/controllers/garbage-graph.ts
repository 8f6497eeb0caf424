import type { Entry } from '../client/entry.ts'
import { MemberNames } from '../client/member-names.ts'
import type { ApiObject, Metadata, OwnerReference, ServedResource } from '../client/transport.ts'

/** An object that has owners, or that ends and is waited for. */
export interface Node {
  readonly resource: ServedResource
  /** `namespace/name`, or the name at the cluster scope. */
  readonly key: string
  /** The object among those of all resources. */
  readonly id: string
  /** Empty unless the graph is to be shown. */
  readonly uid: string
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
  /** Id of the owner while it waits for its dependents. */
  endingId: string | null
  /** As a dependent names it; null unless the graph is to be shown. */
  readonly named: OwnerReference | null
}

/** A watched resource; its name is unique and has no blanks. */
export interface Monitored {
  readonly name: string
  readonly resource: ServedResource
}

const idOf = ({ name }: Monitored, key: string): string => `${name} ${key}`

/** Members without which metadata does not matter. */
const RELEVANT = new MemberNames(['ownerReferences', 'deletionTimestamp'])
const NO_METADATA: Metadata = {}
const NO_REFERENCES: readonly Reference[] = []
// As large as the cache of absent owners in the reference.
const GONE = 500

/**
 * Ownership graph by uid. Objects without owners are not stored: the server is queried for the existence of an owner.
 * `due` receives the id of each object that may have to be deleted or finalized.
 */
export class GarbageGraph {
  readonly #due: (id: string) => void
  readonly #isShown: boolean
  readonly #nodes = new Map<string, Node>()
  readonly #owners = new Map<string, Owner>()
  readonly #gone = new Set<string>()

  /** `isShown`: keeps what only a picture of the graph needs. */
  constructor(due: (id: string) => void, isShown = false) {
    this.#due = due
    this.#isShown = isShown
  }

  /** Objects and owners that are stored. */
  get size(): { readonly nodes: number; readonly owners: number } {
    return { nodes: this.#nodes.size, owners: this.#owners.size }
  }

  /** Takes in the present state of an object; `of` is the same for all objects of a resource. */
  set(of: Monitored, entry: GraphEntry): void {
    const mayMatter = entry.mayHave(RELEVANT)
    // Nothing of it is stored either.
    if (!mayMatter && this.#nodes.size === 0) return
    const id = idOf(of, entry.key)
    const before = this.#nodes.get(id)
    const metadata = (mayMatter && entry.object.metadata) || NO_METADATA
    const { ownerReferences: owners = NO_OWNERS } = metadata
    const ending = endingOf(metadata)
    if (owners.length === 0 && ending === null) {
      if (before) this.#drop(before)
      return
    }
    const waiting = ending === null ? null : this.#end(entry.uid, id, ending, before)
    if (before && isSame(before, owners, waiting)) return
    const references = owners.map((named) => ({
      owner: this.#owner(named.uid, named),
      blocks: named.blockOwnerDeletion === true,
    }))
    const node: Node = {
      resource: of.resource,
      key: entry.key,
      id,
      uid: this.#isShown ? entry.uid : '',
      references: references.length === 0 ? NO_REFERENCES : references,
      waiting,
    }
    for (const { owner } of references) owner.dependents.add(node)
    this.#nodes.set(id, node)
    if (before) this.#unlink(before)
    if (ending === null) this.#due(id)
  }

  /** Removes a deleted object; its dependents are due. */
  removed(of: Monitored, { key, uid }: Pick<GraphEntry, 'key' | 'uid'>): void {
    const before = this.#nodes.get(idOf(of, key))
    if (before) this.#drop(before)
    const owner = this.#owners.get(uid)
    if (!owner) return
    owner.endingId = null
    if (owner.dependents.size > 0) this.#remember(uid)
    for (const { id } of owner.dependents) this.#due(id)
    this.#forget(owner)
  }

  /** Everything is due: deletions may have been missed. */
  lookAgain(): void {
    for (const id of this.#nodes.keys()) this.#due(id)
  }

  /** Removes all objects of a resource that is no longer served. */
  leave({ name }: Monitored): void {
    for (const node of [...this.#nodes.values()])
      if (node.id.startsWith(`${name} `)) this.#drop(node)
  }

  /** All objects that are stored. */
  objects(): Iterable<Node> {
    return this.#nodes.values()
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
    // Depth first: an object that is not being deleted is found in the first branches.
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
      // It is deleted without further action, and then this object may be due.
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
    id: string,
    ending: 'orphan' | 'foreground',
    before: Node | undefined,
  ): Owner | null {
    this.#due(id)
    if (ending !== 'foreground') return null
    if (before?.waiting) return before.waiting
    const owner = this.#owner(uid)
    owner.endingId = id
    for (const dependent of owner.dependents) this.#due(dependent.id)
    return owner
  }

  #drop(node: Node): void {
    this.#nodes.delete(node.id)
    this.#unlink(node)
  }

  /** Owners that wait for the object are checked again. */
  #unlink(node: Node): void {
    for (const { owner } of node.references) {
      owner.dependents.delete(node)
      if (owner.endingId !== null) this.#due(owner.endingId)
      this.#forget(owner)
    }
  }

  #owner(uid: string, reference: OwnerReference | null = null): Owner {
    const known = this.#owners.get(uid)
    if (known) return known
    const named = this.#isShown ? reference : null
    const owner: Owner = { uid, dependents: new Set<Node>(), endingId: null, named }
    this.#owners.set(uid, owner)
    return owner
  }

  #forget(owner: Owner): void {
    if (owner.dependents.size === 0 && owner.endingId === null) this.#owners.delete(owner.uid)
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

/** The blockers of an owner: dependents under deletion that wait as well, and null for each other one. */
function* blockersOf(owner: Owner): Generator<Owner | null, void> {
  for (const { references, waiting } of owner.dependents) {
    for (const reference of references)
      if (reference.blocks && reference.owner === owner) yield waiting
  }
}

/** Metadata of an object that the graph needs. */
export type GraphEntry = Pick<Entry<ApiObject>, 'key' | 'uid' | 'object' | 'mayHave'>

const NO_OWNERS: readonly OwnerReference[] = []

/** The propagation policy of an object under deletion; null when it has none, or is not under deletion. */
function endingOf({
  deletionTimestamp,
  finalizers = [],
}: Metadata): 'orphan' | 'foreground' | null {
  if (deletionTimestamp === undefined) return null
  if (finalizers.includes('orphan')) return 'orphan'
  return finalizers.includes('foregroundDeletion') ? 'foreground' : null
}

function isSame(node: Node, owners: readonly OwnerReference[], waiting: Owner | null): boolean {
  return (
    node.waiting === waiting &&
    node.references.length === owners.length &&
    node.references.every(
      ({ owner, blocks }, i) =>
        owner.uid === owners[i]!.uid && blocks === (owners[i]!.blockOwnerDeletion === true),
    )
  )
}
