/** The file of `--admission-control-config-file`: an AdmissionConfiguration with a configuration for each plugin. */
import { isRecord } from '../base/value-checks.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { PLUGIN_ORDER, REMOVED, REMOVED_PLUGINS } from './plugin-order.ts'
import type { AnyPluginFactory } from './plugin.ts'

/** How the file and those that it names are read. */
export interface ConfigurationFiles {
  /** The parsed content; throws an Error that names the file. */
  read(path: string): Promise<unknown>
  /** The path that a path in the file means. */
  resolve(path: string): string
}

/** Configurations of plugins that are on, by name. */
export type Configurations = ReadonlyMap<string, unknown>

type Members = Readonly<Record<string, unknown>>

/** Reads the configurations of plugins. Throws an Error that names the place of a fault. */
export async function readConfigurations(
  document: unknown,
  factories: readonly AnyPluginFactory[],
  files: ConfigurationFiles,
  v: Vocabulary,
): Promise<Configurations> {
  const only = onlyPlugin(document, factories)
  if (only) return new Map([[only.name, await only.decodeConfig!(document, v)]])
  const found = new Map<string, unknown>()
  const entries = entriesOf(document, v)
  for (const [i, entry] of entries.entries()) {
    const at = `plugins[${i}]`
    const { name, path, configuration } = membersOf(entry, at)
    if (found.has(name)) throw new Error(`${at}.name: Duplicate value: ${JSON.stringify(name)}`)
    // Inline wins, as in the reference.
    const given = configuration ?? (path === '' ? null : await read(files, path, at))
    const where =
      configuration === null && path !== '' ? files.resolve(path) : `${at}.configuration`
    const config =
      given === null ? null : await decoded(factoryOf(name, factories, at), { given, where, v })
    found.set(name, config)
  }
  for (const [name, config] of found) if (config === null) found.delete(name)
  return found
}

async function read(files: ConfigurationFiles, path: string, at: string): Promise<unknown> {
  try {
    return await files.read(files.resolve(path))
  } catch (error) {
    throw new Error(`${at}.path: ${String((error as Error).message)}`, { cause: error })
  }
}

/** The plugin whose configuration the whole file is, as in older releases. */
function onlyPlugin(document: unknown, factories: readonly AnyPluginFactory[]) {
  if (!isRecord(document) || 'kind' in document || 'apiVersion' in document) return undefined
  return factories.find(
    ({ onlyMember, decodeConfig }) =>
      decodeConfig && onlyMember !== undefined && Object.hasOwn(document, onlyMember),
  )
}

/** The entries of the list of plugins. */
function entriesOf(document: unknown, v: Vocabulary): readonly unknown[] {
  const versions = ['v1', 'v1alpha1'].map((one) => v.resolve(`apiserver.config{api}/${one}`))
  const file = isRecord(document) ? document : {}
  if (file['kind'] !== 'AdmissionConfiguration' || !versions.includes(String(file['apiVersion']))) {
    throw new Error(`expected an AdmissionConfiguration of apiVersion ${versions.join(' or ')}`)
  }
  refuseOthers(file, ['kind', 'apiVersion', 'plugins'], '')
  const plugins = file['plugins'] ?? []
  if (!Array.isArray(plugins)) throw new Error('plugins: must be a list')
  return plugins
}

function membersOf(entry: unknown, at: string) {
  if (!isRecord(entry)) throw new Error(`${at}: must be an object`)
  refuseOthers(entry, ['name', 'path', 'configuration'], `${at}.`)
  const { name, path = '', configuration = null } = entry
  if (typeof name !== 'string' || name === '') throw new Error(`${at}.name: Required value`)
  if (path !== null && typeof path !== 'string') throw new Error(`${at}.path: must be a string`)
  return { name, path: path ?? '', configuration }
}

function refuseOthers(members: Members, known: readonly string[], at: string): void {
  const other = Object.keys(members).find((name) => !known.includes(name))
  if (other !== undefined) throw new Error(`unknown field ${JSON.stringify(at + other)}`)
}

/** The plugin that an entry configures, which need not be on. */
function factoryOf(name: string, factories: readonly AnyPluginFactory[], at: string) {
  const factory = factories.find((one) => one.name === name)
  if (factory?.decodeConfig) return factory
  const plugin = `${at}.name: plugin ${JSON.stringify(name)}`
  if (factory) throw new Error(`${plugin} takes no configuration`)
  if (REMOVED_PLUGINS.includes(name)) throw new Error(`${plugin} ${REMOVED}`)
  // To leave it out would look as if it were obeyed.
  throw new Error(`${plugin} is ${PLUGIN_ORDER.includes(name) ? 'not built yet' : 'unknown'}`)
}

/** The document that configures a plugin. */
interface GivenConfiguration {
  readonly given: unknown
  /** Its path, or its place in the file. */
  readonly where: string
  readonly v: Vocabulary
}

async function decoded(
  { decodeConfig }: AnyPluginFactory,
  { given, where, v }: GivenConfiguration,
): Promise<unknown> {
  try {
    return await decodeConfig!(given, v)
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
