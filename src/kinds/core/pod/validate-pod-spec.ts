import type { FieldErrors } from '../../../meta/field-errors.ts'
import { checkPart } from '../../../meta/known-parts.ts'
import {
  isDns1123Label,
  isDns1123Subdomain,
  isInRange,
  isQualifiedName,
} from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { validateTolerations } from '../toleration.ts'
import { validateTopologySpread } from '../topology-spread.ts'
import { validateLabels } from '../volumes/meta-rules.ts'
import { needText } from '../volumes/paths.ts'
import { validateVolumes, type VolumeOwner } from '../volumes/volume.ts'
import { passesLike } from './like-spec.ts'
import type { PodSpec } from './pod-spec.ts'
import { validateAffinity } from './validate-affinity.ts'
import { validateHostNetworkPorts } from './validate-container-parts.ts'
import {
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './validate-container.ts'
import { validateDns, validateHostAliases } from './validate-dns.ts'
import { validateOverhead } from './validate-resources.ts'
import { validatePodSecurityContext } from './validate-security-context.ts'
import { validateHostProcess, validateOs } from './validate-windows.ts'

/** Context of a pod spec. */
export interface PodSpecOptions {
  /** The pod; unset for templates. */
  readonly pod?: VolumeOwner
  /** The stored spec on update; features that it uses remain allowed. */
  readonly old?: PodSpec
  /** The spec of an object that passed, with which this one may share parts. */
  readonly like?: PodSpec | undefined
}

const MAX_SECONDS = 0x7fffffff
const NAMES = ['serviceAccountName', 'nodeName'] as const
const CLASSES = ['priorityClassName', 'runtimeClassName'] as const

/** Validates a pod spec, of pods and templates; reports to `errors`. */
export function validatePodSpec(
  spec: PodSpec,
  errors: FieldErrors,
  c: HookContext,
  options: PodSpecOptions = {},
): void {
  const { parts } = c
  const { like, pod = NO_POD } = options
  if (like && parts?.pass(validatePodSpec, like) && passesLike(spec, like, pod))
    return parts.addLike(validatePodSpec, spec, like)
  const before = errors.list.length
  validateAll(spec, errors, c, options)
  if (errors.list.length === before) parts?.add(validatePodSpec, spec)
}

const NO_POD: VolumeOwner = {}

function validateAll(
  spec: PodSpec,
  errors: FieldErrors,
  c: HookContext,
  { pod = NO_POD, old }: PodSpecOptions,
): void {
  const volumes = validateVolumes(spec.volumes, errors.at('volumes'), c, pod)
  const around = { c, volumes, names: new Set<string>() }
  validateContainers(spec.containers, errors.at('containers'), around)
  validateInitContainers(spec.initContainers ?? [], errors.at('initContainers'), around)
  const targets = new Set(around.names)
  const ephemeral = errors.at('ephemeralContainers')
  validateEphemeralContainers(spec.ephemeralContainers ?? [], ephemeral, around, targets)
  needText(spec.restartPolicy, errors.at('restartPolicy'))
  needText(spec.dnsPolicy, errors.at('dnsPolicy'))
  validateLabels(spec.nodeSelector, errors.at('nodeSelector'))
  if (spec.hostNetwork) validateHostNetworkPorts(spec.containers, errors.at('containers'))
  validatePodSecurityContext(spec, errors)
  if (spec.affinity) validateAffinity(spec.affinity, errors.at('affinity'))
  validateDns(spec, errors.at('dnsConfig'), c, old)
  spec.readinessGates?.forEach(({ conditionType }, i) => {
    errors
      .at('readinessGates', i, 'conditionType')
      .invalidAll(conditionType, isQualifiedName(conditionType))
  })
  const spread = errors.at('topologySpreadConstraints')
  validateTopologySpread(spec.topologySpreadConstraints ?? [], spread)
  validateHostProcess(spec, errors, c)
  for (const field of NAMES) validateName(spec[field], errors.at(field))
  validateSeconds(spec.activeDeadlineSeconds, errors.at('activeDeadlineSeconds'))
  for (const field of ['hostname', 'subdomain'] as const) {
    const label = spec[field]
    if (label !== undefined) errors.at(field).invalidAll(label, isDns1123Label(label))
  }
  const { tolerations } = spec
  if (tolerations) checkPart(tolerations, errors.at('tolerations'), c, validateTolerations)
  validateHostAliases(spec.hostAliases ?? [], errors.at('hostAliases'))
  for (const field of CLASSES) validateName(spec[field], errors.at(field))
  if ((spec.preemptionPolicy as string | undefined) === '') errors.at('preemptionPolicy').required()
  if (spec.overhead) validateOverhead(spec.overhead, errors.at('overhead'), c)
  validateOs(spec, errors)
}

function validateName(name: string | undefined, errors: FieldErrors): void {
  if (name !== undefined) errors.invalidAll(name, isDns1123Subdomain(name))
}

function validateSeconds(seconds: number | undefined, errors: FieldErrors): void {
  if (seconds !== undefined) errors.invalidAll(seconds, isInRange(seconds, 1, MAX_SECONDS))
}
