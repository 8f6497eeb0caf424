import type { HookContext } from '../../../catalogue/resource.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import { roundResources } from '../resource-requirements.ts'
import { fillResourceFieldSelector } from '../volumes/pod-fields.ts'
import { fillVolume } from '../volumes/volume.ts'
import { type AnyContainer, allContainers } from './containers.ts'
import { imageTag } from './image-reference.ts'
import type { PodSpec } from './pod-spec.ts'
import type { PodStatus } from './pod-status.ts'
import type { PodTemplateSpec } from './pod-template.ts'

/**
 * Sets the defaults that pods and templates share. Changes the spec.
 */
export function fillPodSpec(spec: PodSpec): void {
  mirrorServiceAccount(spec)
  spec.volumes?.forEach(fillVolume)
  for (const { container } of allContainers(spec)) fillContainer(container)
  if (spec.hostNetwork) fillHostPorts(spec)
  roundResources(spec.overhead)
}

/** Sets the defaults of a template and drops obsolete annotations. Changes the template. */
export function fillPodTemplate(template: PodTemplateSpec, c: HookContext): void {
  dropLegacyAnnotations(template.metadata, c)
  fillPodSpec(template.spec)
}

/**
 * Sets the defaults of pods that templates do not have: requests from limits, and service links.
 */
export function fillBarePod(spec: PodSpec): void {
  for (const list of [spec.containers, spec.initContainers ?? []]) {
    for (const { resources } of list)
      if (resources.limits) resources.requests = { ...resources.limits, ...resources.requests }
  }
  spec.enableServiceLinks ??= true
}

function fillContainer(container: AnyContainer): void {
  container.imagePullPolicy ??=
    imageTag(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent'
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.resourceFieldRef) fillResourceFieldSelector(valueFrom.resourceFieldRef)
  }
  roundResources(container.resources.limits)
  roundResources(container.resources.requests)
}

/** On the host network, host ports equal container ports. */
function fillHostPorts(spec: PodSpec): void {
  // Containers may be shared with another object, which keeps its own.
  const { containers, initContainers = [] } = spec
  if (containers.some(lacksHostPort)) spec.containers = containers.map(withHostPorts)
  if (initContainers.some(lacksHostPort)) spec.initContainers = initContainers.map(withHostPorts)
}

type Ports = Pick<AnyContainer, 'ports'>

// Zero means no host port and stays absent, as the decoder leaves it.
const isHostPortLacking = ({ containerPort, hostPort }: NonNullable<Ports['ports']>[number]) =>
  containerPort !== 0 && hostPort === undefined

const lacksHostPort = ({ ports = [] }: Ports): boolean => ports.some(isHostPortLacking)

function withHostPorts<C extends Ports>(container: C): C {
  if (!lacksHostPort(container)) return container
  const ports = container.ports!.map((port) =>
    isHostPortLacking(port) ? { ...port, hostPort: port.containerPort } : port,
  )
  return { ...container, ports }
}

/**
 * Keeps the deprecated serviceAccount in sync with serviceAccountName; it sets the new field when
 * that is empty.
 */
export function mirrorServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount
  if (name === undefined) return
  spec.serviceAccountName ??= name
  if (spec.serviceAccount !== name) spec.serviceAccount = name
}

/** `podIP` is the first of `podIPs`; where they differ, the older field wins. */
export function mirrorPodIp(status: PodStatus): void {
  const { podIP, podIPs } = status
  const first = podIPs?.[0]?.ip
  if (podIP !== undefined && podIP !== first) status.podIPs = [{ ip: podIP }]
  else if (first !== undefined) status.podIP = first
}

const LEGACY = ['alpha', 'beta'].flatMap((level) =>
  ['init-containers', 'init-container-statuses'].map((what) => `pod.${level}.{label}/${what}`),
)

/** Drops the obsolete annotations of init containers. */
export function dropLegacyAnnotations(metadata: ObjectMeta, c: HookContext): void {
  const { annotations } = metadata
  if (!annotations) return
  for (const key of LEGACY) delete annotations[c.v.resolve(key)]
  if (Object.keys(annotations).length === 0) delete metadata.annotations
}
