import type { Client } from '../client/client.ts'
import type { Entry } from '../client/entry.ts'
import type { Informer } from '../client/informer.ts'
import { keyOf, placeIn } from '../client/transport.ts'
import type { Secret } from '../kinds/core/secret.ts'
import type { ServiceAccount } from '../kinds/core/service-account.ts'
import { StatusError } from '../meta/errors.ts'
import { SECRETS, SERVICE_ACCOUNTS } from './addresses.ts'
import { workQueue, type Controller, type Running, type StartingContext } from './controller.ts'
import { asleep, following, handled, onChange } from './following.ts'
import {
  claimedAccount,
  claimOn,
  isClaimed,
  tokenType,
  type ClaimedAccount,
} from './token-secrets.ts'

/** Dependencies of the controller. */
export interface ServiceAccountTokenParts {
  /** Authority of the server's certificate, PEM; empty: none is put beside tokens. */
  readonly ca: string
  /** Signs a token of an account for a secret. */
  readonly issue: (
    account: { readonly namespace: string; readonly name: string; readonly uid: string },
    secret: string,
  ) => Promise<string>
}

const NAME = 'serviceaccount-token'
const MOST_FAILURES = 10
const BY_ACCOUNT = 'account'

/**
 * Fills token secrets of service accounts, deletes those whose account is deleted, and removes deleted ones from the
 * lists of their accounts.
 */
export const serviceAccountTokens = (parts: ServiceAccountTokenParts): Controller => ({
  name: NAME,
  async start(context) {
    const isServed = await context.resources.serves(SECRETS, SERVICE_ACCOUNTS)
    return isServed ? new Tokens(context, parts).start() : asleep
  },
})

class Tokens {
  readonly #context: StartingContext
  readonly #parts: ServiceAccountTokenParts
  readonly #client: Client
  readonly #type: string
  readonly #secrets: Informer<Secret>
  readonly #accounts: Informer<ServiceAccount>
  /** The last state of deleted secrets, until their account no longer lists them. */
  readonly #gone = new Map<string, ClaimedAccount>()

  constructor(context: StartingContext, parts: ServiceAccountTokenParts) {
    this.#context = context
    this.#parts = parts
    // As the controller manager itself: no controller account may write tokens.
    this.#client = context.managerClient()
    this.#type = tokenType(context.v)
    this.#secrets = context.informers.of<Secret>(SECRETS, {
      fieldSelector: `type=${this.#type}`,
      indexes: {
        [BY_ACCOUNT]: ({ metadata }) => [
          keyOf(metadata.namespace ?? '', claimedAccount(metadata, context.v).name),
        ],
      },
    })
    this.#accounts = context.informers.of<ServiceAccount>(SERVICE_ACCOUNTS)
  }

  async start(): Promise<Running> {
    const { signal } = this.#context
    const queue = workQueue(this.#context, NAME, {
      workers: this.#context.settings.tokenWorkers,
      mostFailures: MOST_FAILURES,
      work: (key) => this.#work(key),
    })
    const changed = ({ key }: Pick<Entry<Secret>, 'key'>) => {
      this.#gone.delete(key)
      queue.add(key)
    }
    const deleted = ({ key, object }: Entry<Secret>) => {
      this.#gone.set(key, claimedAccount(object.metadata, this.#context.v))
      queue.add(key)
    }
    const lost = ({ key }: Entry<ServiceAccount>) => {
      for (const { metadata } of this.#secrets.lister.byIndex(BY_ACCOUNT, key))
        queue.add(keyOf(metadata.namespace ?? '', metadata.name ?? ''))
    }
    return following(queue, this.#client, [
      // Those of accounts come first: a secret is judged by them.
      await handled(this.#accounts, { delete: lost }, signal),
      await handled(this.#secrets, { ...onChange<Secret>(changed), delete: deleted }, signal),
    ])
  }

  async #work(key: string): Promise<void> {
    const place = placeIn(key)
    const secret = this.#secrets.lister.get(place.namespace, place.name)
    if (!secret) return this.#forget(key)
    if (secret.metadata.deletionTimestamp !== undefined) return
    const account = await this.#account(
      place.namespace,
      claimedAccount(secret.metadata, this.#context.v),
    )
    if (account) await this.#fill(secret, account)
    else await this.#delete(secret)
  }

  /** The referenced account; read from the server when the informer lacks it, since a secret without one is deleted. */
  async #account(namespace: string, claimed: ClaimedAccount): Promise<ServiceAccount | null> {
    if (claimed.name === '') return null
    const known = this.#accounts.lister.get(namespace, claimed.name)
    if (known && isClaimed(claimed, known)) return known
    const found = await this.#accountsOf(namespace).find(claimed.name)
    return found && isClaimed(claimed, found) ? found : null
  }

  #accountsOf(namespace: string) {
    return this.#client.resource<ServiceAccount>(SERVICE_ACCOUNTS).in(namespace)
  }

  #secretsOf(namespace: string) {
    return this.#client.resource<Secret>(SECRETS).in(namespace)
  }

  async #fill(secret: Secret, account: ServiceAccount): Promise<void> {
    // An immutable secret cannot be repaired.
    if (secret.immutable === true) return
    const { ca, issue } = this.#parts
    const { namespace = '' } = secret.metadata
    const data = new Map(Object.entries(secret.data ?? {}))
    const wanted = new Map<string, string>()
    const authority = base64(ca)
    if (ca !== '' && data.get('ca.crt') !== authority) wanted.set('ca.crt', authority)
    if ((data.get('namespace') ?? '') === '') wanted.set('namespace', base64(namespace))
    const { name = '', uid = '' } = account.metadata
    if ((data.get('token') ?? '') === '') {
      wanted.set('token', base64(await issue({ namespace, name, uid }, secret.metadata.name ?? '')))
    }
    if (wanted.size === 0) return
    await this.#secretsOf(namespace).update({
      ...secret,
      metadata: {
        ...secret.metadata,
        annotations: {
          ...secret.metadata.annotations,
          ...claimOn(account, this.#context.v),
        },
      },
      data: Object.fromEntries([...data, ...wanted]),
    })
  }

  async #delete({ metadata: { namespace = '', name = '', uid = '' } }: Secret): Promise<void> {
    try {
      await this.#secretsOf(namespace).delete(name, { preconditions: { uid } })
    } catch (error) {
      // Another one has its name by now, or none.
      if (!(error instanceof StatusError) || !['NotFound', 'Conflict'].includes(error.reason))
        throw error
    }
  }

  /** Removes a deleted secret from the list of its account. */
  async #forget(key: string): Promise<void> {
    const claimed = this.#gone.get(key)
    if (!claimed) return
    const place = placeIn(key)
    // A secret of the same name and another type has replaced the deleted one.
    if (await this.#secretsOf(place.namespace).find(place.name)) return
    const account = await this.#account(place.namespace, claimed)
    const listed = account?.secrets ?? []
    const kept = listed.filter(({ name }) => name !== place.name)
    if (account && kept.length < listed.length)
      await this.#accountsOf(place.namespace).update({ ...account, secrets: kept })
    if (this.#gone.get(key) === claimed) this.#gone.delete(key)
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
