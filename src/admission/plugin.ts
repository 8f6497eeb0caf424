import type { ServiceResolver } from '../client/service-address.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import type { Clock } from '../base/clock.ts'
import type { Egress } from '../base/dial.ts'
import type { Ids } from '../base/ids.ts'
import type { CallObserver } from '../client/json-call.ts'
import type { Log } from '../base/log.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { ResourceName } from '../meta/resource-name.ts'
import type { Registry } from '../metrics/registry.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Attributes, MutableAttributes, Operation } from './attributes.ts'
import type { ObjectWriter } from './object-writer.ts'

/** Dependencies of a plugin. */
export interface PluginDeps {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Reads and follows objects, from memory and in their stored version. */
  readonly objects: ObjectSource
  /** Writes objects in the server's name: quotas that are spent, namespaces that are made. */
  readonly writer: ObjectWriter
  readonly authorizer: Pick<Authorizer, 'authorize'>
  /** The served resources, for conversion and for kinds that are named in rules. */
  readonly catalogue: Catalogue
  /** Whether a feature gate is on. */
  readonly gate: (name: string) => boolean
  /** Finds the services of webhooks; their cluster IPs by default. */
  readonly resolve?: ServiceResolver
  /** How webhooks are reached; directly by default. */
  readonly egress?: Egress
  /** Told of calls of webhooks. */
  readonly onCall?: CallObserver | undefined
  /** Seconds for which pods tolerate nodes that are not ready or unreachable, unless they say otherwise. */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
  /** Absent: nothing is measured. */
  readonly metrics?: Registry
}

/** A resource that a plugin handles, by the names of its stored version. */
export interface PluginResource extends ResourceName {
  /** Absent: the object itself only. `*`: the object and all its sub-resources. */
  readonly subresource?: string
}

/** Decides about requests, and may change the objects that they write. */
export interface Plugin {
  /** Whether it handles an operation; called once, before the first request of it. */
  handles(operation: Operation): boolean
  /**
   * The resources that it handles; without it all. It is read once: the plugin costs nothing in requests for others.
   */
  readonly resources?: readonly PluginResource[]
  /** Before the object is checked: may change it. Throws StatusError to refuse the request. */
  mutate?(attributes: MutableAttributes): void | Promise<void>
  /** When the object is what would be stored. Throws StatusError to refuse the request. */
  validate?(attributes: Attributes): void | Promise<void>
  /** Its `mutate` never changes the object in place. */
  readonly keepsParts?: true
  /**
   * In an object that shares parts with others (`MutableAttributes.sharesParts`), its `mutate` sets members of the object and of
   * its own members, such as `spec`, and replaces what lies deeper instead of changing it. What it puts in then must not
   * be changed afterwards.
   */
  readonly replacesParts?: true
  /**
   * Whether an UPDATE is bound to pass unchanged and in silence, now, if the same request did so before and the object
   * is still the same. Then the request may be answered from memory without asking the plugin. Absent: no.
   */
  passesAgain?(attributes: Attributes): boolean | Promise<boolean>
  /**
   * Resolves when the plugin knows what it needs; null when it does. Until then `readyz` says that the server is not
   * ready, and requests that the plugin handles wait, for ten seconds at most.
   */
  ready?(): Promise<void> | null
  /** Closes its informers. */
  close?(): void | Promise<void>
}

/** Makes one plugin for one server. */
export interface PluginFactory<C = unknown> {
  /** Unique; what flags and configuration call it. */
  readonly name: string
  /** Whether it is on unless it is disabled. */
  readonly defaultOn: boolean
  /**
   * Makes the configuration from the parsed document of a file, and reads the files that it names; throws an Error that
   * names its faults.
   */
  decodeConfig?(document: unknown, v: Vocabulary): C | Promise<C>
  /** Whether it cannot work without a configuration: a server that enables it without one does not start. */
  readonly needsConfig?: boolean
  /** The only member of its configuration, where that has no kind: such a document may be the whole file. */
  readonly onlyMember?: string
  /** `config` is there when a configuration was given. */
  create(deps: PluginDeps, config?: C): Plugin
}

/** A factory whatever its configuration is. */
export type AnyPluginFactory = PluginFactory
