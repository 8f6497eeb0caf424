/** The pods of the cluster as controllers of workloads look them up: by their controller, and those without one. */
import type { Informer } from '../../client/informer.ts'
import type { SharedInformers } from '../../client/shared-informers.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { PODS } from '../addresses.ts'
import { controllerOf, type WithMeta } from './owner.ts'

/** Index by the uid of the controller; `orphans of <namespace>` has the objects without one. */
const BY_CONTROLLER = 'controller'

const orphans = (namespace: string): string => `orphans of ${namespace}`

/** The index values of an object that may have a controller. */
const controllerKey = (child: WithMeta): readonly string[] => [
  controllerOf(child)?.uid ?? orphans(child.metadata.namespace ?? ''),
]

/** Options of an informer whose objects are found by their controller. */
export const BY_CONTROLLER_INDEX = { indexes: { [BY_CONTROLLER]: controllerKey } } as const

/** The shared informer of pods of all controllers of workloads. */
export const workloadPods = (informers: SharedInformers): Informer<Pod> =>
  informers.of<Pod>(PODS, BY_CONTROLLER_INDEX)

/** Objects that an owner controls, and those in its namespace that nothing controls. */
export function possibleChildren<T extends WithMeta>(
  { lister }: Pick<Informer<T>, 'lister'>,
  { metadata: { namespace = '', uid = '' } }: WithMeta,
): T[] {
  return [
    ...lister.byIndex(BY_CONTROLLER, uid),
    ...lister.byIndex(BY_CONTROLLER, orphans(namespace)),
  ]
}

/** Objects that an owner controls. */
export const ownChildren = <T extends WithMeta>(
  { lister }: Pick<Informer<T>, 'lister'>,
  { metadata: { uid = '' } }: WithMeta,
): T[] => lister.byIndex(BY_CONTROLLER, uid)
