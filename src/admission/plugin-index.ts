import type { Attributes, Operation } from './attributes.ts'
import type { Plugin, PluginResource } from './plugin.ts'

/** Finds the plugins of a request. */
export type PluginIndex = (attributes: Attributes) => readonly Plugin[]

/** Lists by sub-resource, of one resource. `others` is for sub-resources that no plugin names. */
interface Listed {
  readonly bySubresource: ReadonlyMap<string, readonly Plugin[]>
  readonly others: readonly Plugin[]
}

/** Lists by resource and group, each made for the first request. `others` is for resources that no plugin names. */
interface Indexed {
  readonly byResource: ReadonlyMap<string, Map<string, Listed | null>>
  readonly plugins: readonly Plugin[]
  readonly others: readonly Plugin[]
}

/**
 * Sorts plugins by what they handle, once: a plugin costs nothing in requests for other operations, resources and
 * sub-resources. Lists keep the order of the plugins.
 */
export function pluginIndex(plugins: readonly Plugin[]): PluginIndex {
  const indexes = new Map<Operation, Indexed>()
  return (attributes) => {
    const { operation } = attributes
    let index = indexes.get(operation)
    if (!index) {
      indexes.set(operation, (index = indexed(plugins.filter((one) => one.handles(operation)))))
    }
    const { byResource, others } = index
    if (byResource.size === 0) return others
    const { group, resource } = attributes.resource
    const byGroup = byResource.get(resource)
    let listed = byGroup?.get(group)
    if (listed === undefined) return others
    if (listed === null)
      byGroup!.set(group, (listed = listedOf(index.plugins, { group, resource })))
    return listed.bySubresource.get(attributes.subresource) ?? listed.others
  }
}

function indexed(plugins: readonly Plugin[]): Indexed {
  const byResource = new Map<string, Map<string, Listed | null>>()
  for (const { resources } of plugins) {
    for (const { group, resource } of resources ?? []) {
      const byGroup = byResource.get(resource) ?? new Map<string, Listed | null>()
      byResource.set(resource, byGroup.set(group, null))
    }
  }
  return { byResource, plugins, others: plugins.filter((plugin) => !plugin.resources) }
}

function listedOf(plugins: readonly Plugin[], { group, resource }: PluginResource): Listed {
  const of = ({ resources }: Plugin, fits: (one: PluginResource) => boolean) =>
    !resources ||
    resources.some((one) => one.group === group && one.resource === resource && fits(one))
  const named = plugins
    .flatMap((plugin) => plugin.resources ?? [])
    .filter((one) => one.group === group && one.resource === resource)
    .map(({ subresource = '' }) => subresource)
  return {
    bySubresource: new Map(
      ['', ...named].map((name) => [
        name,
        plugins.filter((plugin) =>
          of(plugin, ({ subresource = '' }) => subresource === name || subresource === '*'),
        ),
      ]),
    ),
    others: plugins.filter((plugin) => of(plugin, ({ subresource }) => subresource === '*')),
  }
}
