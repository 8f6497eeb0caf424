/** Admission attributes of a call. */
import type { BegunPart, RequestPart } from '../base/request-parts.ts'
import type {
  AuditLevel,
  GroupVersionKind,
  GroupVersionResource,
  MutableAttributes,
  Operation,
  OperationOptions,
} from '../admission/attributes.ts'
import type { NowOrLater } from '../admission/now-or-later.ts'
import { Reinvocation } from '../admission/reinvocation.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { isQualifiedName } from '../meta/names.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import {
  bodyForms,
  LiveObject,
  type MaybeDecoded,
  plainForms,
  storedForms,
  type ObjectForms,
} from './admission-object.ts'
import { optionsOfWrite } from './admission-options.ts'
import type { ActionDependencies, Call, User } from './context.ts'

/** Input of admission, beside the call. */
export interface Asked {
  readonly operation: Operation
  /** The new object; null on DELETE. */
  readonly object: Typed | null
  /** The stored object; null on CREATE and CONNECT. */
  readonly old: MaybeDecoded | null
  readonly dryRun: boolean
  /** Kind of the objects where it differs from the resource: the body of a sub-resource, connect options. */
  readonly body?: ResourceEntry | GroupVersionKind
  /** Options where the query does not contain them. */
  readonly options?: () => OperationOptions
  /** Name, where it differs from the name of the call. */
  readonly name?: string
  /** Lets other writers of the object go first. */
  readonly release?: () => void
}

/** A call as admission sees it. Most members are computed on first access. */
export class CallAttributes implements MutableAttributes {
  readonly operation: Operation
  readonly dryRun: boolean
  sharesParts = false
  object: LiveObject | null
  oldObject: LiveObject | null
  readonly #api: Pick<ActionDependencies, 'v'>
  readonly #call: Call
  readonly #asked: Asked
  #forms: ObjectForms | null = null
  #resource: GroupVersionResource | null = null
  #reinvocation: Reinvocation | null = null

  constructor(api: Pick<ActionDependencies, 'v'>, call: Call, asked: Asked) {
    this.operation = asked.operation
    this.dryRun = asked.dryRun
    this.#api = api
    this.#call = call
    this.#asked = asked
    this.object = this.#held(asked.object)
    this.oldObject = this.#held(asked.old)
  }

  /** How objects become JSON and come back, which few plugins need. */
  get forms(): ObjectForms {
    return (this.#forms ??= formsOf(this.#call, this.#asked))
  }

  /** For the validating phase: the objects that would be stored. */
  settle(object: Typed | null, old: MaybeDecoded | null = this.#asked.old): this {
    this.object = this.#held(object)
    this.oldObject = this.#held(old)
    return this
  }

  get kind(): GroupVersionKind {
    return kindOf(this.#asked.body ?? this.#call.served.storage)
  }
  get resource(): GroupVersionResource {
    return (this.#resource ??= resourceOf(this.#call.served.storage))
  }
  get subresource(): string {
    return this.#call.subresource
  }
  get requestKind(): GroupVersionKind {
    return kindOf(this.#asked.body ?? this.#call.served)
  }
  get requestResource(): GroupVersionResource {
    return resourceOf(this.#call.served)
  }
  get requestSubresource(): string {
    return this.#call.subresource
  }
  get namespace(): string {
    const { served, namespace } = this.#call
    return served.group === '' && served.resource === 'namespaces' ? this.name : namespace
  }
  get name(): string {
    const { name = this.#call.name } = this.#asked
    // The name that a create requests, or that the server has generated.
    return name !== '' ? name : (this.object?.live.metadata.name ?? '')
  }
  get user(): User {
    return this.#call.user
  }
  get options(): OperationOptions | null {
    switch (this.operation) {
      case 'CONNECT':
        return null
      case 'CREATE':
      case 'UPDATE':
        return optionsOfWrite(
          this.#api,
          this.#call,
          this.operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
        )
      case 'DELETE':
        return this.#asked.options?.() ?? null
    }
  }
  get now(): number {
    return this.#call.context().now
  }
  tookWebhook(ms: number): void {
    const { record } = this.#call
    if (record) record.webhookMs += ms
  }
  beginsPart(part: RequestPart, name: string): BegunPart | null {
    return this.#call.record?.parts?.begin(part, name) ?? null
  }
  get deadline(): number {
    return this.#call.deadline?.() ?? Infinity
  }
  get signal(): AbortSignal {
    return this.#call.signal()
  }
  get reinvocation(): Reinvocation {
    return (this.#reinvocation ??= new Reinvocation())
  }

  yieldObject(): void {
    this.#asked.release?.()
  }

  annotate(key: string, value: string, level: AuditLevel = 'Metadata'): void {
    if (!isAnnotationKey(this.#api.v, key)) {
      throw new Error(
        `${JSON.stringify(key)} cannot be the key of an audit annotation; it must be a name with a prefix, such as "limits.example.com/applied"`,
      )
    }
    this.#call.annotate?.(key, value, level)
  }

  warn(text: string): void {
    this.#call.warn(text)
  }

  #held(object: MaybeDecoded | null): LiveObject | null {
    return object && new LiveObject(object, this)
  }
}

/** Keys that were checked; most are those of a few plugins. */
const knownKeys = new WeakMap<Vocabulary, Set<string>>()
const MOST_KEYS = 32

function isAnnotationKey(v: Vocabulary, key: string): boolean {
  let known = knownKeys.get(v)
  if (known?.has(key)) return true
  if (!key.includes('/') || isQualifiedName(key).length > 0) return false
  if (!known) knownKeys.set(v, (known = new Set()))
  if (known.size < MOST_KEYS) known.add(key)
  return true
}

const kindOf = ({ group, version, kind }: GroupVersionKind) => ({ group, version, kind })
const resourceOf = ({ group, version, resource }: GroupVersionResource) => ({
  group,
  version,
  resource,
})

function formsOf({ served, context }: Call, { body }: Asked): ObjectForms {
  if (!body) return storedForms(served, context)
  return 'codec' in body ? bodyForms(body, context) : plainForms
}

/** Runs mutating admission on the object of a call and returns the result. Throws and rejects with StatusError. */
export function mutatedBy<T extends Typed>(
  { admission }: Pick<ActionDependencies, 'admission'>,
  attributes: CallAttributes,
): NowOrLater<T> {
  const waiting = admission.mutate(attributes)
  // A replacement is decoded by the same kind.
  return waiting ? waiting.then(() => attributes.object!.live as T) : (attributes.object!.live as T)
}
