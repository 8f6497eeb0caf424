import type { Attributes } from '../attributes.ts'
import type { PluginDeps } from '../plugin.ts'

/** A request of a node's agent. */
export interface OfNode {
  /** Name of the node. */
  readonly node: string
  readonly attributes: Attributes
  readonly deps: PluginDeps
  /** Throws the refusal of the request. */
  readonly refuse: (why: string) => never
}
