import type { PluginFactory } from '../plugin.ts'
import type { Charges } from '../quota/charges.ts'
import { readLimits, type LimitedResource } from '../quota/limits.ts'
import { QuotaIndex } from '../quota/quota-index.ts'

/** Enforces the quotas of a namespace: what an object takes is added to what is used before it is stored. */
export const resourceQuota: PluginFactory<readonly LimitedResource[]> = {
  name: 'ResourceQuota',
  defaultOn: true,
  decodeConfig: readLimits,
  create(deps, limited = []) {
    const index = new QuotaIndex(deps.objects)
    let charges: Promise<Charges> | null = null
    const load = async () => {
      const { Charges: of } = await import('../quota/charges.ts')
      return new of(deps, index, limited)
    }
    // Most namespaces have no quota.
    const isFree = (namespace: string) =>
      namespace === '' || (limited.length === 0 && !index.has(namespace))
    return {
      passesAgain: ({ namespace }) => isFree(namespace),
      handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
      ready: () => index.ready(),
      validate(attributes) {
        const { namespace } = attributes
        if (isFree(namespace)) return
        if (attributes.subresource !== '') return
        const { resource, group } = attributes.resource
        if (resource === 'namespaces' && group === '') return
        charges ??= load()
        return charges.then(async (all) => all.take(attributes) ?? undefined)
      },
      close: () => index.close(),
    }
  },
}
