import { expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { exposition } from '../../metrics/exposition.ts'
import { Registry } from '../../metrics/registry.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import { defaultSettings } from '../settings.ts'
import type { NodeFacts } from './node-facts.ts'
import { ZoneEvictions } from './zone-evictions.ts'

const node = (name: string, zone: string) => ({ name, zone }) as NodeFacts

test('nodes have their turns by the health of their zone, which is measured', async () => {
  const clock = new ManualClock()
  const metrics = new Registry({ v: vocabularies.orch, log: silentLog })
  const left: string[] = []
  const woken: string[] = []
  const evictions = new ZoneEvictions({
    ...{ clock, metrics, settings: defaultSettings },
    evict: async (name) => left.push(name) > 0,
    wake: (zone) => void woken.push(zone),
  })
  const update = (all: Record<string, readonly [size: number, unready: number]>) =>
    evictions.update(
      new Map(
        Object.entries(all).map(([zone, [size, unready]]) => [zone, { size, unready }] as const),
      ),
    )
  expect(update({ a: [4, 1], b: [2, 2] })).toBe(null)
  for (const name of ['a1', 'a2', 'a1']) evictions.add(node(name, 'a'))
  expect(woken.splice(0)).toEqual(['a', 'a'])
  expect(await evictions.work('a')).toBe(10_000)
  expect(left).toEqual(['a1'])

  // Too much of a small zone: nobody more, until it is better.
  expect(update({ a: [4, 3], b: [2, 2] })).toBe(null)
  clock.advance(60_000)
  expect(await evictions.work('a')).toBe(undefined)
  expect(update({ a: [4, 4], b: [2, 2] })).toBe('stopped')
  expect(update({ a: [4, 4], b: [2, 2] })).toBe(null)
  expect(await evictions.work('a')).toBe(undefined)
  expect(update({ a: [4, 2], b: [2, 2] })).toBe('resumed')
  expect(woken.splice(0)).toEqual(['a', 'a'])
  expect(await evictions.work('a')).toBe(undefined)
  expect(left).toEqual(['a1', 'a2'])

  const lines = exposition(await metrics.collect(), 'text')
    .toString()
    .split('\n')
  expect(lines.filter((line) => line.startsWith('node_collector_')).sort()).toEqual([
    'node_collector_evictions_number{zone="a"} 2',
    'node_collector_evictions_total{zone="a"} 2',
    'node_collector_unhealthy_nodes_in_zone{zone="a"} 2',
    'node_collector_unhealthy_nodes_in_zone{zone="b"} 2',
    'node_collector_zone_health{zone="a"} 50',
    'node_collector_zone_health{zone="b"} 0',
    'node_collector_zone_size{zone="a"} 4',
    'node_collector_zone_size{zone="b"} 2',
  ])
})
