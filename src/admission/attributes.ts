/** Attributes of one request for admission. */
import type { BegunPart, RequestPart } from '../base/request-parts.ts'
import type { JsonObject } from '../codec/codec.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { Requester } from '../catalogue/resource.ts'
import type { Reinvocation } from './reinvocation.ts'

/** Operation of a request. A patch or an apply is UPDATE, or CREATE when it makes the object. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

export const OPERATIONS: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']

export interface GroupVersionKind {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface GroupVersionResource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** Lower-case plural. */
  readonly resource: string
}

/** An object of the request. */
export interface AdmissionObject {
  /** The decoded object, of the attributes' `kind`. Only plugins in the mutating phase may change it, and only `object`. */
  readonly live: Typed
  /**
   * The object as JSON, in a version of its kind such as `v1` or `apps/v1`; without one in that of the attributes'
   * `kind`. The JSON is the caller's own. Rejects with an Error when the kind has no such version.
   */
  toJson(groupVersion?: string): Promise<JsonObject>
}

/** The new object while plugins may change it. */
export interface MutableObject extends AdmissionObject {
  /**
   * Replaces the object: JSON in any version of its kind, which `apiVersion` names. Missing fields are defaulted,
   * undeclared ones are dropped. From then on `live` is another object. Rejects with StatusError 400 when this is no
   * object of the kind, and with an Error when the kind has no such version.
   */
  replace(document: JsonObject): Promise<void>
}

/** Options of the request, in the form of the API: CREATE, UPDATE and DELETE have them, CONNECT has null. */
export interface OperationOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions'
  readonly apiVersion: string
  readonly dryRun?: readonly string[]
  readonly fieldManager?: string
  readonly fieldValidation?: string
  readonly gracePeriodSeconds?: number
  readonly orphanDependents?: boolean
  readonly propagationPolicy?: string
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** Least audit level at which a record includes an annotation. */
export type AuditLevel = 'Metadata' | 'Request'

/** One request as admission sees it. */
export interface Attributes {
  readonly operation: Operation
  /** Kind of `object` and `oldObject` as they are handed in: the stored version, or the body of a sub-resource. */
  readonly kind: GroupVersionKind
  /** The resource in its stored version. */
  readonly resource: GroupVersionResource
  /** Empty for the object itself. */
  readonly subresource: string
  /** Kind, resource and sub-resource as the client requested them. */
  readonly requestKind: GroupVersionKind
  readonly requestResource: GroupVersionResource
  readonly requestSubresource: string
  /** Empty for cluster scope; of a Namespace its own name. */
  readonly namespace: string
  /** Empty where the server is yet to choose the name, and for each object of a deleted collection. */
  readonly name: string
  /** The user, after impersonation. */
  readonly user: Requester
  /** Whether nothing may come of it. */
  readonly dryRun: boolean
  readonly options: OperationOptions | null
  /** The new object, the body of a sub-resource, or the options of a connection; null on DELETE. */
  readonly object: AdmissionObject | null
  /** The stored object; null on CREATE and CONNECT. */
  readonly oldObject: AdmissionObject | null
  /** The time of the request, milliseconds since the epoch. */
  readonly now: number
  /** Deadline for the start of the response, milliseconds since the epoch; Infinity: none. */
  readonly deadline: number
  /** Aborted when the client is gone or the time is up. */
  readonly signal: AbortSignal
  /** Requests another round of the mutating plugins. */
  readonly reinvocation: Reinvocation
  /**
   * Lets other writers of the object go first; for plugins that wait for another server. If one of them changes the
   * object meanwhile, the request may start over.
   */
  yieldObject(): void
  /**
   * Adds to the audit record. The key is a qualified name with a prefix, such as `limits.example.com/applied`; anything
   * else throws an Error. A key that is there already keeps its value.
   */
  annotate(key: string, value: string, level?: AuditLevel): void
  /** A webhook took some milliseconds, for metrics that leave them out. */
  tookWebhook?(ms: number): void
  /** The call of a webhook begins; null: it is not measured. */
  beginsPart?(part: RequestPart, name: string): BegunPart | null
  /** Adds a `Warning` header to the response, also when the request is refused. */
  warn(text: string): void
}

/** The same in the mutating phase. */
export interface MutableAttributes extends Attributes {
  readonly object: MutableObject | null
  /**
   * The object shares parts with others, and all plugins that may change it replace such parts (`Plugin.replacesParts`).
   * They may put the very same parts into many objects.
   */
  readonly sharesParts?: boolean
}
