/** Responses of webhooks: what is accepted, and what they decide. */
import { StatusError, type StatusDetails } from '../../meta/errors.ts'
import { isRecord } from '../../base/value-checks.ts'

type Members = Readonly<Record<string, unknown>>

/** The decision of a webhook. */
export interface Verdict {
  /** The refusal of the request; null when it is allowed. */
  readonly denial: StatusError | null
  /** Text of the patch; null without one. */
  readonly patch: string | null
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly auditAnnotations: readonly (readonly [key: string, value: string])[]
}

/** What the response has to fit. */
export interface ExpectedResponse {
  /** Name of the webhook. */
  readonly webhook: string
  readonly uid: string
  readonly apiVersion: string
  /** Whether the response has to state its kind and uid. */
  readonly strict: boolean
  readonly isMutating: boolean
}

/** A response that is not acceptable; the message states why. */
export class InvalidResponse extends Error {}

/** A response that cannot be decoded at all. */
export class UnreadableResponse extends Error {}

/** Reads the response of a webhook. Throws InvalidResponse and UnreadableResponse. */
export function verdictOf(review: unknown, expected: ExpectedResponse): Verdict {
  const document = membersOf(review, '')
  const kind = textAt(document, 'kind', '')
  const apiVersion = textAt(document, 'apiVersion', '')
  const at = '.response'
  const given = valueAt(document, 'response') ?? null
  if (given === null) throw new InvalidResponse('webhook response was absent')
  const response = membersOf(given, at)
  const uid = textAt(response, 'uid', at)
  const allowed = flagAt(response, 'allowed', at)
  const patch = bytesAt(response, 'patch', at)
  const patchType = optionalText(response, 'patchType', at)
  if (expected.strict) {
    if (uid !== expected.uid)
      throw new InvalidResponse(
        `expected response.uid=${JSON.stringify(expected.uid)}, got ${JSON.stringify(uid)}`,
      )
    const wanted = `${expected.apiVersion}, Kind=AdmissionReview`
    const got = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
    if (got !== wanted)
      throw new InvalidResponse(`expected webhook response of ${wanted}, got ${got}`)
    checkPatch(patch, patchType, expected.isMutating)
  }
  const status = membersOf(valueAt(response, 'status') ?? {}, `${at}.status`)
  return {
    denial: allowed ? null : denialOf(expected.webhook, status),
    patch: expected.isMutating && patch !== '' ? patch : null,
    // Reviews of the older version may leave it out.
    patchType: expected.strict ? (patchType ?? '') : 'JSONPatch',
    warnings: textsAt(response, 'warnings', at),
    auditAnnotations: textMapAt(response, 'auditAnnotations', at),
  }
}

function checkPatch(patch: string, patchType: string | null, isMutating: boolean): void {
  if (!isMutating) {
    if (patch !== '') throw new InvalidResponse('validating webhook may not return response.patch')
    if (patchType !== null)
      throw new InvalidResponse('validating webhook may not return response.patchType')
    return
  }
  if (patch !== '' && patchType === null)
    throw new InvalidResponse('webhook returned response.patch but not response.patchType')
  if (patch === '' && patchType !== null)
    throw new InvalidResponse('webhook returned response.patchType but not response.patch')
  if (patchType === '')
    throw new InvalidResponse('webhook returned invalid response.patchType of ""')
}

const FORBIDDEN = 403
const MAX_CODE = 999

/** The refusal of a request by a webhook, in its words. */
function denialOf(name: string, status: Members): StatusError {
  const at = '.response.status'
  const message = textAt(status, 'message', at)
  const reason = textAt(status, 'reason', at)
  const code = numberAt(status, 'code', at)
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`
  const why = message !== '' ? message : reason
  return new StatusError(
    // A denial is never a success.
    code < 400 ? FORBIDDEN : Math.min(code, MAX_CODE),
    reason,
    why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    detailsAt(status),
  )
}

function detailsAt(status: Members): StatusDetails | undefined {
  const at = '.response.status.details'
  const value = valueAt(status, 'details') ?? null
  if (value === null) return undefined
  const given = membersOf(value, at)
  const details: StatusDetails = {}
  for (const name of ['name', 'group', 'kind', 'uid'] as const) {
    const text = textAt(given, name, at)
    if (text !== '') details[name] = text
  }
  const causes = listAt(given, 'causes', at).map((cause, i) => causeOf(cause, `${at}.causes[${i}]`))
  if (causes.length > 0) details.causes = causes
  const seconds = numberAt(given, 'retryAfterSeconds', at)
  if (seconds !== 0) details.retryAfterSeconds = seconds
  return details
}

function causeOf(cause: unknown, at: string) {
  const given = membersOf(cause, at)
  const entries = (['reason', 'message', 'field'] as const).flatMap((name) => {
    const text = textAt(given, name, at)
    return text === '' ? [] : [[name, text] as const]
  })
  return Object.fromEntries(entries) as { reason?: string; message?: string; field?: string }
}

const unreadable = (at: string, wanted: string) =>
  new UnreadableResponse(`cannot read the response: ${at === '' ? '.' : at} must be ${wanted}`)

/** Own members only: names such as `__proto__` are data. */
const valueAt = (members: Members, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined

function membersOf(value: unknown, at: string): Members {
  if (isRecord(value) && !Array.isArray(value)) return value
  throw unreadable(at, 'an object')
}

function optionalText(members: Members, name: string, at: string): string | null {
  const value = valueAt(members, name) ?? null
  if (value === null || typeof value === 'string') return value
  throw unreadable(`${at}.${name}`, 'a string')
}

const textAt = (members: Members, name: string, at: string): string =>
  optionalText(members, name, at) ?? ''

function flagAt(members: Members, name: string, at: string): boolean {
  const value = valueAt(members, name) ?? false
  if (typeof value === 'boolean') return value
  throw unreadable(`${at}.${name}`, 'true or false')
}

function numberAt(members: Members, name: string, at: string): number {
  const value = valueAt(members, name) ?? 0
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw unreadable(`${at}.${name}`, 'an integer')
}

function listAt(members: Members, name: string, at: string): readonly unknown[] {
  const value = valueAt(members, name) ?? []
  if (Array.isArray(value)) return value
  throw unreadable(`${at}.${name}`, 'a list')
}

const textsAt = (members: Members, name: string, at: string): readonly string[] =>
  listAt(members, name, at).map((text, i) => {
    if (typeof text === 'string') return text
    throw unreadable(`${at}.${name}[${i}]`, 'a string')
  })

function textMapAt(members: Members, name: string, at: string) {
  const value = valueAt(members, name) ?? {}
  return Object.entries(membersOf(value, `${at}.${name}`)).map(([key, text]) => {
    if (typeof text === 'string') return [key, text] as const
    throw unreadable(`${at}.${name}`, 'a map of strings')
  })
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function bytesAt(members: Members, name: string, at: string): string {
  const text = textAt(members, name, at).replaceAll(/[\r\n]/g, '')
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw unreadable(`${at}.${name}`, 'base64')
  return Buffer.from(text, 'base64').toString('utf8')
}
