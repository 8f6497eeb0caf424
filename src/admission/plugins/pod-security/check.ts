/** What the checks of pod security have in common. */
import { allContainers, type AnyContainer } from '../../../kinds/core/pod/containers.ts'
import type { PodSpec } from '../../../kinds/core/pod/pod-spec.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'

/** A pod, or the template of pods. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: PodSpec
  /** Init, regular and ephemeral ones, in this order. */
  readonly containers: readonly AnyContainer[]
  readonly v: Vocabulary
}

/** Why a pod is refused. */
export interface Violation {
  readonly reason: string
  /** What of the pod it is. */
  readonly detail: string
}

/** What a check requires from one minor release on, until the next revision. */
export interface CheckRevision {
  readonly since: number
  find(pod: CheckedPod): Violation | null
  /** Ids of baseline checks that this one is stricter than: they are left out. */
  readonly replaces?: readonly string[]
}

/** One rule of the pod security standards. */
export interface Check {
  readonly id: string
  readonly level: 'baseline' | 'restricted'
  /** The oldest first. Before its first revision the check does not exist. */
  readonly revisions: readonly CheckRevision[]
}

/** A pod in the form that checks read. */
export const checkedPod = (
  annotations: CheckedPod['annotations'] | undefined,
  spec: PodSpec,
  v: Vocabulary,
): CheckedPod => ({
  annotations: annotations ?? {},
  spec,
  containers: allContainers(spec).map(({ container }) => container),
  v,
})

/** Whether the pod runs on Windows, where some settings do not exist. */
export const isOnWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === 'windows'

/** The names of containers that a condition holds for. */
export const namesOf = (
  { containers }: CheckedPod,
  is: (container: AnyContainer) => boolean,
): string[] => containers.filter(is).map(({ name }) => name)

export const quoted = (texts: readonly string[]): string =>
  texts.map((text) => JSON.stringify(text)).join(', ')

/** Each text once, in order. */
export const sortedSet = (texts: readonly string[]): string[] => [...new Set(texts)].sort()

export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`)

/** `container "a"` or `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural('container', names.length)} ${quoted(names)}`

/** `pod`, `container "a"`, or both joined by `and`; empty for neither. */
export const settersText = (podDoes: boolean, names: readonly string[]): string =>
  [...(podDoes ? ['pod'] : []), ...(names.length > 0 ? [containersText(names)] : [])].join(' and ')
