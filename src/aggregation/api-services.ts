/** The APIServices of the cluster, as this server knows them. */
import type { ObjectHandler, UnreadObject } from '../catalogue/object-source.ts'
import type { APIService } from '../kinds/apiregistration/api-service.ts'

/** The name of the APIService of a group version. */
export const apiServiceName = (group: string, version: string): string => `${version}.${group}`

/** The condition that says whether requests can be proxied. */
export const AVAILABLE = 'Available'

/** Whether requests can be proxied to the server of an APIService. */
export const isAvailable = ({ status }: APIService): boolean =>
  status.conditions?.some((one) => one.type === AVAILABLE && one.status === 'True') ?? false

/** Called after a change of an APIService other than of its status alone. */
export type ApiServiceListener = (name: string, group: string) => void

/** Follows the APIServices. */
export class ApiServices implements ObjectHandler<APIService> {
  readonly #own: string
  readonly #all = new Map<string, APIService>()
  readonly #remote = new Map<string, APIService>()
  readonly #listeners = new Set<ApiServiceListener>()
  readonly #onAvailability = new Set<(name: string) => void>()
  readonly #onRemote = new Set<() => void>()
  #remoteGeneration = 0

  /** `own`: the group of APIServices, which no extension server can serve: they could not be changed back. */
  constructor(own: string) {
    this.#own = own
  }

  /** Those of other servers, by name. */
  get remote(): ReadonlyMap<string, APIService> {
    return this.#remote
  }

  get all(): ReadonlyMap<string, APIService> {
    return this.#all
  }

  named(_place: unknown, object: UnreadObject<APIService>): void {
    // There is one for each version of each kind of users: those have no bytes, and are the same without decoding.
    const outline = object.outline('managedFields') as APIService | null
    const isDecoded = outline?.status !== undefined && outline.spec.service === undefined
    const service = isDecoded ? outline : object.readWithout('managedFields')
    if (service) this.set(service)
  }

  set(service: APIService): void {
    const { name = '' } = service.metadata
    const before = this.#all.get(name)
    const wasRemote = this.#remote.has(name)
    this.#all.set(name, service)
    if (service.spec.service && service.spec.group !== this.#own) this.#remote.set(name, service)
    else this.#remote.delete(name)
    if (!before || !isSame(before, service)) this.#tell(name, service)
    else if (isAvailable(before) !== isAvailable(service))
      for (const listener of this.#onAvailability) listener(name)
    else return
    if (wasRemote || this.#remote.has(name)) this.#tellRemote()
  }

  removed(service: APIService): void {
    const { name = '' } = service.metadata
    this.#all.delete(name)
    const wasRemote = this.#remote.delete(name)
    this.#tell(name, service)
    if (wasRemote) this.#tellRemote()
  }

  /** The APIService of a group version that another server serves. */
  remoteOf(group: string, version: string): APIService | undefined {
    const found = this.#remote.get(apiServiceName(group, version))
    // A version of a path may hold dots, and then be that of another group.
    return found?.spec.group === group && found.spec.version === version ? found : undefined
  }

  /** Rises when the group versions of other servers may have changed, or can or cannot be reached any more. */
  get remoteGeneration(): number {
    return this.#remoteGeneration
  }

  /** Calls back after each such change. Returns a function that unsubscribes. */
  onRemote(listener: () => void): () => void {
    this.#onRemote.add(listener)
    return () => this.#onRemote.delete(listener)
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: ApiServiceListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls back when an APIService, which is otherwise unchanged, becomes available or ceases to be. */
  onAvailability(listener: (name: string) => void): () => void {
    this.#onAvailability.add(listener)
    return () => this.#onAvailability.delete(listener)
  }

  #tellRemote(): void {
    this.#remoteGeneration++
    for (const listener of this.#onRemote) listener()
  }

  #tell(name: string, { spec }: APIService): void {
    for (const listener of this.#listeners) listener(name, spec.group ?? '')
  }
}

/** Whether nothing but the status differs. */
const isSame = (a: APIService, b: APIService): boolean =>
  a.metadata.uid === b.metadata.uid &&
  JSON.stringify([a.spec, a.metadata.labels]) === JSON.stringify([b.spec, b.metadata.labels])
