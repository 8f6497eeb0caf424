/** Webhooks that an extension server serves behind this server: they name this server's own service. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  ExtensionServer,
  extensionCa,
  localService,
  publishedOf,
} from './extension-server.fixture.ts'

const GV = 'reviews.example.com/v1'
const PATH = `/apis/${GV}/configmapreviews`
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

let server: RunningServer
let client: Client
let backend: ExtensionServer

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes', proxiesToLoopback: true })
  await server.settled()
  client = new Client(server)
  const published = await publishedOf(client)
  backend = await ExtensionServer.start(published['requestheader-client-ca-file']!)
  backend.answer = ({ body }, response) => {
    response.setHeader('content-type', 'application/json')
    if (body === '') return response.end('{}')
    const { apiVersion, request } = JSON.parse(body)
    const allowed = request.name !== 'bad'
    const status = { code: 418, message: 'bad is bad' }
    const review = { uid: request.uid, allowed, ...(allowed ? {} : { status }) }
    response.end(JSON.stringify({ apiVersion, kind: 'AdmissionReview', response: review }))
  }
  await client.post('/api/v1/namespaces/default/services', localService('ext'))
  const caBundle = Buffer.from(extensionCa).toString('base64')
  const service = { namespace: 'default', name: 'ext', port: backend.port }
  await client.post(APISERVICES, apiService(GV, { service, caBundle }))
  await conditionOf(client, 'v1.reviews.example.com', ({ status }) => status === 'True')
})
afterAll(async () => {
  client?.close()
  await backend?.close()
  await server?.close()
})

const configuration = (path: string, port?: number) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'reviews' },
  webhooks: [
    {
      name: 'reviews.example.com',
      clientConfig: { service: { namespace: 'default', name: 'kubernetes', path, port } },
      rules: [
        { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
      ],
      objectSelector: { matchLabels: { reviewed: 'yes' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
})

const created = (name: string) =>
  client.post(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { reviewed: 'yes' } },
  })

describe('a webhook of the own service', () => {
  test('is called through this server, as this server', async () => {
    await client.post(WEBHOOKS, configuration(PATH))
    try {
      await expect
        .poll(async () => {
          const { status, body } = await created('bad')
          return { status, message: body.message }
        })
        .toEqual({
          status: 418,
          message: 'admission webhook "reviews.example.com" denied the request: bad is bad',
        })
      expect((await created('good')).status).toBe(201)
      const { line, headers } = backend.ofUsers.at(-1)!
      expect({ line, user: headers['x-remote-user'], groups: headers['x-remote-group'] }).toEqual({
        line: `POST ${PATH}?timeout=10s`,
        user: 'system:apiserver',
        groups: 'system:masters',
      })
    } finally {
      await client.delete(`${WEBHOOKS}/reviews`)
    }
  })

  test('is unknown at a port that the service does not have', async () => {
    await client.post(WEBHOOKS, configuration(PATH, 8443))
    try {
      await expect
        .poll(async () => {
          const { status, body } = await created('neither')
          return { status, message: body.message }
        })
        .toEqual({
          status: 500,
          message:
            'Internal error occurred: failed calling webhook "reviews.example.com": failed to call webhook: Post "https://kubernetes.default.svc:8443/apis/reviews.example.com/v1/configmapreviews?timeout=10s": no service port 8443 found for service "kubernetes"',
        })
    } finally {
      await client.delete(`${WEBHOOKS}/reviews`)
    }
  })
})
