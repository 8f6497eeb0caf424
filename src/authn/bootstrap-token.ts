import type { Clock } from '../base/clock.ts'
import { silentLog, type Log } from '../base/log.ts'
import { parseTime } from '../base/time.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { AuthenticatedUser, TokenAuthenticator } from './authenticator.ts'
import { sameSecret } from './secret-digest.ts'

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const GROUP_OF_ALL = 'system:bootstrappers'
const SECRETS = { group: '', resource: 'secrets' }
const LOG_LEVEL = 3

export interface BootstrapTokenOptions {
  readonly objects: Pick<ObjectSource, 'get'>
  readonly v: Vocabulary
  readonly clock: Clock
  readonly log?: Log
}

/** The secret of a token, as far as it matters here. */
interface TokenSecret extends Typed {
  readonly type?: string
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
}

/** Authenticates nodes that join the cluster by tokens in secrets. */
export function bootstrapToken(options: BootstrapTokenOptions): TokenAuthenticator {
  const { objects, v, clock, log = silentLog } = options
  return {
    name: 'bootstrap token',
    async authenticateToken(token) {
      const [, id, secretPart] = TOKEN.exec(token) ?? []
      if (id === undefined || secretPart === undefined) return null
      const secret = await objects.get<TokenSecret>(
        SECRETS,
        v.resolve('{system}-system'),
        `bootstrap-token-${id}`,
      )
      const found = secret ? check(secret, id, secretPart, v, clock) : 'there is no such secret'
      if (typeof found !== 'string') return { user: found, audiences: null }
      log.debug(LOG_LEVEL, 'bootstrap token refused', { id, why: found })
      return null
    },
  }
}

/** The user, or why there is none. */
function check(
  secret: TokenSecret,
  id: string,
  secretPart: string,
  v: Vocabulary,
  clock: Clock,
): AuthenticatedUser | string {
  if (secret.metadata.deletionTimestamp) return 'the secret is being deleted'
  if (secret.type !== v.resolve('bootstrap.{label}/token')) return 'the secret has another type'
  if (!secret.data) return 'the secret is empty'
  const data = new Map(
    Object.entries(secret.data).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  )
  if (!sameSecret(data.get('token-secret') ?? '', secretPart)) return 'token-secret does not match'
  if (data.get('token-id') !== id) return 'token-id does not match'
  if (isExpired(data.get('expiration') ?? '', clock.now())) return 'the token has expired'
  if (data.get('usage-bootstrap-authentication') !== 'true') return 'not meant for authentication'
  const extra = data.get('auth-extra-groups') ?? ''
  const groups = extra === '' ? [] : extra.split(',')
  if (!groups.every((group) => GROUP.test(group))) return 'auth-extra-groups is not valid'
  return {
    name: `system:bootstrap:${id}`,
    uid: '',
    groups: [...new Set([GROUP_OF_ALL, ...groups])].sort(),
    extra: {},
  }
}

function isExpired(text: string, nowMs: number): boolean {
  if (text === '') return false
  try {
    return parseTime(text) <= nowMs
  } catch {
    return true
  }
}
