import { afterAll, beforeAll, expect, test } from 'vitest'
import { hurriedClock, remoteService, type RemoteService } from '../../../test/remote-service.ts'
import { kubernetes } from '../../vocabulary/kubernetes.ts'
import { openImagePolicy } from './backend.ts'

let webhook: RemoteService
beforeAll(async () => {
  webhook = await remoteService()
})
afterAll(() => webhook.close())

const allowed = {
  body: {
    kind: 'ImageReview',
    apiVersion: 'imagepolicy.k8s.io/v1alpha1',
    status: { allowed: true },
  },
}
const never = new AbortController().signal

async function open(retryDelayMs: number) {
  const delays: number[] = []
  const config = {
    client: webhook.config,
    allowTtlMs: 0,
    denyTtlMs: 0,
    retryDelayMs,
    defaultAllow: false,
  }
  const deps = { v: kubernetes, clock: hurriedClock(delays), ids: { fraction: () => 0 } }
  webhook.requests.splice(0)
  return { backend: await openImagePolicy(config, deps), delays }
}

test('calls that may succeed soon are repeated, later each time', async () => {
  const { backend, delays } = await open(20)
  webhook.replies = [{ code: 500 }, { code: 504 }, { code: 429 }, { code: 500 }, allowed]
  expect(await backend.decide({}, never)).toEqual({
    allowed: true,
    reason: '',
    auditAnnotations: new Map(),
  })
  expect([webhook.requests.length, delays]).toEqual([5, [20, 30, 45, 68]])
  backend.close()
})

test('five times at most', async () => {
  const { backend, delays } = await open(500)
  webhook.replies = [{ code: 500 }]
  await expect(backend.decide({}, never)).rejects.toThrow(
    `Post "${webhook.url}?timeout=30s": the server answered 500 Internal Server Error`,
  )
  expect([webhook.requests.length, delays]).toEqual([5, [500, 750, 1125, 1688]])
  backend.close()
})

test('a client that has gone is not waited for', async () => {
  const { backend } = await open(500)
  webhook.replies = ['hang']
  const gone = new AbortController()
  webhook.onRequest = () => gone.abort()
  await expect(backend.decide({}, gone.signal)).rejects.toThrow('context canceled')
  webhook.onRequest = () => {}
  backend.close()
})
