/** Keeps the condition `Available` of every APIService. */
import { formatTime } from '../base/time.ts'
import type { ObjectHandler, ObjectSource } from '../catalogue/object-source.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { WorkQueue } from '../client/work-queue.ts'
import type { APIService, APIServiceStatus } from '../kinds/apiregistration/api-service.ts'
import { StatusError } from '../meta/errors.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { InternalWriter } from '../registry/internal-writer.ts'
import { AVAILABLE, type ApiServices } from './api-services.ts'
import { availabilityOf, type Availability, type AvailabilityParts } from './availability.ts'
import { ENDPOINTS, SERVICES } from './service-port.ts'

/** What the controller works with. */
export interface AvailabilityControllerParts extends Omit<AvailabilityParts, 'signal'> {
  readonly services: ApiServices
  readonly objects: ObjectSource
  readonly catalogue: Pick<Catalogue, 'find'>
  readonly writer: Pick<InternalWriter, 'change'>
  readonly onError: (error: unknown) => void
  /** Called after each check; optional. */
  readonly onChecked?: (name: string, found: Availability, isChange: boolean) => void
  /** Told that a service is gone. */
  readonly onGone?: (name: string) => void
}

const WORKERS = 5
const LEAST_MS = 5
const MOST_MS = 30_000
/** A server that stopped without a trace in the cluster is noticed after this time. */
const PROBE_EVERY_MS = 30_000

/** A running controller. */
export class AvailabilityController {
  readonly #parts: AvailabilityControllerParts
  readonly #ending = new AbortController()
  readonly #queue: WorkQueue
  #ends: (() => void)[] = []
  #follows = false

  constructor(parts: AvailabilityControllerParts) {
    this.#parts = parts
    this.#queue = new WorkQueue({
      clock: parts.clock,
      work: (name) => this.#check(name),
      workers: WORKERS,
      leastMs: LEAST_MS,
      mostMs: MOST_MS,
      onError: (error) => {
        if (!(error instanceof Unavailable)) parts.onError(error)
      },
    })
  }

  /** Checks all, and from then on those whose objects change. */
  start(): void {
    const { services } = this.#parts
    for (const name of services.all.keys()) this.#queue.add(name)
    const end = services.subscribe((name) => {
      this.#queue.add(name)
      this.#followOnce()
    })
    this.#ends.push(end)
    this.#followOnce()
  }

  /** Follows services and endpoints, which are many, once there is an APIService that refers to one. */
  #followOnce(): void {
    const { services, onError } = this.#parts
    if (this.#follows || services.remote.size === 0) return
    this.#follows = true
    this.#follow().catch((error: unknown) => {
      this.#follows = false
      onError(error)
    })
  }

  async #follow(): Promise<void> {
    const { objects } = this.#parts
    const referring = { set: this.#referring, removed: this.#referring } satisfies ObjectHandler
    for (const resource of [SERVICES, ENDPOINTS]) {
      const end = await objects.follow(resource, referring)
      if (this.#ending.signal.aborted) end()
      else this.#ends.push(end)
    }
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    for (const end of this.#ends.splice(0)) end()
    await this.#queue.stop()
  }

  readonly #referring = ({ metadata }: Typed): void => {
    for (const [name, { spec }] of this.#parts.services.remote) {
      const { namespace, name: service } = spec.service ?? {}
      if (namespace === metadata.namespace && service === metadata.name) this.#queue.add(name)
    }
  }

  async #check(name: string): Promise<number | void> {
    const service = this.#parts.services.all.get(name)
    if (!service) return this.#parts.onGone?.(name)
    const found = await availabilityOf({ ...this.#parts, signal: this.#ending.signal }, service)
    if (this.#ending.signal.aborted) return
    this.#parts.onChecked?.(name, found, !isKnown(service.status, found))
    if (!isShown(service.status, found)) await this.#write(name, found)
    if (!service.spec.service) return
    if (found.reason === 'FailedDiscoveryCheck') throw new Unavailable(found.message)
    return PROBE_EVERY_MS
  }

  async #write(name: string, found: Availability): Promise<void> {
    const { catalogue, writer, clock, v } = this.#parts
    const served = catalogue.find(v.resolve('apiregistration{api}'), 'v1', 'apiservices')
    if (!served) return
    try {
      await writer.change<APIService>(
        { served, namespace: '', name, subresource: 'status' },
        ({ status }) => set(status, found, formatTime(clock.now())),
        // It has been changed by others: its change makes it checked again.
        { attempts: 2 },
      )
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error
    }
  }
}

/** A failed check, to be repeated soon. */
class Unavailable extends Error {}

/** Whether a service has had this status before. */
const isKnown = ({ conditions = [] }: APIServiceStatus, { status }: Availability): boolean =>
  conditions.find(({ type }) => type === AVAILABLE)?.status === status

function isShown({ conditions = [] }: APIServiceStatus, found: Availability): boolean {
  const present = conditions.find(({ type }) => type === AVAILABLE)
  return (
    present?.status === found.status &&
    (present.reason ?? '') === found.reason &&
    (present.message ?? '') === found.message
  )
}

/** Changes the status. The time is that of the last change from one status to another. */
function set(status: APIServiceStatus, found: Availability, now: string): void {
  const conditions = (status.conditions ??= [])
  const at = conditions.findIndex(({ type }) => type === AVAILABLE)
  const before = conditions[at]
  const lastTransitionTime =
    before?.status === found.status ? (before.lastTransitionTime ?? now) : now
  const condition = { type: AVAILABLE, ...found, lastTransitionTime }
  if (at === -1) conditions.push(condition)
  else conditions[at] = condition
}
