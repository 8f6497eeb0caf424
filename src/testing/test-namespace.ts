import type { Client } from '../client/client.ts'
import type { BuiltInKinds } from '../client/kinds.ts'
import type { ResourceClient } from '../client/resource-client.ts'
import type { ApiObject, ResourceAddress } from '../client/transport.ts'

const ROUNDS = 3

/** A namespace of a test. */
export class TestNamespace {
  readonly name: string
  readonly #client: Client
  readonly #pass: () => Promise<void>

  constructor(name: string, client: Client, pass: () => Promise<void>) {
    this.name = name
    this.#client = client
    this.#pass = pass
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

  /**
   * Deletes it with all that is in it. Controllers wait some seconds before they empty it, by which the clock of the server
   * is moved on; then it is gone, unless finalizers keep it.
   */
  async delete(): Promise<void> {
    const namespaces = this.#client.resource('v1', 'namespaces')
    await namespaces.delete(this.name)
    for (let round = 0; round < ROUNDS && (await namespaces.find(this.name)); round++)
      await this.#pass()
  }
}
