/** The health of zones, and how fast nodes of a zone may lose their pods. */
import type { Clock } from '../../base/clock.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { ControllerSettings } from '../settings.ts'
import type { NodeWords } from './node-words.ts'

/** How much of a zone is not ready. */
export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption'

/** The zone of a node; empty: none. */
export function zoneOf({ metadata }: Pick<Node, 'metadata'>, words: NodeWords): string {
  const labels = metadata.labels ?? {}
  const first = (names: readonly string[]) =>
    names.map((name) => labels[name] ?? '').find((value) => value !== '') ?? ''
  const region = first(words.regions)
  const zone = first(words.zones)
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`
}

/** The state of a zone with so many nodes, of which some are not ready. */
export function zoneState(size: number, unready: number, threshold: number): ZoneState {
  if (size > 0 && unready === size) return 'FullDisruption'
  return unready > MOST_UNREADY && unready / size >= threshold ? 'PartialDisruption' : 'Normal'
}

/** Nodes that may fail at the same time by chance. */
const MOST_UNREADY = 2

/** Nodes of a zone that may lose their pods in a second. */
export function evictionRate(state: ZoneState, size: number, settings: ControllerSettings): number {
  if (state !== 'PartialDisruption') return settings.nodeEvictionRate
  return size > settings.largeClusterSize ? settings.secondaryNodeEvictionRate : 0
}

/** Lets one pass at a time, at a rate. */
export class Turnstile {
  readonly #clock: Clock
  #rate: number
  #share = 1
  #at: number

  constructor(clock: Clock, rate: number) {
    this.#clock = clock
    this.#rate = rate
    this.#at = clock.now()
  }

  get rate(): number {
    return this.#rate
  }

  /** Another rate begins with a full turn; none at all has none. */
  set rate(rate: number) {
    if (rate === this.#rate) return
    this.#rate = rate
    this.#share = 1
    this.#at = this.#clock.now()
  }

  /** Lets one pass if it may; returns 0, or milliseconds until one may; Infinity: nobody may. */
  pass(): number {
    if (this.#rate <= 0) return Infinity
    const now = this.#clock.now()
    this.#share = Math.min(1, this.#share + (Math.max(0, now - this.#at) / 1000) * this.#rate)
    this.#at = now
    if (this.#share < 1 - TINY) return Math.ceil(((1 - this.#share) / this.#rate) * 1000)
    this.#share = 0
    return 0
  }
}

/** Sums of shares are not exact. */
const TINY = 1e-9
