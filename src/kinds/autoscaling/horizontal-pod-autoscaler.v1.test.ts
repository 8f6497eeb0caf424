import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orch } from '../../vocabulary/orch.ts'
import { c, read } from '../hooks.fixture.ts'
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts'
import { fromHub, toHub } from './horizontal-pod-autoscaler.v1.ts'

type Hub = Parameters<typeof fromHub>[0]

const scaleTargetRef = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' }
const key = (name: string) => orch.spell(`autoscaling.alpha.{label}/${name}`)
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const pods = {
  type: 'Pods',
  pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '3' } },
}
const hubOf = (spec: object, status: object = {}, metadata: object = {}): Hub =>
  read(horizontalPodAutoscalers, {
    metadata: { name: 'x', ...metadata },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
    status: { currentReplicas: 1, desiredReplicas: 2, ...status },
  })

describe('read by older clients', () => {
  test('processor time has a field of its own', () => {
    const { metadata, spec, status } = fromHub(
      hubOf(
        { metrics: [cpu(50)] },
        {
          currentMetrics: [
            { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40 } } },
          ],
        },
      ),
      c,
    )
    expect([metadata, spec, status]).toEqual([
      { name: 'x' },
      { scaleTargetRef, minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
      { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 40 },
    ])
  })
  test('the rest travels in annotations', () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 5 } }
    const conditions = [{ type: 'AbleToScale', status: 'True' }]
    const old = fromHub(
      hubOf({ metrics: [pods, cpu(50)], behavior }, { conditions }, { annotations: { a: 'b' } }),
      c,
    )
    expect(old.metadata.annotations).toEqual({
      a: 'b',
      [key('metrics')]: JSON.stringify([pods]),
      [key('conditions')]: JSON.stringify(conditions),
      [key('behavior')]: expect.stringContaining('"stabilizationWindowSeconds":5'),
    })
    expect(old.spec.targetCPUUtilizationPercentage).toBe(50)
    expect(Object.keys(old.spec)).not.toContain('behavior')
  })
})

describe('written by older clients', () => {
  const oldOf = (annotations: Record<string, string>, spec: object = {}) => {
    const old = fromHub(hubOf({ metrics: [cpu(50)] }), c)
    return { ...old, metadata: { name: 'x', annotations }, spec: { ...old.spec, ...spec } }
  }
  test('annotations become fields', () => {
    const made = toHub(oldOf({ a: 'b', [key('metrics')]: JSON.stringify([pods]) }), c)
    expect([made.metadata, made.spec.metrics]).toEqual([
      { name: 'x', annotations: { a: 'b' } },
      [pods, cpu(50)],
    ])
  })
  test('the field wins over what was carried', () => {
    const carried = { [key('metrics')]: JSON.stringify([cpu(10), pods]) }
    expect(toHub(oldOf(carried), c).spec.metrics).toEqual([cpu(50), pods])
  })
  for (const junk of ['', '{', 'null', '3', '"x"', '{"a":1}', '[3]', '[null]']) {
    test(`what cannot be read is dropped: ${junk}`, () => {
      const names = ['metrics', 'current-metrics', 'conditions']
      const made = toHub(oldOf(Object.fromEntries(names.map((name) => [key(name), junk]))), c)
      expect([made.metadata, made.spec.metrics, made.status]).toEqual([
        { name: 'x' },
        [cpu(50)],
        { currentReplicas: 1, desiredReplicas: 2 },
      ])
    })
  }
  for (const junk of ['', '{', 'null', '3', '[]', '{"scaleUp":3}']) {
    test(`a behaviour that cannot be read is dropped: ${junk}`, () => {
      const made = toHub(oldOf({ [key('behavior')]: junk }), c)
      expect([made.metadata, made.spec.behavior]).toEqual([{ name: 'x' }, undefined])
    })
  }
  test('without a percentage the default of the stored version is read', () => {
    const old = oldOf({})
    delete old.spec.targetCPUUtilizationPercentage
    const made = toHub(old, c)
    expect(made.spec.metrics).toBe(undefined)
    horizontalPodAutoscalers.fill!(made, c)
    expect(made.spec.metrics).toEqual([cpu(80)])
  })
})

test('annotations of that name on the stored version carry nothing', () => {
  const annotations = { a: 'b', [key('metrics')]: JSON.stringify([pods]) }
  const old = fromHub(hubOf({ metrics: [cpu(50)] }, {}, { annotations }), c)
  expect(old.metadata.annotations).toEqual({ a: 'b' })
})

test('nothing is lost on the way there and back', () => {
  const small = fc.integer({ min: 1, max: 99 })
  const name = fc.constantFrom('cpu', 'memory', 'hits', '__proto__')
  const quantity = fc.constantFrom('1', '500m', '2Gi')
  const compact = <T extends object>(one: T): T =>
    Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as T
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
  const target = fc
    .record({
      type: fc.constantFrom('Utilization', 'Value', 'AverageValue', 'Odd'),
      value: maybe(quantity),
      averageValue: maybe(quantity),
      averageUtilization: maybe(small),
    })
    .map(compact)
  const current = fc
    .record({
      value: maybe(quantity),
      averageValue: maybe(quantity),
      averageUtilization: maybe(small),
    })
    .map(compact)
  const source = <T>(held: fc.Arbitrary<T>, as: 'target' | 'current') =>
    fc.oneof(
      fc.record({
        type: fc.constant('Resource'),
        resource: fc.record({ name, [as]: held }),
      }),
      fc.record({
        type: fc.constant('ContainerResource'),
        containerResource: fc.record({ name, container: name, [as]: held }),
      }),
      fc.record({
        type: fc.constantFrom('Pods', 'Resource'),
        pods: fc.record({ metric: fc.record({ name }), [as]: held }),
      }),
      fc.record({
        type: fc.constant('External'),
        external: fc.record({
          metric: fc.record({ name, selector: fc.constant({ matchLabels: { a: 'b' } }) }),
          [as]: held,
        }),
      }),
      fc.record({
        type: fc.constant('Object'),
        object: fc.record({
          describedObject: fc.constant(scaleTargetRef),
          metric: fc.record({ name }),
          [as]: held,
        }),
      }),
    )
  const rules = fc
    .record({
      stabilizationWindowSeconds: maybe(fc.integer({ min: 0, max: 3600 })),
      selectPolicy: maybe(fc.constantFrom('Max', 'Disabled')),
    })
    .map(compact)
  const hub = fc.record({
    annotations: maybe(fc.constantFrom({ a: 'b' }, { ['__proto__']: 'b' }, { toString: 'c' })),
    metrics: fc.array(source(target, 'target'), { minLength: 1, maxLength: 4 }),
    currentMetrics: maybe(fc.array(source(current, 'current'), { minLength: 1, maxLength: 4 })),
    behavior: maybe(fc.record({ scaleUp: rules, scaleDown: rules })),
    conditions: maybe(
      fc.constant([
        { type: 'AbleToScale', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' },
      ]),
    ),
  })
  fc.assert(
    fc.property(hub, ({ annotations, metrics, currentMetrics, behavior, conditions }) => {
      const made = hubOf(
        compact({ metrics, behavior }),
        compact({ currentMetrics, conditions }),
        compact({ annotations }),
      )
      const before = structuredClone(made)
      expect(toHub(structuredClone(fromHub(made, c)), c)).toEqual(before)
      expect(made).toEqual(before)
    }),
    { seed: 5, numRuns: 400 },
  )
})
