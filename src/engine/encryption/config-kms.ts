import { parseDuration } from '../../base/duration.ts'
import type { Place } from './config-fault.ts'

/** Checks a provider of an external key service, and refuses it: this server does not support any. */
export function checkKms(place: Place): void {
  const name = place.child('name')
  const text = name.text()
  if (text === '') name.required('name is a mandatory field for a provider')
  else if (text?.includes(':') === true)
    name.invalid(text, `invalid KMS provider name ${text}, must not contain ':'`)

  checkTimeout(place.child('timeout'))

  const cacheSize = place.child('cachesize')
  if (cacheSize.value === 0)
    cacheSize.invalid(0, 'cachesize should be a positive value, or negative to disable')

  const apiVersion = place.child('apiVersion')
  const version = apiVersion.text()
  if (version !== null && !['', 'v1', 'v2'].includes(version)) {
    apiVersion.invalid(
      version,
      `unsupported apiVersion ${version} for KMS provider, only v1 and v2 are supported`,
    )
  }

  checkEndpoint(place.child('endpoint'))
  place.forbidden('this server has no KMS providers; use aescbc, aesgcm, secretbox or identity')
}

function checkTimeout(timeout: Place): void {
  const text = timeout.text()
  if (text === null || timeout.value === undefined) return
  try {
    if (parseDuration(text) <= 0n) timeout.invalid(text, 'timeout should be a positive value')
  } catch (error) {
    timeout.invalid(text, (error as Error).message)
  }
}

function checkEndpoint(endpoint: Place): void {
  const text = endpoint.text()
  if (text === null) return
  if (text === '') {
    endpoint.required('endpoint is a mandatory field for a provider')
    return
  }
  const colon = text.indexOf('://')
  const scheme = colon === -1 ? '' : text.slice(0, colon)
  if (scheme !== 'unix') {
    endpoint.invalid(
      text,
      `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`,
    )
  }
}
