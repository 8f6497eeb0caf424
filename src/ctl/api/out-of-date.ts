/** What a server that accepts no credentials does not say: whether they are too old. Loaded for such answers alone. */
import { X509Certificate } from 'node:crypto'
import { formatTime } from '../../base/time.ts'
import type { ShownCredentials } from '../../client/standing-credentials.ts'

const NEXT = 'renew it, or choose other credentials with --context, --user or --token'

/** Why credentials are not accepted, and what to do, where their own times tell; null otherwise. */
export function outOfDate(
  { cert, headers }: Pick<ShownCredentials, 'cert' | 'headers'>,
  nowMs: number,
): string | null {
  const bearer = /^Bearer (.+)$/.exec(String(headers.authorization ?? ''))?.[1]
  // With both the server asks for the certificate first.
  const [what, from, until] =
    cert === undefined
      ? (['token', ...timesOfToken(bearer)] as const)
      : (['client certificate', ...timesOfCertificate(cert)] as const)
  if (nowMs > until) return `the ${what} expired at ${formatTime(until)}: ${NEXT}`
  if (nowMs < from) {
    return `the ${what} is valid from ${formatTime(from)}, and the clock here says ${formatTime(nowMs)}`
  }
  return null
}

function timesOfCertificate(pem: string): readonly [from: number, until: number] {
  const { validFrom, validTo } = new X509Certificate(pem)
  return [Date.parse(validFrom), Date.parse(validTo)]
}

/** As a JSON web token says, when it is one. Times that it lacks compare with nothing. */
function timesOfToken(token: string | undefined): readonly [from: number, until: number] {
  try {
    const payload = Buffer.from((token ?? '').split('.')[1] ?? '', 'base64url').toString()
    const { nbf, exp } = JSON.parse(payload) as { nbf?: unknown; exp?: unknown }
    return [1000 * secondsOf(nbf), 1000 * secondsOf(exp)]
  } catch {
    return [Number.NaN, Number.NaN]
  }
}

/** Whole seconds of a date that can be written; others compare with nothing. */
const secondsOf = (value: unknown): number =>
  typeof value === 'number' && Math.abs(value) < 8.64e12 ? Math.floor(value) : Number.NaN
