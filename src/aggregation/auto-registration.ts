/**
 * Registers what this server serves itself as local APIServices.
 *
 * | the object is …                 | built in                  | of a definition | not served  |
 * | ------------------------------- | ------------------------- | --------------- | ----------- |
 * | absent                          | created once              | created         | -           |
 * | without the label, by users     | -                         | -               | -           |
 * | `onstart`, made after the start | -                         | -               | -           |
 * | `onstart`, there at the start   | restored once             | restored once   | deleted once |
 * | `true`                          | restored once             | restored        | deleted     |
 */
import type { Clock } from '../base/clock.ts'
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts'
import { WorkQueue } from '../client/work-queue.ts'
import type { APIService, APIServiceSpec } from '../kinds/apiregistration/api-service.ts'
import { StatusError } from '../meta/errors.ts'
import type { InternalWriter } from '../registry/internal-writer.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { apiServiceName, type ApiServices } from './api-services.ts'
import type { LocalVersion, LocalVersions } from './local-versions.ts'

/** What registration works with. */
export interface RegistrationParts {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly services: ApiServices
  readonly locals: LocalVersions
  readonly catalogue: Pick<LiveCatalogue, 'find' | 'subscribe'>
  readonly writer: Pick<InternalWriter, 'change' | 'create' | 'createAll' | 'delete'>
  readonly onError: (error: unknown) => void
}

/** Values of the label of registered objects. */
const ONCE = 'onstart'
const ALWAYS = 'true'

/** The label of registered objects, as template. */
export const MANAGED_LABEL = '{system}-aggregator.{label}/automanaged'

const WORKERS = 5
const MOST_MS = 30_000

/** Registers local group versions, and keeps those of definitions registered. */
export class AutoRegistration {
  readonly #parts: RegistrationParts
  readonly #label: string
  readonly #queue: WorkQueue
  /** Names that were registered once, or found at the start. */
  readonly #synced = new Set<string>()
  readonly #atStart = new Set<string>()
  readonly #places = new Map<string, { readonly group: string; readonly version: string }>()
  #ends: (() => void)[] = []

  constructor(parts: RegistrationParts) {
    this.#parts = parts
    this.#label = parts.v.resolve(MANAGED_LABEL)
    this.#queue = new WorkQueue({
      clock: parts.clock,
      work: (name) => this.#sync(name),
      workers: WORKERS,
      mostMs: MOST_MS,
      onError: (error) => parts.onError(error),
    })
  }

  /** Registers all; resolves when each has been tried. */
  async start(): Promise<void> {
    const { services, locals, catalogue } = this.#parts
    for (const name of services.all.keys()) this.#atStart.add(name)
    await this.#createAll(locals.all)
    for (const { name, group, version } of locals.all) this.#due(name, group, version)
    for (const [name, { spec }] of services.all) this.#due(name, spec.group, spec.version)
    this.#ends = [
      services.subscribe((name) => {
        const spec = services.all.get(name)?.spec
        if (spec) this.#places.set(name, { group: spec.group ?? '', version: spec.version ?? '' })
        this.#queue.add(name)
      }),
      catalogue.subscribe(({ added, changed, removed }) => {
        const entries = [
          ...added,
          ...removed,
          ...changed.flatMap(({ before, now }) => [before, now]),
        ]
        for (const { served } of entries)
          for (const { group, version } of served)
            this.#due(apiServiceName(group, version), group, version)
      }),
    ]
    await this.#queue.idle()
  }

  /** Resolves when nothing is due. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end()
    await this.#queue.stop()
  }

  #due(name: string, group = '', version = ''): void {
    this.#places.set(name, { group, version })
    this.#queue.add(name)
  }

  /** On a new store, in one transaction. */
  async #createAll(locals: readonly LocalVersion[]): Promise<void> {
    const { services, writer } = this.#parts
    const served = this.#served()
    const missing = locals.filter(({ name }) => !services.all.has(name))
    if (!served || missing.length === 0) return
    const objects = missing.map((one) => ({ served, namespace: '', object: this.#objectOf(one) }))
    const done = await writer.createAll(objects).catch(() => false)
    if (done) for (const { name, isBuiltIn } of missing) if (isBuiltIn) this.#synced.add(name)
  }

  async #sync(name: string): Promise<void> {
    const { services, locals } = this.#parts
    const { group, version } = this.#places.get(name) ?? { group: '', version: '' }
    const wanted = locals.find(group, version)
    const present = services.all.get(name)
    const isOnce = !wanted || wanted.isBuiltIn
    if (!present) {
      if (!wanted) this.#places.delete(name)
      else if (!isOnce || !this.#synced.has(name)) await this.#create(wanted)
      return
    }
    const managed = present.metadata.labels?.[this.#label]
    if (managed === ALWAYS) {
      if (!wanted) return this.#delete(present)
      if (isOnce && this.#synced.has(name)) return
    } else if (managed !== ONCE || !this.#atStart.has(name) || this.#synced.has(name)) {
      this.#synced.add(name)
      return
    } else if (!wanted) {
      this.#synced.add(name)
      return this.#delete(present)
    }
    await this.#restore(present, wanted)
    this.#synced.add(name)
  }

  #served() {
    const { catalogue, v } = this.#parts
    return catalogue.find(v.resolve('apiregistration{api}'), 'v1', 'apiservices')
  }

  async #create(wanted: LocalVersion): Promise<void> {
    const served = this.#served()
    if (!served) return
    const object = this.#objectOf(wanted)
    // Another server may have been faster, which is as good.
    await unless(409, this.#parts.writer.create({ served, namespace: '', object }))
    if (wanted.isBuiltIn) this.#synced.add(wanted.name)
  }

  async #restore({ metadata, spec }: APIService, wanted: LocalVersion): Promise<void> {
    const served = this.#served()
    const { name = '' } = metadata
    if (!served || isSpecOf(spec, wanted)) return
    const change = this.#parts.writer.change<APIService>({ served, namespace: '', name }, (now) => {
      now.spec = specOf(wanted) as APIServiceSpec
    })
    await unless(404, change)
  }

  async #delete({ metadata: { name = '', uid } }: APIService): Promise<void> {
    const served = this.#served()
    if (!served) return
    const place = { served, namespace: '', name }
    const given = uid === undefined ? {} : { preconditions: { uid } }
    await unless(404, unless(409, this.#parts.writer.delete(place, given)))
  }

  #objectOf(wanted: LocalVersion): object {
    const value = wanted.isBuiltIn ? ONCE : ALWAYS
    return {
      metadata: { name: wanted.name, labels: { [this.#label]: value } },
      spec: specOf(wanted),
    }
  }
}

const specOf = ({ group, version, priority }: LocalVersion): Partial<APIServiceSpec> => ({
  ...(group === '' ? {} : { group }),
  version,
  groupPriorityMinimum: priority.group,
  versionPriority: priority.version,
})

const isSpecOf = (spec: APIServiceSpec, { priority }: LocalVersion): boolean =>
  spec.service === undefined &&
  spec.caBundle === undefined &&
  spec.insecureSkipTLSVerify !== true &&
  spec.groupPriorityMinimum === priority.group &&
  spec.versionPriority === priority.version

/** Waits for a write, and ignores a refusal with a code. */
async function unless(code: number, write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== code) throw error
  }
}
