/** What a description is made of: the object, and others that it asks the server for. */
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { readAll, readOne } from '../api/find-objects.ts'
import { findResource } from '../api/resources.ts'
import type { ServedResource } from '../api/discovery.ts'
import type { Context } from '../base/context.ts'
import { StatusError } from '../../meta/errors.ts'
import { Value } from './value.ts'

/** One object, and the server. */
export class Scene {
  readonly object: Value
  readonly of: ServedResource
  readonly v: Vocabulary
  readonly #c: Context

  constructor(c: Context, of: ServedResource, object: unknown, v: Vocabulary) {
    this.#c = c
    this.of = of
    this.object = new Value(object)
    this.v = v
  }

  get name(): string {
    return this.object.textAt('metadata.name')
  }

  get namespace(): string {
    return this.object.textAt('metadata.namespace')
  }

  /** Milliseconds. */
  now(): number {
    return this.#c.io.now()
  }

  /** Other objects of a type; none where they cannot be read. */
  async all(
    type: string,
    namespace = this.namespace,
    query: Readonly<Record<string, string>> = {},
  ): Promise<Value[]> {
    try {
      const of = await findResource(await this.#c.discovery(), type)
      const found = await readAll(this.#c, { of, namespace, name: '' }, query)
      return found.map((one) => new Value(one))
    } catch (error) {
      if (error instanceof StatusError) return []
      throw error
    }
  }

  /** Another object, or why it cannot be read. */
  async one(type: string, name: string, namespace = this.namespace): Promise<Value | StatusError> {
    try {
      const of = await findResource(await this.#c.discovery(), type)
      return new Value(await readOne(this.#c, { of, namespace, name }))
    } catch (error) {
      if (error instanceof StatusError) return error
      throw error
    }
  }
}
