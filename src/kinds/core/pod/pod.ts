import { group, type ObjectMeta } from '../../../meta/object-meta.ts'
import { action, connect, part, resource } from '../../../catalogue/resource.ts'
import { t } from '../../../notation/shape.ts'
import { Eviction, EvictionV1beta1 } from '../../policy/eviction.ts'
import { Binding, validateBinding } from '../binding.ts'
import { podColumns } from './columns.ts'
import {
  dropLegacyAnnotations,
  fillBarePod,
  fillPodSpec,
  mirrorPodIp,
  mirrorServiceAccount,
} from './defaults.ts'
import { dropGatedPodFields } from './gates.ts'
import { PodSpec } from './pod-spec.ts'
import { PodStatus } from './pod-status.ts'
import { qosClass } from './qos.ts'
import { copySeccompAnnotations } from './seccomp-annotations.ts'
import { validateStatusUpdate } from './status-rules.ts'
import { validateEphemeralUpdate, validatePodUpdate } from './update.ts'
import { validatePod } from './validate-pod.ts'
import { podWarnings } from './warnings.ts'

const { kind } = group('core/v1')

/**
 * A group of containers that are scheduled together on one node and share its network and volumes.
 * It is the smallest unit of deployment.
 */
export class Pod extends kind({
  /** Desired behavior of the pod. Mostly immutable after creation. */
  spec: t.object(2, PodSpec),
  /**
   * Most recently observed status of the pod. Set by the server and the node agent; read-only for
   * users.
   */
  status: t.object(3, PodStatus),
}) {}

const isOver = ({ status: { phase } }: Pod): boolean => phase === 'Failed' || phase === 'Succeeded'

/** Restores the old metadata, except resourceVersion and managedFields. Changes `next`. */
function keepMetadata(next: ObjectMeta, old: ObjectMeta): void {
  const { resourceVersion, managedFields } = next
  for (const name of Object.keys(next) as (keyof ObjectMeta)[]) delete next[name]
  Object.assign(next, structuredClone(old))
  if (resourceVersion !== undefined) next.resourceVersion = resourceVersion
  if (managedFields) next.managedFields = managedFields
}

const COMPLETED = {
  Succeeded: 'All containers of the pod ended well.',
  Failed: 'The pod ended, and something in it failed.',
} as const

/** The pods of a namespace. */
export const pods = resource(Pod, {
  plural: 'pods',
  short: ['po'],
  categories: ['all'],
  scope: 'namespace',
  sharesParts: 'create',
  columns: podColumns,
  rowConditions: ({ status: { phase } }) =>
    phase === 'Succeeded' || phase === 'Failed'
      ? [{ type: 'Completed', status: 'True', reason: phase, message: COMPLETED[phase] }]
      : [],

  selectable: {
    'spec.nodeName': ({ spec }) => spec.nodeName,
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy,
    'spec.schedulerName': ({ spec }) => spec.schedulerName,
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName,
    'status.phase': ({ status }) => status.phase,
    'status.podIP': ({ status }) => status.podIPs?.[0]?.ip,
    // Accepted, but without a value.
    'status.podIPs': () => undefined,
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName,
  },
  selectableAliases: { 'spec.host': 'spec.nodeName' },

  subresources: {
    attach: connect('PodAttachOptions', 'podAttach', ['create', 'get']),
    binding: action(Binding, 'podBinding', { validate: validateBinding }),
    eviction: action(Eviction, 'podEviction', { also: [EvictionV1beta1] }),
    exec: connect('PodExecOptions', 'podExec', ['create', 'get']),
    log: connect('Pod', 'podLog', ['get'], { reads: true }),
    portforward: connect('PodPortForwardOptions', 'podPortForward', ['create', 'get']),
    proxy: connect('PodProxyOptions', 'podProxy', ['create', 'delete', 'get', 'patch', 'update'], {
      deep: true,
    }),
    status: part('status', {
      unowned: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
      prepareForUpdate(next, old) {
        const { ownerReferences } = old.metadata
        if (ownerReferences) next.metadata.ownerReferences = ownerReferences
        else delete next.metadata.ownerReferences
        const { deletionTimestamp } = old.metadata
        if (deletionTimestamp === undefined) delete next.metadata.deletionTimestamp
      },
      validateUpdate: validateStatusUpdate,
    }),
    ephemeralcontainers: part('spec.ephemeralContainers', {
      unowned: ['metadata', 'status'],
      prepareForUpdate(next, old, c) {
        // Only the ephemeral containers are taken from the body, not even labels.
        keepMetadata(next.metadata, old.metadata)
        dropGatedPodFields(next.spec, old.spec, c)
      },
      validate: validatePod,
      validateUpdate: validateEphemeralUpdate,
    }),
  },

  setDefaults(pod, c) {
    dropLegacyAnnotations(pod.metadata, c)
    fillPodSpec(pod.spec)
    fillBarePod(pod.spec)
    mirrorPodIp(pod.status)
  },

  prepareForCreate(pod, c) {
    pod.status = { phase: 'Pending', qosClass: qosClass(pod.spec) }
    dropGatedPodFields(pod.spec, null, c)
    copySeccompAnnotations(pod.spec, pod.metadata, c)
  },

  prepareForUpdate: (next, old, c) => dropGatedPodFields(next.spec, old.spec, c),
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  // Admission may have set the account after the fields were mirrored.
  canonicalize: ({ spec }) => mirrorServiceAccount(spec),
  warn: (pod, old, c) => (old ? [] : podWarnings(pod, c)),

  grace(pod, requested) {
    if (!pod.spec.nodeName || isOver(pod)) return 0
    const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0
    return seconds < 0 ? 1 : seconds
  },
})
