/** Pods that are there when the level of their namespace gets stricter: reported, never refused. */
import type { Clock } from '../../../base/clock.ts'
import { Pace } from '../../../base/event-loop.ts'
import type { ObjectSource, UnreadObject } from '../../../catalogue/object-source.ts'
import type { Pod } from '../../../kinds/core/pod/pod.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'
import { checkedPod } from './check.ts'
import { reasonsText, violationsOf } from './evaluation.ts'
import { levelText, type LevelVersion } from './policy.ts'

/** Bounds of one evaluation: pods, and time, which is also at most half of what the request has left. */
const MAX_PODS = 3000
const MAX_MS = 1000

const PODS = { group: '', resource: 'pods' }

/** Pods of one namespace to evaluate. */
export interface ExistingPods {
  readonly namespace: string
  readonly level: LevelVersion
  readonly isExempt: (pod: Pod) => boolean
  /** Deadline of the request, milliseconds since the epoch. */
  readonly deadline: number
}

interface Evaluating {
  readonly objects: ObjectSource
  readonly clock: Clock
  readonly v: Vocabulary
}

/** Warnings about the pods of a namespace that violate a level. */
export async function existingPodWarnings(
  { objects, clock, v }: Evaluating,
  { namespace, level, isExempt, deadline }: ExistingPods,
): Promise<string[]> {
  const now = clock.now()
  const until = now + Math.min(MAX_MS, Math.max(0, (deadline - now) / 2))
  let found: UnreadObject<Pod>[]
  try {
    found = await podsIn(namespace, objects)
  } catch {
    return ['failed to list pods while checking new PodSecurity enforce level']
  }
  const isLate = () => clock.now() >= until
  const { pods, total } = await inOrder(found, isExempt, isLate)
  const pace = new Pace()
  /** Pods by what they violate: the first name, and how many there are. */
  const violating = new Map<string, { readonly name: string; count: number }>()
  let checked = 0
  for (const pod of pods) {
    const violations = violationsOf(checkedPod(pod.metadata.annotations, pod.spec, v), level)
    checked++
    if (violations.length > 0) {
      const reasons = reasonsText(violations)
      const same = violating.get(reasons)
      if (same) same.count++
      else violating.set(reasons, { name: pod.metadata.name!, count: 1 })
    }
    if (isLate()) break
    const pause = pace.pause()
    if (pause) await pause
  }
  return [
    ...(checked === total
      ? []
      : [
          `new PodSecurity enforce level only checked against the first ${checked} of ${total} existing pods`,
        ]),
    ...(violating.size === 0
      ? []
      : [
          `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(levelText(level))}`,
        ]),
    ...[...violating].map(([reasons, pods]) => `${podsText(pods)}: ${reasons}`).sort(),
  ]
}

function podsText({ name, count }: { readonly name: string; readonly count: number }): string {
  if (count === 1) return name
  return `${name} (and ${count - 1} other ${count === 2 ? 'pod' : 'pods'})`
}

async function podsIn(namespace: string, objects: ObjectSource): Promise<UnreadObject<Pod>[]> {
  const found: UnreadObject<Pod>[] = []
  const stop = await objects.follow<Pod>(PODS, {
    set() {},
    named: (place, pod) => void (place.namespace === namespace && found.push(pod)),
    removed() {},
  })
  stop()
  return found
}

/**
 * The pods to evaluate, and how many there are: one of each controller first, whose others are alike. Those with an
 * exempt runtime class do not count. Pods that there is no time to read count, but are left out.
 */
async function inOrder(
  found: readonly UnreadObject<Pod>[],
  isExempt: (pod: Pod) => boolean,
  isLate: () => boolean,
): Promise<{ readonly pods: readonly Pod[]; readonly total: number }> {
  const pace = new Pace()
  const first: Pod[] = []
  const alike: Pod[] = []
  const controllers = new Set<string>()
  let total = 0
  for (const [i, unread] of found.entries()) {
    if (isLate()) {
      total += found.length - i
      break
    }
    const pod = unread.read()
    if (!pod || isExempt(pod)) continue
    total++
    const uid = controllerOf(pod)
    const list = uid !== undefined && controllers.has(uid) ? alike : first
    if (uid !== undefined) controllers.add(uid)
    if (list.length < MAX_PODS) list.push(pod)
    const pause = pace.pause()
    if (pause) await pause
  }
  return { pods: [...first, ...alike].slice(0, MAX_PODS), total }
}

const controllerOf = ({ metadata: { ownerReferences = [] } }: Pod): string | undefined =>
  ownerReferences.find(({ controller }) => controller === true)?.uid
