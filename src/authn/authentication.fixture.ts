/** Contexts of authentication in tests, with the notes made in them. */
import {
  CredentialError,
  type Answered,
  type Asking,
  type TokenAuthenticator,
} from './authenticator.ts'

export interface Recorded extends Asking {
  readonly annotations: [string, string][]
  readonly warnings: string[]
}

export function recorded(audiences: readonly string[] = []): Recorded {
  const annotations: [string, string][] = []
  const warnings: string[] = []
  return {
    audiences,
    annotations,
    warnings,
    annotate: (key, value) => void annotations.push([key, value]),
    warn: (text) => void warnings.push(text),
  }
}

/** The result, or the text of the error. Anything but a credential error is a fault. */
export async function outcome(ask: () => Answered | Promise<Answered>): Promise<Answered | string> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    return error.message
  }
}

export const userOf = (name: string, groups: readonly string[] = []) => ({
  name,
  uid: '',
  groups,
  extra: {},
})

/** Authenticates tokens by a table: a result, null, or an error. */
export function tokensOf(
  table: Readonly<Record<string, Answered | Error>>,
  { name = 'table', later = false } = {},
): TokenAuthenticator & { readonly asked: string[] } {
  const asked: string[] = []
  const look = (token: string): Answered => {
    const found = table[token] ?? null
    if (found instanceof Error) throw found
    return found
  }
  return {
    name,
    asked,
    authenticateToken(token) {
      asked.push(token)
      return later ? Promise.resolve().then(() => look(token)) : look(token)
    },
  }
}
