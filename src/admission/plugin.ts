import type { Authorizer } from '../authz/authorizer.ts'
import type { Typed } from '../schema/object-meta.ts'
import type { HookContext } from '../schema/resource.ts'

/** One change that asks to be let in (seed 1, Admission behaviour rules). */
export interface Attempt {
  readonly operation: 'create' | 'update' | 'delete' | 'connect'
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly namespaced: boolean
  /** null on delete. Mutating plugins may change it in place. */
  readonly object: Typed | null
  /** null on create. */
  readonly old: Typed | null
  readonly dryRun: boolean
}

/** How plugins read other objects. */
export interface Objects {
  /** The stored object in its stored version, not to be changed; null when absent. */
  get(
    resource: { group: string; resource: string },
    namespace: string,
    name: string,
  ): Promise<Typed | null>
}

/** What plugins ask. */
export interface AdmissionWorld extends Objects {
  readonly authorizer: Pick<Authorizer, 'authorize'>
}

export interface AdmissionPlugin {
  readonly name: string
  readonly onByDefault: boolean
  readonly handles: readonly Attempt['operation'][]
  /** May change the object; throws StatusError to refuse. */
  mutate?(attempt: Attempt, c: HookContext, world: AdmissionWorld): void | Promise<void>
  /** Throws StatusError to refuse. */
  validate?(attempt: Attempt, c: HookContext, world: AdmissionWorld): void | Promise<void>
}
