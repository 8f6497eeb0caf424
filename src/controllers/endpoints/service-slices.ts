/** The slices of each service that one controller manages. */
import type { Entry } from '../../client/entry.ts'
import type { Informer, Lister } from '../../client/informer.ts'
import { keyOf, placeIn } from '../../client/transport.ts'
import type { EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { workQueue, type StartingContext } from '../controller.ts'
import { isTerminating } from '../finalizer.ts'
import { handled } from '../following.ts'
import { Newest } from './newest.ts'

/** Labels of slices. */
export const sliceLabels = (v: Vocabulary) => ({
  service: v.resolve('{label}/service-name'),
  managedBy: v.resolve('endpointslice.{label}/managed-by'),
  headless: v.resolve('service.{label}/headless'),
})

interface ServiceSlicesParts {
  readonly v: Vocabulary
  readonly lister: Lister<EndpointSlice>
  /** The value of the label that marks slices of this controller. */
  readonly managedBy: string
}

/** Slices by the service that their label names; what the controller wrote itself counts at once. */
export class ServiceSlices {
  readonly #parts: ServiceSlicesParts
  readonly #labels: ReturnType<typeof sliceLabels>
  readonly #newest = new Newest<EndpointSlice>()
  /** Keys of slices, by the key of the service. */
  readonly #byService = new Map<string, Set<string>>()
  readonly #serviceOf = new Map<string, string>()

  constructor(parts: ServiceSlicesParts) {
    this.#parts = parts
    this.#labels = sliceLabels(parts.v)
  }

  /** Whether a slice that was added, changed or deleted has to be read: false is certain. */
  isOurs(entry: Entry<EndpointSlice>): boolean {
    return this.#serviceOf.has(entry.key) || entry.mayContain(this.#parts.managedBy)
  }

  /** Reads a slice that has changed. Returns the services to look at, because it was somebody else who changed it. */
  refresh(key: string): readonly string[] {
    const { namespace, name } = placeIn(key)
    const known = this.#parts.lister.get(namespace, name)
    const isOwn = this.#newest.isWritten(key, known)
    const before = this.#serviceOf.get(key)
    this.#place(key, this.#newest.pick(key, known))
    if (isOwn) return []
    const now = this.#serviceOf.get(key)
    return [...new Set([before, now])].flatMap((service) => service ?? [])
  }

  /** The slices of a service, in order of their names; those that are being deleted are left out. */
  of(service: string): EndpointSlice[] {
    return [...(this.#byService.get(service) ?? [])].sort().flatMap((key) => {
      const { namespace, name } = placeIn(key)
      const slice = this.#newest.pick(key, this.#parts.lister.get(namespace, name))
      return slice && !isTerminating(slice) ? [slice] : []
    })
  }

  /** Keys of the services that have slices. */
  services(): readonly string[] {
    return [...this.#byService.keys()]
  }

  wrote(slice: EndpointSlice): void {
    const key = keyOfSlice(slice)
    this.#newest.wrote(key, slice)
    this.#place(key, slice)
  }

  removed(slice: EndpointSlice): void {
    const key = keyOfSlice(slice)
    this.#newest.removed(key, slice)
    this.#place(key, null)
  }

  /** A write was refused: what the informer knows counts. */
  refused(slice: EndpointSlice): void {
    this.#newest.forget(keyOfSlice(slice))
  }

  /** The informer has listed everything again. */
  relisted(): void {
    this.#newest.clear()
  }

  #place(key: string, slice: EndpointSlice | null): void {
    const { managedBy, service: label } = this.#labels
    const labels = slice?.metadata.labels ?? {}
    const { [label]: name = '' } = labels
    const isOurs = slice !== null && labels[managedBy] === this.#parts.managedBy && name !== ''
    const service = isOurs ? keyOf(slice.metadata.namespace ?? '', name) : null
    const before = this.#serviceOf.get(key)
    if (before !== undefined && before !== service) {
      const others = this.#byService.get(before)
      others?.delete(key)
      if (others?.size === 0) this.#byService.delete(before)
      this.#serviceOf.delete(key)
    }
    if (service === null) return
    this.#serviceOf.set(key, service)
    const slices = this.#byService.get(service)
    if (slices) slices.add(key)
    else this.#byService.set(service, new Set([key]))
  }
}

const keyOfSlice = ({ metadata }: EndpointSlice): string =>
  keyOf(metadata.namespace ?? '', metadata.name ?? '')

/** The reading of slices. */
interface SliceReading {
  /** Reads changed slices. */
  readonly queue: WorkQueue
  readonly end: () => void
}

/** Keeps slices current; resolves when all that are there were read. `changed`: others changed those of a service. */
export async function readSlices(
  context: StartingContext,
  name: string,
  {
    slices,
    informer,
  }: { readonly slices: ServiceSlices; readonly informer: Informer<EndpointSlice> },
  changed: (service: string) => void,
): Promise<SliceReading> {
  let hasBegun = false
  const queue = workQueue(context, name, {
    async work(key) {
      const services = slices.refresh(key)
      if (hasBegun) for (const service of services) changed(service)
    },
  })
  const read = (entry: Entry<EndpointSlice>) => {
    if (slices.isOurs(entry)) queue.add(entry.key)
  }
  const handler = { add: read, update: read, delete: read, relisted: () => slices.relisted() }
  const end = await handled(informer, handler, context.signal)
  await queue.idle()
  hasBegun = true
  return { queue, end }
}
