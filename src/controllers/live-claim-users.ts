/** Pods that use claims, as the server has them now. */
import type { Client } from '../client/client.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { PODS } from './addresses.ts'
import { claimNamesOf } from './pod-claims.ts'

/** Pods with a node, by the names of the claims that they name. */
type Users = ReadonlyMap<string, readonly Pod[]>

/** Lists of the pods of namespaces. Who asks while one is being read shares the next one. */
export class LiveClaimUsers {
  readonly #client: Client
  readonly #current = new Map<string, Promise<unknown>>()
  readonly #next = new Map<string, Promise<Users>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** The pods that name a claim, of a list that begins after this call. */
  async of(namespace: string, claim: string): Promise<readonly Pod[]> {
    return (await this.#after(namespace)).get(claim) ?? []
  }

  #after(namespace: string): Promise<Users> {
    const waiting = this.#next.get(namespace)
    if (waiting) return waiting
    const before = this.#current.get(namespace) ?? Promise.resolve()
    const users = before
      .catch(() => {})
      .then(() => {
        this.#next.delete(namespace)
        this.#current.set(namespace, users)
        return this.#list(namespace)
      })
      .finally(() => {
        if (this.#current.get(namespace) === users) this.#current.delete(namespace)
      })
    this.#next.set(namespace, users)
    return users
  }

  async #list(namespace: string): Promise<Users> {
    const users = new Map<string, Pod[]>()
    for await (const pod of this.#client.resource<Pod>(PODS).in(namespace).each()) {
      if ((pod.spec.nodeName ?? '') === '') continue
      for (const claim of claimNamesOf(pod)) {
        const others = users.get(claim)
        if (others) others.push(pod)
        else users.set(claim, [pod])
      }
    }
    return users
  }
}
