import { compareQuantity, parseQuantity } from '../base/quantity.ts'
import type { Entry } from '../client/entry.ts'
import { EventRecorder } from '../client/event-recorder.ts'
import { placeIn } from '../client/transport.ts'
import type { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { CLAIMS, VOLUMES } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, handled } from './following.ts'
import { runningWith } from './running.ts'

const NAME = 'persistentvolume-expander'
const MESSAGE =
  "Ignoring the PVC: didn't find a plugin capable of expanding the volume; waiting for an external controller to process this PVC."

/** Tells of claims that ask for more room that the driver of their volume has to make it: none is built in. */
export const volumeExpander: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, clock } = context
    if (!(await resources.serves(CLAIMS, VOLUMES))) return asleep
    const client = context.clientFor('expand-controller')
    const recorder = new EventRecorder({ client, component: 'volume_expand', clock })
    const claims = informers.of<PersistentVolumeClaim>(CLAIMS)
    const volumes = informers.of<PersistentVolume>(VOLUMES)
    await volumes.synced(signal)
    const queue = workQueue(context, NAME, {
      work(key) {
        const { namespace, name } = placeIn(key)
        const claim = claims.lister.get(namespace, name)
        if (!claim || !isGrowing(claim)) return Promise.resolve()
        const volume = volumes.lister.get('', claim.spec.volumeName ?? '')
        if (volume?.spec.claimRef?.uid === claim.metadata.uid && volume?.spec.csi) {
          const { uid = '', resourceVersion = '' } = claim.metadata
          const kind = 'PersistentVolumeClaim'
          const about = { apiVersion: 'v1', kind, namespace, name, uid, resourceVersion }
          recorder.event(about, 'Normal', 'ExternalExpanding', MESSAGE)
        }
        return Promise.resolve()
      },
    })
    const added = ({ key }: Entry<PersistentVolumeClaim>) => queue.add(key)
    const changed = (
      { key, object }: Entry<PersistentVolumeClaim>,
      old: Entry<PersistentVolumeClaim> | null,
    ) => {
      if (!old || sizeOf(object) !== sizeOf(old.object)) queue.add(key)
    }
    return runningWith({
      queues: [queue],
      recorder,
      ends: [await handled(claims, { add: added, update: changed }, signal)],
      close: () => client.close(),
    })
  },
}

const sizeOf = ({ spec }: PersistentVolumeClaim): string | undefined =>
  spec.resources?.requests?.storage

/** Whether a bound claim asks for more than it has. */
function isGrowing(claim: PersistentVolumeClaim): boolean {
  const [wanted, has] = [sizeOf(claim), claim.status.capacity?.storage]
  if (claim.status.phase !== 'Bound' || wanted === undefined || has === undefined) return false
  return compareQuantity(parseQuantity(wanted), parseQuantity(has)) > 0
}
