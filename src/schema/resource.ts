import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { FieldErrors } from './field-errors.ts'
import type { Typed } from './object-meta.ts'
import type { FieldFacts, ShapeClass } from './shape.ts'

/** What hooks may use besides the object. Hooks do no I/O. */
export interface HookContext {
  readonly v: Vocabulary
  /** The time of the request, milliseconds since the epoch. */
  readonly now: number
  /** Whether a feature gate is on. */
  readonly gate: (name: string) => boolean
  /** Whether containers may run privileged; not unless the server says so. */
  readonly allowPrivileged?: boolean
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
  readonly format?: 'name'
  /** 0 shows always, 1 in wide output only. */
  readonly priority: 0 | 1
  readonly description: string
  readonly cell: (object: T, c: HookContext) => unknown
}

/** What a kind may say about its own life. Every hook is optional; an update gives both objects. */
export interface Hooks<T> {
  /**
   * Defaults that depend on other fields; the rest are written on the field. Runs on every decoded
   * body, and on the result of a patch.
   */
  fill?(object: T, c: HookContext): void
  /** Before a create is validated: drop what clients may not set. */
  onCreate?(object: T, c: HookContext): void
  /** Before an update is validated: keep what clients may not change; raise `generation`. */
  onUpdate?(next: T, old: T, c: HookContext): void
  /**
   * All violations of the object by itself; metadata is checked elsewhere. `old` is there on an update
   * and serves only to go on accepting what is already stored.
   */
  validate?(object: T, errors: FieldErrors, c: HookContext, old?: T): void
  /** Violations of a change; runs beside `validate` of the new object. */
  validateUpdate?(next: T, old: T, errors: FieldErrors, c: HookContext): void
  /** The last change before storing, after validation. */
  canonicalize?(object: T, c: HookContext): void
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
  'onUpdate' | 'validateUpdate' | 'validate' | 'warn'
> {
  readonly serves: 'part'
  readonly of: readonly PathOf<T>[]
}

export type Subresource<T> = PartSubresource<T>

/** Another version of the same objects. */
export interface Version<T> {
  readonly shape: ShapeClass<any>
  /** Same wire form: only the apiVersion differs, so bytes are sent without parsing. */
  readonly same: boolean
  toHub(object: any, c: HookContext): T
  fromHub(hub: T, c: HookContext): any
  /** Marks in which the published schema of this version differs; the wire form does not. */
  readonly relabel?: Readonly<Record<string, Partial<FieldFacts>>>
  readonly deprecated?: Deprecation
}

export interface Deprecation {
  readonly since: string
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

export interface ResourceOptions<T> extends Hooks<T> {
  readonly plural: string
  readonly scope: 'namespace' | 'cluster'
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  /** Verbs of the field's usual eight that this resource lacks. */
  readonly without?: readonly Verb[]
  /** Messages about a name; a DNS-1123 subdomain unless said otherwise. */
  readonly nameRule?: (name: string) => readonly string[]
  /** A PUT may create the object. */
  readonly createOnUpdate?: true
  /** A PUT must carry a resourceVersion. */
  readonly needsVersionOnUpdate?: true
  /** What a plain delete answers with; the object unless said otherwise. */
  readonly deleteAnswers?: 'status'
  /** Field selector labels beside metadata.name and metadata.namespace. */
  readonly selectable?: Readonly<Record<string, (object: T) => string | undefined>>
  /** Old labels and what they mean today. */
  readonly selectableAliases?: Readonly<Record<string, string>>
  /** Set when `metadata.namespace` is not accepted as a field selector. */
  readonly noNamespaceSelector?: true
  readonly columns?: readonly Column<T>[]
  readonly subresources?: Readonly<Record<string, Subresource<T>>>
  /** Older and newer versions by group version; the first argument of `resource()` is the hub. */
  readonly versions?: Readonly<Record<string, Version<T>>>
  /** Reset on the main resource, so that nobody owns them there. */
  readonly deprecated?: Deprecation
}

export interface Resource<T extends Typed = any> extends ResourceOptions<T> {
  /** The version that is stored; its home tells group and version. */
  readonly hub: ShapeClass<T>
}

/** Declares how objects of one kind are served. */
export function resource<T extends Typed>(
  hub: ShapeClass<T>,
  options: ResourceOptions<T>,
): Resource<T> {
  return { hub, ...options }
}

/**
 * `/status` and its like: the main endpoint keeps these paths as they were,
 * the sub-resource writes nothing but them.
 */
export const part = <T>(
  of: PathOf<T> | readonly PathOf<T>[],
  hooks: Pick<Hooks<T>, 'onUpdate' | 'validateUpdate' | 'validate' | 'warn'> = {},
): PartSubresource<T> => ({ serves: 'part', of: typeof of === 'string' ? [of] : of, ...hooks })

/** The same wire form under another version name. */
export const same = <T>(shape: ShapeClass<T>, deprecated?: Deprecation): Version<T> => ({
  shape,
  same: true,
  toHub: (object: T) => object,
  fromHub: (hub: T) => hub,
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
