import type { Secret } from '../kinds/core/secret.ts'
import type { ServiceAccount } from '../kinds/core/service-account.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following } from './following.ts'
import { followPlaces, placeIn, textOf } from './follow-places.ts'
import { whileOpen } from './namespace-open.ts'
import { claimedAccount, claimOn, isClaimed, tokenType } from './token-secrets.ts'
import { Writer } from './writer.ts'

const NAME = 'serviceaccount-token-secrets'

/**
 * Gives every account a secret for a token, and lists it; only where a feature gate asks for what was the rule before
 * tokens were issued on request.
 */
export const serviceAccountSecrets: Controller = {
  name: NAME,
  async start(world) {
    const { api, source } = world
    const { v } = api
    const secrets = api.catalogue.find('', 'v1', 'secrets')
    const accounts = api.catalogue.find('', 'v1', 'serviceaccounts')
    if (!secrets || !accounts || api.gate('LegacyServiceAccountTokenNoAutoGeneration')) {
      return asleep
    }
    const writer = new Writer(api, 'serviceaccount-token-controller')
    const hasSecret = async (account: ServiceAccount, namespace: string): Promise<boolean> => {
      for (const { name = '' } of account.secrets ?? []) {
        const secret = await source.get<Secret>(secrets.name, namespace, name)
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
      const { metadata } = await writer.create<Secret>(
        { served: secrets, namespace },
        {
          metadata: { generateName: `${name}-token-`, annotations: claimOn(account, v) },
          type: tokenType(v),
        },
      )
      const listed = [...(account.secrets ?? []), { name: metadata.name }]
      try {
        await writer.update({ served: accounts, namespace, name }, { ...account, secrets: listed })
      } catch (error) {
        // Nobody would ever find it; the next try makes another.
        const { name: unlisted = '', uid = '' } = metadata
        await writer.delete({ served: secrets, namespace, name: unlisted }, { uid })
        throw error
      }
    }
    const queue = workQueue(world, NAME, {
      async work(text) {
        const { namespace, name } = placeIn(text)
        const account = await source.get<ServiceAccount>(accounts.name, namespace, name)
        if (!account || account.metadata.deletionTimestamp !== undefined) return
        if (!(await hasSecret(account, namespace))) await whileOpen(() => give(account, namespace))
      },
    })
    return following(queue, writer, [
      await followPlaces(api, accounts, { set: (place) => queue.add(textOf(place)) }),
    ])
  },
}
