import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { readFile } from '../base/files.ts'
import { plainReason } from '../base/plain-reason.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { ClientConfig, ExecConfig, Impersonation, InteractiveMode } from './client-config.ts'
import {
  dataOf,
  flagOf,
  listOf,
  mapOf,
  memberOf,
  textOf,
  textsOf,
  type ConfigMap,
} from './config-values.ts'

/** Client configuration for one server with a client certificate; PEM in, YAML out. */
export function adminKubeconfig(options: {
  readonly server: string
  /** Name in the server's certificate, where that is not its address. */
  readonly serverName?: string
  readonly ca: string
  readonly cert: string
  readonly key: string
  readonly vocabulary: Vocabulary
}): string {
  const cluster = options.vocabulary.words.brand
  const user = options.vocabulary.resolve('{brand}-admin')
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  // Written without the YAML library, which a start need not load.
  return `apiVersion: v1
kind: Config
clusters:
- name: ${cluster}
  cluster:
    server: ${options.server}${options.serverName === undefined ? '' : `\n    tls-server-name: ${options.serverName}`}
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

/** Prefix of YAML errors, which are worded for request bodies. */
const NOT_YAML = /^error converting YAML to JSON: yaml: /

/** Reads a client configuration file; see {@link readKubeconfig}. Errors name the file. */
export async function loadKubeconfig(path: string, context?: string): Promise<ClientConfig> {
  try {
    const text = await readFile(path, 'utf8')
    return await readKubeconfig(text, context, dirname(resolve(path)))
  } catch (cause) {
    throw unusable(path, cause)
  }
}

/**
 * Reads the current context of a client configuration, or the given one, with the files that it refers to: relative
 * paths start at `folder`. Throws an Error that describes the fault and never contains a credential.
 */
export async function readKubeconfig(
  text: string,
  context?: string,
  folder = '.',
): Promise<ClientConfig> {
  const config = mapOf(await yamlOf(text), 'the configuration')
  checkHead(config)
  const name = context ?? textOf(config, 'current-context')
  if (name === undefined) throw new Error('no current-context is set')
  const chosen = entryOf(config, 'contexts', 'context', name)
  const cluster = entryOf(config, 'clusters', 'cluster', textOf(chosen, 'cluster') ?? '')
  const userName = textOf(chosen, 'user')
  const user = userName === undefined ? {} : entryOf(config, 'users', 'user', userName)
  const server = textOf(cluster, 'server')
  if (server === undefined) throw new Error(`the cluster of context "${name}" has no server`)
  return withoutAbsent({
    server,
    ...(await clusterPart(cluster, folder)),
    ...(await userPart(user, folder)),
    namespace: textOf(chosen, 'namespace'),
  })
}

/** Cluster and user of a client configuration that may come from different files. */
export interface ConfigParts {
  readonly server: string
  readonly cluster: ConfigMap
  /** Where relative paths of the cluster start. */
  readonly clusterFolder: string
  readonly user: ConfigMap
  readonly userFolder: string
}

/** The settings that a cluster and a user make, with the files that they refer to. Rejects as `readKubeconfig` does. */
export async function configOf(parts: ConfigParts): Promise<ClientConfig> {
  return withoutAbsent({
    server: parts.server,
    ...(await clusterPart(parts.cluster, parts.clusterFolder)),
    ...(await userPart(parts.user, parts.userFolder)),
  })
}

/** The credentials of a user in a client configuration. */
export type UserConfig = Omit<ClientConfig, 'server' | 'ca' | 'tlsServerName'>

/** Users of a client configuration. */
export interface ConfiguredUsers {
  readonly byName: ReadonlyMap<string, UserConfig>
  /** The user of the current context; null without one. */
  readonly current: UserConfig | null
}

/** Reads the users of a client configuration file, of which no cluster is used. Errors name the file. */
export async function loadUsers(path: string): Promise<ConfiguredUsers> {
  try {
    return await readUsers(await readFile(path, 'utf8'), dirname(resolve(path)))
  } catch (cause) {
    throw unusable(path, cause)
  }
}

async function readUsers(text: string, folder: string): Promise<ConfiguredUsers> {
  const config = mapOf(await yamlOf(text), 'the configuration')
  checkHead(config)
  const byName = new Map<string, UserConfig>()
  for (const item of listOf(config, 'users')) {
    const name = textOf(mapOf(item, 'users'), 'name') ?? ''
    const user = entryOf(config, 'users', 'user', name)
    byName.set(name, withoutAbsent(await userPart(user, folder)))
  }
  const context = textOf(config, 'current-context') ?? ''
  if (context === '') return { byName, current: null }
  const name = textOf(entryOf(config, 'contexts', 'context', context), 'user') ?? ''
  return { byName, current: byName.get(name) ?? null }
}

function unusable(path: string, cause: unknown): Error {
  return new Error(
    `cannot use the client configuration ${path}: ${plainReason(cause).replace(NOT_YAML, 'it is no YAML: ')}`,
    { cause },
  )
}

/** Short programs that read other forms need no YAML. */
const yamlOf = async (text: string) => (await import('../codec/yaml.ts')).parseYaml(text)

/** Members that may be undefined, to be left out in the end. */
type Part = { [K in keyof ClientConfig]?: ClientConfig[K] | undefined }

function checkHead(config: ConfigMap): void {
  const apiVersion = textOf(config, 'apiVersion') ?? 'v1'
  const kind = textOf(config, 'kind') ?? 'Config'
  if (apiVersion !== 'v1' || kind !== 'Config') {
    throw new Error(
      `the configuration is of kind ${JSON.stringify(kind)}, version ${JSON.stringify(apiVersion)}, not "Config", "v1"`,
    )
  }
}

async function clusterPart(cluster: ConfigMap, folder: string): Promise<Part> {
  const ca = await pemOf(cluster, 'certificate-authority', folder)
  const insecureSkipTlsVerify = flagOf(cluster, 'insecure-skip-tls-verify') || undefined
  if (ca && insecureSkipTlsVerify) {
    throw new Error('certificate-authority makes no sense with insecure-skip-tls-verify')
  }
  const extensions = listOf(cluster, 'extensions').map((item) => {
    const extension = mapOf(item, 'an item of extensions')
    return [textOf(extension, 'name') ?? '', memberOf(extension, 'extension')] as const
  })
  return {
    ca: ca?.pem,
    tlsServerName: textOf(cluster, 'tls-server-name'),
    insecureSkipTlsVerify,
    proxyUrl: textOf(cluster, 'proxy-url'),
    clusterExtensions: extensions.length > 0 ? new Map(extensions) : undefined,
  }
}

async function userPart(user: ConfigMap, folder: string): Promise<Part> {
  if (memberOf(user, 'auth-provider') !== undefined) {
    throw new Error('auth-provider is not supported; use exec or a token')
  }
  const cert = await pemOf(user, 'client-certificate', folder)
  const key = await pemOf(user, 'client-key', folder)
  if (cert && !key) throw new Error('client-certificate comes without client-key')
  if (key && !cert) throw new Error('client-key comes without client-certificate')
  const token = textOf(user, 'token')
  const tokenFile = textOf(user, 'tokenFile')
  const username = textOf(user, 'username')
  const password = textOf(user, 'password')
  const hasToken = token !== undefined || tokenFile !== undefined
  const hasPassword = username !== undefined || password !== undefined
  if (hasToken && hasPassword) {
    throw new Error('a user has either a token or a username and password, not both')
  }
  const exec = memberOf(user, 'exec')
  return {
    cert: cert?.pem,
    key: key?.pem,
    // One of the two from a file is not enough to follow a change of both.
    ...(cert?.path !== undefined && key?.path !== undefined
      ? { certFile: cert.path, keyFile: key.path }
      : {}),
    token,
    tokenFile:
      token === undefined && tokenFile !== undefined ? resolve(folder, tokenFile) : undefined,
    username,
    password,
    exec: exec === undefined ? undefined : execOf(mapOf(exec, 'exec'), folder),
    impersonate: impersonationOf(user),
  }
}

/** The content of `<key>-data`, or else of the file that `<key>` names. */
async function pemOf(
  map: ConfigMap,
  key: string,
  folder: string,
): Promise<{ readonly pem: string; readonly path?: string } | undefined> {
  const data = dataOf(map, `${key}-data`)
  if (data !== undefined) return { pem: data }
  const named = textOf(map, key)
  if (named === undefined) return undefined
  const path = resolve(folder, named)
  try {
    return { pem: await readFile(path, 'utf8'), path }
  } catch (cause) {
    throw new Error(`cannot read ${key}: ${plainReason(cause)}`, { cause })
  }
}

const MODES: readonly InteractiveMode[] = ['Never', 'IfAvailable', 'Always']

function execOf(exec: ConfigMap, folder: string): ExecConfig {
  const command = textOf(exec, 'command')
  const apiVersion = textOf(exec, 'apiVersion')
  const mode = textOf(exec, 'interactiveMode')
  const interactiveMode = MODES.find((one) => one === mode)
  if (command === undefined) throw new Error('exec has no command')
  if (apiVersion === undefined) throw new Error('exec has no apiVersion')
  if (mode !== undefined && interactiveMode === undefined) {
    throw new Error(`interactiveMode of exec is ${JSON.stringify(mode)}, not ${MODES.join(', ')}`)
  }
  const env = listOf(exec, 'env').map((item) => {
    const variable = mapOf(item, 'an item of env')
    const name = textOf(variable, 'name')
    if (name === undefined) throw new Error('an item of env has no name')
    return { name, value: textOf(variable, 'value') ?? '' }
  })
  const isPath = basename(command) !== command && !isAbsolute(command)
  return {
    command: isPath ? resolve(folder, command) : command,
    args: textsOf(exec, 'args'),
    env,
    apiVersion,
    installHint: textOf(exec, 'installHint') ?? '',
    provideClusterInfo: flagOf(exec, 'provideClusterInfo'),
    ...(interactiveMode === undefined ? {} : { interactiveMode }),
  }
}

function impersonationOf(user: ConfigMap): Impersonation | undefined {
  const name = textOf(user, 'as') ?? ''
  const uid = textOf(user, 'as-uid') ?? ''
  const groups = textsOf(user, 'as-groups')
  const map = mapOf(memberOf(user, 'as-user-extra') ?? {}, 'as-user-extra')
  const extra = Object.keys(map).map((key) => [key, textsOf(map, key)] as const)
  if (name !== '') return { user: name, uid, groups, extra }
  if (uid !== '' || groups.length > 0 || extra.length > 0) {
    throw new Error('as-uid, as-groups and as-user-extra need as')
  }
  return undefined
}

/** The value of `key` in the named entry of a list such as `clusters`. */
function entryOf(config: ConfigMap, list: string, key: string, name: string): ConfigMap {
  const found = listOf(config, list)
    .map((entry) => mapOf(entry, list))
    .filter((entry) => memberOf(entry, 'name') === name)
  if (found.length === 0) throw new Error(`${key} "${name}" does not exist`)
  if (found.length > 1) throw new Error(`${key} "${name}" stands in ${list} more than once`)
  return mapOf(memberOf(found[0]!, key), `${key} "${name}"`)
}

function withoutAbsent(config: Part): ClientConfig {
  const entries = Object.entries(config).filter(([, value]) => value !== undefined)
  // The server, all that is required, is always there.
  return Object.fromEntries(entries) as unknown as ClientConfig
}
