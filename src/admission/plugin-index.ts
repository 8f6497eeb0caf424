import { OPERATIONS, type Attributes, type Operation } from './attributes.ts'
import type { Plugin, PluginResource } from './plugin.ts'

/** Finds the plugins of a request. */
export type PluginIndex = (attributes: Attributes) => readonly Plugin[]

/** Lists by sub-resource, of one resource. `others` is for sub-resources that no plugin names. */
interface Listed {
  readonly bySubresource: ReadonlyMap<string, readonly Plugin[]>
  readonly others: readonly Plugin[]
}

/** Lists by resource and group. `others` is for resources that no plugin names. */
interface Indexed {
  readonly byResource: ReadonlyMap<string, ReadonlyMap<string, Listed>>
  readonly others: readonly Plugin[]
}

/**
 * Sorts plugins by what they handle, once: a plugin costs nothing in requests for other operations, resources and
 * sub-resources. Lists keep the order of the plugins.
 */
export function pluginIndex(plugins: readonly Plugin[]): PluginIndex {
  const indexes = Object.fromEntries(
    OPERATIONS.map((operation) => [
      operation,
      indexed(plugins.filter((plugin) => plugin.handles(operation))),
    ]),
  ) as unknown as Readonly<Record<Operation, Indexed>>
  return (attributes) => {
    const { byResource, others } = indexes[attributes.operation]
    if (byResource.size === 0) return others
    const { group, resource } = attributes.resource
    const listed = byResource.get(resource)?.get(group)
    if (!listed) return others
    return listed.bySubresource.get(attributes.subresource) ?? listed.others
  }
}

function indexed(plugins: readonly Plugin[]): Indexed {
  const byResource = new Map<string, Map<string, Listed>>()
  for (const { group, resource } of plugins.flatMap((plugin) => plugin.resources ?? [])) {
    const byGroup = byResource.get(resource) ?? new Map<string, Listed>()
    byResource.set(resource, byGroup.set(group, listedOf(plugins, group, resource)))
  }
  return { byResource, others: plugins.filter((plugin) => !plugin.resources) }
}

function listedOf(plugins: readonly Plugin[], group: string, resource: string): Listed {
  const of = ({ resources }: Plugin, fits: (one: PluginResource) => boolean) =>
    !resources ||
    resources.some((one) => one.group === group && one.resource === resource && fits(one))
  const named = plugins
    .flatMap((plugin) => plugin.resources ?? [])
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
