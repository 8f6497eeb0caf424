/** Tokens of an OpenID provider: the one of the configuration while it is valid, else a new one, which is written back. */
import { readFileSync } from 'node:fs'
import { mapOf, memberOf, textOf, type ConfigMap } from '../../client/config-values.ts'
import { askOutside } from '../api/outside.ts'
import type { Io } from '../base/io.ts'
import { dirname } from 'node:path'
import { resolved, type ConfigEntry } from './files.ts'
import { changeEntry } from './write.ts'

/** A token that ends this soon is replaced. */
const MARGIN_MS = 10_000
const MAX_BYTES = 1 << 20

/** A valid token of a user whose `auth-provider` is `oidc`. Rejects with an Error that says what to do. */
export async function idToken(user: ConfigEntry, io: Io): Promise<string> {
  const provider = mapOf(memberOf(user.value, 'auth-provider'), 'auth-provider')
  const name = textOf(provider, 'name') ?? ''
  if (name !== 'oidc')
    throw new Error(`no Auth Provider found for name "${name}"; use exec, a token or oidc`)
  const config = mapOf(memberOf(provider, 'config') ?? {}, 'auth-provider.config')
  const token = textOf(config, 'id-token') ?? ''
  if (token !== '' && expiryOf(token) > io.now() + MARGIN_MS) return token
  const fresh = await refreshed(config, dirname(user.file), io.env)
  const set = { ...config, 'id-token': fresh.idToken, 'refresh-token': fresh.refreshToken }
  await changeEntry(user.file, 'users', user.name, {
    ...user.value,
    'auth-provider': { ...provider, config: set },
  })
  return fresh.idToken
}

/** When a token ends, by its claims; 0 for a text that is none. */
function expiryOf(token: string): number {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      exp?: unknown
    }
    return typeof claims.exp === 'number' ? claims.exp * 1000 : 0
  } catch {
    return 0
  }
}

interface Tokens {
  readonly idToken: string
  readonly refreshToken: string
}

async function refreshed(config: ConfigMap, folder: string, env: Io['env']): Promise<Tokens> {
  const get = (key: string) => textOf(config, key) ?? ''
  const issuer = get('idp-issuer-url')
  const refreshToken = get('refresh-token')
  if (issuer === '') throw new Error('oidc: idp-issuer-url is not set for the user')
  if (get('client-id') === '') throw new Error('oidc: client-id is not set for the user')
  if (refreshToken === '') {
    throw new Error('oidc: the id-token has expired, and there is no refresh-token: log in again')
  }
  const ca = caOf(config, folder)
  const found = (await call(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    env,
    ca,
  })) as {
    token_endpoint?: string
  }
  const endpoint = found.token_endpoint ?? ''
  if (!endpoint.startsWith('https://'))
    throw new Error('oidc: the provider has no token endpoint on https')
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: get('client-id'),
    ...(get('client-secret') === '' ? {} : { client_secret: get('client-secret') }),
  })
  const answer = (await call(endpoint, { env, ca, form: form.toString() })) as {
    id_token?: string
    refresh_token?: string
  }
  if (typeof answer.id_token !== 'string') {
    throw new Error('oidc: the provider answered a refresh without an id_token: log in again')
  }
  return { idToken: answer.id_token, refreshToken: answer.refresh_token ?? refreshToken }
}

function caOf(config: ConfigMap, folder: string): string | undefined {
  const data = textOf(config, 'idp-certificate-authority-data')
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8')
  const path = textOf(config, 'idp-certificate-authority')
  return path === undefined ? undefined : readFileSync(resolved(path, folder), 'utf8')
}

interface Call {
  readonly env: Io['env']
  readonly ca: string | undefined
  readonly form?: string
}

/** The JSON value of a response. Texts of failures hold nothing that was sent. */
async function call(url: string, options: Call): Promise<unknown> {
  if (!url.startsWith('https://') || !URL.canParse(url))
    throw new Error('oidc: the issuer is not an https URL')
  const failed = (why: string) => new Error(`oidc: ${new URL(url).origin}: ${why}`)
  const { status, body } = await askOutside({ url, ...options, maxBytes: MAX_BYTES }).catch(
    (error: Error) => {
      throw failed(error.message)
    },
  )
  if (status !== 200) throw failed(`the provider answered ${status}: log in again`)
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch {
    throw failed('the answer is not JSON')
  }
}
