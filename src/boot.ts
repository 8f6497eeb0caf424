import { hookContext, keyOf, type Api } from './api/context.ts'
import { encodeObject } from './api/objects.ts'
import { formatTime } from './base/time.ts'
import { Decoding } from './schema/codec.ts'
import type { Typed } from './schema/object-meta.ts'

const SYSTEM_NAMESPACES = ['default', '{system}-system', '{system}-public', '{system}-node-lease']

/** Makes the namespaces that the system lives in, where they are missing. */
export async function ensureSystemNamespaces(api: Api): Promise<void> {
  const served = api.catalogue.find('', 'v1', 'namespaces')
  if (!served) throw new Error('the catalogue has no namespaces')
  const table = await api.cache.table(served.keyPrefix)
  const c = hookContext(api)
  const missing = SYSTEM_NAMESPACES.map((name) => api.v.spell(name)).filter(
    (name) => !table.get(keyOf(served, '', name)),
  )
  await Promise.all(
    missing.map((name) => {
      const object = served.codec.decode(
        { kind: served.kind, apiVersion: served.groupVersion, metadata: { name } },
        new Decoding(),
      ) as unknown as Typed
      object.metadata.uid = api.ids.uid()
      object.metadata.creationTimestamp = formatTime(c.now)
      served.declaration.fill?.(object, c)
      served.declaration.onCreate?.(object, c)
      served.declaration.canonicalize?.(object, c)
      // Another server may have been faster, which is as good.
      return api.cache.commit([
        { key: keyOf(served, '', name), value: encodeObject(served, object), ifChangedAt: 0 },
      ])
    }),
  )
}
