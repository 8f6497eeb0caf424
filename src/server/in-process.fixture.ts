/** The verbs of the API over a store in memory, without HTTP. */
import { admissionChain } from '../admission/chain.ts'
import { admissionPlugins } from '../admission/index.ts'
import type { PluginDeps } from '../admission/plugin.ts'
import { keyOf, KeyedMutex, type Api } from '../registry/context.ts'
import { FirstForms } from '../patch/first-forms.ts'
import { HotObjects } from '../registry/hot-objects.ts'
import { RepeatedCreates } from '../registry/repeated-creates.ts'
import { RepeatedWrites } from '../registry/repeated-writes.ts'
import { UnchangedWrites } from '../registry/unchanged-writes.ts'
import { pluginWriter } from '../registry/plugin-writer.ts'
import { serviceAllocators } from '../registry/allocations.ts'
import { renewTables, storageForms } from '../registry/storage-forms.ts'
import { alwaysAllow } from '../authz/always.ts'
import { managerContext } from './controller-dependencies.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import { IterationQueue } from '../base/iteration-queue.ts'
import { ManualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { randomIds } from '../base/ids.ts'
import { ensureSystemNamespaces } from './bootstrap/first-objects.ts'
import type { Client } from '../client/client.ts'
import { localClient } from '../loopback/local-client.ts'
import { defaultGate } from '../kinds/gates.ts'
import { resources } from '../kinds/index.ts'
import { objectSource } from './object-source.ts'
import { buildCatalogue } from '../catalogue/catalogue.ts'
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import { serviceRanges } from './options/server-options.ts'
import { WatchCache } from '../cache/watch-cache.ts'
import { openMemory } from '../engine/memory/engine.ts'
import { defaultVocabulary, vocabularies } from '../vocabulary/index.ts'
import type { VocabularyName } from '../vocabulary/vocabulary.ts'

/** Where an object is: `apps/v1 deployments ns name`, namespace and name left out where there is none. */
type Place = readonly [groupVersion: string, resource: string, namespace?: string, name?: string]

/** How something is deleted. */
interface Removal {
  readonly policy?: 'Orphan' | 'Background' | 'Foreground'
  readonly uid?: string
}

/** Reads and writes objects of an API as JSON, by the verbs that requests use. */
export class TestHand {
  readonly #api: Api
  readonly #client: Client
  constructor(api: Api) {
    this.#api = api
    this.#client = localClient({
      api,
      authorizer: alwaysAllow,
      user: { name: 'tester', uid: '', groups: ['system:authenticated'], extra: {} },
      userAgent: api.v.resolve('{system}-controller-manager'),
    })
  }
  served([groupVersion, resource]: Place) {
    const at = groupVersion.indexOf('/')
    const group = this.#api.v.resolve(groupVersion.slice(0, Math.max(at, 0)))
    const served = this.#api.catalogue.find(group, groupVersion.slice(at + 1), resource)
    if (!served) throw new Error(`no ${groupVersion} ${resource}`)
    return served
  }
  target(place: Place) {
    return { served: this.served(place), namespace: place[2] ?? '', name: place[3] ?? '' }
  }
  async create(place: Place, object: object): Promise<Made> {
    return this.#objects(place).create(object)
  }
  async patch(place: Place, change: object, subresource = ''): Promise<Made> {
    const options = { type: 'merge' } as const
    const objects = this.#objects(place)
    const to = subresource === '' ? objects : objects.sub(subresource)
    return to.patch(place[3] ?? '', change, options)
  }
  async delete(place: Place, { policy, uid }: Removal = {}): Promise<void> {
    await this.#objects(place).delete(place[3] ?? '', {
      ...(policy === undefined ? {} : { propagationPolicy: policy }),
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    })
  }
  #objects(place: Place) {
    return this.#client.resource<object>(this.served(place)).in(place[2] ?? '')
  }
  /** The object as JSON; null when absent. */
  async get(place: Place): Promise<Made | null> {
    const { served, namespace, name } = this.target(place)
    const table = await this.#api.cache.resourceCache(served.storage.keyPrefix)
    const version = table.get(keyOf(served, namespace, name))
    return version ? JSON.parse(version.json().toString('utf8')) : null
  }
  /** Names of all objects of a resource in a namespace, or of all. */
  async names(place: Place): Promise<string[]> {
    const { served, namespace } = this.target(place)
    const { items } = await this.#api.cache.list(
      served.storage.keyPrefix,
      keyOf(served, namespace, ''),
    )
    return [...items].map(({ key }) => key.slice(key.lastIndexOf('/') + 1))
  }
}

/** An object of any kind, as tests look at it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read objects of every shape
export type Made = any

/** An API of its own with its controllers' clients. */
export interface InProcess {
  readonly api: Api
  readonly catalogue: LiveCatalogue
  readonly clock: ManualClock
  readonly source: ObjectSource
  readonly hand: TestHand
  readonly errors: unknown[]
  /** For controllers; their permissions are not checked. */
  readonly controllerContext: ControllerContext
  close(): Promise<void>
}

/** An API of its own, with the system namespaces, whose time only the test moves. */
export async function inProcess({
  vocabulary = defaultVocabulary,
  ...ranges
}: {
  readonly vocabulary?: VocabularyName
  readonly serviceClusterIpRange?: string
} = {}): Promise<InProcess> {
  const v = vocabularies[vocabulary]
  const clock = new ManualClock()
  const engine = openMemory({ clock })
  const catalogue = buildCatalogue(resources, v)
  const cache = new WatchCache(engine, {
    clock,
    historyMs: 300_000,
    formOf: storageForms(catalogue, () => api),
  })
  renewTables(cache, catalogue)
  const errors: unknown[] = []
  const api = apiOf({ v, clock, cache, catalogue, ranges, objects: () => source })
  const source = objectSource(api, (error) => errors.push(error))
  await ensureSystemNamespaces(api)
  const controllerContext = managerContext({ api, authorizer: alwaysAllow, log: silentLog })
  return {
    api,
    catalogue,
    clock,
    source,
    hand: new TestHand(api),
    errors,
    controllerContext,
    async close() {
      await controllerContext.informers.stop()
      cache.close()
      await engine.close()
    },
  }
}

interface ApiParts extends Pick<Api, 'v' | 'clock' | 'cache'> {
  readonly catalogue: LiveCatalogue
  readonly ranges: { readonly serviceClusterIpRange?: string }
  readonly objects: () => ObjectSource
}

/**
 * Everything is allowed, and the default plugins are on but for ServiceAccount: that would wait for the account of a pod
 * by a clock that stands still.
 */
function apiOf({ v, clock, cache, catalogue, objects, ...given }: ApiParts): Api {
  const ranges = serviceRanges(given.ranges)
  const deps: PluginDeps = {
    v,
    clock,
    ids: randomIds,
    log: silentLog,
    objects: {
      get: (...asked) => objects().get(...asked),
      // Plugins follow objects as soon as they are made, which is before the source.
      follow: async (...asked) => {
        await Promise.resolve()
        return objects().follow(...asked)
      },
    },
    writer: pluginWriter(() => api),
    authorizer: alwaysAllow,
    catalogue,
    gate: defaultGate,
    tolerationSeconds: { notReady: 300, unreachable: 300 },
  }
  const api: Api = {
    v,
    clock,
    ids: randomIds,
    cache,
    largeWork: new IterationQueue(),
    catalogue,
    admission: admissionChain(
      admissionPlugins
        // Nobody makes the accounts that pods would wait for, by a clock that only the test moves.
        .filter(({ name, defaultOn }) => defaultOn && name !== 'ServiceAccount')
        .map((factory) => factory.create(deps)),
      clock,
    ),
    gate: defaultGate,
    allowPrivileged: false,
    agentTls: {},
    proxiesToLoopback: false,
    allocators: serviceAllocators(ranges.addresses, ranges.ports),
    authorizer: alwaysAllow,
    minRequestTimeoutMs: 1_800_000,
    mutex: new KeyedMutex(),
    hot: new HotObjects(),
    unchanged: new UnchangedWrites(),
    repeated: new RepeatedWrites(),
    repeatedCreates: new RepeatedCreates(),
    forms: new FirstForms(),
  }
  return api
}
