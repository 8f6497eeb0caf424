/** Whose time a CPU profile shows. */
import { readFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'

/** Shares of busy time; they add up to 1. */
export interface Shares {
  /** The gRPC library, with what it calls of Node, down to the next function of the product. */
  readonly grpc: number
  /** The product and its other packages, with what they call of Node. */
  readonly product: number
  readonly garbage: number
  /** What of Node nobody of these called: sockets, timers, promises. */
  readonly node: number
}

type Owner = keyof Shares

/** Reads a profile that the profiler wrote. */
export const readShares = (file: string): Shares =>
  sharesOf(JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile)

/** Gives each sample to the owner that is nearest on its stack. */
export function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Shares {
  const owners = new Map<number, Owner | null>()
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const ownerOf = (id: number): Owner | null => {
    const known = owners.get(id)
    if (known !== undefined) return known
    const { functionName, url } = byId.get(id)!.callFrame
    const parent = parents.get(id)
    const owner =
      functionName === '(idle)'
        ? null
        : functionName === '(garbage collector)'
          ? 'garbage'
          : (ownerByFile(url) ?? (parent === undefined ? 'node' : ownerOf(parent)))
    owners.set(id, owner)
    return owner
  }
  const times: Record<Owner, number> = { grpc: 0, product: 0, garbage: 0, node: 0 }
  let total = 0
  for (const [i, id] of samples.entries()) {
    const owner = ownerOf(id)
    if (owner === null) continue
    times[owner] += timeDeltas[i] ?? 0
    total += timeDeltas[i] ?? 0
  }
  const share = (owner: Owner) => (total === 0 ? 0 : times[owner] / total)
  return {
    grpc: share('grpc'),
    product: share('product'),
    garbage: share('garbage'),
    node: share('node'),
  }
}

/** Requests come over HTTP/1.1 where this is used, so Node's HTTP/2 is there for the gRPC library alone. */
function ownerByFile(url: string): Owner | null {
  if (url.includes('/@grpc/') || url.startsWith('node:internal/http2')) return 'grpc'
  if (url === '' || url.startsWith('node:')) return null
  return 'product'
}
