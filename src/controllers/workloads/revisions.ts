/** Revisions of pod templates of daemon sets and stateful sets. */
import type { ControllerRevision } from '../../kinds/apps/controller-revision.ts'
import type { PodTemplateSpec } from '../../kinds/core/pod/pod-template.ts'
import { byCreation } from './owner.ts'

/**
 * The data of a revision: a strategic merge patch that replaces the template. Names are sorted and `<`, `>`, `&` escaped,
 * since clients compare it byte by byte with their own encoding.
 */
export function revisionData(template: PodTemplateSpec): string {
  const metadata = { creationTimestamp: null, ...template.metadata }
  return sortedJson({ spec: { template: { $patch: 'replace', ...template, metadata } } })
}

/** The data of a stored revision in the form of {@link revisionData}. */
export const storedData = ({ data }: ControllerRevision): string => sortedJson(data)

/** Orders by revision number, then by creation and name. */
export const byRevision = (a: ControllerRevision, b: ControllerRevision): number => {
  const difference = Number(a.revision) - Number(b.revision)
  return difference !== 0 ? difference : byCreation(a, b)
}

/** The number of the next revision. */
export const nextRevision = (revisions: readonly ControllerRevision[]): number =>
  revisions.reduce((highest, { revision }) => Math.max(highest, Number(revision)), 0) + 1

/** JSON with sorted names and the escapes of the reference; null members stay. */
function sortedJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return escaped(value)
  if (Array.isArray(value)) return `[${value.map((one) => sortedJson(one)).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
  return `{${members.map(([name, member]) => `${escaped(name)}:${sortedJson(member)}`).join()}}`
}

const escaped = (text: string): string =>
  JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
