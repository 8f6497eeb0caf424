/** Annotations and labels by which a Deployment and its replica sets know each other. */
import type { Deployment } from '../../kinds/apps/deployment.ts'
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** Label of the replica sets and pods of one template. */
export const HASH_LABEL = 'pod-template-hash'

/** Annotation of a Deployment that asks for an earlier revision. */
export const ROLLBACK = 'deprecated.deployment.rollback.to'

/** Most characters of the list of earlier revisions. */
const MAX_HISTORY_LENGTH = 2000

/** Names of annotations. */
export interface AnnotationNames {
  readonly revision: string
  readonly history: string
  readonly desired: string
  readonly max: string
  /** Annotations that are not copied between a Deployment and its replica sets. */
  readonly skipped: ReadonlySet<string>
}

/** The names in a vocabulary. */
export function annotationNames(v: Vocabulary): AnnotationNames {
  const names = {
    revision: v.resolve('deployment.{label}/revision'),
    history: v.resolve('deployment.{label}/revision-history'),
    desired: v.resolve('deployment.{label}/desired-replicas'),
    max: v.resolve('deployment.{label}/max-replicas'),
  }
  const lastApplied = v.resolve('{cli}.{label}/last-applied-configuration')
  return { ...names, skipped: new Set([...Object.values(names), lastApplied, ROLLBACK]) }
}

type Annotated = Pick<Deployment | ReplicaSet, 'metadata'>

const annotationsOf = (object: Annotated): Record<string, string> =>
  (object.metadata.annotations ??= {}) as Record<string, string>

/** An annotation that is an integer; null where it is absent or none. */
export function integerOf({ metadata }: Annotated, name: string): number | null {
  const text = metadata.annotations?.[name]
  return text !== undefined && /^[+-]?[0-9]{1,18}$/.test(text) ? Number(text) : null
}

/** The revision of a set; 0 where it has none. */
export const revisionOf = (set: Annotated, names: AnnotationNames): number =>
  integerOf(set, names.revision) ?? 0

/** Sets an annotation of an object, which is changed; false: it had this value. */
export function annotate(object: Annotated, name: string, value: string): boolean {
  const annotations = annotationsOf(object)
  if (annotations[name] === value) return false
  annotations[name] = value
  return true
}

/** Sets the sizes at the last scaling; false: the set had them. */
export function annotateSizes(
  set: ReplicaSet,
  names: AnnotationNames,
  { desired, max }: { readonly desired: number; readonly max: number },
): boolean {
  const isNew = annotate(set, names.desired, String(desired))
  return annotate(set, names.max, String(max)) || isNew
}

/** Copies the annotations of a Deployment to a set, which is changed; false: it had them. */
export function copyAnnotations(
  { metadata }: Deployment,
  set: ReplicaSet,
  { skipped }: AnnotationNames,
): boolean {
  let isChanged = false
  for (const [name, value] of Object.entries(metadata.annotations ?? {}))
    if (!skipped.has(name) && annotate(set, name, value)) isChanged = true
  return isChanged
}

/** Raises the revision of a set, which is changed; the number before joins its history. False: it was high enough. */
export function raiseRevision(set: ReplicaSet, revision: number, names: AnnotationNames): boolean {
  const text = set.metadata.annotations?.[names.revision]
  const old = integerOf(set, names.revision)
  // A revision that cannot be read stays.
  if ((text !== undefined && text !== '' && old === null) || (old ?? 0) >= revision) return false
  annotate(set, names.revision, String(revision))
  if (text !== undefined) addToHistory(set, text, names)
  return true
}

function addToHistory(set: ReplicaSet, revision: string, { history }: AnnotationNames): void {
  const before = set.metadata.annotations?.[history] ?? ''
  const list = before === '' ? [] : before.split(',')
  let length = before.length + revision.length + 1
  while (length > MAX_HISTORY_LENGTH && list.length > 0) length -= list.shift()!.length + 1
  annotate(set, history, [...list, revision].join())
}

/** The annotations of a Deployment after a rollback to a set: its own that are not copied, and those of the set. */
export function rolledBackAnnotations(
  deployment: Deployment,
  set: ReplicaSet,
  { skipped }: AnnotationNames,
): Record<string, string> {
  const own = Object.entries(deployment.metadata.annotations ?? {})
  const old = Object.entries(set.metadata.annotations ?? {})
  return Object.fromEntries([
    ...own.filter(([name]) => skipped.has(name)),
    ...old.filter(([name]) => !skipped.has(name)),
  ])
}
