import { Decoding } from '../../codec/codec.ts'
import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import { notFound } from '../../meta/errors.ts'
import type { Typed } from '../../meta/object-meta.ts'
import { keyOf, type ReadDependencies, type Call } from '../context.ts'
import { unversioned, encodeObject } from '../objects.ts'
import { listOptions } from '../options.ts'
import { Made, type ListResult, type Result } from '../results.ts'
import { selection } from '../selection.ts'

/** Health of the control plane components that live in this process, by name. */
function parts(api: ReadDependencies, served: ResourceEntry): Typed[] {
  const component = (name: string, message: string) =>
    served.codec.decode(
      {
        kind: served.kind,
        apiVersion: served.groupVersion,
        metadata: { name },
        conditions: [{ type: 'Healthy', status: 'True', message }],
      },
      new Decoding(),
    ) as unknown as Typed
  // A request that gets here has already read from the store.
  return [component('store-0', `revision ${api.cache.revision}`)]
}

/** Lists the components. Throws 400. */
export function listComponents(api: ReadDependencies, call: Call): ListResult {
  const options = listOptions(call.query, api.v)
  const chosen = selection(call.served, options.labelSelector, options.fieldSelector)
  const items = parts(api, call.served)
    .filter(({ metadata: { name = '', labels = {} } }) => {
      const facts = () => ({ labels, fields: {} })
      const part = { key: keyOf(call.served, '', name), facts, mayHave: () => true }
      return chosen.matches?.(part) ?? true
    })
    .map((part) => unversioned(encodeObject(call.served, part)))
  return {
    is: 'list',
    status: 200,
    revision: api.cache.revision,
    items,
    continueToken: '',
    remaining: undefined,
  }
}

/** Reads one component. Throws 404. */
export function getComponent(api: ReadDependencies, call: Call): Result {
  const part = parts(api, call.served).find(({ metadata }) => metadata.name === call.name)
  if (!part) throw notFound(call.served.name, call.name)
  const plain = call.served.codec.plain(part as never)
  return { is: 'made', status: 200, served: call.served, object: new Made(plain) }
}
