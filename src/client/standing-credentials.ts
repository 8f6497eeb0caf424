import type { ClientConfig, Impersonation } from './client-config.ts'

/** Credentials that a client sends with a request. */
export interface ShownCredentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Certificate of the connection and its key, PEM. */
  readonly cert?: string
  readonly key?: string
  /** Secrets that must not appear in any text. */
  readonly secrets: readonly string[]
}

/** The header of a request and the secrets in it. */
export interface Authorization {
  /** Null for none. */
  readonly value: string | null
  readonly secrets: readonly string[]
}

/** Of a token. */
export const bearer = (text: string): Authorization => ({
  value: `Bearer ${text}`,
  secrets: [text],
})

/** Of a name and a password. */
export function basic(username: string, password: string | undefined): Authorization {
  const pair = Buffer.from(`${username}:${password ?? ''}`).toString('base64')
  return {
    value: `Basic ${pair}`,
    secrets: password === undefined ? [pair] : [pair, password],
  }
}

/**
 * The credentials of a configuration that holds them itself, for a program that has ended before any of them changes.
 * Null where files of tokens or a plugin have them. That they can be used is not checked.
 */
export function standingCredentials(config: ClientConfig): ShownCredentials | null {
  const { token, tokenFile, username, password, exec, cert, key, impersonate } = config
  const given =
    token !== undefined
      ? bearer(token)
      : username !== undefined || password !== undefined
        ? basic(username ?? '', password)
        : { value: null, secrets: [] }
  if (given.value === null && (tokenFile !== undefined || exec)) return null
  return {
    headers: {
      ...(impersonate ? impersonationHeaders(impersonate) : {}),
      ...(given.value === null ? {} : { authorization: given.value }),
    },
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    secrets: given.secrets,
  }
}

/** Headers of impersonation. */
export function impersonationHeaders({
  user,
  uid,
  groups,
  extra,
}: Impersonation): Record<string, string | readonly string[]> {
  return {
    'impersonate-user': user,
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...Object.fromEntries(
      extra.map(([key, values]) => [`impersonate-extra-${headerName(key)}`, values]),
    ),
  }
}

/** Percent-encodes characters that the name of a header must not contain. */
function headerName(text: string): string {
  const byte = (value: number) => `%${value.toString(16).toUpperCase().padStart(2, '0')}`
  return text.replace(/[^!#$&'*+\-.^_`|~0-9A-Za-z]/gu, (char) =>
    [...Buffer.from(char)].map(byte).join(''),
  )
}
