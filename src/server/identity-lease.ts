/**
 * The identity of a server: a Lease that it renews, so that others know which servers there are. Leases of servers that
 * are gone are collected by the others.
 */
import { createHash } from 'node:crypto'
import { alwaysAllow } from '../authz/always.ts'
import type { Log } from '../base/log.ts'
import { formatMicroTime, parseMicroTime } from '../base/time.ts'
import type { Client } from '../client/client.ts'
import type { ElectionLease } from '../client/leader-election.ts'
import { isNotFound } from '../client/resource-client.ts'
import type { RequestAudit } from '../http/audit.ts'
import { localClient } from '../loopback/local-client.ts'
import type { Api } from '../registry/context.ts'
import { serverUser } from './controller-dependencies.ts'

/** A server, and how long its Lease lasts. */
export interface IdentityParts {
  readonly api: Api
  readonly audit: RequestAudit | null
  readonly log: Pick<Log, 'warn'>
  /** What no other server has, and this one has again after a restart. */
  readonly place: string
  readonly durationSeconds: number
  readonly renewSeconds: number
}

/** Renews the Lease until it is stopped; the Lease stays, as other servers collect it when it has expired. */
export function keepIdentity(parts: IdentityParts): { readonly stop: () => Promise<void> } {
  const identity = new Identity(parts)
  identity.begin()
  return { stop: () => identity.stop() }
}

class Identity {
  readonly #parts: IdentityParts
  readonly #client: Client
  readonly #name: string
  readonly #holder: string
  readonly #component: readonly [label: string, value: string]
  readonly #cancels: { renew: () => void; collect: () => void }
  #running: Promise<unknown> = Promise.resolve()
  #isTold = false
  #isStopped = false

  constructor(parts: IdentityParts) {
    const { api, audit, place } = parts
    const own = api.v.resolve('{system}-apiserver')
    this.#parts = parts
    this.#client = localClient({
      ...{ api, audit, authorizer: alwaysAllow, user: serverUser, userAgent: own },
      // The next round is the retry.
      retries: 0,
    })
    this.#name = `${own}-${createHash('sha256').update(place).digest('hex').slice(0, 26)}`
    this.#holder = `${this.#name}_${api.ids.uid()}`
    this.#component = [`${api.v.resolve('{api}').slice(1)}/component`, own]
    this.#cancels = { renew: () => {}, collect: () => {} }
  }

  begin(): void {
    this.#again('renew', this.#parts.renewSeconds, () => this.#renew())
    this.#again('collect', this.#parts.durationSeconds, () => this.#collect())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancels.renew()
    this.#cancels.collect()
    await this.#running
    this.#client.close()
  }

  /** Does work now, and again and again. */
  #again(what: 'renew' | 'collect', seconds: number, work: () => Promise<void>): void {
    // One after the other: a lease is not collected while it is renewed.
    this.#running = this.#running.then(async () => {
      if (this.#isStopped) return
      await work().then(
        () => (this.#isTold = false),
        (error: unknown) => this.#tell(error),
      )
      if (this.#isStopped) return
      const { clock } = this.#parts.api
      const next = () => this.#again(what, seconds, work)
      this.#cancels[what] = clock.after(seconds * 1000, next)
    })
  }

  #tell(error: unknown): void {
    if (!this.#isTold)
      this.#parts.log.warn('the identity lease cannot be kept, retrying', { error: String(error) })
    this.#isTold = true
  }

  async #renew(): Promise<void> {
    const { api, durationSeconds } = this.#parts
    const spec = {
      holderIdentity: this.#holder,
      leaseDurationSeconds: durationSeconds,
      renewTime: formatMicroTime(api.clock.now()),
    }
    const live = await this.#leases().find(this.#name)
    if (live) await this.#leases().update({ ...live, spec: { ...live.spec, ...spec } })
    else {
      const [label, value] = this.#component
      const metadata = { name: this.#name, labels: { [label]: value } }
      await this.#leases().create({ metadata, spec })
    }
  }

  async #collect(): Promise<void> {
    const labelSelector = this.#component.join('=')
    const { items } = await this.#leases().list({ labelSelector })
    for (const { metadata } of items.filter((lease) => this.#isExpired(lease))) {
      const { name = '' } = metadata ?? {}
      // It may have been renewed since.
      const live = await this.#leases().find(name)
      if (!live || !this.#isExpired(live)) continue
      const { uid, resourceVersion } = live.metadata ?? {}
      const preconditions = {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      }
      await this.#leases()
        .delete(name, { preconditions })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error
        })
    }
  }

  #isExpired({ spec }: ElectionLease): boolean {
    const { renewTime, leaseDurationSeconds } = spec ?? {}
    if (!renewTime || !leaseDurationSeconds) return true
    return parseMicroTime(renewTime) + leaseDurationSeconds * 1000 < this.#parts.api.clock.now()
  }

  #leases() {
    const { v } = this.#parts.api
    const group = v.resolve('coordination{api}')
    return this.#client
      .resource<ElectionLease>({ group, version: 'v1', resource: 'leases' })
      .in(v.resolve('{system}-system'))
  }
}
