import { StatusError } from '../meta/errors.ts'
import { CredentialError, type AuthenticationResult } from './authenticator.ts'

/** Text for an error that no authenticator meant: internals are for the log only. */
const UNEXPECTED = 'Internal error occurred: authentication failed unexpectedly'

/** Errors of several authenticators about one credential. */
export class CredentialErrors extends CredentialError {
  /** The errors thrown, in order. */
  readonly errors: readonly unknown[]

  constructor(errors: readonly unknown[]) {
    const texts = [...new Set(errors.flatMap(textsOf))]
    super(texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`)
    this.errors = errors
  }
}

function textsOf(error: unknown): string[] {
  if (error instanceof CredentialErrors) return error.errors.flatMap(textsOf)
  if (error instanceof CredentialError || error instanceof StatusError) return [error.message]
  return [UNEXPECTED]
}

/**
 * Calls one authenticator after the other until one knows the user. An error does not keep the next from being called;
 * it is thrown when none knows the user, behind those of `before`, the errors of earlier authenticators. Without a
 * promise where none of them returns one.
 */
export function firstResult<M>(
  members: readonly M[],
  authenticate: (member: M) => AuthenticationResult | Promise<AuthenticationResult>,
  before: () => readonly unknown[] = none,
): AuthenticationResult | Promise<AuthenticationResult> {
  let errors: unknown[] | null = null
  for (let i = 0; i < members.length; i++) {
    try {
      const result = authenticate(members[i]!)
      if (result instanceof Promise) {
        const errorsBefore = errors
        return continued(result, members.slice(i + 1), authenticate, () => errorsBefore ?? before())
      }
      if (result) return result
    } catch (error) {
      ;(errors ??= [...before()]).push(error)
    }
  }
  return noUser(errors ?? before())
}

const none = (): readonly unknown[] => []

async function continued<M>(
  first: Promise<AuthenticationResult>,
  rest: readonly M[],
  authenticate: (member: M) => AuthenticationResult | Promise<AuthenticationResult>,
  before: () => readonly unknown[],
): Promise<AuthenticationResult> {
  let result: AuthenticationResult = null
  const errors: unknown[] = []
  try {
    result = await first
  } catch (error) {
    errors.push(error)
  }
  if (result) return result
  errors.unshift(...before())
  for (const member of rest) {
    try {
      const result = await authenticate(member)
      if (result) return result
    } catch (error) {
      errors.push(error)
    }
  }
  return noUser(errors)
}

function noUser(errors: readonly unknown[]): null {
  if (errors.length === 0) return null
  if (errors.length === 1 && errors[0] instanceof CredentialError) throw errors[0]
  throw new CredentialErrors(errors)
}

/** Continues with a result, now or when it is there. */
export function thenResult<T>(
  result: AuthenticationResult | Promise<AuthenticationResult>,
  next: (answer: AuthenticationResult) => T,
) {
  return result instanceof Promise ? result.then(next) : next(result)
}
