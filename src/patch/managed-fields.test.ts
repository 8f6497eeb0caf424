import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StatusError } from '../meta/errors.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import { home, t } from '../notation/shape.ts'
import { orch } from '../vocabulary/orch.ts'
import { setOf, Thing } from './apply.fixture.ts'
import { pathText } from './field-path.ts'
import { FieldSet } from './field-set.ts'
import { fromFieldsV1 } from './fields-v1.ts'
import {
  applyConflict,
  readManaged,
  recordApply,
  recordUpdate,
  writeManaged,
} from './managed-fields.ts'
import { ApplyConflict, type Versions } from './managers.ts'
import { topologyOf } from '../notation/topology.ts'
import { extractItems } from './typed-value.ts'

const { shape } = home('test/v2')

class Spec extends shape({ count: t.int32(1).explicit(), label: t.string(2) }) {}
/** The same kind one version on: `replicas` is called `count`. */
class ThingV2 extends shape({ metadata: t.raw(2), spec: t.object(1, Spec) }, { typed: true }) {}

const topologies = new Map([
  ['test/v1', topologyOf(Thing.shape, orch)],
  ['test/v2', topologyOf(ThingV2.shape, orch)],
])

function renamed(object: unknown, from: string, to: string): unknown {
  const { spec, ...rest } = object as { spec?: Record<string, unknown> | null }
  if (!spec) return object
  const { [from]: value, ...others } = spec
  return { ...rest, spec: value === undefined ? others : { ...others, [to]: value } }
}

const versions: Versions = {
  topology: (apiVersion) => topologies.get(apiVersion) ?? null,
  convert: (object, from, to) =>
    from === to
      ? object
      : to === 'test/v2'
        ? renamed(object, 'replicas', 'count')
        : renamed(object, 'count', 'replicas'),
  ignored: () => setOf(['status']),
}

const V1 = 'test/v1'

/** As the object is read again: objects and lists that were left empty are empty, and not null. */
function settled(object: unknown): unknown {
  const { spec, ...rest } = object as { spec?: Record<string, unknown> | null }
  const empty: Record<string, unknown> = { strategy: {}, containers: [], set: [] }
  const members = Object.entries(spec ?? {}).map(([key, value]) => [key, value ?? empty[key]])
  return { ...rest, spec: { containers: [], ...Object.fromEntries(members) } }
}

const BLANK = { metadata: {}, spec: { containers: [] } }
const BLANK_V2 = { metadata: {}, spec: {} }

/** One object through its life; every write happens one minute after the one before. */
class Story {
  object: unknown = null
  entries: ManagedFieldsEntry[] = []
  #minute = 0

  #now(): string {
    return `2024-01-01T00:${String(this.#minute++).padStart(2, '0')}:00Z`
  }

  #writer = (manager: string, subresource = '') => ({ manager, subresource, now: this.#now() })

  update(
    manager: string,
    next: unknown,
    more: { apiVersion?: string; subresource?: string; sent?: ManagedFieldsEntry[] } = {},
  ): this {
    const { apiVersion = V1, sent, subresource } = more
    const live = this.object === null ? null : versions.convert(this.object, V1, apiVersion)
    const entries = recordUpdate(
      {
        versions,
        live: live === null ? null : { object: live, apiVersion },
        zero: { object: BLANK, apiVersion },
        next,
        liveEntries: this.object === null ? undefined : this.entries,
        sentEntries: sent,
      },
      this.#writer(manager, subresource),
    )
    this.entries = [...entries]
    this.object = versions.convert(next, apiVersion, V1)
    return this
  }

  apply(manager: string, config: unknown, more: { force?: true; apiVersion?: string } = {}): this {
    const { force = false, apiVersion = V1 } = more
    const zero = { object: apiVersion === V1 ? BLANK : BLANK_V2, apiVersion }
    const live = this.object === null ? zero.object : versions.convert(this.object, V1, apiVersion)
    const applied = recordApply(
      {
        versions,
        live: { object: live, apiVersion },
        zero,
        config,
        liveEntries: this.entries,
        force,
      },
      this.#writer(manager),
    )
    if (applied.object !== null) {
      this.object = settled(versions.convert(applied.object, apiVersion, V1))
    }
    this.entries = applied.entries
    return this
  }

  /** The text of the conflict that an apply meets. */
  refused(manager: string, config: unknown): string {
    try {
      this.apply(manager, config)
    } catch (error) {
      if (error instanceof ApplyConflict) return applyConflict(error).message
      throw error
    }
    return 'no conflict'
  }

  /** Each entry as `manager operation: paths`, in order. */
  get owners(): string[] {
    return this.entries.map(({ manager, operation, apiVersion, fieldsV1, subresource }) => {
      const paths = Array.from(fromFieldsV1(fieldsV1).paths(), pathText)
      const version = apiVersion === V1 ? '' : ` ${apiVersion}`
      return `${manager} ${operation}${version}${subresource ? ` /${subresource}` : ''}: ${paths.join(' ')}`
    })
  }
}

const spec = (content: object) => ({ metadata: { name: 'n' }, spec: content })
/** The content, without the list that is always there when it is empty. */
function fields(object: unknown): object {
  const { containers, ...rest } = (object as { spec: { containers?: unknown[] } }).spec
  return containers === undefined || containers.length === 0 ? rest : { containers, ...rest }
}

describe('updates', () => {
  test('the creator of an object owns the fields that are set', () => {
    const story = new Story().update('a', {
      apiVersion: V1,
      kind: 'Thing',
      metadata: { name: 'n', labels: { x: '1' } },
      spec: { replicas: 1, containers: [{ name: 'c', image: 'i' }] },
      status: { seen: true },
    })
    expect(story.owners).toEqual([
      'a Update: .metadata.labels .metadata.labels.x .spec.containers[name="c"] ' +
        '.spec.containers[name="c"].image .spec.containers[name="c"].name .spec.replicas',
    ])
    expect(story.entries).toEqual([
      {
        manager: 'a',
        operation: 'Update',
        apiVersion: V1,
        time: '2024-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } },
          'f:spec': {
            'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {} } },
            'f:replicas': {},
          },
        },
      },
    ])
  })
  for (const { name, writes, owners } of [
    {
      name: 'an object in which nothing is set has no owner',
      writes: [['a', {}]],
      owners: [],
    },
    {
      name: 'changing a field transfers its ownership',
      writes: [
        ['a', { replicas: 1, paused: true }],
        ['b', { replicas: 2, paused: true }],
      ],
      owners: ['a Update: .spec.paused', 'b Update: .spec.replicas'],
    },
    {
      name: 'a manager without fields is removed',
      writes: [
        ['a', { replicas: 1 }],
        ['b', { replicas: 2 }],
      ],
      owners: ['b Update: .spec.replicas'],
    },
    {
      name: 'removed fields have no owner',
      writes: [
        ['a', { replicas: 1, paused: true }],
        ['b', { paused: true }],
      ],
      owners: ['a Update: .spec.paused'],
    },
    {
      name: 'a manager that changes nothing owns nothing',
      writes: [
        ['a', { replicas: 1 }],
        ['b', { replicas: 1 }],
      ],
      owners: ['a Update: .spec.replicas'],
    },
    {
      name: 'one manager has one entry',
      writes: [
        ['a', { replicas: 1 }],
        ['a', { replicas: 1, paused: true }],
        ['a', { paused: true }],
      ],
      owners: ['a Update: .spec.paused'],
    },
    {
      name: 'items of lists have owners each',
      writes: [
        ['a', { set: ['x'] }],
        ['b', { set: ['x', 'y'] }],
        ['c', { set: ['y'] }],
      ],
      owners: ['a Update: .spec.set', 'b Update: .spec.set[="y"]'],
    },
  ] as { name: string; writes: [string, object][]; owners: string[] }[]) {
    test(name, () => {
      const story = new Story()
      for (const [manager, content] of writes) story.update(manager, spec(content))
      expect(story.owners).toEqual(owners)
    })
  }

  test('sub-resources have entries of their own, without the fields that the endpoint resets', () => {
    const story = new Story().update('a', spec({ replicas: 1 }))
    story.update('a', spec({ replicas: 2 }), { subresource: 'scale' })
    story.update('b', { ...spec({ replicas: 2 }), status: { seen: true } })
    expect(story.owners).toEqual(['a Update /scale: .spec.replicas'])
  })

  test('the time is that of the last change', () => {
    const story = new Story().update('a', spec({ replicas: 1 })).update('a', spec({ replicas: 1 }))
    expect(story.entries.map((e) => e.time)).toEqual(['2024-01-01T00:00:00Z'])
    story.update('a', spec({ replicas: 2 }))
    expect(story.entries.map((e) => e.time)).toEqual(['2024-01-01T00:02:00Z'])
  })

  test('an object without entries is not tracked', () => {
    const story = new Story()
    story.object = spec({ replicas: 1 })
    expect(story.update('a', spec({ replicas: 2 })).entries).toEqual([])
  })

  for (const { name, sent, owners } of [
    {
      name: 'none',
      sent: undefined,
      owners: ['a Update: .spec.paused', 'b Update: .spec.replicas'],
    },
    {
      name: 'an empty list',
      sent: [],
      owners: ['a Update: .spec.paused', 'b Update: .spec.replicas'],
    },
    { name: 'one empty entry', sent: [{}], owners: ['b Update: .spec.replicas'] },
    {
      name: 'entries that make no sense',
      sent: [{ manager: 'x', operation: 'Other' }],
      owners: ['a Update: .spec.paused', 'b Update: .spec.replicas'],
    },
    {
      name: 'other entries',
      sent: [
        {
          manager: 'x',
          operation: 'Apply',
          apiVersion: V1,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
        },
      ],
      owners: ['x Apply: .spec.paused', 'b Update: .spec.replicas'],
    },
  ] as { name: string; sent: ManagedFieldsEntry[] | undefined; owners: string[] }[]) {
    test(`sent entries: ${name}`, () => {
      const story = new Story().update('a', spec({ replicas: 1, paused: true }))
      story.update('b', spec({ replicas: 2, paused: true }), sent ? { sent } : {})
      expect(story.owners).toEqual(owners)
    })
  }

  test('entries of a sub-resource request are not read', () => {
    const story = new Story().update('a', spec({ replicas: 1, paused: true }))
    story.update('b', spec({ replicas: 2, paused: true }), { sent: [{}], subresource: 'status' })
    expect(story.owners).toEqual(['a Update: .spec.paused', 'b Update /status: .spec.replicas'])
  })

  test('the entries of an object that does not match its type are unchanged', () => {
    const story = new Story().update('a', spec({ set: ['x'] }))
    const { owners } = story
    expect(story.update('b', spec({ set: ['x', 'y', 'y'] })).owners).toEqual(owners)
  })

  test('the oldest of more than ten updates become one', () => {
    const story = new Story()
    const labels: Record<string, string> = {}
    for (let i = 0; i < 13; i++) {
      labels[`l${i}`] = '1'
      story.update(`m${i}`, { metadata: { name: 'n', labels: { ...labels } } })
    }
    expect(story.owners).toEqual([
      'ancient-changes Update: .metadata.labels .metadata.labels.l0 .metadata.labels.l1 .metadata.labels.l2 .metadata.labels.l3',
      ...[4, 5, 6, 7, 8, 9, 10, 11, 12].map((i) => `m${i} Update: .metadata.labels.l${i}`),
    ])
    expect(story.entries[0]!.time).toBe('2024-01-01T00:03:00Z')
  })

  test('versions: fields follow the object', () => {
    const story = new Story().update('a', spec({ replicas: 1, label: 'x' }))
    story.update('b', spec({ count: 2, label: 'x' }), { apiVersion: 'test/v2' })
    expect(story.owners).toEqual(['a Update: .spec.label', 'b Update test/v2: .spec.count'])
    story.update('c', spec({ replicas: 3, label: 'x' }))
    expect(story.owners).toEqual(['a Update: .spec.label', 'c Update: .spec.replicas'])
  })

  test('versions that are no more: entries go', () => {
    const story = new Story().update('a', spec({ replicas: 1 }))
    story.entries = [{ ...story.entries[0]!, apiVersion: 'test/v0' }]
    expect(story.update('b', spec({ replicas: 1, paused: true })).owners).toEqual([
      'b Update: .spec.paused',
    ])
  })
})

describe('applies', () => {
  test('make an object', () => {
    const story = new Story().apply('a', spec({ replicas: 1, containers: [{ name: 'c' }] }))
    expect(story.object).toEqual(spec({ replicas: 1, containers: [{ name: 'c' }] }))
    expect(story.owners).toEqual([
      'a Apply: .spec.containers[name="c"] .spec.containers[name="c"].name .spec.replicas',
    ])
    expect(story.entries[0]).toMatchObject({ apiVersion: V1, time: '2024-01-01T00:00:00Z' })
  })

  test('that change nothing leave the entries as they are', () => {
    const story = new Story().apply('a', spec({ replicas: 1 }))
    const { object, entries } = story
    story.apply('a', spec({ replicas: 1 }))
    expect(story.object).toBe(object)
    expect(story.entries).toEqual(entries)
  })

  test('of an object without entries assign all other fields to an earlier manager', () => {
    const story = new Story()
    story.object = spec({ replicas: 1, paused: true })
    story.apply('a', spec({ replicas: 1 }))
    expect(story.owners).toEqual([
      'a Apply: .spec.replicas',
      'before-first-apply Update: .spec.paused .spec.replicas',
    ])
  })

  for (const { name, steps, object, owners } of [
    {
      name: 'equal values are shared',
      steps: [
        ['a', { replicas: 1 }],
        ['b', { replicas: 1 }],
      ],
      object: { replicas: 1 },
      // The later entry has no time, so it is first.
      owners: ['b Apply: .spec.replicas', 'a Apply: .spec.replicas'],
    },
    {
      name: 'fields that are no longer applied are removed',
      steps: [
        ['a', { replicas: 1, paused: true }],
        ['a', { replicas: 1 }],
      ],
      object: { replicas: 1 },
      owners: ['a Apply: .spec.replicas'],
    },
    {
      name: 'fields that others apply remain',
      steps: [
        ['a', { replicas: 1, paused: true }],
        ['b', { paused: true }],
        ['a', { replicas: 1 }],
      ],
      object: { replicas: 1, paused: true },
      owners: ['b Apply: .spec.paused', 'a Apply: .spec.replicas'],
    },
    {
      name: 'objects go with all that is in them',
      steps: [
        ['a', { strategy: { type: 'A' }, paused: true }],
        ['a', { paused: true }],
      ],
      object: { paused: true },
      owners: ['a Apply: .spec.paused'],
    },
    {
      name: 'objects remain if others own fields in them',
      steps: [
        ['a', { strategy: { type: 'A' } }],
        ['b', { strategy: { max: 1 } }],
        ['a', { paused: true }],
      ],
      object: { strategy: { max: 1 }, paused: true },
      owners: ['b Apply: .spec.strategy.max', 'a Apply: .spec.paused'],
    },
    {
      name: 'items come and go',
      steps: [
        ['a', { containers: [{ name: 'x' }, { name: 'y' }] }],
        ['b', { containers: [{ name: 'z' }] }],
        ['a', { containers: [{ name: 'y' }] }],
      ],
      object: { containers: [{ name: 'y' }, { name: 'z' }] },
      owners: [
        'b Apply: .spec.containers[name="z"] .spec.containers[name="z"].name',
        'a Apply: .spec.containers[name="y"] .spec.containers[name="y"].name',
      ],
    },
    {
      name: 'items remain if others own them',
      steps: [
        ['a', { containers: [{ name: 'x', image: 'i' }] }],
        ['b', { containers: [{ name: 'x', args: ['1'] }] }],
        ['a', { paused: true }],
      ],
      object: { containers: [{ name: 'x', args: ['1'] }], paused: true },
      owners: [
        'b Apply: .spec.containers[name="x"] .spec.containers[name="x"].args .spec.containers[name="x"].name',
        'a Apply: .spec.paused',
      ],
    },
    {
      name: 'members of sets come and go',
      steps: [
        ['a', { set: ['x', 'y'] }],
        ['b', { set: ['y', 'z'] }],
        ['a', { set: ['x'] }],
      ],
      object: { set: ['x', 'y', 'z'] },
      owners: ['a Apply: .spec.set[="x"]', 'b Apply: .spec.set[="y"] .spec.set[="z"]'],
    },
    {
      name: 'keys of maps come and go',
      steps: [
        ['a', { byName: { x: { label: '1' }, y: {} } }],
        ['a', { byName: { y: {} } }],
      ],
      object: { byName: { y: {} } },
      owners: ['a Apply: .spec.byName.y'],
    },
    {
      name: 'an empty configuration removes all',
      steps: [
        ['a', { replicas: 1 }],
        ['b', { paused: true }],
        ['a', {}],
      ],
      object: { paused: true },
      owners: ['b Apply: .spec.paused', 'a Apply: .spec'],
    },
  ] as { name: string; steps: [string, object][]; object: object; owners: string[] }[]) {
    test(name, () => {
      const story = new Story()
      for (const [manager, content] of steps) story.apply(manager, spec(content))
      expect(fields(story.object)).toEqual(object)
      expect(story.owners).toEqual(owners)
    })
  }

  test('concurrent writes of others stay', () => {
    const story = new Story().apply('a', spec({ replicas: 1, paused: true }))
    story.update('b', spec({ replicas: 2, paused: true }))
    expect(fields(story.apply('a', spec({ paused: true })).object)).toEqual({
      replicas: 2,
      paused: true,
    })
    expect(story.owners).toEqual(['a Apply: .spec.paused', 'b Update: .spec.replicas'])
  })

  describe('conflicts', () => {
    for (const { name, others, config, text } of [
      {
        name: 'one, with an update',
        others: (s: Story) => s.update('b', spec({ replicas: 1 })),
        config: { replicas: 2 },
        text: 'Apply failed with 1 conflict: conflict with "b" using test/v1 at 2024-01-01T00:00:00Z: .spec.replicas',
      },
      {
        name: 'one, with an apply',
        others: (s: Story) => s.apply('b', spec({ replicas: 1 })),
        config: { replicas: 2 },
        text: 'Apply failed with 1 conflict: conflict with "b": .spec.replicas',
      },
      {
        name: 'one, through a sub-resource',
        others: (s: Story) =>
          s
            .update('b', spec({ paused: true }))
            .update('b', spec({ paused: true, replicas: 1 }), { subresource: 'scale' }),
        config: { replicas: 2 },
        text: 'Apply failed with 1 conflict: conflict with "b" with subresource "scale" using test/v1 at 2024-01-01T00:01:00Z: .spec.replicas',
      },
      {
        name: 'several',
        others: (s: Story) =>
          s
            .apply('c', spec({ containers: [{ name: 'x', image: '1' }], set: ['s'] }))
            .update('b', spec({ containers: [{ name: 'x', image: '1' }], set: ['s'], label: 'l' })),
        config: { containers: [{ name: 'x', image: '2' }], label: 'm', set: ['s'] },
        text:
          'Apply failed with 2 conflicts: conflicts with "b" using test/v1 at 2024-01-01T00:01:00Z:\n- .spec.label\n' +
          'conflicts with "c":\n- .spec.containers[name="x"].image',
      },
      {
        name: 'in an atomic value',
        others: (s: Story) => s.apply('b', spec({ selector: { matchLabels: { a: '1' } } })),
        config: { selector: { matchLabels: { a: '1', b: '2' } } },
        text: 'Apply failed with 1 conflict: conflict with "b": .spec.selector',
      },
      {
        name: 'none with the same value',
        others: (s: Story) => s.apply('b', spec({ replicas: 1 })),
        config: { replicas: 1 },
        text: 'no conflict',
      },
      {
        name: "none with what is one's own",
        others: (s: Story) => s.apply('a', spec({ replicas: 1 })),
        config: { replicas: 2 },
        text: 'no conflict',
      },
      {
        name: "with one's own update",
        others: (s: Story) => s.update('a', spec({ replicas: 1 })),
        config: { replicas: 2 },
        text: 'Apply failed with 1 conflict: conflict with "a" using test/v1 at 2024-01-01T00:00:00Z: .spec.replicas',
      },
      {
        name: 'a change of a shared value conflicts with its other owner',
        others: (s: Story) => s.apply('a', spec({ replicas: 1 })).apply('b', spec({ replicas: 1 })),
        config: { replicas: 2 },
        text: 'Apply failed with 1 conflict: conflict with "b": .spec.replicas',
      },
    ]) {
      test(name, () => {
        const story = others(new Story())
        const { object, entries } = story
        expect(story.refused('a', spec(config))).toBe(text)
        if (text !== 'no conflict') expect([story.object, story.entries]).toEqual([object, entries])
      })
    }

    test('as a status', () => {
      const story = new Story().update('b', spec({ set: ['x'], owners: [{ uid: '1' }] }))
      const config = spec({ owners: [{ uid: '1', name: 'n' }] })
      let found: StatusError | undefined
      try {
        story.apply('a', config)
      } catch (error) {
        found = applyConflict(error as ApplyConflict)
      }
      expect(found?.toStatus()).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'Apply failed with 1 conflict: conflict with "b" using test/v1 at 2024-01-01T00:00:00Z: .spec.owners[uid="1"]',
        reason: 'Conflict',
        details: {
          causes: [
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "b" using test/v1 at 2024-01-01T00:00:00Z',
              field: '.spec.owners[uid="1"]',
            },
          ],
        },
        code: 409,
      })
    })

    test('force transfers the ownership', () => {
      const story = new Story().apply('b', spec({ replicas: 1, paused: true }))
      story.apply('a', spec({ replicas: 2 }), { force: true })
      expect(fields(story.object)).toEqual({ replicas: 2, paused: true })
      expect(story.owners).toEqual(['b Apply: .spec.paused', 'a Apply: .spec.replicas'])
    })
  })

  test('versions: the same manager has one entry in all of them', () => {
    const story = new Story().apply('a', spec({ replicas: 1, label: 'x' }))
    story.apply('a', spec({ count: 2 }), { apiVersion: 'test/v2' })
    expect(fields(story.object)).toEqual({ replicas: 2 })
    expect(story.owners).toEqual(['a Apply test/v2: .spec.count'])
    expect(story.refused('b', spec({ replicas: 3 }))).toBe(
      'Apply failed with 1 conflict: conflict with "a": .spec.count',
    )
  })

  test('a value that has become atomic belongs to the owners of its parts', () => {
    const story = new Story().apply('b', spec({ selector: { matchLabels: { a: '1' } } }))
    story.entries = [
      {
        ...story.entries[0]!,
        fieldsV1: { 'f:spec': { 'f:selector': { 'f:matchLabels': { 'f:a': {} } } } },
      },
    ]
    expect(story.refused('a', spec({ selector: { matchLabels: { c: '1' } } }))).toBe(
      'Apply failed with 1 conflict: conflict with "b": .spec.selector',
    )
  })

  test('a configuration with an item twice is refused', () => {
    expect(() => new Story().apply('a', spec({ set: ['x', 'x'] }))).toThrow(
      'duplicate entries for key [="x"]',
    )
  })
})

describe('entries', () => {
  const entry = (more: object): ManagedFieldsEntry => ({
    manager: 'm',
    operation: 'Update',
    apiVersion: V1,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:a': {} },
    ...more,
  })
  test('are sorted', () => {
    const sorted = [
      entry({ operation: 'Apply', time: '2024-01-02T00:00:00Z' }),
      entry({ manager: 'z' }),
      entry({ time: '2024-01-01T00:00:00Z' }),
      entry({ time: '2024-01-01T00:00:00Z', apiVersion: 'test/v2' }),
      entry({ time: '2024-01-01T00:00:00Z', apiVersion: 'test/v2', subresource: 'status' }),
      entry({ time: '2024-01-01T00:00:00Z', manager: 'n' }),
    ]
    expect(writeManaged(readManaged(sorted.toReversed()))).toEqual(sorted)
  })
  for (const { name, bad, text } of [
    {
      name: 'no operation',
      bad: { operation: '' },
      text: 'unknown operation of a field manager: ',
    },
    { name: 'another form', bad: { fieldsType: 'V2' }, text: 'unknown form of managed fields: V2' },
    { name: 'no set', bad: { fieldsV1: { x: {} } }, text: 'no colon after the kind of step: x' },
  ]) {
    test(name, () => expect(() => readManaged([entry(bad)])).toThrow(text))
  }
})

describe('laws', () => {
  const word = fc.constantFrom('a', 'b', 'c')
  const content = fc.record(
    {
      replicas: fc.nat(2),
      label: word,
      set: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
      strategy: fc.record({ type: word }),
      containers: fc.uniqueArray(
        fc.record({ name: word, image: word }, { requiredKeys: ['name'] }),
        {
          selector: ({ name }) => name,
          minLength: 1,
          maxLength: 2,
        },
      ),
    },
    { requiredKeys: [] },
  )
  const step = fc.record({ manager: word, content, update: fc.boolean() })
  const steps = fc.array(step, { maxLength: 5 })
  const told = (all: readonly { manager: string; content: object; update: boolean }[]) => {
    const story = new Story()
    for (const { manager, content, update } of all) {
      if (update) story.update(manager, spec(content))
      else story.apply(manager, spec(content), { force: true })
    }
    return story
  }

  test('absent fields have no owner, and a repeated apply changes nothing', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const story = new Story()
        for (const { manager, content, update } of all) {
          if (update) story.update(manager, spec(content))
          else story.apply(manager, spec(content), { force: true })
          const owned = story.entries.reduce(
            (set, { fieldsV1 }) => set.union(fromFieldsV1(fieldsV1)),
            FieldSet.empty,
          )
          const present = Object.keys(fields(story.object)).map((key) => `.spec.${key}`)
          for (const path of Array.from(owned.leaves().paths(), pathText)) {
            expect(path === '.spec' || present.some((key) => path.startsWith(key))).toBe(true)
          }
          if (update) continue
          const { object, entries } = story
          story.apply(manager, spec(content))
          expect([story.object, story.entries]).toEqual([object, entries])
        }
      }),
      { numRuns: 150 },
    )
  })

  test('after two applies of one manager, the fields that it alone owns are those of the second', () => {
    fc.assert(
      fc.property(content, content, content, (others, first, second) => {
        const start = () => new Story().apply('x', spec(others), { force: true })
        const two = start().apply('y', spec(first), { force: true })
        const one = start().apply('y', spec(second), { force: true })
        // Fields that the first took by force do not return to their former owners.
        two.apply('y', spec(second), { force: true })
        const own = (story: Story) => story.owners.filter((line) => line.startsWith('y '))
        expect(own(two)).toEqual(own(one))
        const wanted = (story: Story) => {
          const object = fields(story.object) as Record<string, unknown>
          return Object.fromEntries(
            Object.keys(second)
              .filter((key) => key !== 'set' && key !== 'containers')
              .map((key) => [key, object[key]]),
          )
        }
        expect(wanted(two)).toEqual(wanted(one))
        if (Object.keys(others).length === 0) expect(fields(two.object)).toEqual(fields(one.object))
      }),
      { numRuns: 200 },
    )
  })

  test('an apply without force neither changes nor removes fields of others', () => {
    fc.assert(
      fc.property(steps, word, content, (all, manager, config) => {
        const story = told(all)
        const others = () =>
          story.entries
            .filter((entry) => entry.operation !== 'Apply' || entry.manager !== manager)
            .map(
              ({ fieldsV1, ...entry }) => [entry, withWholeItems(fromFieldsV1(fieldsV1))] as const,
            )
            .filter(([, set]) => !set.isEmpty)
        const seen = (set: FieldSet) =>
          JSON.stringify(extractItems(topologies.get(V1)!, story.object, set) ?? null)
        const before = others().map(([entry, set]) => ({ entry, set, was: sorted(seen(set)) }))
        story.refused(manager, spec(config))
        expect(others()).toEqual(before.map(({ entry, set }) => [entry, set]))
        for (const { set, was } of before) expect(sorted(seen(set))).toBe(was)
      }),
      { numRuns: 200 },
    )
  })
})

/** Without the fields inside of items that others own: removing the item removes them. */
const withWholeItems = (set: FieldSet): FieldSet =>
  FieldSet.of(
    [...set.nodes.values()]
      .filter(({ element, member }) => element.is !== 'key' || member)
      .map((node) => ({ ...node, below: withWholeItems(node.below) })),
  )

/** Items may be in another order than before. */
const sorted = (text: string) => [...text].sort().join('')
