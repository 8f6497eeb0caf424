/** One server for test files in many processes: started by the runner's global setup, found by its address. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OWNER_FILE } from '../base/folders.ts'
import { readFile } from '../base/files.ts'
import type { Client } from '../client/client.ts'
import type { ConnectOptions } from '../client/connect.ts'
import type { ApiObject } from '../client/transport.ts'
import { serveControl } from './control.ts'
import { eventually } from './eventually.ts'
import type { Manifests } from './manifests.ts'
import { TestNamespace } from './test-namespace.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'

/** The variable that processes of test files inherit: the kubeconfig of the server. */
const VARIABLE = 'ORCH_TEST_KUBECONFIG'
/** The address of the calls of `control.ts`. */
const CONTROL_VARIABLE = 'ORCH_TEST_CONTROL'

/**
 * Starts a server for all test files: call it in the runner's global setup, and close the server in its teardown. Test
 * files find it by {@link sharedServer}; programs in other languages by environment variables: `ORCH_TEST_KUBECONFIG` names the
 * kubeconfig file, and `ORCH_TEST_CONTROL` is the address of calls such as `reset`.
 */
export async function shareServer(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options)
  const folder = mkdtempSync(join(tmpdir(), 'test-server-'))
  const path = join(folder, 'kubeconfig')
  writeFileSync(path, server.kubeconfig, { mode: OWNER_FILE })
  const control = await serveControl(server)
  process.env[VARIABLE] = path
  process.env[CONTROL_VARIABLE] = control.url
  server.onClose(() => {
    delete process.env[VARIABLE]
    delete process.env[CONTROL_VARIABLE]
    rmSync(folder, { recursive: true, force: true })
    return control.close()
  })
  return server
}

/** The server of {@link shareServer}, as test files in other processes see it. Others use it meanwhile. */
export async function sharedServer(): Promise<SharedServer> {
  const path = process.env[VARIABLE]
  if (path === undefined)
    throw new Error(`${VARIABLE} is not set: call shareServer in the global setup of the runner`)
  const { connect } = await import('../client/connect.ts')
  const { readKubeconfig } = await import('../client/kubeconfig.ts')
  const kubeconfig = await readFile(path, 'utf8')
  const config = await readKubeconfig(kubeconfig)
  const client = await connect({ config })
  return new SharedServer(kubeconfig, client, (options) => connect({ ...options, config }))
}

/** A server that other test files use at the same time. */
export class SharedServer {
  /** Configuration of the administrator, for any client. */
  readonly kubeconfig: string
  /** The administrator, over the network. */
  readonly client: Client
  readonly #connect: (options: Omit<ConnectOptions, 'config'>) => Promise<Client>

  constructor(
    kubeconfig: string,
    client: Client,
    connect: (options: Omit<ConnectOptions, 'config'>) => Promise<Client>,
  ) {
    this.kubeconfig = kubeconfig
    this.client = client
    this.#connect = connect
  }

  /** Another client over the network, for instance with a user to impersonate. The caller closes it. */
  connect(options: Omit<ConnectOptions, 'config'> = {}): Promise<Client> {
    return this.#connect(options)
  }

  /** Creates a namespace with a name of its own, and waits for its default account. */
  async namespace(prefix = 'test'): Promise<TestNamespace> {
    const { client } = this
    const namespaces = client.resource('v1', 'namespaces')
    const { metadata } = await namespaces.create({ metadata: { generateName: `${prefix}-` } })
    const name = metadata!.name!
    const accounts = client.resource('v1', 'serviceaccounts').in(name)
    await eventually(async () => (await accounts.find('default')) !== null)
    // The clock belongs to the server: controllers take the seconds that they take.
    return new TestNamespace(name, client, () => Promise.resolve())
  }

  /** Applies objects, as on a server of one's own. */
  async apply(manifests: Manifests): Promise<readonly ApiObject[]> {
    const { applyManifests } = await import('./manifests.ts')
    return applyManifests(this.client, manifests)
  }

  /** Closes the connections of the client. */
  close(): void {
    this.client.close()
  }
}
