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

/** Webhooks by what their rules select; for one state of configurations and catalogue. */
export class HookIndex {
  readonly #hooks: readonly Hook[]
  readonly #catalogue: Pick<Catalogue, 'find'>
  readonly #found = new Map<string, readonly Candidate[]>()

  constructor(hooks: readonly Hook[], catalogue: Pick<Catalogue, 'find'>) {
    this.#hooks = hooks
    this.#catalogue = catalogue
  }

  /** The webhooks that rules select for a request, in the order of calls. */
  candidates(attributes: Attributes): readonly Candidate[] {
    if (this.#hooks.length === 0) return NONE
    const asked = askedOf(attributes)
    const { group, version, resource } = asked.resource
    // Resources and sub-resources are those that are served, so the map stays small.
    const key = `${asked.operation} ${group}/${version}/${resource}/${asked.subresource} ${asked.isNamespaced}`
    let found = this.#found.get(key)
    if (!found) this.#found.set(key, (found = this.#select(asked)))
    return found
  }

  #select(asked: Asked): readonly Candidate[] {
    const { group, version, resource } = asked.resource
    const served = this.#catalogue.find(group, version, resource)
    const others = served ? equivalents(served, this.#catalogue) : []
    const found = this.#hooks.flatMap((hook) => candidateOf(hook, asked, others) ?? [])
    return found.length === 0 ? NONE : found
  }
}

function askedOf(attributes: Attributes): Asked {
  const { operation, requestResource: resource, requestSubresource: subresource } = attributes
  const isNamespace = resource.group === '' && resource.resource === 'namespaces'
  return {
    operation,
    resource,
    subresource,
    isNamespaced: !isNamespace && attributes.namespace !== '',
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
