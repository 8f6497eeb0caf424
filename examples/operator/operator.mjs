// A small operator with the public client library: each Page is published as a config map that it owns. A deleted page
// is first taken out of the index.
import {
  ApiextensionsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node'
import { definition, FINALIZER, GROUP } from './definition.mjs'
import { startWebhook } from './webhook.mjs'

const PAGES = { group: GROUP, version: 'v1', plural: 'pages' }
const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)
const RETRY_MS = 200

/** Starts the operator against the cluster of a kubeconfig; gives the index of what is published, and what ends it. */
export async function startOperator(config) {
  const pages = config.makeApiClient(CustomObjectsApi)
  const core = config.makeApiClient(CoreV1Api)
  const webhook = await startWebhook()
  await define(config.makeApiClient(ApiextensionsV1Api), definition(webhook.url, webhook.cert))
  /** Stands for something outside of the cluster. */
  const index = new Map()

  async function reconcile(page) {
    const { name, namespace, deletionTimestamp, finalizers = [] } = page.metadata
    const at = { ...PAGES, namespace, name }
    if (deletionTimestamp) {
      index.delete(name)
      const left = finalizers.filter((one) => one !== FINALIZER)
      if (left.length === finalizers.length) return
      const { resourceVersion } = page.metadata
      const body = { metadata: { resourceVersion, finalizers: left } }
      await pages.patchNamespacedCustomObject({ ...at, body }, MERGE)
      return
    }
    if (!finalizers.includes(FINALIZER)) {
      const { resourceVersion } = page.metadata
      const body = { metadata: { resourceVersion, finalizers: [...finalizers, FINALIZER] } }
      // The change comes back as an event.
      await pages.patchNamespacedCustomObject({ ...at, body }, MERGE)
      return
    }
    await publish(page)
    index.set(name, page.spec.title)
    const status = {
      phase: 'Published',
      configMap: name,
      observedGeneration: page.metadata.generation,
    }
    if (page.status?.observedGeneration === status.observedGeneration) return
    await pages.patchNamespacedCustomObjectStatus({ ...at, body: { status } }, MERGE)
  }

  async function publish({ apiVersion, kind, metadata: { name, namespace, uid }, spec }) {
    const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
    const data = { title: spec.title, text: spec.text ?? '' }
    const body = { metadata: { name, namespace, ownerReferences: [owner] }, data }
    try {
      await core.createNamespacedConfigMap({ namespace, body })
    } catch (error) {
      if (error.code !== 409) throw error
      await core.patchNamespacedConfigMap({ namespace, name, body: { data } }, MERGE)
    }
  }

  const { informer, idle } = follow(config, pages, reconcile)
  await informer.start()
  return {
    index,
    async close() {
      await informer.stop()
      await idle()
      await webhook.close()
    },
  }
}

/** Calls back with the newest state of each object, one after the other, until that succeeds. */
function follow(config, pages, reconcile) {
  const path = `/apis/${GROUP}/v1/pages`
  const informer = makeInformer(config, path, () => pages.listClusterCustomObject(PAGES))
  const newest = new Map()
  let isEnded = false
  let last = Promise.resolve()
  const work = (uid) => {
    last = last.then(async () => {
      const page = newest.get(uid)
      newest.delete(uid)
      if (!page || isEnded) return
      try {
        await reconcile(page)
      } catch (error) {
        // A conflict is followed by the event of what was written; all else is tried again.
        if (error.code === 409 || error.code === 404 || isEnded) return
        setTimeout(() => changed(newest.get(uid) ?? page), RETRY_MS).unref()
      }
    })
  }
  const changed = (page) => {
    newest.set(page.metadata.uid, page)
    work(page.metadata.uid)
  }
  informer.on('add', changed)
  informer.on('update', changed)
  informer.on('error', () => {
    if (!isEnded) setTimeout(() => void informer.start(), RETRY_MS).unref()
  })
  const idle = () => {
    isEnded = true
    return last
  }
  return { informer, idle }
}

/** Creates the definition, or brings it up to date, and waits until it is in force. */
async function define(api, body) {
  const { name } = body.metadata
  try {
    await api.createCustomResourceDefinition({ body })
  } catch (error) {
    if (error.code !== 409) throw error
    await api.patchCustomResourceDefinition({ name, body: { spec: body.spec } }, MERGE)
  }
  for (;;) {
    const { status } = await api.readCustomResourceDefinition({ name })
    const isReady = ({ type, status: is }) => type === 'Established' && is === 'True'
    if (status?.conditions?.some(isReady)) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
