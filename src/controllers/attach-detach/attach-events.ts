import type { EventRecorder } from '../../client/event-recorder.ts'
import type { Lister } from '../../client/informer.ts'
import { placeIn } from '../../client/transport.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Wanted } from './wanted-volumes.ts'

const FAILED = 'FailedAttachVolume'

/** Tells the pods of a node what becomes of their volumes. */
export class AttachEvents {
  readonly #recorder: EventRecorder
  readonly #pods: Lister<Pod>
  /** Volumes on nodes whose pods were told that another node has them. */
  readonly #told = new Set<string>()

  constructor(recorder: EventRecorder, pods: Lister<Pod>) {
    this.#recorder = recorder
    this.#pods = pods
  }

  attached(need: Wanted): void {
    const message = `AttachVolume.Attach succeeded for volume ${shown(need)} `
    for (const pod of need.pods) this.#tell(pod, 'Normal', 'SuccessfulAttachVolume', message)
  }

  failed(need: Wanted, why: string): void {
    const message = `AttachVolume.Attach failed for volume ${shown(need)} : ${why}`
    for (const pod of need.pods) this.#tell(pod, 'Warning', FAILED, message)
  }

  /** Tells once that another node has a volume; `users` are the keys of the pods there that need it. */
  multiAttach(pair: string, need: Wanted, users: readonly string[]): void {
    if (this.#told.has(pair)) return
    this.#told.add(pair)
    for (const pod of need.pods) {
      const message = `Multi-Attach error for volume ${shown(need)} ${whoHasIt(pod, users)}`
      this.#tell(pod, 'Warning', FAILED, message)
    }
  }

  /** Tells it again the next time. */
  forget(pair: string): void {
    this.#told.delete(pair)
  }

  #tell(key: string, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { namespace, name } = placeIn(key)
    const pod = this.#pods.get(namespace, name)
    if (!pod) return
    const { uid = '', resourceVersion = '' } = pod.metadata
    const about = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion }
    this.#recorder.event(about, type, reason, message)
  }
}

const shown = ({ volume }: Wanted): string => JSON.stringify(volume.name)

/** Names of pods of other namespaces are not for those who read the events of this pod. */
function whoHasIt(pod: string, users: readonly string[]): string {
  if (users.length === 0)
    return "Volume is already exclusively attached to one node and can't be attached to another"
  const { namespace } = placeIn(pod)
  const places = users.map((one) => placeIn(one))
  const near = places.filter((one) => one.namespace === namespace).map(({ name }) => name)
  const far = places.length - near.length
  if (near.length === 0) return `Volume is already used by ${far} pod(s) in different namespaces`
  const others = far > 0 ? ` and ${far} pod(s) in different namespaces` : ''
  return `Volume is already used by pod(s) ${near.sort().join(', ')}${others}`
}
