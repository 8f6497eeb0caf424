/** Contexts of authentication in tests, with the notes made in them. */
import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticationContext,
  type TokenAuthenticator,
} from './authenticator.ts'

export interface Recorded extends AuthenticationContext {
  readonly annotations: [string, string][]
  readonly warnings: string[]
}

export function recordingContext(audiences: readonly string[] = []): Recorded {
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
export async function outcome(
  authenticate: () => AuthenticationResult | Promise<AuthenticationResult>,
): Promise<AuthenticationResult | string> {
  try {
    return await authenticate()
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
  table: Readonly<Record<string, AuthenticationResult | Error>>,
  { name = 'table', later = false } = {},
): TokenAuthenticator & { readonly calls: string[] } {
  const calls: string[] = []
  const look = (token: string): AuthenticationResult => {
    const found = table[token] ?? null
    if (found instanceof Error) throw found
    return found
  }
  return {
    name,
    calls,
    authenticateToken(token) {
      calls.push(token)
      return later ? Promise.resolve().then(() => look(token)) : look(token)
    },
  }
}
