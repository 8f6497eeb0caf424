/** What the pods of a StatefulSet are called, and what they store their data in. */
import type { StatefulSet } from '../../kinds/apps/stateful-set.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { PodTemplateSpec } from '../../kinds/core/pod/pod-template.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { podOf } from '../workloads/pod-writes.ts'

/** Kind of the objects whose pods these are. */
export const KIND = { apiVersion: 'apps/v1', kind: 'StatefulSet' } as const

/** Label of a pod with the name of its revision. */
const REVISION_LABEL = 'controller-revision-hash'

const MEMBER_NAME = /^(.*)-([0-9]+)$/

/** The number in the name of a pod of a set; -1 for other names. */
export function ordinalOf({ metadata }: Pod): number {
  const ordinal = MEMBER_NAME.exec(metadata.name ?? '')?.[2]
  const number = ordinal === undefined ? -1 : Number(ordinal)
  return number < 2 ** 31 ? number : -1
}

/** Whether the name of a pod is that of the set and a number. */
export const isMember = ({ metadata }: StatefulSet, pod: Pod): boolean =>
  MEMBER_NAME.exec(pod.metadata.name ?? '')?.[1] === metadata.name

const podName = ({ metadata }: StatefulSet, ordinal: number): string =>
  `${metadata.name}-${ordinal}`

/** The revision that a pod was created from. */
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[REVISION_LABEL] ?? ''

/** Whether a pod is stored, and not about to be created. */
export const isCreated = ({ metadata }: Pod): boolean => metadata.uid !== undefined

/** The claims of a pod by the names of their volumes, in the order of the set. */
export function claimsOf(
  { metadata, spec }: StatefulSet,
  ordinal: number,
): ReadonlyMap<string, PersistentVolumeClaim> {
  const claims = new Map<string, PersistentVolumeClaim>()
  for (const template of spec.volumeClaimTemplates ?? []) {
    const volume = template.metadata.name ?? ''
    const { status: _, ...rest } = template
    const claim = {
      ...structuredClone(rest),
      metadata: {
        ...template.metadata,
        name: `${volume}-${metadata.name}-${ordinal}`,
        namespace: metadata.namespace,
        labels: { ...template.metadata.labels, ...spec.selector?.matchLabels },
      },
    }
    claims.set(volume, claim as unknown as PersistentVolumeClaim)
  }
  return claims
}

/** What a new pod is made of. */
export interface NewMember {
  readonly template: PodTemplateSpec
  readonly revision: string
  readonly ordinal: number
  /** Label with the name of the pod. */
  readonly nameLabel: string
}

/** A pod that is about to be created. */
export function newMember(
  set: StatefulSet,
  { template, revision, ordinal, nameLabel }: NewMember,
): Pod {
  const name = podName(set, ordinal)
  const pod = podOf(template, KIND, set, {
    name,
    labels: { [nameLabel]: name, [REVISION_LABEL]: revision },
  })
  pod.metadata.namespace = set.metadata.namespace ?? ''
  pod.spec.hostname = name
  pod.spec.subdomain = set.spec.serviceName
  setVolumes(set, pod, ordinal)
  return pod
}

type Volume = NonNullable<Pod['spec']['volumes']>[number]

/** Gives a pod, which is changed, the volumes of its claims; they replace others of their names. */
export function setVolumes(set: StatefulSet, pod: Pod, ordinal: number): void {
  const claims = claimsOf(set, ordinal)
  const own = Array.from(claims, ([name, { metadata }]) => ({
    name,
    persistentVolumeClaim: { claimName: metadata.name },
  }))
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !claims.has(name))
  pod.spec.volumes = [...(own as Volume[]), ...others]
}

/** Whether a pod has the label of its name. */
export const hasIdentity = (pod: Pod, nameLabel: string): boolean =>
  pod.metadata.labels?.[nameLabel] === pod.metadata.name

/** Whether a pod uses its claims. */
export const hasVolumes = (set: StatefulSet, pod: Pod): boolean =>
  Array.from(claimsOf(set, ordinalOf(pod))).every(([volume, { metadata }]) =>
    pod.spec.volumes?.some(
      ({ name, persistentVolumeClaim: claim }) =>
        name === volume && claim?.claimName === metadata.name,
    ),
  )
