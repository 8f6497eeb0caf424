// The operator when the server is not as it should be. Run by node:test.
import { CustomObjectsApi, KubeConfig } from '@kubernetes/client-node'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestServer } from 'orch/testing'
import { startOperator } from './operator.mjs'

const pagesOf = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'pages' }
const page = (name) => ({
  apiVersion: 'example.com/v1',
  kind: 'Page',
  metadata: { name },
  spec: { text: 'hello' },
})

let server
let operator
let pages
before(async () => {
  server = await startTestServer({ vocabulary: 'kubernetes' })
  const config = new KubeConfig()
  config.loadFromString(server.kubeconfig)
  operator = await startOperator(config)
  pages = config.makeApiClient(CustomObjectsApi)
})
after(async () => {
  await operator.close()
  await server.close()
})

const published = (name) =>
  server.eventually(
    async () => {
      const { status } = await pages.getNamespacedCustomObject({ ...pagesOf, name })
      return status?.phase === 'Published'
    },
    { timeoutMs: 20_000 },
  )

test('it comes back after its watch broke', async () => {
  await server.requests.until({ verb: 'watch', resource: 'pages.example.com' })
  assert.ok(server.dropWatches({ resource: 'pages.example.com' }) > 0)
  await pages.createNamespacedCustomObject({ ...pagesOf, body: page('home') })
  await published('home')
})

test('it tries again when it cannot write', async () => {
  const fault = server.fail({ verb: 'create', resource: 'configmaps', status: 503, times: 2 })
  await pages.createNamespacedCustomObject({ ...pagesOf, body: page('news') })
  await published('news')
  assert.equal(fault.hits, 2)
  const [refused] = server.requests.find({ verb: 'create', resource: 'configmaps' }).slice(-3)
  assert.equal(refused.status, 503)
})

test('its webhook is asked for the first version', async () => {
  const old = await pages.getNamespacedCustomObject({
    ...pagesOf,
    version: 'v1alpha1',
    name: 'home',
  })
  assert.equal(old.spec.message, 'hello')
  const [call] = server.webhooks.expect({ kind: 'ConversionReview' })
  assert.equal(call.request.request.desiredAPIVersion, 'example.com/v1alpha1')
  assert.equal(call.response.response.convertedObjects[0].spec.message, 'hello')
})
