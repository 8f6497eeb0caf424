import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { Toleration } from '../../kinds/core/toleration.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import { defaultSettings } from '../settings.ts'
import { copiedLabels, taintedByConditions, taintedToEvict } from './node-taints.ts'
import { nodeWords } from './node-words.ts'
import { toleratedMs } from './tolerations.ts'
import { evictionRate, Turnstile, zoneOf, zoneState } from './zones.ts'

const words = nodeWords(vocabularies.orch)
const nowMs = Date.parse('2024-01-02T03:04:05Z')
const node = (given: object) => ({ metadata: {}, spec: {}, status: {}, ...given }) as Node
const taint = (name: string, effect = 'NoSchedule') => ({ key: `node.orch.io/${name}`, effect })
const user = { key: 'mine', effect: 'NoExecute' }

describe('taints of conditions', () => {
  for (const [title, conditions, before, after] of [
    ['none', {}, [], null],
    ['ready', { Ready: 'True' }, [taint('not-ready'), user], ['mine']],
    ['not ready', { Ready: 'False' }, [user], ['mine', 'not-ready']],
    ['silent', { Ready: 'Unknown' }, [taint('not-ready')], ['unreachable']],
    ['as it is', { Ready: 'Unknown' }, [taint('unreachable')], null],
    ['of another effect', { Ready: 'True' }, [taint('not-ready', 'NoExecute')], null],
    [
      'pressures',
      { MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True', Other: 'True' },
      [],
      ['memory-pressure', 'disk-pressure', 'pid-pressure'],
    ],
    ['no network', { NetworkUnavailable: 'True' }, [], ['network-unavailable']],
    ['pressures that nobody knows', { MemoryPressure: 'Unknown' }, [], null],
  ] as const)
    test(title, () => {
      const status = {
        conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
      }
      const taints = taintedByConditions(node({ spec: { taints: before }, status }), words, nowMs)
      expect(taints?.map(({ key }) => key.replace('node.orch.io/', '')) ?? null).toEqual(after)
    })

  test('unschedulable, with its time', () =>
    expect(taintedByConditions(node({ spec: { unschedulable: true } }), words, nowMs)).toEqual([
      { ...taint('unschedulable'), timeAdded: '2024-01-02T03:04:05Z' },
    ]))
})

describe('taints that evict', () => {
  const [notReady, unreachable] = [
    taint('not-ready', 'NoExecute'),
    taint('unreachable', 'NoExecute'),
  ]
  const timeAdded = '2024-01-02T03:04:05Z'
  for (const [title, key, before, after] of [
    ['first', words.notReady, [user], [user, { ...notReady, timeAdded }]],
    ['the other', words.unreachable, [notReady], [{ ...unreachable, timeAdded }]],
    ['both become one', words.unreachable, [notReady, unreachable], [unreachable]],
    ['the same', words.notReady, [notReady], null],
    ['none', null, [notReady, user, unreachable], [user]],
    ['none before', null, [user, taint('not-ready')], null],
  ] as const)
    test(title, () =>
      expect(taintedToEvict(node({ spec: { taints: before } }), { key, words, nowMs })).toEqual(
        after,
      ),
    )
})

describe('milliseconds tolerated', () => {
  const a = { key: 'a', value: 'x', effect: 'NoExecute' } as const
  const b = { key: 'b', effect: 'NoExecute' } as const
  for (const [title, taints, tolerations, expected] of [
    ['none', [a], undefined, 0],
    ['no taints', [], [], Infinity],
    ['all', [a, b], [{ operator: 'Exists' }], Infinity],
    ['one of two', [a, b], [{ key: 'a', operator: 'Exists' }], 0],
    ['value', [a], [{ key: 'a', value: 'x' }], Infinity],
    ['another value', [a], [{ key: 'a', value: 'y' }], 0],
    ['another effect', [b], [{ key: 'b', effect: 'NoSchedule' }], 0],
    ['least', [a, b], [on('a', 30), on('b', 20)], 20_000],
    ['of those used', [a], [on('a', 30), on('a', 10), on('c', 1)], 30_000],
    ['below zero', [a], [on('a', -5)], 0],
    ['one for ever', [a, b], [{ key: 'a', operator: 'Exists' }, on('b', 20)], 20_000],
  ] as const)
    test(title, () =>
      expect(toleratedMs(taints, tolerations as unknown as Toleration[])).toBe(expected),
    )
})

function on(key: string, tolerationSeconds: number) {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds } as const
}

describe('zones', () => {
  for (const [labels, expected] of [
    [{}, ''],
    [{ 'topology.orch.io/zone': 'z' }, ':\0:z'],
    [{ 'topology.orch.io/region': 'r', 'topology.orch.io/zone': 'z' }, 'r:\0:z'],
    [{ 'topology.orch.io/zone': 'z', 'failure-domain.beta.orch.io/zone': 'old' }, ':\0:old'],
  ] as const)
    test(JSON.stringify(labels), () =>
      expect(zoneOf(node({ metadata: { labels } }), words)).toBe(expected),
    )

  for (const [size, unready, state, rate] of [
    [0, 0, 'Normal', 0.1],
    [1, 1, 'FullDisruption', 0.1],
    [3, 2, 'Normal', 0.1],
    [4, 3, 'PartialDisruption', 0],
    [10, 5, 'Normal', 0.1],
    [100, 55, 'PartialDisruption', 0.01],
    [100, 54, 'Normal', 0.1],
  ] as const)
    test(`${unready} of ${size}`, () => {
      const found = zoneState(size, unready, defaultSettings.unhealthyZoneThreshold)
      expect([found, evictionRate(found, size, defaultSettings)]).toEqual([state, rate])
    })

  test('one at a time, at a rate', () => {
    const clock = new ManualClock()
    const turns = new Turnstile(clock, 0.1)
    expect([turns.pass(), turns.pass()]).toEqual([0, 10_000])
    clock.advance(60_000)
    expect([turns.pass(), turns.pass()]).toEqual([0, 10_000])
    turns.rate = 0
    expect(turns.pass()).toBe(Infinity)
    turns.rate = 0.01
    expect([turns.pass(), turns.pass()]).toEqual([0, 100_000])
  })
})

test('older labels follow the ones that replaced them', () => {
  const labels = { 'orch.io/os': 'linux', 'orch.io/arch': 'arm64', 'beta.orch.io/arch': 'arm64' }
  expect(copiedLabels(node({ metadata: { labels } }), words)).toEqual({
    'beta.orch.io/os': 'linux',
  })
  expect(copiedLabels(node({}), words)).toBe(null)
})
