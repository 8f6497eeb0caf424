/** A server of a plugin's own tests, and the answers that they expect. */
import { startServer, type RunningServer, type ServerOptions } from '../src/index.ts'
import { Client, type Reply } from './client.ts'

/** A server without controllers, and its administrator. Pods need no service account unless a test says otherwise. */
export class Scene {
  readonly server: RunningServer
  readonly client: Client

  private constructor(server: RunningServer) {
    this.server = server
    this.client = new Client(server)
  }

  static async start(options: ServerOptions = {}): Promise<Scene> {
    const server = await startServer({
      controllers: false,
      disableAdmissionPlugins: ['ServiceAccount'],
      ...options,
    })
    await server.settled()
    return new Scene(server)
  }

  /** Makes objects that must be accepted. */
  async make(path: string, ...objects: readonly object[]): Promise<void> {
    for (const object of objects) {
      const { status, text } = await this.client.post(path, object)
      if (status !== 201) throw new Error(text)
    }
  }

  async close(): Promise<void> {
    this.client.close()
    await this.server.close()
  }
}

export const CORE = '/api/v1'
export const NS = `${CORE}/namespaces/default`

/** A pod of one container. */
export const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

/** The Status of a refusal. */
export const refusal = (group: string, resource: string, name: string, why: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `${resource}${group === '' ? '' : `.${group}`} "${name}" is forbidden: ${why}`,
  reason: 'Forbidden',
  details: { name, ...(group === '' ? {} : { group }), kind: resource },
  code: 403,
})

/** Code and Status of an answer, for whole comparison with a refusal. */
export const answer = ({ status, body }: Reply) => [status, body] as const
