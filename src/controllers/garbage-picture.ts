/** The ownership graph in the DOT language, for those who debug. */
import { Pace } from '../base/event-loop.ts'
import { placeIn, type OwnerReference } from '../client/transport.ts'
import type { GarbageGraph, Node } from './garbage-graph.ts'

/** An object, or an owner known only from references. */
interface Vertex {
  readonly uid: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly isMissing: boolean
  readonly isWaiting: boolean
}

/** The graph; with uids only what is connected to these, as owners or as dependents. */
export async function pictureOf(
  graph: GarbageGraph,
  uids: readonly string[] = [],
): Promise<string> {
  const picture = new Picture(graph)
  const pace = new Pace()
  for (const node of graph.objects()) {
    picture.add(node)
    const pause = pace.pause()
    if (pause) await pause
  }
  return picture.text(uids.length === 0 ? null : uids)
}

class Picture {
  readonly #graph: GarbageGraph
  readonly #vertices = new Map<string, Vertex>()
  /** From each object to its owners. */
  readonly #edges = new Map<string, string[]>()

  constructor(graph: GarbageGraph) {
    this.#graph = graph
  }

  add(node: Node): void {
    const { uid, resource, key, references, waiting } = node
    const { group, version, kind } = resource
    const { namespace, name } = placeIn(key)
    const isWaiting = waiting !== null
    this.#vertices.set(uid, {
      ...{ uid, group, version, kind, namespace, name, isMissing: false, isWaiting },
    })
    const owners = references.map(({ owner }) => owner)
    this.#edges.set(
      uid,
      owners.map((one) => one.uid),
    )
    for (const { uid: of, named } of owners)
      if (!this.#vertices.has(of)) this.#vertices.set(of, this.#owner(of, named, namespace))
  }

  /** `uids` is null for all. */
  text(uids: readonly string[] | null): string {
    const shown = uids && this.#connected(uids)
    const numbers = new Map<string, number>()
    const lines = ['strict digraph full {', '  // Node definitions.']
    for (const [uid, vertex] of this.#vertices) {
      if (shown && !shown.has(uid)) continue
      lines.push(definition(numbers.size, vertex))
      numbers.set(uid, numbers.size)
    }
    lines.push('', '  // Edge definitions.')
    for (const [from, owners] of this.#edges) {
      if (!numbers.has(from)) continue
      for (const to of owners) lines.push(`  ${numbers.get(from)} -> ${numbers.get(to)};`)
    }
    return `${lines.join('\n')}\n}\n`
  }

  #connected(uids: readonly string[]): ReadonlySet<string> {
    const next = uids.filter((uid) => this.#vertices.has(uid))
    const found = new Set(next)
    for (let uid = next.pop(); uid !== undefined; uid = next.pop()) {
      const dependents = [...this.#graph.dependentsOf(uid)].map((one) => one.uid)
      for (const one of [...(this.#edges.get(uid) ?? []), ...dependents]) {
        if (found.has(one) || !this.#vertices.has(one)) continue
        found.add(one)
        next.push(one)
      }
    }
    return found
  }

  /** An owner by a reference to it; its object is not stored where it has no owner itself. */
  #owner(uid: string, named: OwnerReference | null, namespace: string): Vertex {
    const { apiVersion = '', kind = '', name = '' } = named ?? {}
    const slash = apiVersion.indexOf('/')
    const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)]
    const isMissing = this.#graph.isGone(uid)
    return { uid, group, version, kind, namespace, name, isMissing, isWaiting: false }
  }
}

function definition(number: number, vertex: Vertex): string {
  const { uid, group, version, kind, namespace, name } = vertex
  const label = `uid=${uid}\nnamespace=${namespace}\n${kind}.${version}${group === '' ? '' : `.${group}`}/${name}\n`
  const attributes = {
    ...{ label, group, version, kind, namespace, name, uid },
    missing: String(vertex.isMissing),
    deletingDependents: String(vertex.isWaiting),
  }
  // Names in references can be any text.
  const lines = Object.entries(attributes).map(
    ([attribute, value]) => `    ${attribute}=${JSON.stringify(value)}`,
  )
  return `  ${number} [\n${lines.join('\n')}\n  ];`
}
