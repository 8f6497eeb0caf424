/** Which controllers run. */
import { nearest } from '../base/nearest.ts'
import type { Controller } from './controller.ts'

/** Names of the controllers of the release; those that this project does not have can be named too. */
export const CONTROLLER_NAMES: readonly string[] = [
  'attachdetach',
  'bootstrapsigner',
  'cloud-node-lifecycle',
  'clusterrole-aggregation',
  'cronjob',
  'csrapproving',
  'csrcleaner',
  'csrsigning',
  'daemonset',
  'deployment',
  'disruption',
  'endpoint',
  'endpointslice',
  'endpointslicemirroring',
  'ephemeral-volume',
  'garbagecollector',
  'horizontalpodautoscaling',
  'job',
  'namespace',
  'nodeipam',
  'nodelifecycle',
  'persistentvolume-binder',
  'persistentvolume-expander',
  'podgc',
  'pv-protection',
  'pvc-protection',
  'replicaset',
  'replicationcontroller',
  'resourcequota',
  'root-ca-cert-publisher',
  'route',
  'service',
  'serviceaccount',
  'serviceaccount-token',
  // Part of the one before in the reference.
  'serviceaccount-token-secrets',
  'statefulset',
  'storage-version-gc',
  'tokencleaner',
  'ttl',
  'ttl-after-finished',
]

/** Chooses the controllers that every API needs, and none of those that run workloads. */
const API_CONTROLLERS = 'api'

/**
 * Names, `*` for all that are on by default, `api` for those of them that run no workloads, `-name` for all but one; the first
 * that names a controller counts.
 */
export type ControllerChoice = readonly string[]

/** Why a choice is not valid; null when it is. */
export function choiceFault(choice: ControllerChoice): string | null {
  for (const one of choice) {
    const name = one.replace(/^-/, '')
    if (one === '*' || one === API_CONTROLLERS || CONTROLLER_NAMES.includes(name)) continue
    const near = nearest(name, CONTROLLER_NAMES)
    const shown = JSON.stringify(name.slice(0, MOST_SHOWN))
    const hint = near === null ? `: ${CONTROLLER_NAMES.join(', ')}` : ` (did you mean ${near}?)`
    return `${shown} is not in the list of known controllers${hint}`
  }
  return null
}

const MOST_SHOWN = 60

/** What decides whether a controller is chosen. */
type Choosable = Pick<Controller, 'name' | 'isOptional' | 'runsWorkloads'>

/** Whether a controller is chosen. `isOn`: `*` chooses it. */
export function isChosen(
  { name, isOptional, runsWorkloads }: Choosable,
  choice: ControllerChoice,
  isOn = isOptional !== true,
): boolean {
  const named = choice.find((one) => one === name || one === `-${name}`)
  if (named !== undefined) return named === name
  const isMeant =
    choice.includes('*') || (choice.includes(API_CONTROLLERS) && runsWorkloads !== true)
  return isOn && isMeant
}
