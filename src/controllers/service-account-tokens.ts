import type { Secret } from '../kinds/core/secret.ts'
import type { ServiceAccount } from '../kinds/core/service-account.ts'
import type { Served } from '../schema/catalogue.ts'
import { StatusError } from '../schema/errors.ts'
import type { Typed } from '../schema/object-meta.ts'
import type { Version } from '../store/cache/version.ts'
import { workQueue, type Controller, type ControllerWorld, type Running } from './controller.ts'
import { asleep, following } from './following.ts'
import { followPlaces, placeIn, textOf, type Place } from './follow-places.ts'
import {
  claimedAccount,
  claimOn,
  isClaimed,
  tokenType,
  type ClaimedAccount,
} from './token-secrets.ts'
import { Writer } from './writer.ts'

/** What tokens in secrets are made with. */
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
const WORKERS = 5

/**
 * Fills the secrets that ask for a token of a service account, deletes those whose account is gone, and takes gone
 * ones off the lists of their accounts.
 */
export const serviceAccountTokens = (parts: ServiceAccountTokenParts): Controller => ({
  name: NAME,
  async start(world) {
    const secrets = world.api.catalogue.find('', 'v1', 'secrets')
    const accounts = world.api.catalogue.find('', 'v1', 'serviceaccounts')
    return secrets && accounts ? new Tokens(world, { ...parts, secrets, accounts }).start() : asleep
  },
})

interface Kinds {
  readonly secrets: Served
  readonly accounts: Served
}

class Tokens {
  readonly #world: ControllerWorld
  readonly #parts: ServiceAccountTokenParts & Kinds
  readonly #writer: Writer
  readonly #type: string
  /** Token secrets by the place of their account. */
  readonly #known = new Map<string, Set<string>>()
  readonly #accountOf = new Map<string, string>()
  /** What secrets that are gone said last, until their account no longer lists them. */
  readonly #gone = new Map<string, ClaimedAccount>()

  constructor(world: ControllerWorld, parts: ServiceAccountTokenParts & Kinds) {
    this.#world = world
    this.#parts = parts
    this.#writer = new Writer(world.api, 'serviceaccount-token-controller')
    this.#type = tokenType(world.api.v)
  }

  async start(): Promise<Running> {
    const { api } = this.#world
    const { secrets, accounts } = this.#parts
    const queue = workQueue(this.#world, NAME, {
      workers: WORKERS,
      work: (text) => this.#work(text),
    })
    return following(queue, this.#writer, [
      await followPlaces(api, secrets, {
        set: (place, version) => {
          if (version.facts().fields['type'] !== this.#type) return
          this.#gone.delete(textOf(place))
          this.#index(place, this.#claimed(version).name)
          queue.add(textOf(place))
        },
        removed: (place, version) => {
          if (version.facts().fields['type'] !== this.#type) return
          this.#index(place, null)
          this.#gone.set(textOf(place), this.#claimed(version))
          queue.add(textOf(place))
        },
      }),
      await followPlaces(api, accounts, {
        removed: (place) => {
          for (const secret of this.#known.get(textOf(place)) ?? []) queue.add(secret)
        },
      }),
    ])
  }

  #claimed(version: Version): ClaimedAccount {
    return claimedAccount(JSON.parse(version.metadata().toString('utf8')), this.#world.api.v)
  }

  #index(place: Place, account: string | null): void {
    const text = textOf(place)
    const before = this.#accountOf.get(text)
    if (before !== undefined) {
      const siblings = this.#known.get(before)
      siblings?.delete(text)
      if (siblings?.size === 0) this.#known.delete(before)
      this.#accountOf.delete(text)
    }
    if (account === null) return
    const owner = textOf({ namespace: place.namespace, name: account })
    this.#accountOf.set(text, owner)
    const siblings = this.#known.get(owner)
    if (siblings) siblings.add(text)
    else this.#known.set(owner, new Set([text]))
  }

  async #work(text: string): Promise<void> {
    const { source, api } = this.#world
    const { secrets } = this.#parts
    const place = placeIn(text)
    const secret = await source.get<Secret>(secrets.name, place.namespace, place.name)
    if (!secret) return this.#forget(place)
    // A namesake of another type takes the place of the one that is gone.
    if (secret.type !== this.#type || secret.metadata.deletionTimestamp !== undefined) return
    const account = await this.#account(place.namespace, claimedAccount(secret.metadata, api.v))
    if (account) await this.#fill(place, secret, account)
    else await this.#delete(place, secret)
  }

  async #account(namespace: string, claimed: ClaimedAccount): Promise<ServiceAccount | null> {
    const { accounts } = this.#parts
    const found = await this.#world.source.get<ServiceAccount>(
      accounts.name,
      namespace,
      claimed.name,
    )
    return found && isClaimed(claimed, found) ? found : null
  }

  async #fill(place: Place, secret: Secret, account: ServiceAccount): Promise<void> {
    // What must not change any more cannot be helped.
    if (secret.immutable === true) return
    const { ca, issue, secrets } = this.#parts
    const data = new Map(Object.entries(secret.data ?? {}))
    const wanted = new Map<string, string>()
    const authority = base64(ca)
    if (ca !== '' && data.get('ca.crt') !== authority) wanted.set('ca.crt', authority)
    if ((data.get('namespace') ?? '') === '') wanted.set('namespace', base64(place.namespace))
    const { name = '', uid = '' } = account.metadata
    if ((data.get('token') ?? '') === '') {
      wanted.set(
        'token',
        base64(await issue({ namespace: place.namespace, name, uid }, place.name)),
      )
    }
    if (wanted.size === 0) return
    await this.#writer.update(
      { served: secrets, ...place },
      {
        ...secret,
        metadata: {
          ...secret.metadata,
          annotations: {
            ...secret.metadata.annotations,
            ...claimOn(account, this.#world.api.v),
          },
        },
        data: Object.fromEntries([...data, ...wanted]),
      },
    )
  }

  async #delete(place: Place, { metadata: { uid = '' } }: Typed): Promise<void> {
    try {
      await this.#writer.delete({ served: this.#parts.secrets, ...place }, { uid })
    } catch (error) {
      // Another one has its name by now, or none.
      if (!(error instanceof StatusError) || !['NotFound', 'Conflict'].includes(error.reason))
        throw error
    }
  }

  /** Takes a secret that is gone off the list of its account. */
  async #forget(place: Place): Promise<void> {
    const claimed = this.#gone.get(textOf(place))
    if (!claimed) return
    const account = await this.#account(place.namespace, claimed)
    const listed = account?.secrets ?? []
    const kept = listed.filter(({ name }) => name !== place.name)
    if (account && kept.length < listed.length) {
      await this.#writer.update(
        {
          served: this.#parts.accounts,
          namespace: place.namespace,
          name: account.metadata.name ?? '',
        },
        { ...account, secrets: kept },
      )
    }
    if (this.#gone.get(textOf(place)) === claimed) this.#gone.delete(textOf(place))
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
