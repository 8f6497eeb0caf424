/** Values for volumes on nodes, found by the one or the other. */
export class PairMap<T> {
  readonly #byVolume = new Map<string, Map<string, T>>()
  readonly #byNode = new Map<string, Map<string, T>>()

  get(volume: string, node: string): T | undefined {
    return this.#byVolume.get(volume)?.get(node)
  }

  set(volume: string, node: string, value: T): void {
    put(this.#byVolume, volume, node, value)
    put(this.#byNode, node, volume, value)
  }

  delete(volume: string, node: string): void {
    drop(this.#byVolume, volume, node)
    drop(this.#byNode, node, volume)
  }

  /** By node. */
  ofVolume(volume: string): ReadonlyMap<string, T> {
    return this.#byVolume.get(volume) ?? NOTHING
  }

  /** By volume. */
  ofNode(node: string): ReadonlyMap<string, T> {
    return this.#byNode.get(node) ?? NOTHING
  }

  *values(): Iterable<T> {
    for (const one of this.#byVolume.values()) yield* one.values()
  }
}

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>()

type Nested<T> = Map<string, Map<string, T>>

function put<T>(maps: Nested<T>, outer: string, inner: string, value: T): void {
  const map = maps.get(outer)
  if (map) map.set(inner, value)
  else maps.set(outer, new Map([[inner, value]]))
}

function drop<T>(maps: Nested<T>, outer: string, inner: string): void {
  const map = maps.get(outer)
  map?.delete(inner)
  if (map?.size === 0) maps.delete(outer)
}

/** A volume on a node as a key of a queue. */
export const pairKey = (volume: string, node: string): string => `${node}\0${volume}`

/** The volume and the node of such a key. */
export function pairOf(key: string): { readonly volume: string; readonly node: string } {
  const at = key.indexOf('\0')
  return { node: key.slice(0, at), volume: key.slice(at + 1) }
}
