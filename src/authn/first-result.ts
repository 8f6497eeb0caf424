import { StatusError } from '../meta/errors.ts'
import { CredentialError, type Answered } from './authenticator.ts'

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
export function firstAnswer<M>(
  members: readonly M[],
  ask: (member: M) => Answered | Promise<Answered>,
  before: () => readonly unknown[] = none,
): Answered | Promise<Answered> {
  let errors: unknown[] | null = null
  for (let i = 0; i < members.length; i++) {
    try {
      const answer = ask(members[i]!)
      if (answer instanceof Promise) {
        const errorsBefore = errors
        return continued(answer, members.slice(i + 1), ask, () => errorsBefore ?? before())
      }
      if (answer) return answer
    } catch (error) {
      ;(errors ??= [...before()]).push(error)
    }
  }
  return nobody(errors ?? before())
}

const none = (): readonly unknown[] => []

async function continued<M>(
  first: Promise<Answered>,
  rest: readonly M[],
  ask: (member: M) => Answered | Promise<Answered>,
  before: () => readonly unknown[],
): Promise<Answered> {
  let answer: Answered = null
  const errors: unknown[] = []
  try {
    answer = await first
  } catch (error) {
    errors.push(error)
  }
  if (answer) return answer
  errors.unshift(...before())
  for (const member of rest) {
    try {
      const answer = await ask(member)
      if (answer) return answer
    } catch (error) {
      errors.push(error)
    }
  }
  return nobody(errors)
}

function nobody(errors: readonly unknown[]): null {
  if (errors.length === 0) return null
  if (errors.length === 1 && errors[0] instanceof CredentialError) throw errors[0]
  throw new CredentialErrors(errors)
}

/** Continues with a result, now or when it is there. */
export function after<T>(answer: Answered | Promise<Answered>, next: (answer: Answered) => T) {
  return answer instanceof Promise ? answer.then(next) : next(answer)
}
