import { impersonationOf, type Impersonation as Asked } from '../authn/impersonation.ts'
import type { Impersonation } from '../client/client-config.ts'
import { impersonationHeaders } from '../client/credentials.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** What has to be allowed, and who it is then: read of the headers that a client of the network would send. */
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

/** The bytes of a header as the platform hands them over. */
const latin = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
