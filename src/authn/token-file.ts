import type { Authenticated, TokenAuthenticator } from './authenticator.ts'
import { parseCsv } from './csv.ts'
import { secretKeys } from './secret-digest.ts'

export interface TokenFileOptions {
  /** For messages. */
  readonly path: string
  readonly text: string
  /** Called with unusable rows; never with their contents. */
  readonly warn: (text: string) => void
}

/**
 * Authenticates users by a list of tokens that is read once: rows of token, user name, user ID
 * and, quoted when there are several, groups. Throws an Error when the list cannot be read.
 */
export function tokenFile({ path, text, warn }: TokenFileOptions): TokenAuthenticator {
  const keyOf = secretKeys()
  const known = new Map<string, Authenticated>()
  for (const [index, record] of records(path, text).entries()) {
    const [token, name, uid, groups] = record
    if (token === undefined || name === undefined || uid === undefined) {
      throw new Error(
        `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`,
      )
    }
    if (token === '') {
      warn(`empty token in token file '${path}', record ${index + 1}: skipped`)
      continue
    }
    const key = keyOf(token)
    if (known.has(key)) {
      warn(`duplicate token in token file '${path}', record ${index + 1}: replaces the earlier one`)
    }
    const user = { name, uid, groups: groups === undefined ? [] : groups.split(','), extra: {} }
    known.set(key, { user, audiences: null })
  }
  return {
    name: 'token file',
    authenticateToken: (token) => known.get(keyOf(token)) ?? null,
  }
}

function records(path: string, text: string): readonly (readonly string[])[] {
  try {
    return parseCsv(text)
  } catch (cause) {
    throw new Error(`token file '${path}': ${(cause as Error).message}`, { cause })
  }
}
