import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatTime } from '../../base/time.ts'
import { inProcess } from '../../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from '../index.ts'
import { tokenCleaner } from './cleaner.ts'
import { bootstrapSigner } from './signer.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
beforeEach(async () => {
  context = await inProcess()
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const SECRETS = ['/v1', 'secrets', 'orch-system'] as const
const MAPS = ['/v1', 'configmaps', 'orch-public'] as const
const INFO = [...MAPS, 'cluster-info'] as const
const SECRET = '0123456789abcdef'

/** Creates a token; `null` leaves a part out. */
const token = (id: string, parts: Record<string, string | null> = {}, more: object = {}) => {
  const data = { 'token-id': id, 'token-secret': SECRET, 'usage-bootstrap-signing': 'true' }
  const stringData = Object.fromEntries(
    Object.entries({ ...data, ...parts }).filter(([, text]) => text !== null),
  )
  return context.hand.create(SECRETS, {
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.orch.io/token',
    stringData,
    ...more,
  })
}
const inMs = (ms: number) => formatTime(context.clock.now() + ms)

describe('the cleaner deletes a token', () => {
  for (const { name, expiration, afterMs, isKept } of [
    { name: 'without an end never', expiration: () => null, afterMs: 9e9, isKept: true },
    { name: 'not before its end', expiration: () => inMs(60_000), afterMs: 59_999, isKept: true },
    { name: 'at its end', expiration: () => inMs(60_000), afterMs: 60_000, isKept: false },
    { name: 'that has ended', expiration: () => inMs(-1000), afterMs: 0, isKept: false },
    { name: 'whose end is no time', expiration: () => 'tomorrow', afterMs: 0, isKept: false },
  ]) {
    test(name, async () => {
      running = startControllers(context.controllerContext, [tokenCleaner])
      await token('abcdef', { expiration: expiration() })
      await running.idle()
      context.clock.advance(afterMs)
      await running.idle()
      expect(await context.hand.names(SECRETS)).toEqual(isKept ? ['bootstrap-token-abcdef'] : [])
    })
  }

  test('and no other secret', async () => {
    running = startControllers(context.controllerContext, [tokenCleaner])
    await token('abcdef', { expiration: inMs(-1000) }, { type: 'Opaque' })
    await running.idle()
    expect(await context.hand.names(SECRETS)).toEqual(['bootstrap-token-abcdef'])
  })
})

describe('the signer', () => {
  const KUBECONFIG = 'apiVersion: v1\nkind: Config\n'
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  const signature = (id: string) => {
    const header = encoded(`{"alg":"HS256","kid":"${id}"}`)
    const mac = createHmac('sha256', `${id}.${SECRET}`)
    return `${header}..${mac.update(`${header}.${encoded(KUBECONFIG)}`).digest('base64url')}`
  }
  const start = async (data: Record<string, string> = { kubeconfig: KUBECONFIG }) => {
    running = startControllers(context.controllerContext, [bootstrapSigner])
    await context.hand.create(MAPS, { metadata: { name: 'cluster-info' }, data })
  }
  const data = async () => {
    await running.idle()
    return (await context.hand.get(INFO)).data
  }

  test('signs with every token that may sign', async () => {
    await start()
    await token('aaaaaa')
    await token('bbbbbb', { expiration: inMs(60_000) })
    await token('cccccc', { 'usage-bootstrap-signing': 'false' })
    await token('dddddd', { 'token-id': 'eeeeee' })
    await token('ffffff', { 'token-secret': null })
    await token('gggggg', { expiration: inMs(-1000) })
    await token('hhhhhh', {}, { type: 'Opaque' })
    await token('toolong', { 'token-id': 'toolong' })
    expect(await data()).toEqual({
      kubeconfig: KUBECONFIG,
      'jws-kubeconfig-aaaaaa': signature('aaaaaa'),
      'jws-kubeconfig-bbbbbb': signature('bbbbbb'),
    })
    context.clock.advance(60_000)
    expect(Object.keys(await data())).toEqual(['jws-kubeconfig-aaaaaa', 'kubeconfig'])
    await context.hand.delete([...SECRETS, 'bootstrap-token-aaaaaa'])
    expect(await data()).toEqual({ kubeconfig: KUBECONFIG })
  })

  test('takes false signatures away and leaves other entries', async () => {
    await start({ kubeconfig: KUBECONFIG, other: 'x', 'jws-kubeconfig-zzzzzz': 'false' })
    expect(await data()).toEqual({ kubeconfig: KUBECONFIG, other: 'x' })
  })

  test('signs anew what has changed', async () => {
    await start({ kubeconfig: 'old' })
    await token('aaaaaa')
    const old = (await data())['jws-kubeconfig-aaaaaa']
    await context.hand.patch(INFO, { data: { kubeconfig: KUBECONFIG } })
    expect(old).not.toBe(signature('aaaaaa'))
    expect((await data())['jws-kubeconfig-aaaaaa']).toBe(signature('aaaaaa'))
  })

  test('writes nothing without a configuration, or when all is signed', async () => {
    await start({ other: 'x' })
    await token('aaaaaa')
    expect(await data()).toEqual({ other: 'x' })
    await context.hand.patch(INFO, { data: { kubeconfig: KUBECONFIG } })
    await data()
    const { resourceVersion } = (await context.hand.get(INFO)).metadata
    await token('bbbbbb', { 'usage-bootstrap-signing': 'false' })
    await data()
    expect((await context.hand.get(INFO)).metadata.resourceVersion).toBe(resourceVersion)
  })
})
