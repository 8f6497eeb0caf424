import { expect, test } from 'vitest'
import { codecOf, Decoding } from '../../codec/codec.ts'
import { orch } from '../../vocabulary/orch.ts'
import { Eviction, EvictionV1beta1 } from './eviction.ts'

for (const [apiVersion, { shape }] of [
  ['policy/v1', Eviction],
  ['policy/v1beta1', EvictionV1beta1],
] as const) {
  test(`${apiVersion} carries how the pod is deleted`, () => {
    const body = {
      metadata: { name: 'p' },
      deleteOptions: { gracePeriodSeconds: 3, dryRun: ['All'], preconditions: { uid: 'u' } },
    }
    const decoding = new Decoding()
    expect(codecOf(shape, orch).decode(body, decoding)).toEqual(body)
    expect(decoding.unknown).toEqual([])
    expect(shape.name).toBe('Eviction')
  })
}
