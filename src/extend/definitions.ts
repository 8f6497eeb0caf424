/** Serves what users define: keeps the catalogue in step with the definitions that are in force. */
import {
  hasCondition,
  type CustomResourceDefinition,
} from '../kinds/apiextensions/custom-resource-definition.ts'
import type { ResourceVersions } from '../catalogue/catalogue-snapshot.ts'
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts'
import type { ObjectHandler } from '../catalogue/object-source.ts'
import type { ConversionWebhooks } from './conversion-webhook.ts'
import { definitionEntry, definitionKey, leavingForm } from './definition-kind.ts'

/** Who publishes the entry of a definition. */
export const definitionOwner = (name: string): string => `definition ${name}`

/** Who converts objects of definitions that ask webhooks for it. */
type Webhooks = Pick<ConversionWebhooks, 'of' | 'forget'>

/** What is kept of a definition that is in force. */
interface Known {
  readonly key: string
  /** Reads the newest state that is known. */
  read: () => CustomResourceDefinition | null
  readonly entry: ResourceVersions | null
  /** The same while the objects are removed; made when it comes to that. */
  leaving: ResourceVersions | null
}

/**
 * Is told of definitions, and publishes those that are in force. What is told in one commit is published in one step,
 * before anybody who learns of the commit can ask for it.
 */
export class ServedDefinitions implements ObjectHandler<CustomResourceDefinition> {
  readonly #catalogue: Pick<LiveCatalogue, 'publishAll'>
  readonly #webhooks: Webhooks
  readonly #onRefused: (name: string, error: unknown) => void
  readonly #known = new Map<string, Known>()
  /** What is not published yet, by name; null: it goes. */
  readonly #changed = new Map<string, ResourceVersions | null>()
  #isPending = false

  /** `onRefused`: told of a definition that is not served, since somebody else has its place. */
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

  named({ name }: { readonly name: string }, read: () => CustomResourceDefinition | null): void {
    const definition = read()
    // One that cannot be read is served as it was.
    if (definition?.metadata.name === name) this.#learn(definition, read)
  }

  removed({ metadata: { name = '' } }: CustomResourceDefinition): void {
    this.#known.delete(name)
    this.#webhooks.forget(name)
    this.#change(name, null)
  }

  /** Publishes what was told so far. Does not throw. */
  publish(): void {
    this.#isPending = false
    const changes = [...this.#changed]
    this.#changed.clear()
    try {
      this.#catalogue.publishAll(changes.map(published))
    } catch {
      // What goes makes room for what comes.
      const [going, coming] = [changes.filter(isGoing), changes.filter((one) => !isGoing(one))]
      for (const change of [...going, ...coming]) this.#publishOne(change)
    }
  }

  /** What finds no room is tried again with the next change. */
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

  /** What is kept of a definition: the same as before while its kind stays as it is, and so do its table and watches. */
  #knownAs(name: string, definition: CustomResourceDefinition, read: Known['read']): Known {
    const key = definitionKey(definition)
    const before = this.#known.get(name)
    if (before?.key === key) return before
    // Kept while somebody looks at it: all versions are often looked at together.
    let last = new WeakRef(definition)
    const known: Known = {
      key,
      read,
      entry: definitionEntry(
        definition,
        () => {
          const present = last.deref() ?? known.read()
          if (!present) throw new Error(`the definition ${name} cannot be read`)
          last = new WeakRef(present)
          return present
        },
        this.#webhooks.of(definition),
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
    // The commit is told to the end first. Nobody hears of it before: answers and events are read in later turns.
    queueMicrotask(() => this.publish())
  }
}

type Change = readonly [name: string, entry: ResourceVersions | null]

const isGoing = ([, entry]: Change): boolean => entry === null

const published = ([name, entry]: Change) => [definitionOwner(name), entry ? [entry] : []] as const
