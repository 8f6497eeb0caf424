import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orch } from '../../vocabulary/orch.ts'
import { c, read } from '../hooks.fixture.ts'
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts'
import { convertFromStorage, convertToStorage } from './horizontal-pod-autoscaler.v1.ts'

type Stored = Parameters<typeof convertFromStorage>[0]

const scaleTargetRef = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' }
const key = (name: string) => orch.resolve(`autoscaling.alpha.{label}/${name}`)
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const pods = {
  type: 'Pods',
  pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '3' } },
}
/** The same as the older version writes it. */
const oldPods = { type: 'Pods', pods: { metricName: 'hits', targetAverageValue: '3' } }
const hubOf = (spec: object, status: object = {}, metadata: object = {}): Stored =>
  read(horizontalPodAutoscalers, {
    metadata: { name: 'x', ...metadata },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
    status: { currentReplicas: 1, desiredReplicas: 2, ...status },
  })

describe('read by older clients', () => {
  test('processor time has a field of its own', () => {
    const { metadata, spec, status } = convertFromStorage(
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
    const old = convertFromStorage(
      hubOf({ metrics: [pods, cpu(50)], behavior }, { conditions }, { annotations: { a: 'b' } }),
      c,
    )
    expect(old.metadata.annotations).toEqual({
      a: 'b',
      [key('metrics')]: JSON.stringify([oldPods]),
      [key('conditions')]: JSON.stringify(conditions),
      [key('behavior')]: expect.stringContaining('"stabilizationWindowSeconds":5'),
    })
    expect(old.spec.targetCPUUtilizationPercentage).toBe(50)
    expect(Object.keys(old.spec)).not.toContain('behavior')
  })
})

describe('written by older clients', () => {
  const oldOf = (annotations: Record<string, string>, spec: object = {}) => {
    const old = convertFromStorage(hubOf({ metrics: [cpu(50)] }), c)
    return { ...old, metadata: { name: 'x', annotations }, spec: { ...old.spec, ...spec } }
  }
  test('annotations become fields', () => {
    const made = convertToStorage(oldOf({ a: 'b', [key('metrics')]: JSON.stringify([oldPods]) }), c)
    expect([made.metadata, made.spec.metrics]).toEqual([
      { name: 'x', annotations: { a: 'b' } },
      [pods, cpu(50)],
    ])
  })
  const oldCpu = { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 10 } }
  test('the field wins over what was carried', () => {
    const carried = { [key('metrics')]: JSON.stringify([oldCpu, oldPods]) }
    expect(convertToStorage(oldOf(carried), c).spec.metrics).toEqual([cpu(50), pods])
  })
  for (const junk of ['', '{', 'null', '3', '"x"', '{"a":1}', '[3]', '[null]']) {
    test(`what cannot be read is dropped: ${junk}`, () => {
      const names = ['metrics', 'current-metrics', 'conditions']
      const made = convertToStorage(
        oldOf(Object.fromEntries(names.map((name) => [key(name), junk]))),
        c,
      )
      expect([made.metadata, made.spec.metrics, made.status]).toEqual([
        { name: 'x' },
        [cpu(50)],
        { currentReplicas: 1, desiredReplicas: 2 },
      ])
    })
  }
  for (const junk of ['', '{', 'null', '3', '[]', '{"scaleUp":3}']) {
    test(`a behaviour that cannot be read is dropped: ${junk}`, () => {
      const made = convertToStorage(oldOf({ [key('behavior')]: junk }), c)
      expect([made.metadata, made.spec.behavior]).toEqual([{ name: 'x' }, undefined])
    })
  }
  test('without a percentage the default of the stored version is read', () => {
    const old = oldOf({})
    delete old.spec.targetCPUUtilizationPercentage
    const made = convertToStorage(old, c)
    expect(made.spec.metrics).toBe(undefined)
    horizontalPodAutoscalers.setDefaults!(made, c)
    expect(made.spec.metrics).toEqual([cpu(80)])
  })
})

test('annotations of that name on the stored version carry nothing', () => {
  const annotations = { a: 'b', [key('metrics')]: JSON.stringify([pods]) }
  const old = convertFromStorage(hubOf({ metrics: [cpu(50)] }, {}, { annotations }), c)
  expect(old.metadata.annotations).toEqual({ a: 'b' })
})

test('nothing is lost on the way there and back', () => {
  const small = fc.integer({ min: 1, max: 99 })
  const name = fc.constantFrom('cpu', 'memory', 'hits', '__proto__')
  const quantity = fc.constantFrom('1', '500m', '2Gi')
  const compact = <T extends object>(one: T): T =>
    Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as T
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
  const record = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members).map(compact)
  const one = <T>(value: T) => fc.constant(value)
  // What a target is by must fit what is given: the older version has no word for it.
  const share = record({ type: one('Utilization'), averageUtilization: small })
  const average = record({ type: one('AverageValue'), averageValue: quantity })
  const value = record({ type: one('Value'), value: quantity })
  const both = record({ type: one('AverageValue'), value: quantity, averageValue: quantity })
  const metric = record({
    name,
    selector: maybe(one({ matchLabels: { a: 'b' } })),
  })
  const used = record({ averageValue: quantity, averageUtilization: maybe(small) })
  const read = record({ value: quantity, averageValue: maybe(quantity) })
  const source = (
    as: 'target' | 'current',
    of: Record<'resource' | 'pods' | 'external' | 'object', fc.Arbitrary<unknown>>,
  ) =>
    fc.oneof(
      record({
        type: one('Resource'),
        resource: record({ name, [as]: of.resource }),
      }),
      record({
        type: one('ContainerResource'),
        containerResource: record({ name, container: name, [as]: of.resource }),
      }),
      record({
        type: fc.constantFrom('Pods', 'Odd'),
        pods: record({ metric, [as]: of.pods }),
      }),
      record({ type: one('External'), external: record({ metric, [as]: of.external }) }),
      record({
        type: one('Object'),
        object: record({ describedObject: one(scaleTargetRef), metric, [as]: of.object }),
      }),
      record({ type: fc.constantFrom('Pods', 'Object') }),
    )
  const wanted = source('target', {
    resource: fc.oneof(share, average),
    pods: average,
    external: fc.oneof(value, average),
    object: fc.oneof(value, average, both),
  })
  const measured = source('current', {
    resource: used,
    pods: record({ averageValue: quantity }),
    external: read,
    object: read,
  })
  const rules = fc
    .record({
      stabilizationWindowSeconds: maybe(fc.integer({ min: 0, max: 3600 })),
      selectPolicy: maybe(fc.constantFrom('Max', 'Disabled')),
    })
    .map(compact)
  const storage = fc.record({
    annotations: maybe(fc.constantFrom({ a: 'b' }, { ['__proto__']: 'b' }, { toString: 'c' })),
    metrics: fc.array(wanted, { minLength: 1, maxLength: 4 }),
    currentMetrics: maybe(fc.array(measured, { minLength: 1, maxLength: 4 })),
    behavior: maybe(fc.record({ scaleUp: rules, scaleDown: rules })),
    conditions: maybe(
      fc.constant([
        { type: 'AbleToScale', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' },
      ]),
    ),
  })
  fc.assert(
    fc.property(storage, ({ annotations, metrics, currentMetrics, behavior, conditions }) => {
      const made = hubOf(
        compact({ metrics, behavior }),
        compact({ currentMetrics, conditions }),
        compact({ annotations }),
      )
      const before = structuredClone(made)
      expect(convertToStorage(structuredClone(convertFromStorage(made, c)), c)).toEqual(before)
      expect(made).toEqual(before)
    }),
    { seed: 5, numRuns: 400 },
  )
})

test('nothing is lost on the way from the older version and back', () => {
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
  const compact = <T extends object>(one: T): T =>
    Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as T
  const percent = maybe(fc.integer({ min: 1, max: 99 }))
  // Carried as the server itself writes it: the share of processor time stands in its field alone.
  const metric = fc.constantFrom(
    oldPods,
    { type: 'Resource', resource: { name: 'memory', targetAverageUtilization: 70 } },
    { type: 'Resource', resource: { name: 'cpu', targetAverageValue: '1' } },
  )
  const current = fc.constantFrom(
    { type: 'Pods', pods: { metricName: 'hits', currentAverageValue: '3' } },
    { type: 'Resource', resource: { name: 'cpu', currentAverageValue: '1' } },
  )
  const condition = fc.constantFrom(
    { type: 'AbleToScale', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' },
    { type: 'ScalingActive', status: 'False', reason: 'Odd' },
  )
  const behavior = fc.constantFrom(
    {},
    { scaleDown: { selectPolicy: 'Max', stabilizationWindowSeconds: 5 } },
    { scaleUp: { policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] } },
  )
  const listed = <T>(of: fc.Arbitrary<T>) => maybe(fc.array(of, { minLength: 1, maxLength: 3 }))
  const carried = fc.record({
    metrics: listed(metric),
    'current-metrics': listed(current),
    conditions: listed(condition),
    behavior: maybe(behavior),
  })
  const own = fc.constantFrom({}, { a: 'b' }, { ['__proto__']: 'b' })
  fc.assert(
    fc.property(
      carried,
      own,
      percent,
      percent,
      maybe(fc.constantFrom(0, 1, 2)),
      (more, annotations, target, used, minReplicas) => {
        const texts = Object.entries(more)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]): [string, string] => [key(name), JSON.stringify(value)])
        const all = [...Object.entries(annotations), ...texts]
        const old = {
          apiVersion: 'autoscaling/v1',
          kind: 'HorizontalPodAutoscaler',
          metadata: {
            name: 'x',
            ...(all.length === 0 ? {} : { annotations: Object.fromEntries(all) }),
          },
          spec: compact({
            scaleTargetRef,
            minReplicas,
            maxReplicas: 3,
            targetCPUUtilizationPercentage: target,
          }),
          status: compact({
            currentReplicas: 1,
            desiredReplicas: 2,
            currentCPUUtilizationPercentage: used,
          }),
        } as Parameters<typeof convertToStorage>[0]
        const before = structuredClone(old)
        const back = convertFromStorage(structuredClone(convertToStorage(old, c)), c)
        // Texts may differ in the order of keys; what they say may not.
        expect(said(back)).toEqual(said(before))
        expect(old).toEqual(before)
      },
    ),
    { seed: 5, numRuns: 300 },
  )
})

/** The object with what its annotations carry as values. */
const said = <T extends { metadata: { annotations?: Record<string, string> } }>(one: T) => ({
  ...one,
  metadata: {
    ...one.metadata,
    annotations: Object.entries(one.metadata.annotations ?? {})
      .map(([name, text]) => [name, name.startsWith(key('')) ? JSON.parse(text) : text])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  },
})
