import { BackgroundPace } from '../../base/background-pace.ts'
import { parsedTime } from '../../base/time.ts'
import type { Client } from '../../client/client.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import type { Lister } from '../../client/informer.ts'
import { pause } from '../../client/retry.ts'
import type { Lease } from '../../kinds/coordination/lease.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import { NODES } from '../addresses.ts'
import type { StartingContext } from '../controller.ts'
import { readyOf, type NodeFacts } from './node-facts.ts'
import { isStale, observed, staleConditions, type Health } from './node-health.ts'
import { changeTaints, markNotReady, nodeReference, podsOn } from './node-writes.ts'
import { evictingKey, taintedToEvict } from './node-taints.ts'
import type { NodeWords } from './node-words.ts'
import type { ZoneCount, ZoneEvictions } from './zone-evictions.ts'

const TRIES = 5
const BETWEEN_TRIES_MS = 20
const CONFLICT = 409

/** Dependencies of the monitor. */
export interface MonitorParts {
  readonly client: Client
  readonly recorder: EventRecorder
  readonly leases: Lister<Lease>
  readonly words: NodeWords
  readonly nodes: ReadonlyMap<string, NodeFacts>
  readonly evictions: ZoneEvictions
}

/** Statuses of `Ready` of one node: as the pass found it, and as it left it; null: there is none. */
interface Seen {
  readonly found: string
  readonly left: string | null
}

/** Looks at all nodes time and again: one that does not report is not ready, nor are its pods. */
export class NodeMonitor {
  readonly #context: StartingContext
  readonly #parts: MonitorParts
  readonly #health = new Map<string, Health>()
  /** Nodes whose pods could not all be marked. */
  readonly #unmarked = new Set<string>()

  constructor(context: StartingContext, parts: MonitorParts) {
    this.#context = context
    this.#parts = parts
  }

  /** One look at all nodes. A failure of one does not keep the others. */
  async pass(): Promise<void> {
    const { nodes, evictions } = this.#parts
    this.#forgetGone()
    const counts = new Map<string, { size: number; unready: number }>()
    const pace = new BackgroundPace()
    for (const facts of nodes.values()) {
      await pace.pause()
      if (!this.#health.has(facts.name)) await this.#welcome(facts)
      const left = await this.#tended(facts)
      if (facts.isExcluded) continue
      const count = counts.get(facts.zone) ?? { size: 0, unready: 0 }
      count.size++
      if (left !== 'True') count.unready++
      counts.set(facts.zone, count)
    }
    await this.#zonesChanged(evictions.update(counts), counts)
  }

  #forgetGone(): void {
    const { nodes, recorder } = this.#parts
    for (const [name, { uid }] of this.#health) {
      if (nodes.has(name)) continue
      this.#health.delete(name)
      this.#unmarked.delete(name)
      const message = `Node ${name} event: Removing Node ${name} from Controller`
      recorder.event(nodeReference({ name, uid }), 'Normal', 'RemovingNode', message)
    }
  }

  async #welcome(facts: NodeFacts): Promise<void> {
    const { name } = facts
    const message = `Node ${name} event: Registered Node ${name} in Controller`
    this.#parts.recorder.event(nodeReference(facts), 'Normal', 'RegisteredNode', message)
    this.#parts.evictions.known(facts.zone)
    await this.#tried(name, () => this.#reachable(facts))
  }

  /** Does what is due for one node; returns its status of `Ready`. */
  async #tended(facts: NodeFacts): Promise<string | null> {
    const { name } = facts
    const seen = await this.#checked(facts)
    if (!seen) return null
    const { found, left } = seen
    if (left === null) return null
    await this.#tried(name, () => this.#evicting(facts, found))
    const failed = found === 'True' && left !== 'True'
    if (failed) {
      const message = `Node ${name} status is now: NodeNotReady`
      this.#parts.recorder.event(nodeReference(facts), 'Normal', 'NodeNotReady', message)
    }
    if (failed || (this.#unmarked.has(name) && found !== 'True')) {
      this.#unmarked.add(name)
      if (!(await this.#tried(name, () => this.#markPods(name)))) return left
    }
    this.#unmarked.delete(name)
    return left
  }

  /** Notes what is new of a node, and changes its conditions when it is stale; null: that failed. */
  async #checked(facts: NodeFacts): Promise<Seen | null> {
    const { clock, settings } = this.#context
    const { name, ready } = facts
    const nowMs = clock.now()
    const seen = { nowMs, renewMs: this.#renewMs(name) }
    const health = observed(this.#health.get(name), facts, seen)
    this.#health.set(name, health)
    const found = ready?.status ?? 'Unknown'
    if (!isStale(health, facts, nowMs, settings)) return { found, left: ready?.status ?? null }
    for (let tries = 1; ; tries++) {
      try {
        const node = await this.#becameStale(facts)
        if (!node) return null
        const left = readyOf(node)
        health.heartbeat = left?.heartbeat ?? null
        health.transition = left?.transition ?? ''
        health.readyMs = clock.now()
        return { found, left: left?.status ?? null }
      } catch (error) {
        if (tries === TRIES) {
          this.#failed(name, error)
          return null
        }
        await pause(clock, BETWEEN_TRIES_MS, this.#context.signal)
      }
    }
  }

  /** Writes the conditions of a node that does not report; null: it is gone, or has just reported. */
  async #becameStale({ name, uid, ready }: NodeFacts): Promise<Node | null> {
    const { client, words } = this.#parts
    const nodes = client.resource<Node>(NODES)
    const node = await nodes.find(name)
    if (!node || node.metadata.uid !== uid) return null
    const live = readyOf(node)
    if (live?.heartbeat !== ready?.heartbeat || live?.status !== ready?.status) return null
    const conditions = staleConditions(node, words, this.#context.clock.now())
    return nodes.sub('status').update<Node>({ ...node, status: { ...node.status, conditions } })
  }

  #renewMs(name: string): number | null {
    const { leases, words } = this.#parts
    return parsedTime(leases.get(words.leases, name)?.spec.renewTime)
  }

  /** Pods leave a node that is not ready; where it has the taint of the other reason already, at once. */
  async #evicting(facts: NodeFacts, found: string): Promise<void> {
    const { client, words, evictions } = this.#parts
    const key = evictingKey(found, words)
    if (key === null) return this.#reachable(facts)
    if (!this.#context.settings.usesTaintManager) {
      if (this.#isOverdue(facts, found)) evictions.add(facts)
      return undefined
    }
    const ours = facts.noExecute.filter((one) => this.#isOurs(one.key))
    if (ours.length === 1 && ours[0]!.key === key) return evictions.remove(facts)
    if (ours.length === 0) return evictions.add(facts)
    const nowMs = this.#context.clock.now()
    await changeTaints(client, facts.name, (node) => taintedToEvict(node, { key, words, nowMs }))
    return undefined
  }

  /** Without taints pods leave later. */
  #isOverdue({ name }: NodeFacts, found: string): boolean {
    const health = this.#health.get(name)
    if (!health) return false
    const since = found === 'False' ? health.readyMs : health.probeMs
    return this.#context.clock.now() > since + this.#context.settings.podEvictionMs
  }

  #isOurs(key: string): boolean {
    return key === this.#parts.words.notReady || key === this.#parts.words.unreachable
  }

  /** Pods may stay. */
  async #reachable(facts: NodeFacts): Promise<void> {
    const { client, words, evictions } = this.#parts
    evictions.remove(facts)
    if (!facts.noExecute.some(({ key }) => this.#isOurs(key))) return
    const nowMs = this.#context.clock.now()
    await changeTaints(client, facts.name, (node) =>
      taintedToEvict(node, { key: null, words, nowMs }),
    )
  }

  async #markPods(name: string): Promise<void> {
    const failures: unknown[] = []
    for (const pod of await podsOn(this.#parts.client, name)) {
      try {
        await markNotReady(this.#parts, pod, this.#context.clock.now())
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  async #zonesChanged(
    change: 'stopped' | 'resumed' | null,
    counts: ReadonlyMap<string, ZoneCount>,
  ): Promise<void> {
    const nowMs = this.#context.clock.now()
    if (change === 'resumed') {
      for (const health of this.#health.values()) {
        health.probeMs = nowMs
        health.readyMs = nowMs
      }
    }
    if (change !== 'stopped') return
    const zones = [...counts.keys()]
    this.#context.log.info('no node is ready: pods stay where they are', { zones: zones.length })
    for (const facts of this.#parts.nodes.values())
      await this.#tried(facts.name, () => this.#reachable(facts))
  }

  /** Whether it succeeded. The next pass tries again. */
  async #tried(node: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      this.#failed(node, error)
      return false
    }
  }

  #failed(node: string, error: unknown): void {
    if (this.#context.signal.aborted) return
    const fields = { controller: 'nodelifecycle', node, error: String(error) }
    // Others write nodes as well: that is for the next pass.
    if ((error as { readonly code?: number }).code === CONFLICT)
      this.#context.log.debug(2, 'a node has changed meanwhile', fields)
    else this.#context.log.warn('a node could not be tended', fields)
  }
}
