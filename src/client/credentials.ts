import { certificatePair } from './certificate-pair.ts'
import type { ClientConfig, Impersonation } from './client-config.ts'
import type { ExecPlugin } from './exec-plugin.ts'
import { FreshFile } from './fresh-file.ts'

/** Credentials that a client sends with a request. */
export interface ShownCredentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Certificate of the connection and its key, PEM. */
  readonly cert?: string
  readonly key?: string
  /** Secrets that must not appear in any text. */
  readonly secrets: readonly string[]
}

/** Provides credentials; they may change from one request to the next. */
export interface CredentialSource {
  current(): Promise<ShownCredentials>
  /** Notes that the server rejected these credentials. */
  rejected(shown: ShownCredentials): void
}

/** Credentials from a configuration. A token or a password takes precedence over the plugin of `exec`. */
export function credentialSource(
  config: ClientConfig,
  plugin: ExecPlugin | null = null,
): CredentialSource {
  const extra = config.impersonate ? impersonationHeaders(config.impersonate) : {}
  const authorize = authorization(config)
  const pair = certificatePair(config)
  const asked = authorize === null ? plugin : null
  return {
    async current() {
      const given = asked ? await asked.credential() : null
      const { value, secrets } = given?.token
        ? { value: `Bearer ${given.token}`, secrets: [given.token] }
        : ((await authorize?.()) ?? { value: null, secrets: [] })
      const own = given?.cert === undefined ? await pair() : { cert: given.cert, key: given.key! }
      return {
        headers: { ...extra, ...(value === null ? {} : { authorization: value }) },
        ...own,
        secrets,
      }
    },
    rejected(shown) {
      asked?.forget(shown.secrets[0], shown.cert)
    },
  }
}

interface Authorization {
  readonly value: string | null
  readonly secrets: readonly string[]
}

function authorization(config: ClientConfig): (() => Promise<Authorization>) | null {
  const { token, tokenFile, username, password } = config
  const bearer = (text: string) => ({ value: `Bearer ${text}`, secrets: [text] })
  if (token !== undefined) return () => Promise.resolve(bearer(token))
  if (tokenFile !== undefined) {
    const file = new FreshFile(tokenFile)
    return async () => bearer((await file.text()).trim())
  }
  if (username === undefined && password === undefined) return null
  const pair = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')
  const secrets = password === undefined ? [pair] : [pair, password]
  return () => Promise.resolve({ value: `Basic ${pair}`, secrets })
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
