import { createHmac } from 'node:crypto'
import type { ConfigMap } from '../../kinds/core/config-map.ts'
import type { Secret } from '../../kinds/core/secret.ts'
import { StatusError } from '../../meta/errors.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { CONFIG_MAPS, SECRETS } from '../addresses.ts'
import { workQueue, type Controller } from '../controller.ts'
import { asleep, following, handled, onChange } from '../following.ts'
import { endOf, signingToken, tokenSecrets, type SigningToken } from './token-secret.ts'

const NAME = 'bootstrapsigner'
const MAP = 'cluster-info'
/** The signed text, and the prefix of its signatures. */
const PAYLOAD = 'kubeconfig'
const SIGNATURE = 'jws-kubeconfig-'

/** Signs the public description of the cluster with every bootstrap token, so that nodes that join can trust it. */
export const bootstrapSigner: Controller = {
  name: NAME,
  isOptional: true,
  async start(context) {
    const { clock, informers, resources, signal, v } = context
    if (!(await resources.serves(SECRETS, CONFIG_MAPS))) return asleep
    const namespace = v.resolve('{system}-public')
    const client = context.clientFor('bootstrap-signer')
    const secrets = informers.of<Secret>(SECRETS, tokenSecrets(v))
    const maps = informers.of<ConfigMap>(CONFIG_MAPS, {
      namespace,
      fieldSelector: `metadata.name=${MAP}`,
    })
    const queue = workQueue(context, NAME, {
      async work() {
        const map = maps.lister.get(namespace, MAP)
        if (!map || map.metadata.deletionTimestamp !== undefined) return
        const now = clock.now()
        const tokens = secrets.lister.list().flatMap((one) => signingToken(one, now) ?? [])
        const data = signedData(map.data ?? {}, tokens)
        if (data && !sameValue(data, map.data)) {
          try {
            await client
              .resource<ConfigMap>(CONFIG_MAPS)
              .in(namespace)
              .update({ ...map, data })
          } catch (error) {
            // A change by another writer brings the map here again.
            if (!(error instanceof StatusError && error.reason === 'Conflict')) throw error
          }
        }
        const ends = secrets.lister.list().map(endOf)
        const next = Math.min(...ends.filter((end) => end > now))
        return next === Infinity ? undefined : next - now
      },
    })
    const again = () => queue.add(MAP)
    // Signatures of tokens that are not known yet would be lost for a moment.
    await Promise.all([maps.synced(signal), secrets.synced(signal)])
    return following(queue, client, [
      await handled(maps, { ...onChange(again), delete: again }, signal),
      await handled(secrets, { ...onChange(again), delete: again }, signal),
    ])
  },
}

/** The data with the signatures of these tokens and no others; null when there is nothing to sign. */
function signedData(
  data: Readonly<Record<string, string>>,
  tokens: readonly SigningToken[],
): Record<string, string> | null {
  const payload = Object.hasOwn(data, PAYLOAD) ? data[PAYLOAD]! : ''
  if (payload === '') return null
  const rest = Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE))
  const signatures = tokens.map((token) => [
    SIGNATURE + token.id,
    detachedSignature(payload, token),
  ])
  return Object.fromEntries([...rest, ...signatures]) as Record<string, string>
}

/** JWS (RFC 7515) without its payload. The key is the whole token. */
function detachedSignature(payload: string, { id, secret }: SigningToken): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: id }))
  const signature = createHmac('sha256', `${id}.${secret}`)
    .update(`${header}.${base64url(payload)}`)
    .digest('base64url')
  return `${header}..${signature}`
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url')
