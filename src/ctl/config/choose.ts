/** The server and the credentials that a command uses, from the files, the flags and the pod that it runs in. */
import type { ClientConfig } from '../../client/client-config.ts'
import { memberOf, textOf, type ConfigMap } from '../../client/config-values.ts'
import { inClusterConfig } from '../../client/in-cluster.ts'
import { configOf } from '../../client/kubeconfig.ts'
import { environmentProxy } from '../../client/proxy-choice.ts'
import { serverUrl } from '../../client/server-address.ts'
import type { FlagValues } from '../base/flags.ts'
import { Fault } from '../base/faults.ts'
import type { Io } from '../base/io.ts'
import { configFiles, folderOf, readConfig, type ConfigEntry, type MergedConfig } from './files.ts'

/** What a command talks to. */
export interface Chosen {
  readonly config: ClientConfig
  /** Empty where the configuration names none. */
  readonly namespace: string
}

/** Reads the files that the flags and the environment name. */
export async function mergedConfig(flags: FlagValues, io: Io): Promise<MergedConfig> {
  const explicit = flags.text('kubeconfig')
  return readConfig(configFiles(explicit, io), { mustExist: explicit !== '' })
}

/** Chooses by the flags. Rejects with an Error that says what is missing. */
export async function chooseConfig(flags: FlagValues, io: Io): Promise<Chosen> {
  const merged = await mergedConfig(flags, io)
  const contextName = flags.text('context') || merged.currentContext
  const context = entryOf(merged.contexts, contextName)
  if (contextName !== '' && !context) {
    throw new Fault(
      `Error in configuration: context was not found for specified context: ${contextName}`,
    )
  }
  const clusterName = flags.text('cluster') || text(context?.value, 'cluster')
  const userName = flags.global('user') || text(context?.value, 'user')
  const cluster = entryOf(merged.clusters, clusterName)
  const user = entryOf(merged.users, userName)
  if (flags.isSet('cluster') && !cluster)
    throw new Fault(`error: no server found for cluster ${JSON.stringify(clusterName)}`)
  if (flags.global('user') !== '' && !user)
    throw new Fault(`error: auth info "${userName}" does not exist`)
  const server = flags.text('server') || text(cluster?.value, 'server')
  if (server === '' && isInPod(io)) return inPod(flags, io)
  const folder = io.cwd
  const parts = {
    server: server === '' ? 'http://localhost:8080' : server,
    cluster: { ...cluster?.value, ...clusterFlags(flags, cluster) },
    clusterFolder: flags.isSet('certificate-authority') ? folder : folderOf(cluster),
    user: { ...(await prepared(user, io)), ...userFlags(flags) },
    userFolder: flags.isSet('client-certificate') ? folder : folderOf(user),
  }
  const config = await usable(() => configOf(parts))
  return {
    config: await usable(async () => withProxy(config, io)),
    namespace: text(context?.value, 'namespace'),
  }
}

/** The proxy of the configuration counts before the one of the environment. */
function withProxy(config: ClientConfig, io: Io): ClientConfig {
  const proxyUrl = config.proxyUrl ?? environmentProxy(serverUrl(config), io.env)
  return proxyUrl === undefined ? config : { ...config, proxyUrl }
}

const entryOf = (entries: ReadonlyMap<string, ConfigEntry>, name: string) =>
  name === '' ? undefined : entries.get(name)

const text = (map: ConfigMap | undefined, key: string): string =>
  map === undefined ? '' : (textOf(map, key) ?? '')

async function usable<T>(make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (cause) {
    throw new Fault(`error: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

const isInPod = (io: Io) =>
  Object.keys(io.env).some((name) => name.endsWith('_SERVICE_HOST')) &&
  Object.keys(io.env).some((name) => name.endsWith('_SERVICE_PORT'))

async function inPod(flags: FlagValues, io: Io): Promise<Chosen> {
  const config = await usable(async () => {
    const { env, secrets } = io
    return withProxy(await inClusterConfig({ env, ...(secrets ? { secrets } : {}) }), io)
  })
  const token = flags.text('token')
  const { tokenFile: _, ...others } = config
  return {
    config: token === '' ? config : { ...others, token },
    namespace: config.namespace ?? '',
  }
}

function clusterFlags(flags: FlagValues, cluster: ConfigEntry | undefined): ConfigMap {
  const set: Record<string, unknown> = {}
  const ca = flags.text('certificate-authority')
  if (ca !== '')
    Object.assign(set, { 'certificate-authority': ca, 'certificate-authority-data': '' })
  if (flags.isSet('insecure-skip-tls-verify')) {
    const skips = flags.is('insecure-skip-tls-verify')
    set['insecure-skip-tls-verify'] = skips
    if (skips && ca === '') {
      Object.assign(set, { 'certificate-authority': '', 'certificate-authority-data': '' })
    }
  }
  const name = flags.text('tls-server-name')
  if (name !== '') set['tls-server-name'] = name
  // Another server has another name.
  else if (flags.isSet('server') && cluster) set['tls-server-name'] = ''
  return set
}

function userFlags(flags: FlagValues): ConfigMap {
  const set: Record<string, unknown> = {}
  const token = flags.text('token')
  if (token !== '') {
    Object.assign(set, { token, tokenFile: '', username: '', password: '', exec: null })
  }
  for (const name of ['client-certificate', 'client-key']) {
    const path = flags.text(name)
    if (path !== '') Object.assign(set, { [name]: path, [`${name}-data`]: '' })
  }
  for (const name of ['username', 'password']) {
    if (flags.isSet(name))
      Object.assign(set, { [name]: flags.text(name), token: '', tokenFile: '' })
  }
  for (const name of ['token', 'as', 'as-uid', 'as-group'])
    if (flags.isSet(name) && /[^\t\x20-\x7E\x80-\uFFFF]/.test(flags.list(name).join('')))
      throw new Fault(`error: --${name} has a control character, which no header may have`)
  if (!flags.isSet('as') && (flags.isSet('as-uid') || flags.isSet('as-group')))
    throw new Fault(
      'error: requesting uid, groups or user-extra without impersonating a user: give --as too',
    )
  if (flags.isSet('as')) set.as = flags.text('as')
  if (flags.isSet('as-uid')) set['as-uid'] = flags.text('as-uid')
  if (flags.isSet('as-group')) set['as-groups'] = [...flags.list('as-group')]
  return set
}

/** A user whose tokens come from an identity provider has a fresh one then. */
async function prepared(user: ConfigEntry | undefined, io: Io): Promise<ConfigMap> {
  if (!user) return {}
  const provider = memberOf(user.value, 'auth-provider')
  if (provider === undefined) return user.value
  const { 'auth-provider': _, ...others } = user.value
  const { idToken } = await import('./oidc.ts')
  return { ...others, token: await usable(() => idToken(user, io)) }
}
