/** Configuration of the plugin: resources that may only be used where a quota covers them. */
import { isRecord } from '../../base/value-checks.ts'
import type { ResourceName } from '../../meta/resource-name.ts'
import type { ScopeCondition } from '../../quota/scopes.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** A resource that may not be used without a quota. */
export interface LimitedResource {
  readonly of: ResourceName
  /** Parts of the names of amounts that a quota must cover. */
  readonly matchContains: readonly string[]
  /** Scopes that a quota must cover. */
  readonly matchScopes: readonly ScopeCondition[]
}

type Members = Readonly<Record<string, unknown>>

/** Reads the configuration. Throws an Error that names the fault. */
export function readLimits(document: unknown, v: Vocabulary): readonly LimitedResource[] {
  const file = membersOf(document, '')
  const forms = [
    ['apiserver.config{api}/v1', 'ResourceQuotaConfiguration'],
    ['resourcequota.admission{api}/v1beta1', 'Configuration'],
    ['resourcequota.admission{api}/v1alpha1', 'Configuration'],
  ].map(([apiVersion = '', kind = '']) => ({ apiVersion: v.resolve(apiVersion), kind }))
  if (
    !forms.some(
      ({ apiVersion, kind }) => apiVersion === file['apiVersion'] && kind === file['kind'],
    )
  ) {
    const known = forms.map(({ apiVersion, kind }) => `${kind} of apiVersion ${apiVersion}`)
    throw new Error(`expected a ${known.join(' or a ')}`)
  }
  refuseOthers(file, ['kind', 'apiVersion', 'limitedResources'], '')
  return listIn(file, 'limitedResources', '').map((one, i) =>
    limitedResource(one, `limitedResources[${i}]`),
  )
}

function limitedResource(value: unknown, at: string): LimitedResource {
  const members = membersOf(value, at)
  refuseOthers(members, ['apiGroup', 'resource', 'matchContains', 'matchScopes'], `${at}.`)
  const resource = textIn(members, 'resource', at)
  if (resource === '') throw new Error(`${at}.resource: Required value`)
  return {
    of: { group: textIn(members, 'apiGroup', at), resource },
    matchContains: textsIn(members, 'matchContains', at),
    matchScopes: listIn(members, 'matchScopes', at).map((one, i) =>
      condition(one, `${at}.matchScopes[${i}]`),
    ),
  }
}

function condition(value: unknown, at: string): ScopeCondition {
  const members = membersOf(value, at)
  refuseOthers(members, ['scopeName', 'operator', 'values'], `${at}.`)
  const values = textsIn(members, 'values', at)
  return {
    // Unknown scopes and operators cover nothing.
    scopeName: textIn(members, 'scopeName', at) as ScopeCondition['scopeName'],
    operator: textIn(members, 'operator', at) as ScopeCondition['operator'],
    ...(values.length === 0 ? {} : { values: [...values] }),
  }
}

function membersOf(value: unknown, at: string): Members {
  if (isRecord(value)) return value
  throw new Error(`${at === '' ? '' : `${at}: `}must be an object`)
}

function textIn(members: Members, name: string, at: string): string {
  const value = members[name] ?? ''
  if (typeof value !== 'string') throw new Error(`${at}.${name}: must be a string`)
  return value
}

function listIn(members: Members, name: string, at: string): readonly unknown[] {
  const value = members[name] ?? []
  if (!Array.isArray(value)) throw new Error(`${at === '' ? '' : `${at}.`}${name}: must be a list`)
  return value
}

function textsIn(members: Members, name: string, at: string): readonly string[] {
  return listIn(members, name, at).map((one, i) => {
    if (typeof one !== 'string') throw new Error(`${at}.${name}[${i}]: must be a string`)
    return one
  })
}

function refuseOthers(members: Members, known: readonly string[], at: string): void {
  const other = Object.keys(members).find((name) => !known.includes(name))
  if (other !== undefined) throw new Error(`unknown field ${JSON.stringify(at + other)}`)
}
