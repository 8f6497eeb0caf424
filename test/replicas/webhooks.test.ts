/** Webhooks that were configured on one server are called by the other. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hasEtcd } from '../store/etcd.ts'
import { webhookProcess, type WebhookProcess } from '../webhook-process.ts'
import { startPair, type Pair } from './pair.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const CONFIGURATIONS = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations'
/** What an administrator may wait for. */
const SOON = { timeout: 1_000, interval: 10 }

let pair: Pair
let webhooks: WebhookProcess
beforeAll(async () => {
  if (!hasEtcd) return
  pair = await startPair()
  webhooks = await webhookProcess()
})
afterAll(async () => {
  await pair?.close()
  webhooks?.close()
})

test.skipIf(!hasEtcd)('within a second, and no longer when they are deleted', async () => {
  const made = await pair.prompt.post(CONFIGURATIONS, {
    metadata: { name: 'c' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { url: webhooks.url(), caBundle: webhooks.caBundle },
        rules: [
          { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  expect(made.status).toBe(201)
  const isCalled = async () => {
    webhooks.take()
    const dryRun = await pair.late.post(`${MAPS}?dryRun=All`, { metadata: { name: 'x' } })
    return [dryRun.status, webhooks.take().length]
  }
  await vi.waitFor(async () => expect(await isCalled()).toEqual([201, 1]), SOON)
  expect((await pair.prompt.delete(`${CONFIGURATIONS}/c`)).status).toBe(200)
  await vi.waitFor(async () => expect(await isCalled()).toEqual([201, 0]), SOON)
})

test.skipIf(!hasEtcd)(
  'with the labels of a namespace that another server has just made',
  async () => {
    const namespaces = '/api/v1/namespaces'
    await pair.prompt.post(CONFIGURATIONS, {
      metadata: { name: 'd' },
      webhooks: [
        {
          name: 'a.example.com',
          clientConfig: { url: webhooks.url(), caBundle: webhooks.caBundle },
          namespaceSelector: { matchLabels: { team: 'a' } },
          rules: [
            { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
          ],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    })
    await vi.waitFor(
      async () => expect((await pair.late.get(`${CONFIGURATIONS}/d`)).status).toBe(200),
      SOON,
    )
    for (let i = 0; i < 5; i++) {
      const name = `n${i}`
      await pair.prompt.post(namespaces, { metadata: { name, labels: { team: 'a' } } })
      webhooks.take()
      const path = `${namespaces}/${name}/configmaps`
      expect((await pair.late.post(path, { metadata: { name: 'x' } })).status).toBe(201)
      const seen = webhooks.take().map(({ review }) => review.request.name)
      expect(seen).toContain('x')
    }
  },
)
