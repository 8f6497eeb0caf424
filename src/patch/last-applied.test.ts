import { describe, expect, test } from 'vitest'
import { orch } from '../vocabulary/orch.ts'
import { setOf, Thing } from './apply.fixture.ts'
import { recordClientApply } from './last-applied.ts'
import type { Apply } from './managed-fields.ts'
import { ApplyConflict, pathTexts, type Versions } from './managers.ts'
import { topologyOf } from '../notation/topology.ts'

const V1 = 'test/v1'
const KEY = orch.resolve('{cli}.{label}/last-applied-configuration')
const CLI = orch.resolve('{cli}')

const topology = topologyOf(Thing.shape, orch)
const versions: Versions = {
  topology: (apiVersion) => (apiVersion === V1 ? topology : null),
  convert: (object) => object,
  ignored: () => setOf(),
}

const thing = (spec: object, annotations?: Record<string, string>) => ({
  apiVersion: V1,
  kind: 'Thing',
  metadata: { name: 'n', ...(annotations ? { annotations } : {}) },
  spec,
})
const last = (spec: object, apiVersion = V1) => JSON.stringify({ ...thing(spec), apiVersion })

const outcome = (live: object, config: object, manager = CLI): unknown => {
  const apply: Apply = {
    versions,
    live: { object: live, apiVersion: V1 },
    zero: { object: { spec: {} }, apiVersion: V1 },
    config,
    liveEntries: [
      {
        manager: 'other',
        operation: 'Update',
        apiVersion: V1,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } },
      },
    ],
    force: false,
  }
  try {
    return recordClientApply(apply, { manager, subresource: '', now: '2024-01-01T00:00:00Z' }, orch)
      .object
  } catch (error) {
    if (!(error instanceof ApplyConflict)) throw error
    return [...error.conflicts.values()].flatMap((set) => pathTexts(set))
  }
}

describe('taking over', () => {
  const live = (annotation?: string) =>
    thing(
      { replicas: 1, paused: true },
      annotation === undefined ? undefined : { [KEY]: annotation },
    )
  const next = thing({ replicas: 2 })
  const taken = thing(
    { replicas: 2, paused: true },
    {
      [KEY]: `{"apiVersion":"test/v1","kind":"Thing","metadata":{"name":"n"},"spec":{"replicas":2}}\n`,
    },
  )
  for (const { name, before, config = next, manager, result } of [
    { name: 'a field that is as it was applied', before: last({ replicas: 1 }), result: taken },
    {
      name: 'another manager',
      before: last({ replicas: 1 }),
      manager: 'x',
      result: ['.spec.replicas'],
    },
    {
      name: 'a field that was changed since',
      before: last({ replicas: 3 }),
      result: ['.spec.replicas'],
    },
    {
      name: 'a field that was not applied',
      before: last({ paused: true }),
      result: ['.spec.replicas'],
    },
    {
      name: 'another version',
      before: last({ replicas: 1 }, 'test/v2'),
      result: ['.spec.replicas'],
    },
    { name: 'no annotation', before: undefined, result: ['.spec.replicas'] },
    { name: 'no JSON', before: '{', result: ['.spec.replicas'] },
    { name: 'no object', before: '[]', result: ['.spec.replicas'] },
    {
      name: 'an invalid value',
      before: last({ replicas: 1, bogus: 1 }),
      result: ['.spec.replicas'],
    },
    {
      name: 'only remaining differences are conflicts',
      before: last({ replicas: 1 }),
      config: thing({ replicas: 2, paused: false }),
      result: ['.spec.paused'],
    },
  ] as { name: string; before?: string; config?: object; manager?: string; result: unknown }[]) {
    test(name, () => expect(outcome(live(before), config, manager)).toEqual(result))
  }
})

describe('the annotation', () => {
  test('is not created', () => {
    expect(outcome(thing({}), thing({ label: 'b' }))).toEqual(thing({ label: 'b' }))
  })
  test('does not contain itself', () => {
    const config = thing({ label: 'a' }, { [KEY]: 'x', a: 'b' })
    const text = `{"apiVersion":"test/v1","kind":"Thing","metadata":{"annotations":{"a":"b"},"name":"n"},"spec":{"label":"a"}}\n`
    expect(outcome(thing({}, { [KEY]: 'old' }), config)).toEqual(
      thing({ label: 'a' }, { a: 'b', [KEY]: text }),
    )
    expect(
      outcome(thing({ label: 'a' }, { a: 'b', [KEY]: text }), thing({ label: 'a' }, { a: 'b' })),
    ).toBeNull()
  })
  test('is removed when there is no room', () => {
    const label = 'x'.repeat(262_144)
    expect(outcome(thing({}, { [KEY]: 'old', a: 'b' }), thing({ label }))).toEqual(
      thing({ label }, { a: 'b' }),
    )
  })
})
