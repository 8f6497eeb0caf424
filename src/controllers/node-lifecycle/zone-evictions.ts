import type { Clock } from '../../base/clock.ts'
import {
  nodeEvictions,
  nodeEvictionsBefore,
  zoneHealth,
  zoneSize,
  zoneUnready,
} from '../../metrics/declared/clients.ts'
import type { Registry } from '../../metrics/registry.ts'
import type { ControllerSettings } from '../settings.ts'
import type { NodeFacts } from './node-facts.ts'
import { evictionRate, Turnstile, zoneState, type ZoneState } from './zones.ts'

/** Nodes of a zone, as far as its health depends on them. */
export interface ZoneCount {
  readonly size: number
  readonly unready: number
}

interface Zone {
  state: ZoneState | 'Initial'
  readonly turns: Turnstile
  /** Nodes that wait for their turn. */
  readonly waiting: Set<string>
}

/** Dependencies of the evictions. */
export interface ZoneEvictionsParts {
  readonly clock: Clock
  readonly settings: ControllerSettings
  /** Has the pods of a node leave; returns whether they still had to. */
  readonly evict: (node: string) => Promise<boolean>
  /** Absent: nothing is measured. */
  readonly metrics: Registry | undefined
  /** Called when nodes of a zone may have their turn. */
  readonly wake: (zone: string) => void
}

/** How often nodes that wait are looked at, at most. */
const LEAST_WAIT_MS = 100

/** Nodes whose pods are to leave, at the rates of their zones: where much fails at once the network is the likely reason. */
export class ZoneEvictions {
  readonly #parts: ZoneEvictionsParts
  readonly #zones = new Map<string, Zone>()

  constructor(parts: ZoneEvictionsParts) {
    this.#parts = parts
  }

  /** Has the pods of a node leave when its zone permits it. */
  add({ name, zone }: NodeFacts): void {
    const { waiting } = this.known(zone)
    if (waiting.has(name)) return
    waiting.add(name)
    this.#parts.wake(zone)
  }

  /** Ends the wait of a node. */
  remove({ name, zone }: Pick<NodeFacts, 'name' | 'zone'>): void {
    this.#zones.get(zone)?.waiting.delete(name)
  }

  /** Works off the nodes of a zone that have their turn; returns when to come again. */
  async work(zone: string): Promise<number | void> {
    const { turns, waiting } = this.known(zone)
    for (const name of waiting) {
      const ms = turns.pass()
      // Another rate wakes the zone.
      if (ms === Infinity) return undefined
      if (ms > 0) return Math.max(LEAST_WAIT_MS, ms)
      waiting.delete(name)
      try {
        if (await this.#parts.evict(name)) this.#countEviction(zone)
      } catch (error) {
        waiting.add(name)
        throw error
      }
    }
    return undefined
  }

  /** Takes over the health of all zones. `stopped`: no zone has a ready node any more; `resumed`: one has again. */
  update(counts: ReadonlyMap<string, ZoneCount>): 'stopped' | 'resumed' | null {
    const { settings } = this.#parts
    const states = new Map<string, ZoneState>()
    for (const [zone, { size, unready }] of counts) {
      this.known(zone)
      this.#measure(zone, size, unready)
      states.set(zone, zoneState(size, unready, settings.unhealthyZoneThreshold))
    }
    for (const [zone, { waiting }] of this.#zones)
      if (!counts.has(zone) && waiting.size === 0) {
        this.#zones.delete(zone)
        this.#measure(zone, 0, 0)
      }
    if (counts.size === 0) return null
    const isDown = [...states.values()].every((state) => state === 'FullDisruption')
    const wasDown = [...counts.keys()].every((zone) => this.known(zone).state === 'FullDisruption')
    if (isDown) {
      for (const zone of this.#zones.values()) {
        zone.state = 'FullDisruption'
        zone.turns.rate = 0
      }
      return wasDown ? null : 'stopped'
    }
    for (const [zone, state] of states)
      if (wasDown || this.known(zone).state !== state)
        this.#enter(zone, state, counts.get(zone)!.size)
    return wasDown ? 'resumed' : null
  }

  /** The zone, which begins with the usual rate. */
  known(name: string): Pick<Zone, 'state' | 'turns' | 'waiting'> {
    const { clock, settings } = this.#parts
    let zone = this.#zones.get(name)
    if (!zone) {
      const turns = new Turnstile(clock, settings.nodeEvictionRate)
      zone = { state: 'Initial', turns, waiting: new Set() }
      this.#zones.set(name, zone)
    }
    return zone
  }

  #measure(zone: string, size: number, unready: number): void {
    const { metrics } = this.#parts
    if (!metrics) return
    metrics.of(zoneSize).with({ zone }).set(size)
    metrics.of(zoneUnready).with({ zone }).set(unready)
    metrics
      .of(zoneHealth)
      .with({ zone })
      .set(size === 0 ? 100 : (100 * (size - unready)) / size)
  }

  #countEviction(zone: string): void {
    const { metrics } = this.#parts
    metrics?.of(nodeEvictions).with({ zone }).inc()
    metrics?.of(nodeEvictionsBefore).with({ zone }).inc()
  }

  #enter(name: string, state: ZoneState, size: number): void {
    const zone = this.known(name)
    zone.state = state
    zone.turns.rate = evictionRate(state, size, this.#parts.settings)
    if (zone.waiting.size > 0) this.#parts.wake(name)
  }
}
