/** A server and webhooks in another process, with configurations that name them. */
import {
  startServer,
  type ObservedRequest,
  type RunningServer,
  type ServerOptions,
} from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import {
  webhookProcess,
  type Json,
  type Received,
  type WebhookProcess,
} from '../webhook-process.ts'

export const PLURALS = {
  mutating: 'mutatingwebhookconfigurations',
  validating: 'validatingwebhookconfigurations',
} as const
export type HookKind = keyof typeof PLURALS

/** A server with its client and one process of webhooks. */
export class Scene {
  readonly server: RunningServer
  readonly webhooks: WebhookProcess
  readonly client: Client
  readonly group: string
  readonly #ended: ObservedRequest[]

  constructor(server: RunningServer, webhooks: WebhookProcess, ended: ObservedRequest[]) {
    this.server = server
    this.webhooks = webhooks
    this.client = new Client(server)
    this.group = server.kubeconfig.includes('name: kubernetes')
      ? 'admissionregistration.k8s.io'
      : 'admissionregistration.orch.io'
    this.#ended = ended
  }

  path(kind: HookKind, name = ''): string {
    return `/apis/${this.group}/v1/${PLURALS[kind]}${name === '' ? '' : `/${name}`}`
  }

  /** A webhook of a configuration; what is not given selects every create. */
  hook(given: Json = {}): Json {
    const { clientConfig, ...rest } = given
    return {
      name: 'a.example.com',
      rules: [
        { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: clientConfig ?? {
        url: this.webhooks.url(`/${given.name ?? 'a.example.com'}`),
        caBundle: this.webhooks.caBundle,
      },
      ...rest,
    }
  }

  /** Creates a configuration. */
  async configure(kind: HookKind, name: string, ...hooks: Json[]): Promise<void> {
    const { status, text } = await this.client.post(this.path(kind), {
      metadata: { name },
      webhooks: hooks.map((hook) => this.hook(hook)),
    })
    if (status !== 201) throw new Error(text)
  }

  /** Deletes all configurations, and forgets what was asked. */
  async clear(): Promise<void> {
    for (const kind of ['mutating', 'validating'] as const)
      await this.client.delete(this.path(kind))
    this.webhooks.take()
    this.webhooks.reply = ({ review }) => ({
      body: {
        kind: review.kind,
        apiVersion: review.apiVersion,
        response: { uid: review.request.uid, allowed: true },
      },
    })
    this.#ended.length = 0
  }

  /** Requests of users that were sent to webhooks; all are forgotten. */
  taken(): Received[] {
    return this.webhooks
      .take()
      .filter(({ review }) => !review.request.userInfo.username.startsWith('system:'))
  }

  /** Audit annotations of the last request that ended for a path that starts like this. */
  annotations(path: string): Record<string, { readonly level: string; readonly value: string }> {
    const request = this.#ended.findLast((one) => one.target.startsWith(path))
    return Object.fromEntries(
      [...(request?.annotations ?? [])].filter(([key]) => !key.startsWith('authorization.')),
    )
  }

  async close(): Promise<void> {
    this.client.close()
    await this.server.close()
    this.webhooks.close()
  }
}

/** Starts a server and a process of webhooks. */
export async function scene(options: ServerOptions = {}, hosts: string[] = []): Promise<Scene> {
  const webhooks = await webhookProcess(hosts)
  const ended: ObservedRequest[] = []
  const server = await startServer({
    controllers: false,
    ...options,
    stages: [{ name: 'webhooks', responseComplete: (request) => void ended.push(request) }],
  })
  await server.settled()
  return new Scene(server, webhooks, ended)
}

/** What a refused request got. */
export const refusal = ({ status, body }: Reply) => ({
  status,
  code: body.code as number,
  reason: body.reason as string | undefined,
  message: body.message as string,
  details: body.details,
})

export const MAPS = '/api/v1/namespaces/default/configmaps'
export const map = (name: string, more: Json = {}): Json => ({
  metadata: { name, ...more },
  data: { a: '1' },
})
