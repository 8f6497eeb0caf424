/** Serves custom resources: keeps the catalogue in step with the established definitions. */
import {
  hasCondition,
  type CustomResourceDefinition,
} from '../kinds/apiextensions/custom-resource-definition.ts'
import type { ResourceVersions } from '../catalogue/catalogue-snapshot.ts'
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts'
import type { ObjectHandler, UnreadObject } from '../catalogue/object-source.ts'
import type { ConversionWebhooks } from './conversion-webhook.ts'
import { RecentForms } from './recent-forms.ts'
import { definitionEntry, definitionKey, leavingForm } from './definition-kind.ts'

/** Who publishes the entry of a definition. */
export const definitionOwner = (name: string): string => `definition ${name}`

/** Converters for definitions with a conversion webhook. */
type Webhooks = Pick<ConversionWebhooks, 'of'>

/** Versions whose compiled schemas are kept: a server may have thousands, and few clients use all of them. */
const MOST_FORMS = 256

/** Member of versions with the schema. */
const SCHEMA = 'openAPIV3Schema'

/** State of an established definition. */
interface Known {
  readonly key: string
  /** Reads the newest known state. */
  read: () => CustomResourceDefinition | null
  readonly entry: ResourceVersions | null
  /** The form during the removal of the objects; created on demand. */
  leaving: ResourceVersions | null
}

/**
 * Handles definitions, and publishes the established ones. The changes of one commit are published in one step, before
 * any client can learn of the commit and request the resource.
 */
export class ServedDefinitions implements ObjectHandler<CustomResourceDefinition> {
  readonly #catalogue: Pick<LiveCatalogue, 'publishAll'>
  readonly #webhooks: Webhooks
  readonly #onRefused: (name: string, error: unknown) => void
  readonly #known = new Map<string, Known>()
  /** Changes to publish, by name; null: the definition is removed. */
  readonly #changed = new Map<string, ResourceVersions | null>()
  readonly #recent = new RecentForms(MOST_FORMS)
  #isPending = false

  /** `onRefused`: called for a definition that is not served because its place is taken. */
  constructor(
    catalogue: Pick<LiveCatalogue, 'publishAll'>,
    webhooks: Webhooks,
    onRefused: (name: string, error: unknown) => void,
  ) {
    this.#webhooks = webhooks
    this.#catalogue = catalogue
    this.#onRefused = onRefused
  }

  set(definition: CustomResourceDefinition): void {
    this.#learn(definition, () => definition)
  }

  named({ name }: { readonly name: string }, object: UnreadObject<CustomResourceDefinition>): void {
    // A new definition is not served yet, and may have megabytes of schemas.
    if (!this.#known.has(name) && !object.mentions('"Established"')) return
    const definition = withoutSchemas(object)
    // One that cannot be read is served as it was.
    if (definition?.metadata.name === name) this.#learn(definition, object.read)
  }

  removed({ metadata: { name = '' } }: CustomResourceDefinition): void {
    this.#known.delete(name)
    this.#change(name, null)
  }

  /** Publishes the changes so far. Does not throw. */
  publish(): void {
    this.#isPending = false
    const changes = [...this.#changed]
    this.#changed.clear()
    try {
      this.#catalogue.publishAll(changes.map(published))
    } catch {
      // Removals first: they make room for additions.
      const [going, coming] = [changes.filter(isGoing), changes.filter((one) => !isGoing(one))]
      for (const change of [...going, ...coming]) this.#publishOne(change)
    }
  }

  /** Refused definitions are retried with the next change. */
  #publishOne(change: Change): void {
    const [name, entry] = change
    try {
      this.#catalogue.publishAll([published(change)])
    } catch (error) {
      this.#changed.set(name, entry)
      this.#onRefused(name, error)
    }
  }

  #learn(definition: CustomResourceDefinition, read: Known['read']): void {
    const { name = '' } = definition.metadata
    if (!hasCondition(definition, 'Established')) {
      if (this.#known.delete(name)) this.#change(name, null)
      return
    }
    const known = this.#knownAs(name, definition, read)
    known.read = read
    const isLeaving = hasCondition(definition, 'Terminating')
    if (!isLeaving || !known.entry) return this.#change(name, known.entry)
    const { versions, served } = known.entry
    this.#change(name, (known.leaving ??= { versions, served: served.map(leavingForm) }))
  }

  /** The state of a definition: the same object while its kind is unchanged, and so are its table and watches. */
  #knownAs(name: string, definition: CustomResourceDefinition, read: Known['read']): Known {
    const key = definitionKey(definition)
    const before = this.#known.get(name)
    if (before?.key === key) return before
    // Weakly held while in use: all versions are often read together.
    let last: WeakRef<CustomResourceDefinition> | null = null
    const known: Known = {
      key,
      read,
      entry: definitionEntry(
        definition,
        () => {
          const present = last?.deref() ?? known.read()
          if (!present) throw new Error(`the definition ${name} cannot be read`)
          last = new WeakRef(present)
          return present
        },
        this.#webhooks.of(definition),
        this.#recent,
      ),
      leaving: null,
    }
    this.#known.set(name, known)
    return known
  }

  #change(name: string, entry: ResourceVersions | null): void {
    this.#changed.set(name, entry)
    if (this.#isPending) return
    this.#isPending = true
    // The commit is reported completely first. Clients learn of it later: responses and events take further event loop
    // iterations.
    queueMicrotask(() => this.publish())
  }
}

/** Schemas are most of a definition, and most of the rest is the same before and after decoding. */
function withoutSchemas(
  object: UnreadObject<CustomResourceDefinition>,
): CustomResourceDefinition | null {
  const outline = object.outline(SCHEMA, 'managedFields') as CustomResourceDefinition | null
  // The certificates of a webhook are bytes.
  const isDecoded = outline?.status !== undefined && outline.spec.conversion?.strategy === 'None'
  return isDecoded ? outline : object.readWithout(SCHEMA, 'managedFields')
}

type Change = readonly [name: string, entry: ResourceVersions | null]

const isGoing = ([, entry]: Change): boolean => entry === null

const published = ([name, entry]: Change) => [definitionOwner(name), entry ? [entry] : []] as const
