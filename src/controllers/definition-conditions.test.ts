import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Decoding } from '../codec/codec.ts'
import { encodeObject } from '../registry/objects.ts'
import { keyOf } from '../registry/context.ts'
import { inProcess } from '../server/in-process.fixture.ts'
import { definitionApproval, definitionStructure } from './definition-conditions.ts'
import { startControllers, type RunningControllers } from './index.ts'

const at = (name = '') => ['apiextensions{api}/v1', 'customresourcedefinitions', '', name] as const

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers | null = null
const open = async (...given: Parameters<typeof inProcess>) => {
  context = await inProcess(...given)
  running = startControllers(context.controllerContext, [definitionApproval, definitionStructure])
}
afterEach(async () => {
  await running?.stop()
  running = null
  await context.close()
})

interface Condition {
  type: string
  status: string
  reason: string
  message: string
}
const conditionsOf = async (name: string) => {
  await running!.idle()
  const object = await context.hand.get(at(name))
  return (object.status.conditions ?? []).map(
    ({ type, status, reason, message }: Condition) => `${type} ${status} ${reason}: ${message}`,
  )
}
const definition = (group: string, annotations: object, spec: object = {}) => ({
  metadata: { name: `things.${group}`, annotations },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
    ...spec,
  },
})

/** Stores a definition as it is, as an earlier release may have. */
async function store(given: ReturnType<typeof definition>): Promise<void> {
  const served = context.hand.served(at())
  const object = served.codec.decode(
    {
      apiVersion: served.groupVersion,
      kind: served.kind,
      ...given,
      metadata: { ...given.metadata, uid: 'u', creationTimestamp: '2020-01-01T00:00:00Z' },
    },
    new Decoding(),
  )
  const value = encodeObject(served, object as never)
  const key = keyOf(served, '', given.metadata.name)
  await context.api.cache.commit([{ key, value, ifChangedAt: 0 }])
}

for (const { vocabulary, domain, label, type, key } of [
  {
    vocabulary: 'orch',
    domain: 'orch.io',
    label: 'orch.io',
    type: 'OrchAPIApprovalPolicyConformant',
    key: 'api-approved.orch.io',
  },
  {
    vocabulary: 'kubernetes',
    domain: 'k8s.io',
    label: 'kubernetes.io',
    type: 'KubernetesAPIApprovalPolicyConformant',
    key: 'api-approved.kubernetes.io',
  },
] as const)
  describe(`approval in the vocabulary ${vocabulary}`, () => {
    beforeEach(() => open({ vocabulary }))

    for (const { name, group, text, found } of [
      {
        name: 'a URL',
        group: `x.${domain}`,
        text: 'https://example.com/pull/1',
        found: 'True ApprovedAnnotation: approved in https://example.com/pull/1',
      },
      {
        name: 'a word for none',
        group: `x.${label}`,
        text: 'unapproved, experimental',
        found: 'False UnapprovedAnnotation: not approved: "unapproved, experimental"',
      },
      {
        name: 'anything else',
        group: `x.${domain}`,
        text: 'yes',
        found: `False InvalidAnnotation: the annotation ${key} of a protected group must be the URL of the approval, or start with "unapproved": "yes"`,
      },
      {
        name: 'nothing',
        group: `x.${domain}`,
        text: null,
        found: `False MissingAnnotation: a protected group needs the annotation ${key}`,
      },
      { name: 'another group', group: 'example.com', text: null, found: null },
    ])
      test(`is reported: ${name}`, async () => {
        await store(definition(group, text === null ? {} : { [key]: text }))
        expect(await conditionsOf(`things.${group}`)).toEqual(
          found === null ? [] : [`${type} ${found}`],
        )
      })

    test('is reported again when the annotation changes', async () => {
      const name = `things.x.${domain}`
      await context.hand.create(at(), definition(`x.${domain}`, { [key]: 'unapproved' }))
      expect(await conditionsOf(name)).toEqual([
        `${type} False UnapprovedAnnotation: not approved: "unapproved"`,
      ])
      const { resourceVersion } = (await context.hand.get(at(name))).metadata
      await context.hand.patch(at(name), {
        metadata: { resourceVersion, annotations: { [key]: 'https://example.com/1' } },
      })
      expect(await conditionsOf(name)).toEqual([
        `${type} True ApprovedAnnotation: approved in https://example.com/1`,
      ])
    })
  })

describe('structure', () => {
  beforeEach(() => open())
  const schemaOf = (openAPIV3Schema: object) => ({
    preserveUnknownFields: true,
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
  })

  for (const { name, spec, found } of [
    {
      name: 'a structural schema',
      spec: { ...schemaOf({ type: 'object' }), preserveUnknownFields: false },
      found: [],
    },
    {
      name: 'fields that are preserved as a whole',
      spec: schemaOf({ type: 'object' }),
      found: [
        'NonStructuralSchema True Violations: spec.preserveUnknownFields: Invalid value: true: must be false',
      ],
    },
    {
      name: 'violations of the schema',
      spec: schemaOf({ properties: { spec: { properties: { a: { type: 'string' } } } } }),
      found: [
        'NonStructuralSchema True Violations: [spec.preserveUnknownFields: Invalid value: true: must be false, ' +
          'spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields, ' +
          'spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root]',
      ],
    },
    {
      name: 'keywords of no structural schema',
      spec: schemaOf({ type: 'object', $ref: '#/definitions/x' }),
      found: [
        'NonStructuralSchema True StructuralError: the schema of version v1 has keywords that no structural schema has',
      ],
    },
  ])
    test(`is reported: ${name}`, async () => {
      await store(definition('example.com', {}, spec))
      expect(await conditionsOf('things.example.com')).toEqual(found)
    })

  test('is no longer reported when it is right', async () => {
    await store(definition('example.com', {}, schemaOf({ type: 'object' })))
    expect(await conditionsOf('things.example.com')).toHaveLength(1)
    const { resourceVersion } = (await context.hand.get(at('things.example.com'))).metadata
    await context.hand.patch(at('things.example.com'), {
      metadata: { resourceVersion },
      spec: { preserveUnknownFields: false },
    })
    expect(await conditionsOf('things.example.com')).toEqual([])
  })
})
