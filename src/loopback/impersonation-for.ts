import { impersonationOf, type Impersonation as Asked } from '../authn/impersonation.ts'
import type { Impersonation } from '../client/client-config.ts'
import { impersonationHeaders } from '../client/standing-credentials.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/**
 * The permissions to check and the resulting user, read from the impersonation headers that a network client would
 * send.
 */
export function impersonationFor(wanted: Impersonation, v: Vocabulary): Asked {
  const headers = impersonationHeaders(wanted)
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [name, latin(one)]),
  )
  const names = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])
  const asked = impersonationOf({ headers: Object.fromEntries(names), rawHeaders }, v)
  if (!asked) throw new TypeError('impersonate names no user')
  return asked
}

/** The bytes of a header, as Node.js delivers them. */
const latin = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
