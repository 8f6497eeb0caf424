import { admissionPlugins } from './index.ts'
import { OWN_PLUGINS_BEFORE, PLUGIN_ORDER, REMOVED, REMOVED_PLUGINS } from './plugin-order.ts'
import type { AnyPluginFactory } from './plugin.ts'

/** Plugins enabled and disabled by name. */
export interface PluginNames {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  /** Exactly these of the release, as the deprecated flag says it; excludes the others. */
  readonly only?: readonly string[]
}

/** Plugins in the order in which they run. */
export interface PluginSelection {
  /** Every plugin that is built or brought. */
  readonly all: readonly AnyPluginFactory[]
  readonly on: readonly AnyPluginFactory[]
}

/**
 * The plugins that are on: those on by default and those enabled, without those disabled. `own` are those
 * of an embedding program. Throws an Error with everything that is wrong with the names.
 */
export function selectPlugins(
  { enable = [], disable = [], only = [] }: PluginNames,
  own: readonly AnyPluginFactory[] = [],
): PluginSelection {
  const all = inOrder(own)
  const errors = [
    ...faultsOfOwn(own),
    ...exclusive(only, [...enable, ...disable]),
    ...[...new Set(only)].flatMap((name) => faultOfEnabled('admission-control', name, all)),
    ...[...new Set(enable)].flatMap((name) =>
      faultOfEnabled('enable-admission-plugins', name, all),
    ),
    ...[...new Set(disable)].flatMap((name) => faultOfDisabled(name, all)),
    ...overlap(enable, disable),
  ]
  if (errors.length > 0) throw new Error(errors.join('; '))
  const isOn = ({ name, defaultOn }: AnyPluginFactory) =>
    only.length > 0 && isOfRelease(name)
      ? only.includes(name)
      : enable.includes(name) || only.includes(name) || (defaultOn && !disable.includes(name))
  return { all, on: all.filter(isOn) }
}

/** Every plugin that is built or brought, in the order in which they run. */
function inOrder(own: readonly AnyPluginFactory[]): readonly AnyPluginFactory[] {
  const place = ({ name }: AnyPluginFactory) => PLUGIN_ORDER.indexOf(name)
  const last = PLUGIN_ORDER.indexOf(OWN_PLUGINS_BEFORE)
  return [
    ...admissionPlugins.filter((factory) => place(factory) < last),
    ...own,
    ...admissionPlugins.filter((factory) => place(factory) >= last),
  ]
}

function faultsOfOwn(own: readonly AnyPluginFactory[]): string[] {
  const names = own.map(({ name }) => name)
  return names.flatMap((name, i) => {
    if (isOfRelease(name))
      return [`admission has a plugin ${shown(name)}, which is a name of the server's`]
    return names.indexOf(name) === i ? [] : [`admission has two plugins ${shown(name)}`]
  })
}

const isOfRelease = (name: string) => PLUGIN_ORDER.includes(name) || REMOVED_PLUGINS.includes(name)

const exclusive = (only: readonly string[], others: readonly string[]): string[] =>
  only.length === 0 || others.length === 0
    ? []
    : [
        '--admission-control and --enable-admission-plugins/--disable-admission-plugins flags are mutually exclusive',
      ]

function faultOfEnabled(flag: string, name: string, all: readonly AnyPluginFactory[]): string[] {
  if (all.some((factory) => factory.name === name)) return []
  const plugin = `--${flag} plugin ${shown(name)}`
  if (REMOVED_PLUGINS.includes(name)) return [`${plugin} ${REMOVED}`]
  if (!PLUGIN_ORDER.includes(name)) return [`${plugin} is unknown`]
  return [`${plugin} is not built yet; there are ${all.map((one) => one.name).join(', ')}`]
}

/** Plugins that are not built yet are off: disabling one is no mistake. */
function faultOfDisabled(name: string, all: readonly AnyPluginFactory[]): string[] {
  if (PLUGIN_ORDER.includes(name) || all.some((factory) => factory.name === name)) return []
  const plugin = `--disable-admission-plugins plugin ${shown(name)}`
  return [`${plugin} ${REMOVED_PLUGINS.includes(name) ? REMOVED : 'is unknown'}`]
}

function overlap(enable: readonly string[], disable: readonly string[]): string[] {
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).sort()
  return both.length === 0
    ? []
    : [
        `[${both.join(' ')}] in --enable-admission-plugins and --disable-admission-plugins overlapped`,
      ]
}

const shown = (name: string) => JSON.stringify(name)
