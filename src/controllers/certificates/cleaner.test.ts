import { afterEach, beforeEach, expect, test } from 'vitest'
import { certificateRequest, signingRequest } from '../../../test/certificate-request.ts'
import { issue } from '../../pki/issue.ts'
import { inProcess } from '../../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from '../index.ts'
import { certificateCleaner } from './cleaner.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const KIND = ['certificates.orch.io/v1', 'certificatesigningrequests'] as const

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
beforeEach(async () => {
  context = await inProcess()
  running = startControllers(context.controllerContext, [certificateCleaner])
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const decision = (type: string) => [{ type, status: 'True', reason: 'Test', message: 'm' }]

for (const { name, decided, failed, lifeMs, keptMs, goneMs } of [
  { name: 'pending', keptMs: DAY_MS, goneMs: DAY_MS + HOUR_MS },
  { name: 'denied', decided: 'Denied', keptMs: HOUR_MS, goneMs: 2 * HOUR_MS },
  { name: 'failed', decided: 'Approved', failed: true, keptMs: HOUR_MS, goneMs: 2 * HOUR_MS },
  { name: 'issued', decided: 'Approved', lifeMs: DAY_MS, keptMs: HOUR_MS, goneMs: 2 * HOUR_MS },
  {
    name: 'expired',
    decided: 'Approved',
    lifeMs: 30 * MINUTE_MS,
    keptMs: 30 * MINUTE_MS,
    goneMs: HOUR_MS,
  },
  { name: 'approved', decided: 'Approved', keptMs: 9 * DAY_MS, goneMs: null },
] as {
  name: string
  decided?: string
  failed?: boolean
  lifeMs?: number
  keptMs: number
  goneMs: number | null
}[]) {
  test(name, async () => {
    const made = await certificateRequest({ subject: '/CN=x' })
    const signerName = 'orch.io/orch-apiserver-client'
    const place = [...KIND, '', 'r'] as const
    await context.hand.create(
      KIND,
      signingRequest('r', made, { signerName, usages: ['client auth'] }),
    )
    if (decided !== undefined) {
      await context.hand.patch(place, { status: { conditions: decision(decided) } }, 'approval')
    }
    if (failed === true) {
      const { status } = await context.hand.get(place)
      const conditions = [...status.conditions, ...decision('Failed')]
      await context.hand.patch(place, { status: { conditions } }, 'status')
    }
    const now = context.clock.now()
    if (lifeMs !== undefined) {
      const { cert } = issue({
        subject: { commonName: 'x' },
        use: 'client',
        notBeforeMs: now - HOUR_MS,
        notAfterMs: now + lifeMs,
      })
      const certificate = Buffer.from(cert).toString('base64')
      await context.hand.patch(place, { status: { certificate } }, 'status')
    }
    const isThere = async (atMs: number) => {
      // The controller looks each hour.
      while (context.clock.now() < now + atMs) {
        context.clock.advance(Math.min(HOUR_MS, now + atMs - context.clock.now()))
        await running.idle()
      }
      return (await context.hand.names(KIND)).length === 1
    }
    await running.idle()
    expect(await isThere(keptMs)).toBe(true)
    if (goneMs !== null) expect(await isThere(goneMs)).toBe(false)
  })
}
