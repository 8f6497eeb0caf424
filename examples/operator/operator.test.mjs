// The operator against a server in the same process. Run by node:test.
import { CoreV1Api, CustomObjectsApi, KubeConfig } from '@kubernetes/client-node'
import { startServer } from 'orch'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startOperator } from './operator.mjs'

const at = (version, name) => ({
  group: 'example.com',
  version,
  namespace: 'default',
  plural: 'pages',
  ...(name === undefined ? {} : { name }),
})

let server
let operator
let pages
let core
before(async () => {
  server = await startServer({ vocabulary: 'kubernetes' })
  const config = new KubeConfig()
  config.loadFromString(server.kubeconfig)
  operator = await startOperator(config)
  pages = config.makeApiClient(CustomObjectsApi)
  core = config.makeApiClient(CoreV1Api)
})
after(async () => {
  await operator.close()
  await server.close()
})

/** Waits until a question has the answer that is looked for. */
async function until(ask) {
  for (let end = Date.now() + 20_000; ; await new Promise((next) => setTimeout(next, 20))) {
    const found = await ask().catch((error) => {
      if (error.code !== 404) throw error
      return null
    })
    if (found) return found
    if (Date.now() > end) throw new Error(`in vain: ${ask}`)
  }
}
const gone = (ask) =>
  until(() =>
    ask().then(
      () => false,
      (error) => error.code === 404,
    ),
  )
const published = (name, generation) =>
  until(async () => {
    const page = await pages.getNamespacedCustomObject(at('v1', name))
    return page.status?.observedGeneration === generation && page
  })

test('a page is published, changed and taken back', async () => {
  const body = {
    apiVersion: 'example.com/v1',
    kind: 'Page',
    metadata: { name: 'home' },
    spec: { text: 'hello' },
  }
  await pages.createNamespacedCustomObject({ ...at('v1'), body })
  const page = await published('home', 1)
  assert.deepEqual(page.spec, { text: 'hello', title: 'Untitled' })
  assert.deepEqual(page.status, { phase: 'Published', configMap: 'home', observedGeneration: 1 })
  const map = { name: 'home', namespace: 'default' }
  const made = await core.readNamespacedConfigMap(map)
  assert.deepEqual(made.data, { title: 'Untitled', text: 'hello' })
  assert.equal(made.metadata.ownerReferences[0].uid, page.metadata.uid)

  const { metadata } = await pages.getNamespacedCustomObject(at('v1', 'home'))
  const changed = { ...body, metadata, spec: { text: 'hello again', title: 'Home' } }
  await pages.replaceNamespacedCustomObject({ ...at('v1', 'home'), body: changed })
  await published('home', 2)
  assert.equal((await core.readNamespacedConfigMap(map)).data.text, 'hello again')
  assert.deepEqual([...operator.index], [['home', 'Home']])

  await pages.deleteNamespacedCustomObject(at('v1', 'home'))
  await gone(() => pages.getNamespacedCustomObject(at('v1', 'home')))
  assert.deepEqual([...operator.index], [])
  // It belonged to the page.
  await gone(() => core.readNamespacedConfigMap(map))
})

test('clients of the first version go on', async () => {
  const body = {
    apiVersion: 'example.com/v1alpha1',
    kind: 'Page',
    metadata: { name: 'old' },
    spec: { message: 'as before' },
  }
  const made = await pages.createNamespacedCustomObject({ ...at('v1alpha1'), body })
  assert.equal(made.spec.message, 'as before')
  const page = await published('old', 1)
  assert.deepEqual(page.spec, { text: 'as before', title: 'Untitled' })
  const shown = await pages.getNamespacedCustomObject(at('v1alpha1', 'old'))
  assert.deepEqual(shown.spec, { message: 'as before', title: 'Untitled' })
})
