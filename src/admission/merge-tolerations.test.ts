import { describe, expect, test } from 'vitest'
import type { Toleration } from '../kinds/core/toleration.ts'
import { mergeTolerations } from './merge-tolerations.ts'

type Loose = Omit<Partial<Toleration>, 'operator' | 'effect'> & {
  operator?: string
  effect?: string
}
const merged = (first: readonly Loose[], second: readonly Loose[]) =>
  mergeTolerations(first as Toleration[], second as Toleration[])

const anyKey = { operator: 'Exists' }
const exists = { key: 'a', operator: 'Exists' }
const equal = { key: 'a', operator: 'Equal', value: 'x' }
const plain = { key: 'a', value: 'x' }
const noExecute = { key: 'a', operator: 'Exists', effect: 'NoExecute' }

const rows: readonly [string, readonly Loose[], readonly Loose[], readonly Loose[]][] = [
  ['nothing', [], [], []],
  [
    'different ones',
    [equal],
    [{ key: 'b', operator: 'Exists' }],
    [equal, { key: 'b', operator: 'Exists' }],
  ],
  ['equal ones', [equal, exists, equal], [exists], [exists]],
  ['Exists covers Equal', [equal], [exists], [exists]],
  ['an earlier one too', [exists], [equal], [exists]],
  ['every key covers a key', [exists, equal], [anyKey], [anyKey]],
  ['a key does not cover every key', [anyKey], [exists], [anyKey]],
  ['no operator covers Equal', [equal], [plain], [plain]],
  ['Equal does not cover no operator', [plain], [equal], [plain]],
  [
    'Equal of another value',
    [equal],
    [{ ...equal, value: 'y' }],
    [equal, { ...equal, value: 'y' }],
  ],
  ['every effect covers an effect', [noExecute], [exists], [exists]],
  [
    'an effect does not cover another',
    [noExecute],
    [{ ...exists, effect: 'NoSchedule' }],
    [noExecute, { ...exists, effect: 'NoSchedule' }],
  ],
  ['forever covers seconds', [{ ...noExecute, tolerationSeconds: 5 }], [noExecute], [noExecute]],
  [
    'more seconds cover fewer',
    [{ ...noExecute, tolerationSeconds: 5 }],
    [{ ...noExecute, tolerationSeconds: 6 }],
    [{ ...noExecute, tolerationSeconds: 6 }],
  ],
  [
    'seconds do not cover forever',
    [noExecute],
    [{ ...noExecute, tolerationSeconds: 6 }],
    [noExecute],
  ],
]
describe('merged tolerations', () => {
  for (const [name, first, second, expected] of rows)
    test(name, () => expect(merged(first, second)).toEqual(expected))

  test('of long lists are found at once', () => {
    const size = 10_000
    for (const list of [
      Array.from({ length: size }, (_, i) => ({ ...noExecute, tolerationSeconds: i })),
      Array.from({ length: size }, (_, i) => ({ ...noExecute, tolerationSeconds: size - i })),
    ])
      expect(merged(list, list)).toHaveLength(1)
    for (const list of [
      Array.from({ length: size }, (_, i) => ({ ...plain, tolerationSeconds: i })),
      Array.from({ length: size }, (_, i) => ({ ...plain, value: `${i}` })),
      Array.from({ length: size }, (_, i) => ({ ...exists, key: `${i}` })),
      Array.from({ length: size }, (_, i) => ({ ...exists, effect: `${i}` })),
    ])
      expect(merged(list, list)).toHaveLength(size)
  })
})
