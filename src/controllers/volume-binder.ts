import type { Entry } from '../client/entry.ts'
import { EventRecorder } from '../client/event-recorder.ts'
import { keyOf, placeIn } from '../client/transport.ts'
import type { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import type { StorageClass } from '../kinds/storage/storage-class.ts'
import { CLAIMS, PODS, storageClasses, VOLUMES } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { every } from './every.ts'
import { asleep, handled } from './following.ts'
import { ClaimWork } from './volumes/claim-work.ts'
import { runningWith } from './running.ts'
import { VolumeWork } from './volumes/volume-work.ts'
import { VolumeWrites } from './volumes/volume-writes.ts'

const NAME = 'persistentvolume-binder'
/** Claims that a new volume is tried for at once. */
const FEW = 100
const SOON_MS = 1_000

/** Binds claims and volumes to each other. */
export const volumeBinder: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v, clock } = context
    const classesAddress = storageClasses(v)
    if (!(await resources.serves(VOLUMES, CLAIMS, PODS, classesAddress))) return asleep
    const client = context.clientFor('persistent-volume-binder')
    const recorder = new EventRecorder({ client, component: 'persistentvolume-controller', clock })
    const claims = informers.of<PersistentVolumeClaim>(CLAIMS)
    const classes = informers.of<StorageClass>(classesAddress)
    const pods = informers.of<Pod>(PODS)
    await Promise.all([classes.synced(signal), pods.synced(signal)])
    const known = new KnownVolumes()
    const writes = new VolumeWrites({ client, recorder, v, wrote: (volume) => known.set(volume) })
    const claimWork = new ClaimWork({
      v,
      writes,
      volumes: known.volumes,
      classes: classes.lister,
      pods: pods.lister,
    })
    const volumeWork = new VolumeWork({
      v,
      writes,
      claims: claims.lister,
      findClaim: (namespace, name) =>
        client.resource<PersistentVolumeClaim>(CLAIMS).in(namespace).find(name),
      queueClaim: (namespace, name) => claimQueue.add(keyOf(namespace, name)),
    })
    /** Claims that wait for a volume. */
    const waiting = new Set<string>()
    const claimQueue = workQueue(context, NAME, {
      async work(key) {
        const { namespace, name } = placeIn(key)
        const claim = claims.lister.get(namespace, name)
        if (!claim || claimWork.isSettled(claim)) waiting.delete(key)
        else waiting.add(key)
        if (claim) await claimWork.work(claim)
      },
    })
    const volumeQueue = workQueue(context, NAME, {
      async work(name) {
        const volume = known.volumes.get(name)
        if (volume) await volumeWork.work(volume)
      },
    })
    const again = () => {
      for (const key of waiting) claimQueue.add(key, waiting.size > FEW ? SOON_MS : 0)
    }
    const volumeChanged = ({ name, object }: Entry<PersistentVolume>) => {
      known.set(object)
      volumeQueue.add(name)
      const { claimRef } = object.spec
      if (claimRef) claimQueue.add(keyOf(claimRef.namespace ?? '', claimRef.name ?? ''))
      else if (object.status.phase === 'Available') again()
    }
    const volumeGone = ({ name, object }: Entry<PersistentVolume>) => {
      known.delete(name)
      const { claimRef } = object.spec
      if (claimRef) claimQueue.add(keyOf(claimRef.namespace ?? '', claimRef.name ?? ''))
    }
    const claimChanged = (entry: Entry<PersistentVolumeClaim>) => {
      claimQueue.add(entry.key)
      if (!entry.mayContain('"volumeName":')) return
      const { volumeName = '' } = entry.object.spec
      if (volumeName !== '') volumeQueue.add(volumeName)
    }
    const ends = [
      await handled(
        informers.of<PersistentVolume>(VOLUMES),
        { add: volumeChanged, update: volumeChanged, delete: volumeGone },
        signal,
      ),
      await handled(
        claims,
        { add: claimChanged, update: claimChanged, delete: claimChanged },
        signal,
      ),
      every(clock, context.settings.volumeSyncMs, again),
    ]
    return runningWith({
      queues: [claimQueue, volumeQueue],
      recorder,
      ends,
      close: () => client.close(),
    })
  },
}

/** Volumes in their newest known state: what this controller wrote may be newer than what it has heard of. */
class KnownVolumes {
  readonly volumes = new Map<string, PersistentVolume>()

  set(volume: PersistentVolume): void {
    const { name = '', uid } = volume.metadata
    const before = this.volumes.get(name)
    const isSame = before && before.metadata.uid === uid
    if (isSame && revisionOf(before) > revisionOf(volume)) return
    this.volumes.set(name, volume)
  }

  delete(name: string): void {
    this.volumes.delete(name)
  }
}

const revisionOf = ({ metadata }: PersistentVolume): bigint => BigInt(metadata.resourceVersion ?? 0)
