import type { Steps } from '../base/steps.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { FieldFacts, ShapeClass } from '../notation/shape.ts'

/** What hooks may use besides the object. Hooks do no I/O. */
export interface HookContext {
  readonly v: Vocabulary
  /** The time of the request, milliseconds since the epoch. */
  readonly now: number
  /** Whether a feature gate is on. */
  readonly gate: (name: string) => boolean
  /** Whether containers may run privileged; not unless the server says so. */
  readonly allowPrivileged?: boolean
  /** Who asks; absent where the server itself does. */
  readonly user?: Requester
  /** Group version of the request, spelled, for kinds whose rules differ by it; absent: the stored one. */
  readonly groupVersion?: string
}

/** Who asks, as objects record it. */
export interface Requester {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Dotted paths of T, two levels deep, so that a misspelt path does not compile. */
export type PathOf<T> = {
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
  /** `name` of the column that identifies the object; columns of users have others. */
  readonly format?: string
  /** 0 shows always, more in wide output only. */
  readonly priority: number
  readonly description: string
  /** Gets the object in its JSON form, or a view of that (`json-view.ts`): declared fields are read by their names. */
  readonly cell: (object: T, c: HookContext) => unknown
}

/** A mark on the row of a table, such as `Completed`, by which clients leave rows out or shade them. */
export interface RowCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** What a kind may say about its own life. Every hook is optional; an update gives both objects. */
export interface Hooks<T> {
  /**
   * Defaults that depend on other fields; the rest are written on the field. Runs on every decoded
   * body, and on the result of a patch.
   */
  setDefaults?(object: T, c: HookContext): void
  /** Before a create is validated: drop what clients may not set. */
  prepareForCreate?(object: T, c: HookContext): void
  /** Before an update is validated: keep what clients may not change; raise `generation`. */
  prepareForUpdate?(next: T, old: T, c: HookContext): void
  /** Does what is slow of the checks beforehand, in steps, and keeps it for them. */
  prepare?(object: T, c: HookContext): Steps<void>
  /**
   * All violations of the object by itself; metadata is checked elsewhere. `old` is there on an update
   * and serves only to go on accepting what is already stored. In steps where it takes long.
   */
  validate?(object: T, errors: FieldErrors, c: HookContext, old?: T): void | Steps<void>
  /** Violations of a change; runs beside `validate` of the new object. In steps where it takes long. */
  validateUpdate?(next: T, old: T, errors: FieldErrors, c: HookContext): void | Steps<void>
  /** The last change before storing, after validation. */
  canonicalize?(object: T, c: HookContext): void
  /**
   * Fills the values that the server chooses out of allocators, after validation; `old` is null on create. What is
   * wrong goes to `errors`. Runs again when a value was taken meanwhile, on a fresh copy of the object.
   */
  allocate?(
    object: T,
    old: T | null,
    allocators: Allocators,
    errors: FieldErrors,
    c: HookContext,
  ): void
  /** The values that the object holds; stored with it in one step, given back with it. */
  allocations?(object: T): readonly Allocation[]
  /** Objects of the same name and namespace, by group and resource, that are removed together with this one. */
  readonly removes?: readonly { readonly group: string; readonly resource: string }[]
  /** Texts for `Warning` headers, on create (`old` null) and update. */
  warn?(object: T, old: T | null, c: HookContext): readonly string[]
  /** Object is marked as terminating for the first time. */
  onTerminate?(object: T, c: HookContext): void
  /** Whether something beside `metadata.finalizers` keeps a terminating object. */
  isHeld?(object: T): boolean
  /**
   * Seconds of graceful deletion, for kinds that have it; 0 removes at once. `requested` is
   * `gracePeriodSeconds` of the request.
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
  /** Get, patch and update unless said otherwise. */
  readonly verbs?: readonly Verb[]
  /** Dotted paths that writes here never own, since the kind resets them; `spec` without. */
  readonly unowned?: readonly string[]
}

/** The number of replicas as a Scale of the autoscaling group, whatever the owner is. */
export interface ScaleSubresource<T> {
  readonly serves: 'scale'
  readonly replicas: PathOf<T>
  readonly observed: PathOf<T>
  /** The selector of what is counted, as text. */
  readonly selector: (object: T) => string
}

/** A POST that does something; `run` names the action (src/registry/actions). */
export interface ActionSubresource {
  readonly serves: 'action'
  /** Kind of the body and the answer. */
  readonly input: ShapeClass<any>
  /** Older kinds of body that are still taken, with the same fields. */
  readonly also?: readonly ShapeClass<any>[]
  readonly run: string
  /** Violations of the body. */
  validate?(body: any, errors: FieldErrors, c: HookContext): void
}

/** A stream of bytes to somewhere else: any method, and the rest of the path for `deep` ones. */
export interface ConnectSubresource {
  readonly serves: 'connect'
  readonly verbs: readonly Verb[]
  /** Kind that discovery names. */
  readonly kind: string
  /** Names what it connects to (src/registry/connect). */
  readonly run: string
  readonly deep?: true
  /** It is a read like a get: admission is not asked. */
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

/** Allocators of such values as hooks see them. */
export interface Allocators {
  /** Families of the address allocators, the default first. */
  readonly families: readonly ('IPv4' | 'IPv6')[]
  /** Whether a value lies in the allocator's range. */
  contains(allocator: string, value: string): boolean
  /** The range as text, for messages; undefined when there is no such allocator. */
  range(allocator: string): string | undefined
  /** Whether nobody holds the value. */
  isFree(allocator: string, value: string): boolean
  /** A free value, not yet taken; null when the allocator is used up. */
  pick(allocator: string): string | null
}

/** Another version of the same objects. */
export interface Version<T> {
  readonly shape: ShapeClass<any>
  /** Same wire form: only the apiVersion differs, so bytes are sent without parsing. */
  readonly same: boolean
  convertToStorage(object: any, c: HookContext): T
  convertFromStorage(storage: T, c: HookContext): any
  /** Marks in which the published schema of this version differs; the wire form does not. */
  readonly relabel?: Readonly<Record<string, Partial<FieldFacts>>>
  readonly deprecated?: Deprecation
  /** All field selector labels of this version, and the labels of the storage version that they mean; null for the storage version. */
  readonly selectableAliases?: Readonly<Record<string, string>>
}

export interface Deprecation {
  /** Release in which it began; empty where releases have no part in it. */
  readonly since: string
  /** What clients are told, where it is not made of the rest. */
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

/** What can be done with objects of most kinds. */
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

export interface ResourceOptions<T> extends Hooks<T> {
  readonly plural: string
  readonly scope: 'namespace' | 'cluster'
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  /** Verbs of the field's usual eight that this resource lacks. */
  readonly without?: readonly Verb[]
  /**
   * For kinds that are not stored: names what a request does or what is read (src/registry/actions). Their verbs
   * are what `without` leaves.
   */
  readonly virtual?: string
  /** Messages about a name; a DNS-1123 subdomain unless said otherwise. */
  readonly nameRule?: (name: string) => readonly string[]
  /** Finalizers of the kind need no domain. */
  readonly takesPlainFinalizers?: true
  /** A PUT may create the object. */
  readonly createOnUpdate?: true
  /** A PUT must carry a resourceVersion. */
  readonly needsVersionOnUpdate?: true
  /** Why this object cannot be deleted; null when it can. Not asked where a whole collection is. */
  readonly refusesDelete?: (object: T) => string | null
  /** What a plain delete answers with; the object unless said otherwise. */
  readonly deleteAnswers?: 'status'
  /** The same for a delete that leaves the object there for now, since finalizers hold it. */
  readonly heldDeleteAnswers?: 'status'
  /**
   * A delete that does not say otherwise leaves the dependents alone. Whoever collects garbage goes by it; without
   * one, a finalizer of ours would never be taken away.
   */
  readonly orphansByDefault?: true
  /** Text of a `Warning` for a delete that does not say what becomes of the dependents. */
  readonly deleteWarning?: string
  /** Field selector labels beside metadata.name and metadata.namespace. */
  readonly selectable?: Readonly<Record<string, (object: T) => string | undefined>>
  /** Old labels and what they mean today. */
  readonly selectableAliases?: Readonly<Record<string, string>>
  /** What is said about a field selector that the kind does not know, where it has words of its own for that. */
  readonly unknownSelector?: (label: string) => string
  /** Set when `metadata.namespace` is not accepted as a field selector. */
  readonly noNamespaceSelector?: true
  readonly columns?: readonly Column<T>[]
  /** Order of the rows of a table, where it is not that of names. Gets JSON objects, as cells do. */
  readonly rowOrder?: (a: T, b: T) => number
  /** What marks the row of an object in a table. Gets the JSON object, as cells do. */
  readonly rowConditions?: (object: T) => readonly RowCondition[]
  readonly subresources?: Readonly<Record<string, Subresource<T>>>
  /** Older and newer versions by group version; the first argument of `resource()` is the storage version. */
  readonly versions?: Readonly<Record<string, Version<T>>>
  /** Dotted paths that writes to the object itself never own, since the kind resets them; `status` where it is a part. */
  readonly unowned?: readonly string[]
  readonly deprecated?: Deprecation
}

export interface Resource<T extends Typed = any> extends ResourceOptions<T> {
  /** The version that is stored; its home tells group and version. */
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
 * `/status` and its like: the main endpoint keeps these paths as they were,
 * the sub-resource writes nothing but them.
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

/** A sub-resource that is only posted to. */
export const action = (
  input: ShapeClass<any>,
  run: string,
  options: Pick<ActionSubresource, 'also' | 'validate'> = {},
): ActionSubresource => ({ serves: 'action', input, run, ...options })

/** A sub-resource that passes bytes on. */
export const connect = (
  kind: string,
  run: string,
  verbs: readonly Verb[],
  options: Pick<ConnectSubresource, 'deep' | 'reads'> = {},
): ConnectSubresource => ({ serves: 'connect', kind, run, verbs, ...options })

/** The same wire form under another version name. */
export const same = <T>(shape: ShapeClass<T>, deprecated?: Deprecation): Version<T> => ({
  shape,
  same: true,
  convertToStorage: (object: T) => object,
  convertFromStorage: (storage: T) => storage,
  ...(deprecated ? { deprecated } : {}),
})

/** A column of the server-side table; `wide` ones have priority 1. */
export const column = <T>(
  name: string,
  type: Column<T>['type'],
  cell: Column<T>['cell'],
  options: { wide?: boolean; format?: 'name'; description?: string } = {},
): Column<T> => ({
  name,
  type,
  cell,
  priority: options.wide === true ? 1 : 0,
  description: options.description ?? '',
  ...(options.format === undefined ? {} : { format: options.format }),
})
