import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { Informer } from './informer.ts'
import type { FollowTarget, Transport } from './transport.ts'

test('an informer that begins again and again leaves no listener behind', async () => {
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  const clock = new ManualClock()
  let followed = 0
  const transport = {
    follow: (_: unknown, target: FollowTarget<object>) => {
      followed++
      target.ended()
      return Promise.resolve({ store: { get: () => null, *entries() {} }, end: () => {} })
    },
  } as unknown as Transport
  const informer = new Informer<object>(
    { transport, clock, ids: { fraction: () => 0 }, timeoutMs: 0 },
    {
      of: { group: '', version: 'v1', resource: 'things' },
      namespace: '',
      metadataOnly: false,
    },
  ).start()
  while (followed < 30) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1000)
  }
  await informer.stop()
  process.off('warning', note)
  expect(warnings).toEqual([])
})
