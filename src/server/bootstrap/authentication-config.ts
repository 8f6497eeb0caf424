import type { Api } from '../../registry/context.ts'
import {
  mergedConfiguration,
  PUBLISHED_NAME,
  type PublishedData,
} from '../../authn/published-configuration.ts'
import { ensureObject } from './ensure-object.ts'
import type { ConfigMap } from '../../kinds/core/config-map.ts'
import type { ObjectSource } from '../../catalogue/object-source.ts'

/** Publishes how aggregated API servers authenticate users, merged with what other servers have published. */
export async function publishAuthentication(
  api: Api,
  source: ObjectSource,
  own: PublishedData,
): Promise<void> {
  const served = api.catalogue.find('', 'v1', 'configmaps')
  if (!served) return
  const namespace = api.v.resolve('{system}-system')
  const present = await source.get<ConfigMap>(served.name, namespace, PUBLISHED_NAME)
  const data = mergedConfiguration(present?.data ?? {}, own, api.clock.now())
  const members = { data: { ...data } }
  await ensureObject(api, served, {
    namespace,
    object: { metadata: { name: PUBLISHED_NAME }, ...members },
    members,
  })
}
