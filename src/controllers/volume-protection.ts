import type { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { VOLUMES } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { addFinalizer, hasFinalizer, isTerminating, removeFinalizer } from './finalizer.ts'
import { asleep, following, handled, onChange } from './following.ts'

const NAME = 'pv-protection'

/** Keeps deleted volumes until no claim is bound to them. */
export const volumeProtection: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v } = context
    if (!(await resources.serves(VOLUMES))) return asleep
    const finalizer = v.resolve('{label}/pv-protection')
    const client = context.clientFor(`${NAME}-controller`)
    const volumes = informers.of<PersistentVolume>(VOLUMES)
    const queue = workQueue(context, NAME, {
      async work(name) {
        const volume = volumes.lister.get('', name)
        if (!volume) return
        const of = client.resource<PersistentVolume>(VOLUMES)
        const isHeld = hasFinalizer(volume, finalizer)
        if (!isTerminating(volume)) return isHeld ? undefined : addFinalizer(of, volume, finalizer)
        if (isHeld && volume.status.phase !== 'Bound') await removeFinalizer(of, volume, finalizer)
      },
    })
    return following(queue, client, [
      await handled(
        volumes,
        onChange(({ name }) => queue.add(name)),
        signal,
      ),
    ])
  },
}
