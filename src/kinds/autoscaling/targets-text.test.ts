import { describe, expect, test } from 'vitest'
import type { MetricSpec, MetricStatus } from './metrics.ts'
import { targetsText } from './targets-text.ts'

const metric = { name: 'hits' }
const describedObject = { kind: 'Ingress', name: 'i' }
const specs = {
  external: (target: object) => ({ type: 'External', external: { metric, target } }),
  object: (target: object) => ({ type: 'Object', object: { metric, describedObject, target } }),
  pods: (target: object) => ({ type: 'Pods', pods: { metric, target } }),
  resource: (target: object) => ({ type: 'Resource', resource: { name: 'cpu', target } }),
  container: (target: object) => ({
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'c', target },
  }),
}
const statuses = {
  external: (current: object) => ({ type: 'External', external: { metric, current } }),
  object: (current: object) => ({ type: 'Object', object: { metric, describedObject, current } }),
  pods: (current: object) => ({ type: 'Pods', pods: { metric, current } }),
  resource: (current: object) => ({ type: 'Resource', resource: { name: 'cpu', current } }),
  container: (current: object) => ({
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'c', current },
  }),
}

describe('one metric', () => {
  const average = { averageValue: '5' }
  const value = { value: '9' }
  const share = { averageUtilization: 50 }
  const table: readonly [spec: object, status: object | undefined, text: string][] = [
    [specs.external(average), statuses.external({ averageValue: '4' }), '4/5 (avg)'],
    [specs.external(average), undefined, '<unknown>/5 (avg)'],
    [specs.external(value), statuses.external({ value: '8' }), '8/9'],
    [specs.external(value), undefined, '<unknown>/9'],
    [specs.object(average), statuses.object({ averageValue: '4' }), '4/5 (avg)'],
    [specs.object(value), statuses.object({ value: '8' }), '8/9'],
    [specs.object(value), statuses.pods({ averageValue: '1' }), '<unknown>/9'],
    [specs.pods(average), statuses.pods({ averageValue: '4' }), '4/5'],
    [specs.pods(average), undefined, '<unknown>/5'],
    [specs.resource(average), statuses.resource({ averageValue: '4' }), '4/5'],
    [specs.resource(average), undefined, '<unknown>/5'],
    [specs.resource(share), statuses.resource({ averageUtilization: 40 }), '40%/50%'],
    [specs.resource(share), undefined, '<unknown>/50%'],
    [specs.resource({}), undefined, '<unknown>/<auto>'],
    [specs.container(share), statuses.container({ averageUtilization: 0 }), '0%/50%'],
    [specs.container(average), statuses.container({ averageValue: '4' }), '4/5'],
    [{ type: 'Odd' }, undefined, '<unknown type>'],
  ]
  for (const [spec, status, text] of table) {
    test(`${JSON.stringify(spec)} ${JSON.stringify(status)}`, () => {
      const known = status ? [status as MetricStatus] : undefined
      expect(targetsText([spec as MetricSpec], known)).toBe(text)
    })
  }
})

describe('a list', () => {
  const some = (count: number) =>
    Array.from({ length: count }, () => specs.pods({ averageValue: '1' }) as MetricSpec)
  for (const [count, text] of [
    [0, '<none>'],
    [2, '<unknown>/1, <unknown>/1'],
    [3, '<unknown>/1, <unknown>/1 + 1 more...'],
    [5, '<unknown>/1, <unknown>/1 + 3 more...'],
  ] as const) {
    test(String(count), () => expect(targetsText(some(count))).toBe(text))
  }
})
