/**
 * Decides which group versions and resources are enabled: by default all but alpha versions.
 */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Settings by key: `api/all`, `api/ga`, `api/beta`, `api/alpha`, `v1`, `group/version`, `group/version/resource`. */
export type RuntimeConfig = Readonly<Record<string, boolean>>

/** Returns whether a resource is enabled. */
export type Enabled = (group: string, version: string, resource: string) => boolean

/** Groups, versions and resources that settings may name. */
export interface Known {
  readonly group: string
  readonly version: string
}

/** Rank of a version by its name. */
export type Maturity = 'ga' | 'beta' | 'alpha'

/** `v1` is ga, `v1beta2` beta. */
export const maturityOf = (version: string): Maturity =>
  version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga'

/** Parses settings. Throws Error on a malformed key and on an unknown group. */
export function runtimeConfig(
  settings: RuntimeConfig,
  known: readonly Known[],
  v: Vocabulary,
): Enabled {
  const whole = new Map<string, boolean>()
  const versions = new Map<string, boolean>()
  const resources = new Map<string, boolean>()
  const unknown: string[] = []
  for (const [key, on] of Object.entries(settings)) {
    if (/^api\/(all|ga|beta|alpha)$/.test(key)) {
      whole.set(key.slice(4), on)
      continue
    }
    const [group = '', version = '', resource, ...more] = partsOf(key, v)
    if (!/^v\d/.test(version) || resource === '' || more.length > 0)
      throw new Error(`invalid key ${JSON.stringify(key)}`)
    if (!known.some((k) => k.group === group)) {
      unknown.push(group)
      continue
    }
    if (resource === undefined) versions.set(`${group}/${version}`, on)
    else resources.set(`${group}/${version}/${resource}`, on)
  }
  if (unknown.length > 0) throw new Error(`unknown api groups ${unknown.join(',')}`)
  const isEnabled: Enabled = (group, version, resource) => {
    const one = resources.get(`${group}/${version}/${resource}`)
    const its = versions.get(`${group}/${version}`)
    if (one !== undefined) return one
    if (its !== undefined) return its
    const maturity = maturityOf(version)
    return whole.get(maturity) ?? whole.get('all') ?? maturity !== 'alpha'
  }
  if (!isEnabled('', 'v1', 'namespaces')) {
    throw new Error('it turns off namespaces of v1, without which nothing works')
  }
  return isEnabled
}

/** Group, version and perhaps resource; the core group is `''` and may be written `v1` or `api/v1`. */
function partsOf(key: string, v: Vocabulary): string[] {
  const parts = key.split('/')
  if (parts[0] === 'api') return ['', ...parts.slice(1)]
  if (parts.length === 1 || /^v\d/.test(parts[0]!)) return ['', ...parts]
  // Templates are internal; users write the group as it is served.
  return [v.resolve(parts[0]!), ...parts.slice(1)]
}
