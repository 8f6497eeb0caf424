import { X509Certificate } from 'node:crypto'
import { parseBundle } from './ca-bundle.ts'
import type { RequestHeaderNames } from './request-header.ts'

/** Content of the ConfigMap `extension-apiserver-authentication`. */
export type PublishedData = Readonly<Record<string, string>>

export interface PublishedOptions {
  /** PEM of the authorities of client certificates. */
  readonly clientCa?: string
  readonly requestHeader?: {
    /** PEM of the authorities of proxies. */
    readonly ca: string
    readonly names: RequestHeaderNames
    readonly allowedNames: readonly string[]
  }
}

/** The name of the ConfigMap, which is in the namespace of the system. */
export const PUBLISHED_NAME = 'extension-apiserver-authentication'

const CLIENT_CA = 'client-ca-file'
const PROXY_CA = 'requestheader-client-ca-file'
const LISTS = [
  'requestheader-username-headers',
  'requestheader-group-headers',
  'requestheader-extra-headers-prefix',
  'requestheader-allowed-names',
] as const
const EXPIRED_FOR_MS = 300_000

/** How aggregated API servers are to authenticate users. */
export function publishedConfiguration(options: PublishedOptions): PublishedData {
  const { clientCa = '', requestHeader } = options
  const data: Record<string, string> = {}
  if (clientCa !== '') data[CLIENT_CA] = clientCa
  if (!requestHeader) return data
  const { ca, names, allowedNames } = requestHeader
  data[PROXY_CA] = ca
  data['requestheader-username-headers'] = JSON.stringify(names.usernameHeaders)
  data['requestheader-group-headers'] = JSON.stringify(names.groupHeaders)
  data['requestheader-extra-headers-prefix'] = JSON.stringify(names.extraHeaderPrefixes)
  data['requestheader-allowed-names'] = JSON.stringify(allowedNames)
  return data
}

/**
 * What to write over what other servers of the same cluster have written: the authorities and names of all, without
 * certificates that expired more than five minutes ago. What cannot be read of the existing content is dropped.
 */
export function mergedConfiguration(
  existing: PublishedData,
  own: PublishedData,
  nowMs: number,
): PublishedData {
  const data: Record<string, string> = {}
  for (const key of [CLIENT_CA, PROXY_CA]) {
    const pem = mergedBundles([textOf(existing, key), textOf(own, key)], nowMs)
    if (pem !== '') data[key] = pem
  }
  for (const key of LISTS) {
    const texts = [textOf(existing, key), textOf(own, key)].filter((text) => text !== '')
    if (texts.length > 0) data[key] = JSON.stringify([...new Set(texts.flatMap(listOf))])
  }
  return data
}

const textOf = (data: PublishedData, key: string): string =>
  Object.hasOwn(data, key) ? data[key]! : ''

function mergedBundles(texts: readonly string[], nowMs: number): string {
  const certificates = new Map<string, X509Certificate>()
  for (const { certificate, notAfterMs } of texts.flatMap(bundleOf)) {
    if (notAfterMs + EXPIRED_FOR_MS >= nowMs) {
      certificates.set(certificate.fingerprint256, certificate)
    }
  }
  return [...certificates.values()].map((certificate) => certificate.toString()).join('')
}

function bundleOf(pem: string) {
  try {
    return parseBundle(pem)
  } catch {
    return []
  }
}

function listOf(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : []
  } catch {
    return []
  }
}
