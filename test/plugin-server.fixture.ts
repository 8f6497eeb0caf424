/** A server with some plugins enabled, for tests of each through HTTPS. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer, type RunningServer, type ServerOptions } from '../src/index.ts'
import { Client } from './client.ts'

/** Plugins that change or refuse the pods of tests that are about others. */
const OF_PODS = [
  'DefaultTolerationSeconds',
  'LimitRanger',
  'PodSecurity',
  'Priority',
  'ServiceAccount',
]

/** A running server with its administrator. */
export interface PluginServer {
  readonly server: RunningServer
  readonly admin: Client
  close(): Promise<void>
}

/** Starts a server in memory with plugins enabled, without controllers and the plugins that meddle with pods. */
export async function serverWith(
  enable: readonly string[],
  options: ServerOptions = {},
): Promise<PluginServer> {
  const server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    enableAdmissionPlugins: [...enable],
    disableAdmissionPlugins: OF_PODS.filter((name) => !enable.includes(name)),
    ...options,
  })
  await server.settled()
  const admin = new Client(server)
  return {
    server,
    admin,
    async close() {
      admin.close()
      await server.close()
    },
  }
}

export const NS = '/api/v1/namespaces/default'
export const PODS = `${NS}/pods`

/** A pod with one container; `spec` adds to it. */
export const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

/** The whole refusal of a request about an object. */
export const forbidden = (kind: string, name: string, why: string, group = '') => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `${kind}${group === '' ? '' : `.${group}`} "${name}" is forbidden: ${why}`,
  reason: 'Forbidden',
  details: { name, ...(group === '' ? {} : { group }), kind },
  code: 403,
})

/** The whole answer about an object that does not exist. */
export const missing = (kind: string, name: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `${kind} "${name}" not found`,
  reason: 'NotFound',
  details: { name, kind },
  code: 404,
})

/** A file of configuration for one plugin, in JSON; removed by `remove`. */
function configFile(name: string, configuration: unknown) {
  const dir = mkdtempSync(join(tmpdir(), 'admission-config-'))
  const path = join(dir, 'admission.yaml')
  const plugins = [{ name, configuration }]
  const apiVersion = 'apiserver.config.k8s.io/v1'
  writeFileSync(path, JSON.stringify({ apiVersion, kind: 'AdmissionConfiguration', plugins }))
  return { path, remove: () => rmSync(dir, { recursive: true }) }
}

/** Starts a server with one plugin and its configuration. */
export async function serverConfigured(
  name: string,
  configuration: unknown,
  options: ServerOptions = {},
): Promise<PluginServer> {
  const { path, remove } = configFile(name, configuration)
  try {
    return await serverWith([name], { ...options, admissionConfigFile: path })
  } finally {
    remove()
  }
}

/** The error of a server that cannot start with a configuration, without the place of its file. */
export async function startFault(name: string, configuration: unknown): Promise<string> {
  try {
    await (await serverConfigured(name, configuration)).close()
    return 'it has started'
  } catch (error) {
    return (error as Error).message.replace(/^admissionConfigFile: \S+: /, '')
  }
}
