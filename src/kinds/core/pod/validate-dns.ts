import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Subdomain, isIp } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import type { HostAlias, PodDNSConfig, PodSpec } from './pod-spec.ts'

const MAX_SERVERS = 3
const NARROW = { paths: 6, chars: 256 }
const WIDE = { paths: 32, chars: 2048 }

/**
 * Validates DNS settings; reports to `errors`. A stored spec that exceeds the narrow limits keeps
 * the wide ones.
 */
export function validateDns(
  { dnsPolicy, dnsConfig }: PodSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: PodSpec,
): void {
  if (dnsPolicy === 'None') {
    if (!dnsConfig) return errors.required('must provide `dnsConfig` when `dnsPolicy` is None')
    if (!dnsConfig.nameservers?.length) {
      errors
        .at('nameservers')
        .required('must provide at least one DNS nameserver when `dnsPolicy` is None')
    }
  }
  if (!dnsConfig) return
  const { nameservers = [], searches = [], options = [] } = dnsConfig
  const servers = errors.at('nameservers')
  if (nameservers.length > MAX_SERVERS) {
    servers.invalid(nameservers, `must not have more than ${MAX_SERVERS} nameservers`)
  }
  nameservers.forEach((ip, i) => servers.at(i).invalidAll(ip, isIp(ip)))
  const isWide = c.gate('ExpandedDNSConfig') || !fits(old?.dnsConfig, NARROW)
  validateSearches(searches, isWide ? WIDE : NARROW, errors.at('searches'))
  options.forEach(({ name = '' }, i) => {
    if (name === '') errors.at('options', i).required('must not be empty')
  })
}

function validateSearches(
  searches: readonly string[],
  limit: typeof NARROW,
  errors: FieldErrors,
): void {
  if (searches.length > limit.paths) {
    errors.invalid(searches, `must not have more than ${limit.paths} search paths`)
  }
  if (searches.join(' ').length > limit.chars) {
    errors.invalid(
      searches,
      `must not have more than ${limit.chars} characters (including spaces) in the search list`,
    )
  }
  searches.forEach((search, i) => {
    const name = search.endsWith('.') ? search.slice(0, -1) : search
    errors.at(i).invalidAll(search, isDns1123Subdomain(name))
  })
}

const fits = (config: PodDNSConfig | undefined, { paths, chars }: typeof NARROW): boolean => {
  const searches = config?.searches ?? []
  return searches.length <= paths && searches.join(' ').length <= chars
}

/** Validates host aliases; reports to `errors`. Their paths have no index. */
export function validateHostAliases(list: readonly HostAlias[], errors: FieldErrors): void {
  for (const { ip = '', hostnames = [] } of list) {
    errors.at('ip').invalidAll(ip, isIp(ip))
    for (const name of hostnames) errors.at('hostnames').invalidAll(name, isDns1123Subdomain(name))
  }
}
