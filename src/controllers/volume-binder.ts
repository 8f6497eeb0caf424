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
import { asleep } from './following.ts'
import { ClaimUsers } from './claim-users.ts'
import { ClaimWork } from './volumes/claim-work.ts'
import { runningWith } from './running.ts'
import { KnownVolumes } from './volumes/known-volumes.ts'
import { VolumeWork } from './volumes/volume-work.ts'
import { VolumeWrites } from './volumes/volume-writes.ts'
import { WaitingClaims } from './volumes/waiting-claims.ts'

const NAME = 'persistentvolume-binder'

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
    const volumes = informers.of<PersistentVolume>(VOLUMES)
    // Nothing is lost only because it is not known yet.
    await Promise.all([classes, pods, claims, volumes].map((one) => one.synced(signal)))
    const known = new KnownVolumes(v)
    const users = new ClaimUsers(pods.lister)
    const { gate } = context
    const wrote = (volume: PersistentVolume) => known.set(volume)
    const writes = new VolumeWrites({ client, recorder, v, gate, wrote })
    const claimWork = new ClaimWork({
      ...{ v, gate, writes, users, volumes: known, classes: classes.lister },
      provisions: context.settings.provisionsVolumes,
    })
    const volumeWork = new VolumeWork({
      v,
      writes,
      claims: claims.lister,
      findClaim: (namespace, name) =>
        client.resource<PersistentVolumeClaim>(CLAIMS).in(namespace).find(name),
      queueClaim: (namespace, name) => claimQueue.add(keyOf(namespace, name)),
    })
    const waiting = new WaitingClaims(v)
    const claimQueue = workQueue(context, NAME, {
      async work(key) {
        const { namespace, name } = placeIn(key)
        const claim = claims.lister.get(namespace, name)
        if (!claim || claimWork.isSettled(claim)) waiting.delete(key)
        else waiting.set(key, claim, claimWork.takesAny(claim))
        if (claim) await claimWork.work(claim)
      },
    })
    const volumeQueue = workQueue(context, NAME, {
      async work(name) {
        const volume = known.get(name)
        if (volume) await volumeWork.work(volume)
      },
    })
    const again = () => {
      for (const key of waiting.keys()) claimQueue.add(key)
    }
    const volumeChanged = ({ name, object }: Entry<PersistentVolume>) => {
      known.set(object)
      volumeQueue.add(name)
      const { claimRef } = object.spec
      if (claimRef) claimQueue.add(keyOf(claimRef.namespace ?? '', claimRef.name ?? ''))
      else if (object.status.phase === 'Available')
        for (const key of waiting.call(object)) claimQueue.add(key)
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
    const podChanged = (entry: Entry<Pod>) => users.changed(entry)
    const onEach = <T>(changed: T) => ({ add: changed, update: changed })
    const ends = [
      pods.addHandler({ ...onEach(podChanged), delete: ({ key }) => users.gone(key) }),
      volumes.addHandler({ ...onEach(volumeChanged), delete: volumeGone }),
      claims.addHandler({ ...onEach(claimChanged), delete: claimChanged }),
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
