/** Which pods name which claims. */
import { inBackground } from '../base/background-pace.ts'
import type { Entry } from '../client/entry.ts'
import type { Lister } from '../client/informer.ts'
import { MemberNames } from '../client/member-names.ts'
import { keyOf } from '../client/transport.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { claimNamesOf } from './pod-claims.ts'
import { VOLUME_MEMBERS } from './volume-members.ts'

/** What is known of a pod: its volumes never change. */
interface KnownPod {
  readonly uid: string
  readonly claims: readonly string[]
}

/** Pods by the claims that they name. Costs nothing before it is asked for the first time. */
export class ClaimUsers {
  readonly #pods: Lister<Pod>
  readonly #known = new Map<string, KnownPod>()
  readonly #byClaim = new Map<string, Set<string>>()
  #reading: Promise<void> | null = null

  constructor(pods: Lister<Pod>) {
    this.#pods = pods
  }

  /** To be called with each pod that was added or changed. */
  changed(entry: Entry<Pod>): void {
    if (this.#reading) this.#read(entry)
  }

  /** To be called with the key of each pod that is gone. */
  gone(key: string): void {
    const known = this.#known.get(key)
    if (!known) return
    this.#known.delete(key)
    for (const claim of known.claims) {
      const users = this.#byClaim.get(claim)
      users?.delete(key)
      if (users?.size === 0) this.#byClaim.delete(claim)
    }
  }

  /** The pods that name a claim, in order of their names. */
  async of(claim: string): Promise<Pod[]> {
    await (this.#reading ??= this.#readAll())
    return [...(this.#byClaim.get(claim) ?? [])].sort().flatMap((key) => {
      const [namespace = '', name = ''] = key.split('/')
      return this.#pods.get(namespace, name) ?? []
    })
  }

  async #readAll(): Promise<void> {
    // What changes meanwhile is read when it is reported.
    await inBackground([...this.#pods.entries()], ({ namespace, name }) => {
      const entry = this.#pods.entry(namespace, name)
      if (entry) this.#read(entry)
    })
  }

  #read(entry: Entry<Pod>): void {
    const { key, uid, namespace } = entry
    if (this.#known.get(key)?.uid === uid) return
    this.gone(key)
    if (!entry.mayHaveOutside(VOLUME_MEMBERS) || !entry.mayHaveOutside(MEMBERS)) return
    const claims = claimNamesOf(entry.object).map((name) => keyOf(namespace, name))
    if (claims.length === 0) return
    this.#known.set(key, { uid, claims })
    for (const claim of claims) {
      const users = this.#byClaim.get(claim)
      if (users) users.add(key)
      else this.#byClaim.set(claim, new Set([key]))
    }
  }
}

/** Pods without these name no claims. */
const MEMBERS = new MemberNames(['claimName', 'ephemeral'])
