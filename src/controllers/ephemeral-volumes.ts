import type { Client } from '../client/client.ts'
import type { Entry } from '../client/entry.ts'
import { EventRecorder } from '../client/event-recorder.ts'
import { MemberNames } from '../client/member-names.ts'
import { keyOf, placeIn } from '../client/transport.ts'
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { CLAIMS, PODS } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { isTerminating } from './finalizer.ts'
import { asleep, handled } from './following.ts'
import { ephemeralClaimName, isControlledBy } from './pod-claims.ts'
import { runningWith } from './running.ts'
import { VOLUME_MEMBERS } from './volume-members.ts'

const NAME = 'ephemeral-volume'

/** Creates the claims of ephemeral volumes of pods. */
export const ephemeralVolumes: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, clock } = context
    if (!(await resources.serves(PODS, CLAIMS))) return asleep
    const client = context.clientFor(`${NAME}-controller`)
    const recorder = new EventRecorder({ client, component: 'ephemeral_volume', clock })
    const pods = informers.of<Pod>(PODS)
    const claims = informers.of<PersistentVolumeClaim>(CLAIMS)
    /** Pods that wait for the end of a claim that is not theirs, by its key. */
    const waiting = new Map<string, string>()
    const queue = workQueue(context, NAME, {
      workers: context.settings.ephemeralVolumeWorkers,
      async work(key) {
        const { namespace, name } = placeIn(key)
        const pod = pods.lister.get(namespace, name)
        if (!pod || isTerminating(pod)) return
        for (const volume of pod.spec.volumes ?? []) {
          if (!volume.ephemeral) continue
          const claimName = ephemeralClaimName(pod, volume)
          try {
            const known = claims.lister.get(namespace, claimName)
            if (!known) await create(client, pod, volume)
            else if (!isControlledBy(known, pod)) {
              waiting.set(keyOf(namespace, claimName), key)
              throw new Error(notOwner(pod, claimName))
            }
          } catch (error) {
            const why = error instanceof Error ? error.message : String(error)
            recorder.event(
              { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: pod.metadata.uid ?? '' },
              'Warning',
              'FailedBinding',
              `ephemeral volume ${volume.name}: ${why}`,
            )
            throw error
          }
        }
      },
    })
    const added = (entry: Entry<Pod>) => {
      if (entry.mayHaveOutside(VOLUME_MEMBERS) && entry.mayHaveOutside(MEMBERS))
        queue.add(entry.key)
    }
    const claimGone = ({ key, namespace, object }: Entry<PersistentVolumeClaim>) => {
      const other = waiting.get(key)
      waiting.delete(key)
      if (other !== undefined) queue.add(other)
      const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)
      if (owner?.kind === 'Pod') queue.add(keyOf(namespace, owner.name))
    }
    return runningWith({
      queues: [queue],
      recorder,
      ends: [
        await handled(claims, { delete: claimGone }, signal),
        await handled(pods, { add: added }, signal),
      ],
      close: () => client.close(),
    })
  },
}

type Volume = NonNullable<Pod['spec']['volumes']>[number]

async function create(client: Client, pod: Pod, volume: Volume): Promise<void> {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const { metadata: { labels, annotations } = {}, spec } = volume.ephemeral!.volumeClaimTemplate!
  const claim = {
    metadata: {
      name: ephemeralClaimName(pod, volume),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec,
  }
  try {
    await client.resource<object>(CLAIMS).in(namespace).create(claim)
  } catch (error) {
    throw new Error(
      `create PVC ${claim.metadata.name}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}

const notOwner = ({ metadata: { namespace = '', name = '' } }: Pod, claim: string): string =>
  `PVC ${namespace}/${claim} was not created for pod ${namespace}/${name} (pod is not owner)`

/** Pods without it have no such volume. */
const MEMBERS = new MemberNames(['ephemeral'])
