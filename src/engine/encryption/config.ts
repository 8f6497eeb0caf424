import { createSecretKey, type KeyObject } from 'node:crypto'
import { EncryptionConfigError, Place, isObject } from './config-fault.ts'
import { checkKms } from './config-kms.ts'

export { EncryptionConfigError } from './config-fault.ts'

/** A resource as the file names it: `secrets`, `widgets.example.com`. */
export interface EncryptedResource {
  readonly resource: string
  /** Empty for the core group. */
  readonly group: string
}

/** A key by the name that prefixes the data it encrypted. */
export interface NamedKey {
  readonly name: string
  readonly secret: KeyObject
}

/** The providers that have keys. */
export type KeyedKind = 'aescbc' | 'aesgcm' | 'secretbox'

/** One provider; the first of its keys encrypts, all decrypt. */
export type ProviderConfig =
  | { readonly is: 'identity' }
  | { readonly is: KeyedKind; readonly keys: readonly NamedKey[] }

/** Which resources go through which providers, in order: the first encrypts, all decrypt. */
export interface EncryptionRule {
  readonly resources: readonly EncryptedResource[]
  readonly providers: readonly ProviderConfig[]
}

/** Resolves a name template with the vocabulary of the server. */
export type Resolve = (template: string) => string

export interface EncryptionFile {
  /** For messages. */
  readonly path: string
  readonly text: string
  readonly resolve: Resolve
  /** Reads YAML or JSON; throws on anything else. */
  readonly parse: (text: string) => unknown
}

const AES_BYTES = [16, 24, 32]
const KEY_BYTES: Readonly<Record<KeyedKind, readonly number[]>> = {
  aesgcm: AES_BYTES,
  aescbc: AES_BYTES,
  secretbox: [32],
}
const KINDS = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'] as const
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Reads the file of `--encryption-provider-config`. Throws EncryptionConfigError with every fault of it. */
export async function readEncryptionConfig(file: EncryptionFile): Promise<EncryptionRule[]> {
  const named = `encryption provider config file ${JSON.stringify(file.path)}`
  let document: unknown
  try {
    document = await file.parse(file.text)
  } catch (error) {
    // The reason that a parser gives may quote the file, keys included: only the place is taken.
    const line = /\bline \d+/.exec(error instanceof Error ? error.message : '')?.[0]
    const place = line === undefined ? '' : `: ${line}`
    throw new EncryptionConfigError(`${named} is neither YAML nor JSON${place}`)
  }
  try {
    return checkEncryptionConfig(document, file.resolve)
  } catch (error) {
    if (!(error instanceof EncryptionConfigError)) throw error
    throw new EncryptionConfigError(`${named}: ${error.message}`)
  }
}

/** Checks a parsed configuration. Throws EncryptionConfigError with every fault of it. */
export function checkEncryptionConfig(document: unknown, resolve: Resolve): EncryptionRule[] {
  const apiVersion = resolve('apiserver.config{api}/v1')
  if (
    !isObject(document) ||
    document['apiVersion'] !== apiVersion ||
    document['kind'] !== 'EncryptionConfiguration'
  ) {
    throw new EncryptionConfigError(
      `expected an EncryptionConfiguration of apiVersion ${apiVersion}`,
    )
  }
  const faults: string[] = []
  const list = new Place('', document, faults).child('resources')
  const rules = atLeastOne(list, list.path).map(ruleAt)
  if (faults.length === 1) throw new EncryptionConfigError(faults[0]!)
  if (faults.length > 1) throw new EncryptionConfigError(`[${faults.join(', ')}]`)
  return rules
}

/** The entries of a list that may not be empty. */
function atLeastOne(list: Place, field: string): Place[] {
  const entries = list.entries()
  const isEmpty = list.value === undefined || (Array.isArray(list.value) && entries.length === 0)
  if (isEmpty) list.required(`at least one ${field} is required`)
  return entries
}

function ruleAt(place: Place): EncryptionRule {
  const resources = place.child('resources')
  const providers = place.child('providers')
  return {
    resources: atLeastOne(resources, resources.path).map(resourceAt),
    providers: atLeastOne(providers, providers.path).flatMap((at) => providerAt(at) ?? []),
  }
}

function resourceAt(place: Place): EncryptedResource {
  const text = place.text() ?? ''
  const dot = text.indexOf('.')
  if (dot === -1) return { resource: text, group: '' }
  return { resource: text.slice(0, dot), group: text.slice(dot + 1) }
}

function providerAt(place: Place): ProviderConfig | null {
  const found = KINDS.filter((kind) => place.child(kind).value !== undefined)
  const [kind] = found
  if (kind === undefined) {
    place.required(
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    )
    return null
  }
  if (found.length > 1) {
    place.invalid(
      null,
      'more than one provider specified in a single element, should split into different list elements',
    )
  }
  const provider = place.child(kind)
  if (!isObject(provider.value)) {
    provider.invalid(null, 'must be an object')
    return null
  }
  if (kind === 'identity') return { is: kind }
  if (kind === 'kms') {
    checkKms(provider)
    return null
  }
  const keys = atLeastOne(provider.child('keys'), 'keys')
  return { is: kind, keys: keys.flatMap((key) => keyAt(key, KEY_BYTES[kind]) ?? []) }
}

function keyAt(place: Place, lengths: readonly number[]): NamedKey | null {
  const name = place.child('name').text()
  if (name === '') place.child('name').required('name is a mandatory field for a key')
  const at = place.child('secret')
  const text = at.text()
  if (text === '') at.required('secret is a mandatory field for a key')
  if (name === null || text === null || text === '') return null
  const packed = text.replaceAll(/[\r\n]/g, '')
  if (!BASE64.test(packed)) {
    at.invalid(null, 'secrets must be base64 encoded')
    return null
  }
  const secret = Buffer.from(packed, 'base64')
  if (!lengths.includes(secret.length)) {
    at.invalid(
      null,
      `secret is not of the expected length, got ${secret.length}, expected one of [${lengths.join(' ')}]`,
    )
    return null
  }
  return { name, secret: createSecretKey(secret) }
}
