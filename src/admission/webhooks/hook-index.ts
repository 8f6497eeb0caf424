/**
 * Which webhooks the rules of their configurations select for a request. The result depends on the operation, the
 * resource and the scope only, so it is computed once for each of them: requests that no rule selects cost one lookup,
 * however many configurations there are.
 */
import type { Catalogue, ResourceEntry } from '../../catalogue/catalogue.ts'
import type {
  Attributes,
  GroupVersionKind,
  GroupVersionResource,
  Operation,
} from '../attributes.ts'
import type { ConfiguredWebhook, Hook } from './hook.ts'

/** A webhook whose rules match a request, and the version in which it wants the objects. */
export interface Candidate {
  readonly hook: Hook
  /** The resource that a rule matches; null: the requested one. */
  readonly resource: GroupVersionResource | null
  /** Kind of the objects that are sent; null: the requested one. */
  readonly kind: GroupVersionKind | null
  /** What reviews say of the kinds and resources of its requests, which are the same for most of them. */
  stated?: Stated
}

/** The members of a review that a candidate and a requested kind determine, as JSON text without brackets. */
export interface Stated {
  readonly requestKind: GroupVersionKind
  readonly requestSubresource: string
  readonly text: string
}

/** The part of a request that rules are about. */
interface Asked {
  readonly operation: Operation
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly isNamespaced: boolean
}

type Rule = NonNullable<ConfiguredWebhook['rules']>[number]

const NONE: readonly Candidate[] = []

/** What the rules select for one combination. */
interface Found {
  readonly operation: Operation
  readonly version: string
  readonly subresource: string
  readonly isNamespaced: boolean
  readonly candidates: readonly Candidate[]
}

/** Combinations that are remembered: more than a large cluster requests. */
const MOST_FOUND = 16_384

/** Webhooks by what their rules select; for one state of configurations and catalogue. */
export class HookIndex {
  readonly #hooks: readonly Hook[]
  readonly #catalogue: Pick<Catalogue, 'find'>
  /**
   * By resource, then by group; the few combinations of one are compared one by one. A lookup makes no text, which would
   * have to be hashed for each request.
   */
  readonly #found = new Map<string, Map<string, Found[]>>()
  #count = 0

  constructor(hooks: readonly Hook[], catalogue: Pick<Catalogue, 'find'>) {
    this.#hooks = hooks
    this.#catalogue = catalogue
  }

  /** The webhooks that rules select for a request, in the order of calls. */
  candidates(attributes: Attributes): readonly Candidate[] {
    if (this.#hooks.length === 0) return NONE
    const { operation, requestResource, requestSubresource: subresource } = attributes
    const { group, version, resource } = requestResource
    const isNamespace = resource === 'namespaces' && group === ''
    const isNamespaced = !isNamespace && attributes.namespace !== ''
    const known = this.#found.get(resource)?.get(group)
    if (known !== undefined) {
      for (let i = 0; i < known.length; i++) {
        const one = known[i]!
        if (
          one.operation === operation &&
          one.version === version &&
          one.subresource === subresource &&
          one.isNamespaced === isNamespaced
        )
          return one.candidates
      }
    }
    return this.#remember({ operation, resource: requestResource, subresource, isNamespaced })
  }

  /** Finds out what no request has asked for yet. */
  #remember(asked: Asked): readonly Candidate[] {
    const { operation, subresource, isNamespaced } = asked
    const { group, version, resource } = asked.resource
    const candidates = this.#select(asked)
    // Resources and sub-resources are those that are served, so that it seldom comes to this.
    if (this.#count++ >= MOST_FOUND) {
      this.#found.clear()
      this.#count = 1
    }
    let byGroup = this.#found.get(resource)
    if (!byGroup) this.#found.set(resource, (byGroup = new Map()))
    let known = byGroup.get(group)
    if (!known) byGroup.set(group, (known = []))
    known.push({ operation, version, subresource, isNamespaced, candidates })
    return candidates
  }

  #select(asked: Asked): readonly Candidate[] {
    const { group, version, resource } = asked.resource
    const served = this.#catalogue.find(group, version, resource)
    const others = served ? equivalents(served, this.#catalogue) : []
    const found = this.#hooks.flatMap((hook) => candidateOf(hook, asked, others) ?? [])
    return found.length === 0 ? NONE : found
  }
}

function candidateOf(
  hook: Hook,
  asked: Asked,
  others: readonly ResourceEntry[],
): Candidate | undefined {
  const { rules = [], matchPolicy } = hook.webhook
  if (rules.some((rule) => matches(rule, asked))) return { hook, resource: null, kind: null }
  if (matchPolicy === 'Exact') return undefined
  for (const rule of rules) {
    for (const { group, version, resource, kind, subresources } of others) {
      const { subresource } = asked
      const part = subresources.get(subresource)
      if (subresource !== '' && !part) continue
      const other = { group, version, resource }
      if (!matches(rule, { ...asked, resource: other })) continue
      // Bodies of other sub-resources have a kind of their own, the same for all versions of the resource.
      const isObject = subresource === '' || part?.serves === 'part'
      return { hook, resource: other, kind: isObject ? { group, version, kind } : null }
    }
  }
  return undefined
}

/** The other served versions of the same objects, in other groups too. */
const equivalents = (
  served: ResourceEntry,
  catalogue: Pick<Catalogue, 'find'>,
): readonly ResourceEntry[] =>
  served.versions.filter(
    ({ group, version, resource, groupVersion }) =>
      groupVersion !== served.groupVersion && catalogue.find(group, version, resource),
  )

function matches(rule: Rule, asked: Asked): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = '*' } = rule
  const { group, version, resource } = asked.resource
  if (scope !== '*' && (scope === 'Namespaced') !== asked.isNamespaced) return false
  return (
    includes(operations, asked.operation) &&
    includes(apiGroups, group) &&
    includes(apiVersions, version) &&
    resources.some((text) => {
      const slash = text.indexOf('/')
      const name = slash === -1 ? text : text.slice(0, slash)
      const sub = slash === -1 ? '' : text.slice(slash + 1)
      return (name === '*' || name === resource) && (sub === '*' || sub === asked.subresource)
    })
  )
}

const includes = (list: readonly string[], value: string): boolean =>
  list.includes('*') || list.includes(value)
