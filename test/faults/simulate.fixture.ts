/** A store that is right, with clients that come and go at random: what the checkers must take. */
import {
  History,
  type Begun,
  type Committed,
  type Operation,
  type Outcome,
  type Seen,
} from './history.ts'
import { seeded } from './random.ts'

/** A history and the changes that were made in it. */
export interface Simulated {
  readonly operations: readonly Operation[]
  readonly log: readonly Committed[]
}

/**
 * Runs a store in memory; each operation takes effect at some moment between call and answer. With `late`, what was
 * under way when the server died may still take effect.
 */
export function simulate(
  seed: number,
  options: { keys: number; clients: number; steps: number; late?: boolean },
): Simulated {
  const { keys, clients, steps, late = false } = options
  const random = seeded(seed)
  const history = new History(() => 0)
  const log: Committed[] = []
  const objects = new Map<string, Seen>()
  const known = new Map<string, number>()
  let revision = 0
  let serial = 0
  type Client = { key: string; begun: Begun; effect: () => Outcome; outcome: Outcome | null } | null
  const busy: Client[] = Array.from({ length: clients }, () => null)

  const begin = (): Client => {
    const key = `k${random.below(keys)}`
    const kind = random.pick([
      'create',
      'update',
      'update',
      'delete',
      'get',
      'get',
      'list',
    ] as const)
    const writes = kind === 'create' || kind === 'update'
    const value = `v${++serial}`
    const conditional = (kind === 'update' || kind === 'delete') && random.below(3) > 0
    const expected = conditional ? known.get(key) : undefined
    const begun = history.begin({
      kind,
      key: kind === 'list' ? 'k' : key,
      ...(writes ? { value } : {}),
      ...(expected === undefined ? {} : { expected }),
    })
    const effect = (): Outcome => {
      const present = objects.get(key)
      if (kind === 'list') return { is: 'listed', at: revision, items: new Map(objects) }
      if (kind === 'create' && present) return { is: 'exists' }
      if (kind !== 'create' && !present) return { is: 'absent' }
      if (kind === 'get') return { is: 'done', seen: present! }
      if (expected !== undefined && present?.revision !== expected) return { is: 'conflict' }
      revision += 1 + random.below(3)
      if (kind === 'delete') {
        objects.delete(key)
        log.push({ key, type: 'DELETED', ...present!, revision })
        return { is: 'deleted', uid: present!.uid }
      }
      const seen = { revision, value, uid: present?.uid ?? `u-${value}` }
      objects.set(key, seen)
      log.push({ key, type: present ? 'MODIFIED' : 'ADDED', ...seen })
      return { is: 'done', seen }
    }
    return { key, begun, effect, outcome: null }
  }

  const ghosts: (() => Outcome)[] = []
  for (let step = 0; step < steps; step++) {
    const i = random.below(clients)
    const client = busy[i]
    if (!client) busy[i] = begin()
    else if (!client.outcome) client.outcome = client.effect()
    else {
      const { outcome } = client
      const lost = random.below(12) === 0
      if (outcome.is === 'done' && !lost) known.set(client.key, outcome.seen.revision)
      client.begun.end(lost ? { is: 'unknown' } : outcome)
      busy[i] = null
    }
    // Now and then the server dies with what was under way, applied or not.
    if (random.below(40) === 0) {
      if (late) for (const left of busy) if (left && !left.outcome) ghosts.push(left.effect)
      if (!late) history.settle(history.tick())
      busy.fill(null)
    }
    if (late && random.below(20) === 0) ghosts.pop()?.()
  }
  return { operations: history.operations, log }
}
