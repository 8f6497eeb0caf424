import { isInteger, parseQuantity } from '../../../base/quantity.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'
import { nodeSelectorTermWarnings, oldNodeLabel } from '../node-selector.ts'
import type { ResourceList } from '../resource-requirements.ts'
import { volumeWarnings } from '../volumes/volume-warnings.ts'
import type { Volume } from '../volumes/volume.ts'
import type { PodAffinity } from './affinity.ts'
import { allContainers } from './containers.ts'
import type { PodSpec } from './pod-spec.ts'
import { seccompWarnings } from './seccomp-annotations.ts'
import { validatePodSpec } from './validate-pod-spec.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

interface PodLike {
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
}

/**
 * Warnings about a pod or a template; `prefix` is the path of the template, empty for a pod.
 */
export function podWarnings(pod: PodLike, c: HookContext, prefix = ''): readonly string[] {
  const { parts } = c
  if (!parts) return allWarnings(pod, c, prefix)
  const { metadata, spec } = pod
  // Without annotations they depend on nothing but the spec, and not on what differs in specs that are alike.
  const isBare = metadata.annotations === undefined
  const part = isBare ? spec : pod
  if (parts.pass(podWarnings, part)) return NONE
  const like = isBare ? parts.likeOf(validatePodSpec, spec) : null
  if (like && parts.pass(podWarnings, like)) {
    parts.addLike(podWarnings, spec, like)
    return NONE
  }
  const found = allWarnings(pod, c, prefix)
  if (found.length === 0) parts.add(podWarnings, part)
  return found
}

const NONE: readonly string[] = []

function allWarnings({ metadata, spec }: PodLike, c: HookContext, prefix: string): string[] {
  const base = prefix === '' ? '' : `${prefix}.`
  const path = `${base}spec`
  const found: (readonly string[])[] = []
  // Most pods have little of what warnings are about.
  if (spec.nodeSelector || spec.affinity || spec.topologySpreadConstraints)
    found.push(placingWarnings(spec, path, c.v))
  const { annotations } = metadata
  if (annotations) {
    const at = `${base}metadata.annotations`
    found.push(annotationWarnings(annotations, at, c.v))
    found.push(seccompWarnings(spec, annotations, at, c.v))
  }
  const { hostAliases, imagePullSecrets, volumes, overhead } = spec
  if (hostAliases) found.push(duplicates(hostAliases, 'ip', `${path}.hostAliases`))
  if (imagePullSecrets) found.push(secretWarnings(imagePullSecrets, `${path}.imagePullSecrets`))
  if (volumes) found.push(warningsOfVolumes(volumes, `${path}.volumes`))
  if (overhead) found.push(byteWarnings(overhead, `${path}.overhead`))
  found.push(containerWarnings(spec, path))
  return found.flat()
}

function placingWarnings(spec: PodSpec, path: string, v: Vocabulary): string[] {
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
      const text = oldNodeLabel(key, v)
      return text === null ? [] : [`${path}.nodeSelector[${key}]: ${text}`]
    }),
    ...affinityWarnings(spec, `${path}.affinity`, v),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey }, i) =>
      keyWarnings(topologyKey, `${path}.topologySpreadConstraints[${i}].topologyKey`, v),
    ),
  ]
}

function warningsOfVolumes(volumes: readonly Volume[], path: string): string[] {
  const found = duplicates(volumes, 'name', path)
  found.push(...volumeWarnings(volumes, path))
  for (const [i, { emptyDir }] of volumes.entries()) {
    const limit = emptyDir?.sizeLimit
    if (isFraction(limit)) found.push(fractionWarning(`${path}[${i}].emptyDir.sizeLimit`, limit))
  }
  return found
}

function affinityWarnings({ affinity }: PodSpec, path: string, v: Vocabulary): string[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {}
  const node = `${path}.nodeAffinity`
  const { [REQUIRED]: required, [PREFERRED]: preferred = [] } = nodeAffinity ?? {}
  return [
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      nodeSelectorTermWarnings(term, `${node}.${REQUIRED}.nodeSelectorTerms[${i}]`, v),
    ),
    ...preferred.flatMap(({ preference }, i) =>
      nodeSelectorTermWarnings(preference, `${node}.${PREFERRED}[${i}].preference`, v),
    ),
    ...podAffinityWarnings(podAffinity, `${path}.podAffinity`, v),
    ...podAffinityWarnings(podAntiAffinity, `${path}.podAntiAffinity`, v),
  ]
}

function podAffinityWarnings(
  { [REQUIRED]: required = [], [PREFERRED]: preferred = [] }: PodAffinity = {},
  path: string,
  v: Vocabulary,
): string[] {
  return [
    ...required.flatMap(({ topologyKey }, i) =>
      keyWarnings(topologyKey, `${path}.${REQUIRED}[${i}].topologyKey`, v),
    ),
    ...preferred.flatMap(({ podAffinityTerm }, i) =>
      keyWarnings(
        podAffinityTerm.topologyKey,
        `${path}.${PREFERRED}[${i}].podAffinityTerm.topologyKey`,
        v,
      ),
    ),
  ]
}

function keyWarnings(key: string, path: string, v: Vocabulary): string[] {
  const text = oldNodeLabel(key, v)
  return text === null ? [] : [`${path}: ${key} is ${text}`]
}

const OLD_ANNOTATIONS: readonly (readonly [key: string, text: string])[] = [
  [
    'scheduler.alpha.{label}/critical-pod',
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  ['security.alpha.{label}/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  [
    'security.alpha.{label}/unsafe-sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
]

const annotationWarnings = (
  annotations: Readonly<Record<string, string>>,
  path: string,
  v: Vocabulary,
): string[] =>
  OLD_ANNOTATIONS.filter(([key]) => Object.hasOwn(annotations, v.resolve(key))).map(
    ([key, text]) => `${path}[${v.resolve(key)}]: ${text}`,
  )

function secretWarnings(secrets: readonly { readonly name?: string }[], path: string): string[] {
  return [
    ...secrets.flatMap(({ name = '' }, i) =>
      name === '' ? [`${path}[${i}].name: invalid empty name ""`] : [],
    ),
    ...duplicates(
      secrets.map(({ name = '' }) => ({ name })),
      'name',
      path,
    ),
  ]
}

/** Items with the key of an earlier one; empty keys are ignored. */
function duplicates<K extends string>(
  list: readonly { readonly [P in K]?: string }[],
  key: K,
  path: string,
): string[] {
  const found: string[] = []
  if (list.length < 2) return found
  const seen = new Set<string>()
  for (const [i, one] of list.entries()) {
    const value = one[key] ?? ''
    if (value === '') continue
    if (seen.has(value))
      found.push(`${path}[${i}].${key}: duplicate ${key} ${JSON.stringify(value)}`)
    seen.add(value)
  }
  return found
}

function containerWarnings(spec: PodSpec, path: string): string[] {
  const found: string[] = []
  for (const { list, index, container } of allContainers(spec)) {
    const { env, resources } = container
    const { limits, requests } = resources
    if (!limits && !requests && !env) continue
    const at = `${path}.${list}[${index}]`
    if (limits) found.push(...byteWarnings(limits, `${at}.resources.limits`))
    if (requests) found.push(...byteWarnings(requests, `${at}.resources.requests`))
    if (env) found.push(...duplicates(env, 'name', `${at}.env`))
  }
  return found
}

/** Resources that are counted in bytes. */
const IN_BYTES = ['memory', 'ephemeral-storage'] as const

function byteWarnings(list: ResourceList, path: string): string[] {
  const found: string[] = []
  for (const name of IN_BYTES) {
    const text = list[name]
    if (isFraction(text)) found.push(fractionWarning(`${path}[${name}]`, text))
  }
  return found
}

/** Amounts of bytes as most are written. */
const WHOLE = /^\d+(?:[KMGTPE]i|[kMGTPE])?$/

const isFraction = (text: string | undefined): text is string =>
  text !== undefined && !WHOLE.test(text) && !isInteger(parseQuantity(text))

const fractionWarning = (path: string, text: string): string =>
  `${path}: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`
