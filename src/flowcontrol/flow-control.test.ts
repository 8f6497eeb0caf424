import { describe, expect, test } from 'vitest'
import { everythingOf, flowClock, level, podGet, schema } from './flow-control.fixture.ts'
import { FlowControl, type LevelObject, type SchemaObject } from './flow-control.ts'
import type { FlowAttributes, FlowMemory, FlowUser } from './matching.ts'
import { ONE_SEAT } from './width.ts'

const QUEUES = { queues: 8, handSize: 2, queueLengthLimit: 10 }
const ann = { name: 'ann', groups: ['system:authenticated'] }
const root = { name: 'root', groups: ['system:masters', 'system:authenticated'] }

function controlOf(schemas: readonly SchemaObject[], levels: readonly LevelObject[]): FlowControl {
  const control = new FlowControl({
    clock: flowClock(),
    totalSeats: 600,
    waitLimitMs: 15_000,
    headers: { schema: 'x-schema', level: 'x-level' },
  })
  control.configure(schemas, levels)
  return control
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

const limits = (control: FlowControl) =>
  Object.fromEntries(
    [...control.levels.values()].map(({ name, seats }) => [name, seats?.limit ?? null]),
  )

test('without objects, the mandatory ones are imagined', () => {
  const control = controlOf([], [])
  expect(limits(control)).toEqual({ exempt: null, 'catch-all': 600 })
  expect(control.flowOf(root, podGet())).toMatchObject({
    schema: 'exempt',
    distinguisher: '',
    headers: ['x-schema', '', 'x-level', ''],
  })
  expect(control.flowOf(ann, podGet())).toMatchObject({ schema: 'catch-all', distinguisher: 'ann' })
  // No group that the schema names: it matches nevertheless.
  expect(control.flowOf({ name: 'x', groups: [] }, podGet())).toMatchObject({
    schema: 'catch-all',
    distinguisher: 'x',
  })
})

test.each<[string, readonly SchemaObject[], string]>([
  [
    'the lower precedence comes first',
    [
      schema('a', 'work', { matchingPrecedence: 20 }),
      schema('b', 'work', { matchingPrecedence: 10 }),
    ],
    'b',
  ],
  ['then the name', [schema('b', 'work'), schema('a', 'work')], 'a'],
  [
    'what does not match is skipped',
    [schema('a', 'work', { rules: [everythingOf('bob')] }), schema('b', 'work')],
    'b',
  ],
  ['a schema without rules matches nothing', [schema('a', 'work', { rules: [] })], 'catch-all'],
  ['a schema whose level is missing is ignored', [schema('a', 'gone'), schema('b', 'work')], 'b'],
])('of several schemas: %s', (_, schemas, name) => {
  expect(controlOf(schemas, [level('work', 10)]).flowOf(ann, podGet()).schema).toBe(name)
})

test.each([
  [undefined, ''],
  [{ type: 'ByUser' }, 'ann'],
  [{ type: 'ByNamespace' }, 'default'],
])('the distinguisher %j makes the flow %j', (distinguisherMethod, distinguisher) => {
  const control = controlOf(
    [schema('a', 'work', distinguisherMethod ? { distinguisherMethod } : {})],
    [level('work', 10)],
  )
  const flow = control.flowOf(ann, podGet())
  expect(flow).toMatchObject({
    distinguisher,
    headers: ['x-schema', 'uid-a', 'x-level', 'uid-work'],
  })
  expect(control.flowOf({ ...ann }, podGet())).toBe(flow)
})

describe('a request that comes again', () => {
  const kept = (request: FlowAttributes): FlowAttributes => {
    const memory: Writable<FlowMemory> = { info: request, flow: null, flowUser: null }
    return (memory.info = { ...request, memory })
  }
  const schemas = [
    schema('a', 'work', { distinguisherMethod: { type: 'ByNamespace' } }),
    schema('b', 'work', { matchingPrecedence: 2000 }),
  ]
  const control = controlOf(schemas, [level('work', 10)])
  const again = kept(podGet())
  const expected = (user: FlowUser, request: FlowAttributes) => {
    const { schema, distinguisher } = controlOf(schemas, [level('work', 10)]).flowOf(user, request)
    return { schema, distinguisher }
  }

  test('has the same flow', () => {
    const flow = control.flowOf(ann, again)
    expect(flow).toMatchObject(expected(ann, podGet()))
    expect(again.memory).toMatchObject({ flow, flowUser: ann })
    expect(control.flowOf(ann, again)).toBe(flow)
  })

  test('is another one by another user', () => {
    expect(control.flowOf(root, again)).toMatchObject(expected(root, podGet()))
    expect(control.flowOf(ann, again)).toMatchObject(expected(ann, podGet()))
  })

  test('is another one where something was changed', () => {
    const other = { ...again, namespace: 'other' }
    expect(control.flowOf(ann, other)).toMatchObject(expected(ann, podGet('other')))
    expect(control.flowOf(ann, again)).toMatchObject(expected(ann, podGet()))
  })

  test('is looked at again after a change of the configuration', () => {
    const flow = control.flowOf(ann, again)
    control.configure(schemas, [level('work', 10)])
    const next = control.flowOf(ann, again)
    expect(next).not.toBe(flow)
    expect(next).toMatchObject(expected(ann, podGet()))
    control.configure([], [])
    expect(control.flowOf(ann, again).schema).toBe('catch-all')
  })
})

test('seats are divided by shares, rounded up', () => {
  const control = controlOf(
    [],
    [level('a', 30, QUEUES), level('b', 40, QUEUES), level('catch-all', 5)],
  )
  expect(limits(control)).toEqual({ exempt: null, a: 240, b: 320, 'catch-all': 40 })
  control.configure([], [level('a', 1, QUEUES), level('b', 1, QUEUES)])
  expect(limits(control)).toEqual({ exempt: null, a: 86, b: 86, 'catch-all': 429 })
})

test('a level whose object is gone keeps its seats until its requests are finished', () => {
  const control = controlOf([schema('a', 'work')], [level('work', 5, QUEUES)])
  const flow = control.flowOf(ann, podGet())
  const ticket = flow.level.seats!.begin(flow, ONE_SEAT)
  control.configure([schema('a', 'work')], [])
  expect(flow.level.isQuiescing).toBe(true)
  expect(limits(control)).toEqual({ exempt: null, 'catch-all': 300, work: 300 })
  expect(control.flowOf(ann, podGet()).schema).toBe('catch-all')
  ticket.end()
  expect(limits(control)).toEqual({ exempt: null, 'catch-all': 600 })
})

test('a level that comes back while its requests run is the same', () => {
  const control = controlOf([schema('a', 'work')], [level('work', 5, QUEUES)])
  const flow = control.flowOf(ann, podGet())
  const ticket = flow.level.seats!.begin(flow, ONE_SEAT)
  control.configure([], [])
  control.configure([schema('a', 'work')], [level('work', 5, QUEUES)])
  expect(control.flowOf(ann, podGet()).level).toBe(flow.level)
  ticket.end()
  expect(limits(control)).toEqual({ exempt: null, 'catch-all': 300, work: 300 })
})
