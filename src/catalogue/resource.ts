import type { Steps } from '../base/steps.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import type { WrittenParts } from '../meta/known-parts.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { FieldFacts, ShapeClass } from '../notation/shape.ts'

/** What hooks may use beside the object. Hooks do no I/O. */
export interface HookContext {
  readonly v: Vocabulary
  /** The time of the request, milliseconds since the epoch. */
  readonly now: number
  /** Whether a feature gate is on. */
  readonly gate: (name: string) => boolean
  /** Whether containers may run privileged; defaults to false. */
  readonly allowPrivileged?: boolean | undefined
  /** Receives the evaluation time of the rules of a schema; absent: it is not measured. */
  readonly took?: ((work: 'compilation' | 'evaluation', ms: number) => void) | undefined
  /** The requesting user; absent for requests of the server itself. */
  readonly user?: Requester | undefined
  /** Which parts of the object need not be checked again (see `checkPart`); absent: all are checked. */
  readonly parts?: WrittenParts | undefined
  /** Resolved group version of the request, for kinds whose rules depend on it; absent: the storage version. */
  readonly groupVersion?: string | undefined
}

/** The requesting user, as objects record it. */
export interface Requester {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Dotted paths of T, two levels deep, so that a misspelt path does not compile. */
export type PathOf<T> = Typed extends T ? string : PathIn<T>

type PathIn<T> = {
  [K in keyof T & string]:
    | K
    | (NonNullable<T[K]> extends readonly unknown[] | string | number | boolean
        ? never
        : `${K}.${keyof NonNullable<T[K]> & string}`)
}[keyof T & string]

/** One column of the server-side table. */
export interface Column<T> {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date' | 'number' | 'boolean'
  /** `name` for the column that identifies the object; columns of custom resources have other formats. */
  readonly format?: string
  /** 0: always shown; higher values: in wide output only. */
  readonly priority: number
  readonly description: string
  /** Gets the object in its JSON form, or a view of it (`json-view.ts`): access declared fields by their names. */
  cell(object: T, c: HookContext): unknown
  /** Set when the cell is the age of this time, wherever it is one; such cells are computed without the object. */
  since?(object: T): unknown
}

/** A condition on the row of a table, such as `Completed`; clients filter or style rows by it. */
export interface RowCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** Lifecycle rules of a kind. Every hook is optional; an update passes both objects. */
export interface Hooks<T> {
  /**
   * Defaults that depend on other fields; simple ones are declared with the field. Runs on every decoded body, and on
   * the result of a patch.
   */
  setDefaults?(object: T, c: HookContext): void
  /**
   * Hooks replace parts of the object, and never change in place what lies deeper than the members of its own members:
   * the object may share those parts with the present one. `create`: so do those of a create, and new objects may share
   * parts with each other.
   */
  readonly sharesParts?: true | 'create'
  /** Before a create is validated: drop fields that clients may not set. */
  prepareForCreate?(object: T, c: HookContext): void
  /** Before an update is validated: restore fields that clients may not change; raise `generation`. */
  prepareForUpdate?(next: T, old: T, c: HookContext): void
  /** Precomputes the slow part of the checks, in steps. */
  prepare?(object: T, c: HookContext): Steps<void>
  /**
   * All violations within the object; metadata is checked elsewhere. `old` is set on an update and only serves to keep
   * accepting what is already stored. In steps where it is slow.
   */
  validate?(object: T, errors: FieldErrors, c: HookContext, old?: T): void | Steps<void>
  /** Violations of a change; runs beside `validate` of the new object. In steps where it is slow. */
  validateUpdate?(next: T, old: T, errors: FieldErrors, c: HookContext): void | Steps<void>
  /** The last change before storing, after validation. */
  canonicalize?(object: T, c: HookContext): void
  /**
   * Sets the values that the server allocates, after validation; `old` is null on create. Failures go to `errors`. Runs
   * again on a fresh copy of the object when a value was taken meanwhile.
   */
  allocate?(
    object: T,
    old: T | null,
    allocators: Allocators,
    errors: FieldErrors,
    c: HookContext,
  ): void
  /** The values that the object holds; allocated and released in the same transaction as its writes. */
  allocations?(object: T): readonly Allocation[]
  /** Objects of the same name and namespace, by group and resource, that are deleted together with this one. */
  readonly removes?: readonly { readonly group: string; readonly resource: string }[]
  /** Texts for `Warning` headers, on create (`old` null) and update. */
  warn?(object: T, old: T | null, c: HookContext): readonly string[]
  /** Called when the object is marked as terminating for the first time. */
  onTerminate?(object: T, c: HookContext): void
  /** Whether anything beside `metadata.finalizers` keeps a terminating object. */
  isHeld?(object: T): boolean
  /**
   * Seconds of graceful deletion, for kinds that support it; 0 deletes at once. `requested` is `gracePeriodSeconds` of
   * the request.
   */
  grace?(object: T, requested: number | undefined): number
}

/** A view of the object under a further path segment. */
export interface PartSubresource<T> extends Pick<
  Hooks<T>,
  'prepareForUpdate' | 'validateUpdate' | 'validate' | 'warn'
> {
  readonly serves: 'part'
  readonly of: readonly PathOf<T>[]
  /** Defaults to get, patch and update. */
  readonly verbs?: readonly Verb[]
  /** Dotted paths that writes here never own, since the kind resets them; defaults to `spec`. */
  readonly unowned?: readonly string[]
}

/** The number of replicas as a Scale of the autoscaling group, for any owner. */
export interface ScaleSubresource<T> {
  readonly serves: 'scale'
  readonly replicas: PathOf<T>
  readonly observed: PathOf<T>
  /** The selector of the counted objects, as text. */
  selector(object: T): string
  /** How users wrote the path of `replicas`, where objects may lack them: then they have no Scale. */
  readonly mayLack?: string
}

/** A POST that triggers an action; `run` names its implementation (src/registry/actions). */
export interface ActionSubresource {
  readonly serves: 'action'
  /** Kind of the request and response body. */
  readonly input: ShapeClass<unknown>
  /** Older kinds of body that are still accepted, with the same fields. */
  readonly also?: readonly ShapeClass<unknown>[]
  readonly run: string
  /** Violations of the body. */
  validate?(body: Typed, errors: FieldErrors, c: HookContext): void
}

/** A connection to another endpoint: any method, and the rest of the path for `deep` ones. */
export interface ConnectSubresource {
  readonly serves: 'connect'
  readonly verbs: readonly Verb[]
  /** Kind that discovery names. */
  readonly kind: string
  /** Names the implementation of the target (src/registry/connect). */
  readonly run: string
  readonly deep?: true
  /** A read like a get: no admission. */
  readonly reads?: true
}

export type Subresource<T> =
  | PartSubresource<T>
  | ScaleSubresource<T>
  | ActionSubresource
  | ConnectSubresource

/** A value that only one object of an allocator may hold at a time: an address, a port. */
export interface Allocation {
  /** Name of the allocator, for instance `serviceips/IPv4`. */
  readonly allocator: string
  readonly value: string
}

/** The allocators of such values as hooks see them. */
export interface Allocators {
  /** Families of the address allocators, the default first. */
  readonly families: readonly ('IPv4' | 'IPv6')[]
  /** Whether a value lies in the allocator's range. */
  contains(allocator: string, value: string): boolean
  /** The range as text, for messages; undefined when there is no such allocator. */
  range(allocator: string): string | undefined
  /** Whether the value is not allocated. */
  isFree(allocator: string, value: string): boolean
  /** An object named an address; for metrics. */
  named?(allocator: string, isDone: boolean): void
  /** A free value, not yet allocated; null when the allocator is exhausted. */
  pick(allocator: string): string | null
}

/** Another version of the same objects. */
export interface Version<T extends Typed> {
  readonly shape: ShapeClass<unknown>
  /** Same wire form: only the apiVersion differs, so bytes are sent without parsing. */
  readonly same: boolean
  convertToStorage(object: Typed, c: HookContext): T
  convertFromStorage(storage: T, c: HookContext): Typed
  /** Facts in which the published schema of this version differs; the wire form does not. */
  readonly relabel?: Readonly<Record<string, Partial<FieldFacts>>>
  readonly deprecated?: Deprecation
  /** All field selector labels of this version, and the labels of the storage version that they mean; null for the storage version. */
  readonly selectableAliases?: Readonly<Record<string, string>>
}

export interface Deprecation {
  /** Release that deprecated it; empty where releases are irrelevant. */
  readonly since: string
  /** Warning text for clients, where it is not the generated one. */
  readonly warning?: string
  readonly removed?: string
  /** Group version (a template) that replaces it. */
  readonly use?: string
}

export type Verb =
  | 'create'
  | 'delete'
  | 'deletecollection'
  | 'get'
  | 'list'
  | 'patch'
  | 'update'
  | 'watch'

/** The verbs of most kinds. */
export const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

/** Reads the value of a field selector's label. */
type SelectableRead<T> = { read(object: T): string | undefined }['read']

export interface ResourceOptions<T extends Typed> extends Hooks<T> {
  readonly plural: string
  readonly scope: 'namespace' | 'cluster'
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  /** Verbs of the usual eight that this resource lacks. */
  readonly without?: readonly Verb[]
  /**
   * For kinds that are not stored: names the implementation of the request (src/registry/actions). Their verbs are what
   * `without` leaves.
   */
  readonly virtual?: string
  /** Validates a name; defaults to a DNS-1123 subdomain. */
  readonly nameRule?: (name: string) => readonly string[]
  /** Finalizers of the kind need no domain prefix; without it, only the standard ones do not. */
  readonly takesPlainFinalizers?: true
  /** Bodies must say their kind and apiVersion. */
  readonly needsType?: true
  /** A PUT may create the object. */
  readonly createOnUpdate?: true
  /** A PUT must carry a resourceVersion. */
  readonly needsVersionOnUpdate?: true
  /** Why this object cannot be deleted; null when it can. Not called for deletecollection. */
  refusesDelete?(object: T): string | null
  /** Response to a plain delete; defaults to the object. */
  readonly deleteAnswers?: 'status'
  /** The same for a delete that finalizers delay. */
  readonly heldDeleteAnswers?: 'status'
  /**
   * A delete without a propagation policy orphans the dependents. The garbage collector applies it; without one, a
   * finalizer set by the server would never be removed.
   */
  readonly orphansByDefault?: true
  /** Text of a `Warning` for a delete without a propagation policy. */
  readonly deleteWarning?: string
  /** Field selector labels beside metadata.name and metadata.namespace. */
  readonly selectable?: Readonly<Record<string, SelectableRead<T>>>
  /** Deprecated labels and their current names. */
  readonly selectableAliases?: Readonly<Record<string, string>>
  /** Message for an unsupported field selector, where the kind does not use the default one. */
  readonly unknownSelector?: (label: string) => string
  /** Set when `metadata.namespace` is not accepted as a field selector. */
  readonly noNamespaceSelector?: true
  readonly columns?: readonly Column<T>[]
  /** Order of the rows of a table, where it differs from name order. Gets JSON objects, as cells do. */
  rowOrder?(a: T, b: T): number
  /** The conditions of an object's row in a table. Gets the JSON object, as cells do. */
  rowConditions?(object: T): readonly RowCondition[]
  readonly subresources?: Readonly<Record<string, Subresource<T>>>
  /** Older and newer versions by group version; the first argument of `resource()` is the storage version. */
  readonly versions?: Readonly<Record<string, Version<T>>>
  /** Dotted paths that writes to the object itself never own, since the kind resets them; `status` where it is a part. */
  readonly unowned?: readonly string[]
  readonly deprecated?: Deprecation
}

export interface Resource<T extends Typed = Typed> extends ResourceOptions<T> {
  /** The storage version; its home determines group and version. */
  readonly storage: ShapeClass<T>
}

/** Declares how objects of one kind are served. */
export function resource<T extends Typed>(
  storage: ShapeClass<T>,
  options: ResourceOptions<T>,
): Resource<T> {
  return { storage, ...options }
}

/**
 * `/status` and similar: the main endpoint preserves these paths, the sub-resource writes nothing but them.
 */
export const part = <T>(
  of: PathOf<T> | readonly PathOf<T>[],
  hooks: Pick<
    PartSubresource<T>,
    'prepareForUpdate' | 'validateUpdate' | 'validate' | 'warn' | 'verbs' | 'unowned'
  > = {},
): PartSubresource<T> => ({ serves: 'part', of: typeof of === 'string' ? [of] : of, ...hooks })

/** `/scale`, whose body is a Scale of autoscaling/v1. */
export const scale = <T>(
  replicas: PathOf<T>,
  observed: PathOf<T>,
  selector: (object: T) => string,
): ScaleSubresource<T> => ({ serves: 'scale', replicas, observed, selector })

/** A sub-resource that only supports POST. */
export const action = (
  input: ShapeClass<unknown>,
  run: string,
  options: Pick<ActionSubresource, 'also' | 'validate'> = {},
): ActionSubresource => ({ serves: 'action', input, run, ...options })

/** A sub-resource that proxies a connection. */
export const connect = (
  kind: string,
  run: string,
  verbs: readonly Verb[],
  options: Pick<ConnectSubresource, 'deep' | 'reads'> = {},
): ConnectSubresource => ({ serves: 'connect', kind, run, verbs, ...options })

/** The same wire form under another version. */
export const same = <T extends Typed>(
  shape: ShapeClass<T>,
  deprecated?: Deprecation,
): Version<T> => ({
  shape,
  same: true,
  convertToStorage: (object) => object as T,
  convertFromStorage: (storage) => storage,
  ...(deprecated ? { deprecated } : {}),
})

/** A column of the server-side table; `wide` ones have priority 1. */
export const column = <T>(
  name: string,
  type: Column<T>['type'],
  cell: Column<T>['cell'],
  options: {
    wide?: boolean
    format?: 'name'
    description?: string
    since?: NonNullable<Column<T>['since']>
  } = {},
): Column<T> => ({
  name,
  type,
  cell,
  priority: options.wide === true ? 1 : 0,
  description: options.description ?? '',
  ...(options.format === undefined ? {} : { format: options.format }),
  ...(options.since === undefined ? {} : { since: options.since }),
})
