import { APPLY_PATCH } from '../api/apply.ts'
import { contextOnce, hookContext, type Api, type Call } from '../api/context.ts'
import { create } from '../api/create.ts'
import { deleteCollection, deleteOne } from '../api/delete.ts'
import { decodeStored } from '../api/objects.ts'
import { patch } from '../api/patch.ts'
import type { Result } from '../api/results.ts'
import { update } from '../api/update.ts'
import type { Served } from '../schema/catalogue.ts'
import type { JsonObject } from '../schema/codec.ts'
import { formatJson } from '../schema/json-text.ts'
import type { Typed } from '../schema/object-meta.ts'

/** Which object a controller writes, or which part of it. */
export interface Target {
  readonly served: Served
  /** Empty for cluster scope. */
  readonly namespace: string
  readonly name: string
  readonly subresource?: string
}

/** How a controller wants something deleted. */
export interface Removal {
  readonly policy?: 'Orphan' | 'Background' | 'Foreground'
  /** The object must still be this one. */
  readonly uid?: string
}

type Merge = 'application/merge-patch+json' | 'application/strategic-merge-patch+json'

/**
 * Writes as a controller: the same verbs as requests, with admission and all checks, in the name of the controller's
 * own service account. Every method throws StatusError.
 */
export class Writer {
  readonly #api: Api
  readonly #user: Call['user']
  readonly #agent: string
  readonly #ended = new AbortController()

  /** `account` is the name of the service account in the system's namespace; `agent` names the program in user agents. */
  constructor(api: Api, account: string, agent = '{system}-controller-manager') {
    this.#api = api
    this.#agent = api.v.spell(agent)
    const namespace = api.v.spell('{system}-system')
    this.#user = {
      name: `system:serviceaccount:${namespace}:${account}`,
      uid: '',
      groups: [
        'system:serviceaccounts',
        `system:serviceaccounts:${namespace}`,
        'system:authenticated',
      ],
      extra: {},
    }
  }

  /** Makes an object; its name may be left to `generateName`. Kind and version are those of the resource. */
  async create<T extends Typed>(
    of: Omit<Target, 'name' | 'subresource'>,
    object: object,
  ): Promise<T> {
    return this.#object(of, await create(this.#api, this.#call({ ...of, name: '' }, object)))
  }

  /** Replaces an object. With a resourceVersion in it, it must still be that one. */
  async update<T extends Typed>(of: Target, object: object): Promise<T> {
    return this.#object(of, await update(this.#api, this.#call(of, object)))
  }

  /** Merges a change into an object, by the merge rules of its fields unless said otherwise. */
  async patch<T extends Typed>(
    of: Target,
    change: JsonObject,
    type: Merge = 'application/strategic-merge-patch+json',
  ): Promise<T> {
    return this.#object(of, await patch(this.#api, this.#call(of, change, type)))
  }

  /** Merges a change into an object, of which nothing is told: what is large is not read again. */
  async merge(of: Target, change: JsonObject): Promise<void> {
    await patch(this.#api, this.#call(of, change, 'application/merge-patch+json'))
  }

  /** Applies a configuration as `manager`, which takes over what others own. */
  async apply<T extends Typed>(of: Target, config: JsonObject, manager: string): Promise<T> {
    const query = new Map([
      ['fieldManager', [manager]],
      ['force', ['true']],
    ])
    const whole = { apiVersion: of.served.groupVersion, kind: of.served.kind, ...config }
    return this.#object(of, await patch(this.#api, this.#call(of, whole, APPLY_PATCH, query)))
  }

  /** Deletes an object. */
  async delete(of: Target, removal: Removal = {}): Promise<void> {
    await deleteOne(this.#api, this.#call(of, deleteOptions(removal)))
  }

  /** Deletes every object of a resource in one namespace. */
  async deleteAll(of: Omit<Target, 'name' | 'subresource'>, removal: Removal = {}): Promise<void> {
    await deleteCollection(this.#api, this.#call({ ...of, name: '' }, deleteOptions(removal)))
  }

  /** Ends writes that are tried over and over. */
  end(): void {
    this.#ended.abort()
  }

  #object<T extends Typed>({ served }: Pick<Target, 'served'>, result: Result): T {
    if (result.is !== 'object')
      throw new Error(`a write of ${served.resource} answers with no object`)
    return decodeStored<T>(served, result.version, hookContext(this.#api))
  }

  #call(
    { served, namespace, name, subresource = '' }: Target,
    body: object,
    mediaType = 'application/json',
    query: Call['query'] = NO_QUERY,
  ): Call {
    const bytes = Buffer.from(formatJson(body))
    return {
      served,
      subresource,
      namespace,
      name,
      query,
      user: this.#user,
      userAgent: this.#agent,
      body: () => Promise.resolve({ bytes, mediaType }),
      context: contextOnce(this.#api, this.#user, served),
      // Nobody reads the warnings of a controller.
      warn: () => {},
      signal: () => this.#ended.signal,
    }
  }
}

const NO_QUERY: Call['query'] = new Map()

const deleteOptions = ({ policy, uid }: Removal) => ({
  ...(policy === undefined ? {} : { propagationPolicy: policy }),
  ...(uid === undefined ? {} : { preconditions: { uid } }),
})
