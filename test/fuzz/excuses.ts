/** Errors of the server that a request may well get, each with its reason. Any other is a finding. */
import type { FuzzRequest } from './request.ts'

interface Excuse {
  readonly why: string
  holds(request: FuzzRequest, status: number, text: string): boolean
}

/** A target as a person reads it, as far as it can be read. */
export function readable(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

/** An answer of 500 that the field's servers give to a mistake of the client; its words are theirs. */
const saying = (why: string, words: RegExp): Excuse => ({
  why,
  holds: (_, status, text) => status === 500 && words.test(text),
})

const EXCUSES: readonly Excuse[] = [
  {
    why: 'nobody listens behind a pod, a service or a node that was made up',
    holds: ({ target }, status) =>
      [500, 502, 503, 504].includes(status) &&
      /\/(proxy|exec|attach|portforward|log)\b/i.test(readable(target)),
  },
  {
    why: 'a version that is still to come is waited for',
    holds: (_, status, text) => status === 504 && text.includes('Too large resource version'),
  },
  {
    why: 'a transfer coding that is not known (RFC 9112, section 6.1)',
    holds: ({ raw, headers }, status) =>
      status === 501 && (raw !== null || headers.some(([name]) => name === 'transfer-encoding')),
  },
  {
    why: 'a version of the protocol that is not known (RFC 9110, section 15.6.6)',
    holds: ({ raw }, status) => status === 505 && raw !== null,
  },
  {
    why: 'parts of a user without a user',
    holds: ({ headers }, status, text) =>
      status === 500 &&
      headers.some(([name]) => name.startsWith('impersonate-')) &&
      /requested \[.*\] without impersonating a user/s.test(text),
  },
  saying('a binding that is refused', /^\[?target\.(kind|name): /),
  saying('an apply that does not fit its kind', /failed to create typed patch object/),
  saying('a version that is no number', /strconv\.ParseUint: parsing/),
  saying('a create with a version', /resourceVersion should not be set on objects to be created/),
  saying('a binding of roles to what is no role', /unsupported role reference kind/),
  saying('several budgets of one pod', /more than one PodDisruptionBudget/),
  saying('two answers to whether it is a trial', /Non-matching dry-run options/),
  saying('audiences that nobody is', /error validating audiences/),
  saying('a range without anything free', /range is full/),
  saying(
    'a port of a range that cannot be had',
    /failed to allocate requested HealthCheck NodePort/,
  ),
  saying(
    'a strategic merge patch whose lists or directives do not fit',
    /cannot (merge|order) lists without merge key|items that are objects cannot be deleted by value|list element types are not identical|expected a (map|slice), but received a|unknown patch type: |does not contain declared merge key|unable to find api field in struct|merging lists cannot yet be specified|The order in patch list/,
  ),
]

/** Why a request may have been answered with an error of the server; null when nothing says so. */
export const excuseOf = (request: FuzzRequest, status: number, text: string): string | null =>
  EXCUSES.find((excuse) => excuse.holds(request, status, text))?.why ?? null

/** A refusal of what was read before, by resource and words: what a create takes without a look, an update looks at. */
const UNCHECKED: readonly { readonly why: string; readonly of: string; readonly words: RegExp }[] =
  [
    {
      why: 'a create of a node takes its status, which only updates check',
      of: 'nodes',
      words: / is invalid: \[?status\.(config|addresses)\b/,
    },
  ]

/** Why an object that was read may be refused when it is written back; null when nothing says so. */
export const excuseOfPut = (resource: string, status: number, text: string): string | null =>
  UNCHECKED.find(({ of, words }) => of === resource && status === 422 && words.test(text))?.why ??
  null
