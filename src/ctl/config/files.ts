/** Client configuration files: which there are, and what they say together. */
import { plainReason } from '../../base/plain-reason.ts'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { mapOf, listOf, memberOf, textOf, type ConfigMap } from '../../client/config-values.ts'
import { product } from '../../vocabulary/index.ts'
import { Fault } from '../base/faults.ts'
import { readIfThere, type Io } from '../base/io.ts'
import { readPlainYaml } from './plain-yaml.ts'

/** A cluster, context or user, with the file that it stands in. */
export interface ConfigEntry {
  readonly name: string
  readonly value: ConfigMap
  readonly file: string
}

/** The three lists of a configuration. */
export type ConfigList = 'clusters' | 'contexts' | 'users'

/** The member of an item that has the value. */
export const MEMBER: Readonly<Record<ConfigList, string>> = {
  clusters: 'cluster',
  contexts: 'context',
  users: 'user',
}

/** What all files say; of two entries of one name the first counts. */
export interface MergedConfig {
  readonly currentContext: string
  readonly clusters: ReadonlyMap<string, ConfigEntry>
  readonly contexts: ReadonlyMap<string, ConfigEntry>
  readonly users: ReadonlyMap<string, ConfigEntry>
  /** Files as they were read, by path; those that do not exist are missing. */
  readonly documents: ReadonlyMap<string, ConfigMap>
  readonly preferences: ConfigMap
}

/** Names of the variables that hold paths of configurations, the first that is set counts. */
const CONFIG_VARIABLES = [`${product.command.toUpperCase()}CONFIG`, 'KUBECONFIG'] as const

/** Folders of users that hold a file `config`, the product's own first. */
export const homeFolders = (home: string): readonly string[] =>
  product.homeFolders.map((name) => join(home, name))

/** The files to read, in order of precedence. The first is written to where none has what changes. */
export function configFiles(explicit: string, io: Io): readonly string[] {
  if (explicit !== '') return [resolve(io.cwd, explicit)]
  for (const name of CONFIG_VARIABLES) {
    const paths = (io.env[name] ?? '').split(process.platform === 'win32' ? ';' : ':')
    const named = [...new Set(paths.filter((path) => path !== ''))]
    if (named.length > 0) return named.map((path) => resolve(io.cwd, path))
  }
  const places = homeFolders(io.home).map((folder) => join(folder, 'config'))
  const found = places.find((path) => readIfThere(path) !== null)
  return [found ?? places[0]!]
}

/** Reads and merges files. A file that was named on the command line must exist. */
export async function readConfig(
  files: readonly string[],
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<MergedConfig> {
  const documents = new Map<string, ConfigMap>()
  const lists = { clusters: new Map(), contexts: new Map(), users: new Map() } as Record<
    ConfigList,
    Map<string, ConfigEntry>
  >
  let currentContext = ''
  let preferences: ConfigMap = {}
  for (const file of files) {
    const text = textOfFile(file)
    if (text === null) {
      if (mustExist) throw new Fault(`error: stat ${file}: no such file or directory`)
      continue
    }
    const document = await parsed(text, file)
    documents.set(file, document)
    currentContext ||= textOf(document, 'current-context') ?? ''
    if (Object.keys(preferences).length === 0)
      preferences = mapOf(memberOf(document, 'preferences') ?? {}, 'preferences')
    for (const list of Object.keys(lists) as ConfigList[]) {
      for (const item of listOf(document, list)) {
        const map = mapOf(item, list)
        const name = String(memberOf(map, 'name') ?? '')
        const value = mapOf(memberOf(map, MEMBER[list]) ?? {}, MEMBER[list])
        if (!lists[list].has(name)) lists[list].set(name, { name, value, file })
      }
    }
  }
  return { ...lists, currentContext, documents, preferences }
}

function textOfFile(file: string): string | null {
  try {
    return readIfThere(file)
  } catch (error) {
    throw new Fault(`error: error loading config file "${file}": ${plainReason(error)}`)
  }
}

async function parsed(text: string, file: string): Promise<ConfigMap> {
  try {
    const value = readPlainYaml(text) ?? (await yamlOf(text)) ?? {}
    const map = mapOf(value, 'the file')
    for (const list of Object.keys(MEMBER)) listOf(map, list)
    return map
  } catch (cause) {
    const why =
      cause instanceof Error ? cause.message.replace(/^error converting YAML to JSON: /, '') : ''
    throw new Fault(`error: error loading config file "${file}": ${why}`)
  }
}

const yamlOf = async (text: string) => (await import('../../codec/yaml.ts')).parseYaml(text)

/** The folder that relative paths of an entry start at. */
export const folderOf = (entry: ConfigEntry | undefined): string =>
  entry === undefined ? '.' : dirname(entry.file)

/** A path of an entry, from the root. */
export const resolved = (path: string, folder: string): string =>
  isAbsolute(path) ? path : resolve(folder, path)
