/** Whether the selectors of webhooks select a request. */
import { internalError, notFound, type StatusError } from '../../meta/errors.ts'
import type { ObjectSource } from '../../catalogue/object-source.ts'
import { matchesLabels } from '../../meta/selectors.ts'
import type { Attributes } from '../attributes.ts'
import type { Hook, HookSelector } from './hook.ts'

type Labels = Readonly<Record<string, string>> | undefined

const NAMESPACES = { group: '', resource: 'namespaces' }

/** Matches one request; it reads the labels of its namespace when a selector needs them, once. */
export class RequestSelection {
  readonly #attributes: Attributes
  readonly #objects: Pick<ObjectSource, 'get' | 'fresh'>
  #namespace: Promise<Labels> | null = null

  constructor(attributes: Attributes, objects: Pick<ObjectSource, 'get' | 'fresh'>) {
    this.#attributes = attributes
    this.#objects = objects
  }

  /**
   * Whether both selectors of a webhook select the request. Rejects with 404 when its namespace does not exist, and
   * with 500 for a selector that is invalid.
   */
  async selects({ namespaceSelector, objectSelector }: Hook): Promise<boolean> {
    const inNamespace = await settled(() => this.#selectsNamespace(namespaceSelector))
    if (inNamespace === false) return false
    const ofObject = await settled(() => this.#selectsObject(objectSelector))
    if (ofObject === false) return false
    if (inNamespace !== true) throw inNamespace
    if (ofObject !== true) throw ofObject
    return true
  }

  async #selectsNamespace(selector: HookSelector): Promise<boolean> {
    if (selector.is === 'everything') return true
    const { operation, namespace, requestResource, requestSubresource, object } = this.#attributes
    const isNamespace = requestResource.resource === 'namespaces'
    // Other cluster-scoped objects are in no namespace that could be excluded.
    if (namespace === '' && !isNamespace) return true
    if (selector.is === 'invalid') throw internalError(selector.why)
    const isWritten =
      isNamespace && requestSubresource === '' && (operation === 'CREATE' || operation === 'UPDATE')
    const labels = isWritten
      ? object?.live.metadata.labels
      : await (this.#namespace ??= this.#labelsOf(namespace))
    return matchesLabels(selector.selector, labels)
  }

  #selectsObject(selector: HookSelector): boolean {
    if (selector.is === 'everything') return true
    if (selector.is === 'invalid') throw internalError(selector.why)
    const { operation, object, oldObject } = this.#attributes
    // The options of a connection cannot have labels.
    if (operation === 'CONNECT') return false
    return [object, oldObject].some(
      (one) => one && matchesLabels(selector.selector, one.live.metadata.labels),
    )
  }

  async #labelsOf(namespace: string): Promise<Labels> {
    const objects = this.#objects
    let found = await objects.get(NAMESPACES, '', namespace)
    if (!found) {
      // Another server may have created it.
      await objects.fresh?.()
      found = await objects.get(NAMESPACES, '', namespace)
    }
    if (!found) throw notFound(NAMESPACES, namespace)
    return found.metadata.labels
  }
}

async function settled(match: () => boolean | Promise<boolean>): Promise<boolean | StatusError> {
  try {
    return await match()
  } catch (error) {
    return error as StatusError
  }
}
