import type { Entry } from '../client/entry.ts'
import { keyOf, placeIn } from '../client/transport.ts'
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { CLAIMS, PODS } from './addresses.ts'
import { ClaimUsers } from './claim-users.ts'
import { workQueue, type Controller } from './controller.ts'
import { addFinalizer, hasFinalizer, isTerminating, removeFinalizer } from './finalizer.ts'
import { asleep, following, handled, onChange } from './following.ts'
import { LiveClaimUsers } from './live-claim-users.ts'
import { usesClaim } from './pod-claims.ts'

const NAME = 'pvc-protection'
/** Claims that are worked on at once share lists of pods. */
const WORKERS = 100

/** Keeps deleted claims until no pod uses them. */
export const claimProtection: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v } = context
    if (!(await resources.serves(CLAIMS, PODS))) return asleep
    const finalizer = v.resolve('{label}/pvc-protection')
    const client = context.clientFor(`${NAME}-controller`)
    const claims = informers.of<PersistentVolumeClaim>(CLAIMS)
    const pods = informers.of<Pod>(PODS)
    /** Claims that wait, by the key of one pod that uses them. */
    const waiting = new Map<string, Set<string>>()
    const users = new ClaimUsers(pods.lister)
    const live = new LiveClaimUsers(client)
    const userOf = async (claim: PersistentVolumeClaim, key: string): Promise<string | null> => {
      const { namespace, name } = placeIn(key)
      const isUser = (pod: Pod) => usesClaim(pod, claim)
      // A pod may have been created that is not seen here yet.
      const user =
        (await users.of(key)).find(isUser) ?? (await live.of(namespace, name)).find(isUser)
      return user ? keyOf(namespace, user.metadata.name ?? '') : null
    }
    const queue = workQueue(context, NAME, {
      workers: WORKERS,
      async work(key) {
        const { namespace, name } = placeIn(key)
        const claim = claims.lister.get(namespace, name)
        if (!claim) return
        const of = client.resource<PersistentVolumeClaim>(CLAIMS).in(namespace)
        const isHeld = hasFinalizer(claim, finalizer)
        if (!isTerminating(claim)) return isHeld ? undefined : addFinalizer(of, claim, finalizer)
        if (!isHeld) return
        const user = await userOf(claim, key)
        if (user === null) return removeFinalizer(of, claim, finalizer)
        const others = waiting.get(user) ?? new Set()
        waiting.set(user, others.add(key))
        // It may have gone before this was noted.
        if (!pods.lister.get(namespace, placeIn(user).name)) return RECHECK_MS
      },
    })
    const podChanged = (entry: Entry<Pod>) => {
      users.changed(entry)
      again(entry)
    }
    const podGone = (entry: Entry<Pod>) => {
      users.gone(entry.key)
      again(entry)
    }
    const again = ({ key }: Entry<Pod>) => {
      const claimKeys = waiting.get(key)
      if (!claimKeys) return
      waiting.delete(key)
      for (const one of claimKeys) queue.add(one)
    }
    return following(queue, client, [
      await handled(pods, { add: podChanged, update: podChanged, delete: podGone }, signal),
      await handled(
        claims,
        onChange(({ key }) => queue.add(key)),
        signal,
      ),
    ])
  },
}

/** A pod that was found by a request alone is looked for again after this time, milliseconds. */
const RECHECK_MS = 1_000
