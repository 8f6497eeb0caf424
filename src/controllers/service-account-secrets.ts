import { isNotFound } from '../client/resource-client.ts'
import { placeIn } from '../client/transport.ts'
import type { Secret } from '../kinds/core/secret.ts'
import type { ServiceAccount } from '../kinds/core/service-account.ts'
import { SECRETS, SERVICE_ACCOUNTS } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following, handled, onChange } from './following.ts'
import { whileOpen } from './namespace-open.ts'
import { claimedAccount, claimOn, isClaimed, tokenType } from './token-secrets.ts'

const NAME = 'serviceaccount-token-secrets'

/**
 * Creates a token secret for every account, and lists it; only with the feature gate that restores the behaviour from
 * before tokens were issued on request.
 */
export const serviceAccountSecrets: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v, gate } = context
    const isWanted = !gate('LegacyServiceAccountTokenNoAutoGeneration')
    if (!isWanted || !(await resources.serves(SECRETS, SERVICE_ACCOUNTS))) return asleep
    const client = context.managerClient()
    const secretsOf = (namespace: string) => client.resource<Secret>(SECRETS).in(namespace)
    const accountsOf = (namespace: string) =>
      client.resource<ServiceAccount>(SERVICE_ACCOUNTS).in(namespace)
    const hasSecret = async (account: ServiceAccount, namespace: string): Promise<boolean> => {
      for (const { name = '' } of account.secrets ?? []) {
        const secret = name === '' ? null : await secretsOf(namespace).find(name)
        if (
          secret?.type === tokenType(v) &&
          isClaimed(claimedAccount(secret.metadata, v), account)
        ) {
          return true
        }
      }
      return false
    }
    const give = async (account: ServiceAccount, namespace: string): Promise<void> => {
      const { name = '' } = account.metadata
      const { metadata } = await secretsOf(namespace).create({
        metadata: { generateName: `${name}-token-`, annotations: claimOn(account, v) },
        type: tokenType(v),
      })
      const { name: unlisted = '', uid = '' } = metadata
      const listed = [...(account.secrets ?? []), { name: unlisted }]
      try {
        await accountsOf(namespace).update({ ...account, secrets: listed })
      } catch (error) {
        // An unlisted secret would be lost; the next attempt creates another.
        await secretsOf(namespace)
          .delete(unlisted, { preconditions: { uid } })
          .catch((why: unknown) => {
            if (!isNotFound(why)) throw why
          })
        throw error
      }
    }
    const queue = workQueue(context, NAME, {
      async work(key) {
        const { namespace, name } = placeIn(key)
        const account = await accountsOf(namespace).find(name)
        if (!account || account.metadata.deletionTimestamp !== undefined) return
        if (!(await hasSecret(account, namespace))) await whileOpen(() => give(account, namespace))
      },
    })
    const accounts = informers.of<ServiceAccount>(SERVICE_ACCOUNTS)
    return following(queue, client, [
      await handled(
        accounts,
        onChange(({ key }) => queue.add(key)),
        signal,
      ),
    ])
  },
}
