import { describe, expect, test } from 'vitest'
import { codecOf, Decoding, type JsonObject } from '../../codec/codec.ts'
import * as storage from './metrics.ts'
import * as v1 from './metrics.v1.ts'

const ref = { kind: 'Service', name: 's' }
const selector = { matchLabels: { a: 'b' } }

describe('a metric to scale by, in both versions', () => {
  for (const [old, now] of [
    [
      { type: 'Object', object: { target: ref, metricName: 'm', targetValue: '5' } },
      {
        type: 'Object',
        object: {
          describedObject: ref,
          target: { type: 'Value', value: '5' },
          metric: { name: 'm' },
        },
      },
    ],
    [
      {
        type: 'Object',
        object: { target: ref, metricName: 'm', targetValue: '0', selector, averageValue: '2' },
      },
      {
        type: 'Object',
        object: {
          describedObject: ref,
          target: { type: 'AverageValue', averageValue: '2' },
          metric: { name: 'm', selector },
        },
      },
    ],
    [
      { type: 'Pods', pods: { metricName: 'm', targetAverageValue: '2', selector } },
      {
        type: 'Pods',
        pods: {
          metric: { name: 'm', selector },
          target: { type: 'AverageValue', averageValue: '2' },
        },
      },
    ],
    [
      { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 7 } },
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 7 } },
      },
    ],
    [
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', targetAverageValue: '100m', container: 'c' },
      },
      {
        type: 'ContainerResource',
        containerResource: {
          name: 'cpu',
          target: { type: 'AverageValue', averageValue: '100m' },
          container: 'c',
        },
      },
    ],
    [
      {
        type: 'External',
        external: { metricName: 'm', metricSelector: selector, targetValue: '1' },
      },
      {
        type: 'External',
        external: { metric: { name: 'm', selector }, target: { type: 'Value', value: '1' } },
      },
    ],
    [
      { type: 'External', external: { metricName: 'm', targetAverageValue: '1' } },
      {
        type: 'External',
        external: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } },
      },
    ],
    [{ type: 'Odd' }, { type: 'Odd' }],
  ] as const) {
    test(JSON.stringify(old), () => {
      expect(v1.specToStorage(read(v1.MetricSpec.shape, old) as v1.MetricSpec)).toEqual(now)
      expect(v1.specFromStorage(read(storage.MetricSpec.shape, now) as storage.MetricSpec)).toEqual(
        old,
      )
    })
  }
})

describe('the state of a metric, in both versions', () => {
  for (const [old, now] of [
    [
      {
        type: 'Object',
        object: { target: ref, metricName: 'm', currentValue: '5', selector, averageValue: '2' },
      },
      {
        type: 'Object',
        object: {
          metric: { name: 'm', selector },
          current: { value: '5', averageValue: '2' },
          describedObject: ref,
        },
      },
    ],
    [
      { type: 'Pods', pods: { metricName: 'm', currentAverageValue: '0' } },
      { type: 'Pods', pods: { metric: { name: 'm' }, current: { averageValue: '0' } } },
    ],
    [
      {
        type: 'Resource',
        resource: { name: 'cpu', currentAverageUtilization: 7, currentAverageValue: '70m' },
      },
      {
        type: 'Resource',
        resource: { name: 'cpu', current: { averageUtilization: 7, averageValue: '70m' } },
      },
    ],
    [
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', currentAverageValue: '70m', container: 'c' },
      },
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', current: { averageValue: '70m' }, container: 'c' },
      },
    ],
    [
      {
        type: 'External',
        external: { metricName: 'm', metricSelector: selector, currentValue: '1' },
      },
      {
        type: 'External',
        external: { metric: { name: 'm', selector }, current: { value: '1' } },
      },
    ],
  ] as const) {
    test(JSON.stringify(old), () => {
      expect(v1.statusToStorage(read(v1.MetricStatus.shape, old) as v1.MetricStatus)).toEqual(now)
      expect(
        v1.statusFromStorage(read(storage.MetricStatus.shape, now) as storage.MetricStatus),
      ).toEqual(old)
    })
  }
})

test('what must be there is zero when it was not read', () =>
  expect(
    v1.statusFromStorage({ type: 'External', external: { metric: { name: 'm' }, current: {} } }),
  ).toEqual({ type: 'External', external: { metricName: 'm', currentValue: '0' } }))

/** Decoded, and without loss. */
function read(shape: Parameters<typeof codecOf>[0], json: JsonObject): unknown {
  const decoding = new Decoding()
  const object = codecOf(shape).decode(json, decoding)
  expect([decoding.unknown, object]).toEqual([[], json])
  return object
}
