import { certificatePair } from './certificate-pair.ts'
import type { ClientConfig } from './client-config.ts'
import type { ExecPlugin } from './exec-plugin.ts'
import { FreshFile } from './fresh-file.ts'
import {
  basic,
  bearer,
  impersonationHeaders,
  type Authorization,
  type ShownCredentials,
} from './standing-credentials.ts'

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

function authorization(config: ClientConfig): (() => Promise<Authorization>) | null {
  const { token, tokenFile, username, password } = config
  if (token !== undefined) return () => Promise.resolve(bearer(token))
  if (tokenFile !== undefined) {
    const file = new FreshFile(tokenFile)
    return async () => bearer((await file.text()).trim())
  }
  if (username === undefined && password === undefined) return null
  return () => Promise.resolve(basic(username ?? '', password))
}
