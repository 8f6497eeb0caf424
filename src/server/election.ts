/**
 * Leader election among servers over one store: the leader is the holder of a Lease that it renews. The server is a
 * client of itself here, as its own user.
 */
import { alwaysAllow } from '../authz/always.ts'
import type { Log } from '../base/log.ts'
import type { RequestAudit } from '../http/audit.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { LeaderElector } from '../client/leader-election.ts'
import type { ResourceAddress } from '../client/transport.ts'
import { localClient } from '../loopback/local-client.ts'
import { StatusError } from '../meta/errors.ts'
import type { Api } from '../registry/context.ts'
import { serverUser } from './controller-dependencies.ts'

/** Work of the elected server. */
export interface ElectedWork {
  /** Resolves when nothing is due. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** Parameters of an election. */
export interface ElectionParts {
  readonly api: Api
  readonly log: Log
  /** Records the requests; null: they are not recorded. */
  readonly audit: RequestAudit | null
  /** Namespace and name of the Lease. */
  readonly namespace: string
  readonly name: string
  /** Identity of this server; must be unique. */
  readonly identity: string
  /** Begins the work; called each time that this server is elected. */
  readonly start: () => Promise<ElectedWork>
}

/** Milliseconds. After a leader was killed there is none for at most the duration and a retry period. */
const TIMES = {
  leaseDurationMs: 12_000,
  renewPeriodMs: 4_000,
  retryPeriodMs: 2_000,
  // The work ends before another server may begin.
  renewDeadlineMs: 9_600,
}

/** A part in an election. */
export interface Election {
  /** Resolves when nothing is due here: at once, where another server is elected. */
  idle(): Promise<void>
  /** Ends the work and releases the Lease; resolves after both attempts. */
  stop(): Promise<void>
}

/** Joins the election; resolves when the holder of the Lease is known, or cannot be read at present. */
export async function takePart(parts: ElectionParts): Promise<Election> {
  const candidate = new Candidate(parts)
  await candidate.begun()
  return candidate
}

class Candidate implements Election {
  readonly #parts: ElectionParts
  readonly #elector: LeaderElector
  readonly #ending = new AbortController()
  readonly #over: Promise<void>
  #work: Promise<ElectedWork> | null = null
  #isTold = false

  constructor(parts: ElectionParts) {
    const { api, audit, namespace, name, identity } = parts
    const leases = leasesOf(api)
    this.#parts = parts
    this.#elector = new LeaderElector({
      client: localClient({
        ...{ api, audit },
        authorizer: alwaysAllow,
        user: serverUser,
        userAgent: api.v.resolve('{system}-apiserver'),
        catalogue: leases.catalogue,
        // The next attempt is the retry.
        retries: 0,
      }),
      leases: leases.address,
      namespace,
      name,
      identity,
      ...TIMES,
      clock: api.clock,
      // There are few servers: a bound on the delay is worth more than jitter.
      ids: { fraction: () => 0 },
      onTrouble: (error) => this.#tell(error),
      onRecovery: () => (this.#isTold = false),
    })
    this.#over = this.#elector.runAgain(this.#ending.signal, (signal) => this.#lead(signal))
  }

  async begun(): Promise<void> {
    await this.#elector.settled()
    await this.#work?.catch(() => {})
  }

  async idle(): Promise<void> {
    await this.#elector.settled()
    await (await this.#work)?.idle()
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#over
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { log, start } = this.#parts
    log.info('leader election: this server now runs the controllers')
    this.#work = start()
    try {
      const work = await this.#work
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      log.info('leader election: this server no longer runs the controllers')
      await work.stop()
    } finally {
      this.#work = null
    }
  }

  #tell(error: unknown): void {
    // Another server was faster: the next attempt finds out.
    if (error instanceof StatusError && error.code === 409) return
    if (!this.#isTold)
      this.#parts.log.warn('leader election failed, retrying', {
        error: String(error),
      })
    this.#isTold = true
  }
}

/** Where Leases are, also when requests are not served them. */
function leasesOf({ v, catalogue }: Api): {
  readonly address: ResourceAddress
  readonly catalogue: Pick<Catalogue, 'find'>
} {
  const group = v.resolve('coordination{api}')
  const leases = () => catalogue.entry(group, 'leases')!.versions[0]
  return {
    address: { group, version: leases().version, resource: 'leases' },
    catalogue: { find: leases },
  }
}
