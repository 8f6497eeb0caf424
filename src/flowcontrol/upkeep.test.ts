import { describe, expect, test } from 'vitest'
import { factText } from '../../test/facts.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { bootstrapObjects } from './bootstrap-objects.ts'
import { danglingCondition, needsCondition, WritePace } from './dangling.ts'
import { isLeftOver, upkeepOf, type StoredFlowObject, type Upkeep } from './upkeep.ts'

const KEY = 'apf.example.com/autoupdate-spec'
const spec = { type: 'Limited' }
const other = { type: 'Other' }

function stored(value: string | undefined, object: object, generation = 1): StoredFlowObject {
  const annotations = value === undefined ? {} : { annotations: { [KEY]: value } }
  return { metadata: { name: 'a', generation, ...annotations } as never, spec: object }
}

const NONE: Upkeep = { is: 'none' }
const repair = (annotation: string, wanted?: object): Upkeep => ({
  is: 'update',
  annotation,
  ...(wanted ? { spec: wanted } : {}),
})

test.each<[string, boolean, StoredFlowObject | null, Upkeep]>([
  ['is absent', false, null, { is: 'create' }],
  ['is as it should be', false, stored('true', spec), NONE],
  ['has another spec', false, stored('true', other, 2), repair('true', spec)],
  ['is in the charge of users', false, stored('false', other, 2), NONE],
  ['says so in other words', false, stored('F', other, 2), repair('false')],
  ['has a truth in other words', false, stored('1', spec), repair('true')],
  [
    'has no annotation, and was never changed',
    false,
    stored(undefined, other),
    repair('true', spec),
  ],
  ['has no annotation, and was changed', false, stored(undefined, other, 2), repair('false')],
  ['has an unreadable annotation, and was never changed', false, stored('x', spec), repair('true')],
  ['has an unreadable annotation, and was changed', false, stored('x', other, 3), repair('false')],
  ['is mandatory and absent', true, null, { is: 'create' }],
  ['is mandatory and as it should be', true, stored('true', spec), NONE],
  ['is mandatory and claimed by users', true, stored('false', spec, 2), repair('true')],
  ['is mandatory and has another spec', true, stored(undefined, other, 2), repair('true', spec)],
])('an object of the set that %s', (_, isMandatory, present, upkeep) => {
  const object = { resource: 'flowschemas' as const, name: 'a', spec, isMandatory }
  expect(upkeepOf(object, present, KEY)).toEqual(upkeep)
})

test.each([
  ['true', true],
  ['T', true],
  ['false', false],
  ['x', false],
  [undefined, false],
])('an object outside the set with the annotation %s is deleted: %s', (value, isDeleted) => {
  expect(isLeftOver(stored(value, spec), KEY)).toBe(isDeleted)
})

for (const v of Object.values(vocabularies)) {
  describe(`the set in ${v.name} words`, () => {
    const facts = JSON.parse(factText('flowcontrol-bootstrap.json'), (_, value: unknown) =>
      typeof value === 'string' ? v.resolve(value.replaceAll('.{apiDomain}', '{api}')) : value,
    ) as Record<string, { name: string; spec: object }[]>
    test.each([
      ['flowschemas', 'flowSchemas'],
      ['prioritylevelconfigurations', 'priorityLevelConfigurations'],
    ])('has the %s of the facts', (resource, list) => {
      const mine = bootstrapObjects(v).filter((object) => object.resource === resource)
      const specs = (objects: readonly { name: string; spec: object }[]) =>
        Object.fromEntries(objects.map((object) => [object.name, object.spec]))
      expect(specs(mine)).toEqual(specs(facts[list]!))
    })
    test('ends with the mandatory objects', () => {
      const mandatory = bootstrapObjects(v).filter(({ isMandatory }) => isMandatory)
      expect(mandatory.map(({ resource, name }) => `${resource}/${name}`)).toEqual([
        'prioritylevelconfigurations/exempt',
        'prioritylevelconfigurations/catch-all',
        'flowschemas/exempt',
        'flowschemas/catch-all',
      ])
      expect(bootstrapObjects(v).slice(-4)).toEqual(mandatory)
    })
  })
}

test.each([
  [
    true,
    {
      type: 'Dangling',
      status: 'False',
      reason: 'Found',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "x" and it exists',
    },
  ],
  [
    false,
    {
      type: 'Dangling',
      status: 'True',
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "x" but there is no such object',
    },
  ],
])('the condition of a schema whose level exists: %s', (exists, condition) => {
  const wanted = danglingCondition('x', exists)
  expect(wanted).toEqual(condition)
  expect(needsCondition([], wanted)).toBe(true)
  expect(needsCondition([{ ...condition }], wanted)).toBe(false)
  for (const change of [{ status: 'Unknown' }, { reason: 'X' }, { message: '' }])
    expect(needsCondition([{ ...condition, ...change }], wanted)).toBe(true)
})

test('more than five writes of one object in a minute are delayed', () => {
  const pace = new WritePace()
  const delays = (name: string, ...times: number[]) =>
    times.map((at) => pace.delay(name, at * 1000, 0.5))
  expect(delays('a', 0, 1, 2, 3, 4, 5, 59)).toEqual([0, 0, 0, 0, 0, 52_500, 52_500])
  expect(delays('b', 5)).toEqual([0])
  expect(delays('a', 60, 60, 61)).toEqual([0, 52_500, 0])
})
