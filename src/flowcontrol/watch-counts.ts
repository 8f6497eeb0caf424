/** How many watches the change of an object is sent to. */

/** The objects of a watch or of a write. */
export interface WatchPlace {
  readonly group: string
  readonly resource: string
  /** Empty: all. */
  readonly namespace: string
  /** Empty: all. */
  readonly name: string
}

/** The field by which watches of pods are told apart: each node watches its own. */
const NODE_FIELD = /(?:^|,)spec\.nodeName==?([^,]+)/

/** Counts the watches of a server. */
export class WatchCounts {
  readonly #counts = new Map<string, number>()
  /** Watches of the pods of one node, by its name. */
  readonly #byNode = new Map<string, number>()
  /** Number of nodes by their number of watches. */
  readonly #nodesWith: number[] = []
  #mostOfNode = 0

  /** Adds a watch; returns a function that removes it. */
  add(place: WatchPlace, fieldSelector = ''): () => void {
    const { group, resource, namespace, name } = place
    const node =
      group === '' && resource === 'pods' && name === ''
        ? NODE_FIELD.exec(fieldSelector)?.[1]
        : undefined
    if (node !== undefined && namespace === '') return this.#addOfNode(node)
    const key = keyOf(place, namespace, name)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    return () => drop(this.#counts, key)
  }

  #addOfNode(node: string): () => void {
    this.#moveNode(node, 1)
    return () => this.#moveNode(node, -1)
  }

  #moveNode(node: string, by: 1 | -1): void {
    const before = this.#byNode.get(node) ?? 0
    const count = before + by
    if (count > 0) this.#byNode.set(node, count)
    else this.#byNode.delete(node)
    this.#nodesWith[before] = (this.#nodesWith[before] ?? 0) - 1
    this.#nodesWith[count] = (this.#nodesWith[count] ?? 0) + 1
    this.#mostOfNode = Math.max(this.#mostOfNode, count)
    while (this.#mostOfNode > 0 && this.#nodesWith[this.#mostOfNode] === 0) this.#mostOfNode--
  }

  /** Number of watches that a write to a place is sent to. The node of a pod is unknown: the most of any counts. */
  of(place: WatchPlace): number {
    const { group, resource, namespace, name } = place
    const ofNode = resource === 'pods' && group === '' ? this.#mostOfNode : 0
    if (this.#counts.size === 0) return ofNode
    const at = (ns: string, one: string) => this.#counts.get(keyOf(place, ns, one)) ?? 0
    let count = at('', '')
    if (namespace !== '') count += at(namespace, '')
    if (name !== '') count += at('', name)
    if (namespace !== '' && name !== '') count += at(namespace, name)
    return count + ofNode
  }
}

function drop(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 0) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}

const keyOf = ({ group, resource }: WatchPlace, namespace: string, name: string) =>
  `${group}\0${resource}\0${namespace}\0${name}`
