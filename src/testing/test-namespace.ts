import type { Client } from '../client/client.ts'
import type { BuiltInKinds } from '../client/kinds.ts'
import type { ResourceClient } from '../client/resource-client.ts'
import type { ApiObject, ResourceAddress } from '../client/transport.ts'

/** A namespace of a test. */
export class TestNamespace {
  readonly name: string
  readonly #client: Client
  readonly #settled: () => Promise<void>

  constructor(name: string, client: Client, settled: () => Promise<void>) {
    this.name = name
    this.#client = client
    this.#settled = settled
  }

  /** The verbs of a resource in this namespace, in the process of the server. */
  resource<G extends keyof BuiltInKinds, R extends keyof BuiltInKinds[G] & string>(
    apiVersion: G,
    resource: R,
  ): ResourceClient<BuiltInKinds[G][R] & object>
  resource<T extends object = ApiObject>(of: ResourceAddress): ResourceClient<T>
  resource(of: ResourceAddress | string, plural = ''): ResourceClient<object> {
    const all =
      typeof of === 'string'
        ? this.#client.resource(of as 'v1', plural as 'pods')
        : this.#client.resource(of)
    return all.in(this.name) as ResourceClient<object>
  }

  /** Deletes it with all that is in it; with controllers it is gone afterwards, unless finalizers keep it. */
  async delete(): Promise<void> {
    await this.#client.resource('v1', 'namespaces').delete(this.name)
    await this.#settled()
  }
}
