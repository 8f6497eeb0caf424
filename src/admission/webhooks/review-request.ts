/** AdmissionReviews as they are sent. */
import { formatJson } from '../../codec/json-text.ts'
import type { Requester } from '../../catalogue/resource.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { AdmissionObject, Attributes, GroupVersionKind } from '../attributes.ts'
import type { Candidate } from './hook-index.ts'

/** Versions of the review, in no order: the webhook's order decides. */
export type ReviewVersion = 'v1' | 'v1beta1'

/** The first version of a webhook that is known; undefined when there is none. */
export const reviewVersionOf = (versions: readonly string[]): ReviewVersion | undefined =>
  versions.find((one): one is ReviewVersion => one === 'v1' || one === 'v1beta1')

/** `apiVersion` of a review. */
export const reviewApiVersion = (v: Vocabulary, version: ReviewVersion): string =>
  `${v.resolve('admission{api}')}/${version}`

/** Objects of a request as JSON texts, made once for each version. */
export class ObjectTexts {
  readonly #texts = new Map<string, Promise<string>>()

  /** The text of an object; `null` without one. */
  of(
    name: 'object' | 'oldObject',
    object: AdmissionObject | null,
    groupVersion: string,
  ): Promise<string> {
    if (!object) return NULL
    const key = `${name} ${groupVersion}`
    let text = this.#texts.get(key)
    if (!text) this.#texts.set(key, (text = object.toJson(groupVersion).then(formatJson)))
    return text
  }

  /** Forgets the new object, which has changed. */
  changed(): void {
    for (const key of this.#texts.keys()) if (key.startsWith('object ')) this.#texts.delete(key)
  }
}

const NULL = Promise.resolve('null')

export const groupVersionOfKind = ({ group, version }: GroupVersionKind): string =>
  group === '' ? version : `${group}/${version}`

/** One review, as JSON text. */
export async function reviewText(
  attributes: Attributes,
  candidate: Candidate,
  {
    uid,
    apiVersion,
    texts,
  }: { readonly uid: string; readonly apiVersion: string; readonly texts: ObjectTexts },
): Promise<string> {
  const { name, namespace } = attributes
  const groupVersion = groupVersionOfKind(candidate.kind ?? attributes.requestKind)
  const stated = statedOf(candidate, attributes)
  const request = JSON.stringify({
    name: name === '' ? undefined : name,
    namespace: namespace === '' ? undefined : namespace,
    operation: attributes.operation,
    userInfo: userInfo(attributes.user),
  })
  const object = await texts.of('object', attributes.object, groupVersion)
  const old = await texts.of('oldObject', attributes.oldObject, groupVersion)
  const { dryRun, options } = attributes
  const rest = `"object":${object},"oldObject":${old},"dryRun":${dryRun},"options":${JSON.stringify(options)}`
  return `{"kind":"AdmissionReview","apiVersion":${JSON.stringify(apiVersion)},"request":{"uid":${JSON.stringify(uid)},${stated},${request.slice(1, -1)},${rest}}}`
}

/** Kinds and resources, in the order of the review. A candidate is of requests for one resource and sub-resource. */
function statedOf(candidate: Candidate, attributes: Attributes): string {
  const { requestKind, requestResource, requestSubresource } = attributes
  const known = candidate.stated
  if (
    known?.requestSubresource === requestSubresource &&
    known.requestKind.kind === requestKind.kind &&
    known.requestKind.version === requestKind.version &&
    known.requestKind.group === requestKind.group
  )
    return known.text
  const subresource = requestSubresource === '' ? undefined : requestSubresource
  const text = JSON.stringify({
    kind: candidate.kind ?? requestKind,
    resource: candidate.resource ?? requestResource,
    subResource: subresource,
    requestKind,
    requestResource,
    requestSubResource: subresource,
  }).slice(1, -1)
  candidate.stated = { requestKind, requestSubresource, text }
  return text
}

/** The user; empty members are left out. */
function userInfo({ name, uid, groups, extra }: Requester) {
  return {
    username: name === '' ? undefined : name,
    uid: uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: Object.keys(extra).length === 0 ? undefined : extra,
  }
}
