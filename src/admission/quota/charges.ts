import type { Clock } from '../../base/clock.ts'
import { internalError } from '../../meta/errors.ts'
import { Evaluators } from '../../quota/evaluators.ts'
import type { Attributes } from '../attributes.ts'
import type { PluginDeps } from '../plugin.ts'
import { QuotaRequest } from './charge.ts'
import type { LimitedResource } from './limits.ts'
import { NamespaceCharges } from './namespace-charges.ts'
import type { QuotaIndex } from './quota-index.ts'

/** How long a request waits for its verdict, milliseconds. */
const WAIT_MS = 10_000

/** Charges the quotas of all namespaces. Loaded when the first request needs it. */
export class Charges {
  readonly #deps: Pick<PluginDeps, 'clock' | 'writer'>
  readonly #index: QuotaIndex
  readonly #limited: readonly LimitedResource[]
  readonly #evaluators: Evaluators
  readonly #namespaces = new Map<string, NamespaceCharges>()
  /** Requests that are charged: they are validated again where an allocated value was taken meanwhile. */
  readonly #charged = new WeakSet<Attributes>()

  constructor(
    deps: Pick<PluginDeps, 'v' | 'gate' | 'clock' | 'writer'>,
    index: QuotaIndex,
    limited: readonly LimitedResource[],
  ) {
    this.#deps = deps
    this.#index = index
    this.#limited = limited
    this.#evaluators = new Evaluators(deps.v, deps.gate)
  }

  /** Charges a request; null when no quota can apply to it. Rejects with StatusError. */
  take(attributes: Attributes): Promise<void> | null {
    const { resource, operation, namespace } = attributes
    const evaluator = this.#evaluators.of(resource)
    if (!evaluator || (operation === 'UPDATE' && !evaluator.chargesUpdates)) return null
    if (this.#charged.has(attributes)) return null
    const request = new QuotaRequest(attributes, evaluator, this.#limited)
    return this.#take(namespace, request)
  }

  async #take(namespace: string, request: QuotaRequest): Promise<void> {
    await inTime(this.#of(namespace).take(request), this.#deps.clock)
    if (!request.attributes.dryRun) this.#charged.add(request.attributes)
  }

  #of(namespace: string): NamespaceCharges {
    const known = this.#namespaces.get(namespace)
    if (known) return known
    const charges = new NamespaceCharges({
      namespace,
      index: this.#index,
      writer: this.#deps.writer,
      onIdle: () => this.#namespaces.delete(namespace),
    })
    this.#namespaces.set(namespace, charges)
    return charges
  }
}

/** The work, or 500 when it takes too long; it may still charge then. */
async function inTime(work: Promise<void>, clock: Clock): Promise<void> {
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(WAIT_MS, () =>
      reject(internalError('resource quota evaluation timed out')),
    )
  })
  try {
    await Promise.race([work, late])
  } finally {
    cancel()
  }
}
