import { parseYaml } from '../schema/yaml.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** What a client needs to speak to one server; certificates and keys are PEM. */
export interface ClientConfig {
  readonly server: string
  /** Authority of the server's certificate; that of the machine when absent. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** Bearer token. */
  readonly token?: string
  /** Namespace for commands that name none. */
  readonly namespace?: string
}

/** Configuration of a client that speaks to one server with a certificate; PEM in, YAML out. */
export function adminKubeconfig(options: {
  readonly server: string
  readonly ca: string
  readonly cert: string
  readonly key: string
  readonly vocabulary: Vocabulary
}): string {
  const cluster = options.vocabulary.words.brand
  const user = options.vocabulary.spell('{brand}-admin')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  // Written by hand: a start need not load what reads and writes YAML.
  return `apiVersion: v1
kind: Config
clusters:
- name: ${cluster}
  cluster:
    server: ${options.server}
    certificate-authority-data: ${base64(options.ca)}
users:
- name: ${user}
  user:
    client-certificate-data: ${base64(options.cert)}
    client-key-data: ${base64(options.key)}
contexts:
- name: ${user}@${cluster}
  context:
    cluster: ${cluster}
    user: ${user}
current-context: ${user}@${cluster}
`
}

/**
 * Reads the current context of a client configuration, or the one given. Throws an Error that tells what is
 * missing. Material must be inside (`*-data`, `token`): files and commands that it points to are refused.
 */
export async function readKubeconfig(text: string, context?: string): Promise<ClientConfig> {
  const config = mapOf(await parseYaml(text), 'the configuration')
  const name = context ?? textOf(config, 'current-context')
  if (name === undefined) throw new Error('no current-context is set')
  const chosen = entryOf(config, 'contexts', 'context', name)
  const cluster = entryOf(config, 'clusters', 'cluster', textOf(chosen, 'cluster') ?? '')
  const userName = textOf(chosen, 'user')
  const user = userName === undefined ? {} : entryOf(config, 'users', 'user', userName)
  const server = textOf(cluster, 'server')
  if (server === undefined) throw new Error(`the cluster of context "${name}" has no server`)
  for (const key of UNREAD) {
    if (key in cluster || key in user)
      throw new Error(`${key} is not supported; put the data inside`)
  }
  return withoutAbsent({
    server,
    ca: dataOf(cluster, 'certificate-authority-data'),
    cert: dataOf(user, 'client-certificate-data'),
    key: dataOf(user, 'client-key-data'),
    token: textOf(user, 'token'),
    namespace: textOf(chosen, 'namespace'),
  })
}

const UNREAD = [
  'certificate-authority',
  'client-certificate',
  'client-key',
  'tokenFile',
  'exec',
  'auth-provider',
  'username',
]

type YamlMap = Readonly<Record<string, unknown>>

function mapOf(value: unknown, what: string): YamlMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${what} is not a map`)
  }
  return value as YamlMap
}

/** What stands under `key` in the entry of that name of a list such as `clusters`. */
function entryOf(config: YamlMap, list: string, key: string, name: string): YamlMap {
  const entries: unknown = config[list]
  const found = Array.isArray(entries)
    ? entries.map((entry) => mapOf(entry, list)).find((entry) => entry.name === name)
    : undefined
  if (!found) throw new Error(`${key} "${name}" does not exist`)
  return mapOf(found[key], `${key} "${name}"`)
}

function textOf(map: YamlMap, key: string): string | undefined {
  const value = map[key]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new Error(`${key} is not a string`)
  return value
}

function dataOf(map: YamlMap, key: string): string | undefined {
  const text = textOf(map, key)
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8')
}

function withoutAbsent(config: { [K in keyof ClientConfig]: ClientConfig[K] | undefined }) {
  const entries = Object.entries(config).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as unknown as ClientConfig
}
