/**
 * Declarations beside the facts they were made from: names and order of fields, wire
 * numbers, presence, merge topology, enums; names, columns and selectors of resources.
 */
import { describe, expect, test } from 'vitest'
import { factsOf } from '../../test/facts.ts'
import type { FieldFacts, Holds, Shape } from '../notation/shape.ts'
import { resources } from './index.ts'

interface FactField {
  readonly name: string
  readonly brandedName?: string
  readonly type: string
  readonly proto?: number
  readonly required?: boolean
  readonly pointer?: boolean
  readonly list?: string
  readonly listKeys?: readonly string[]
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
  readonly enum?: readonly string[]
  readonly inlineOf?: string
}
interface FactType {
  readonly fields: readonly FactField[]
  readonly structType?: string
}
interface FactKind {
  readonly kind: string
  readonly resource: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly deleteReturns: string
}

/** What is meant to differ, and why. */
const MEANT: Readonly<Record<string, string>> = {
  'PersistentVolumeSpec.claimRef': 'granular on top of an atomic shape; the notation has one mark',
  'StatefulSetStatus.availableReplicas': 'always written, yet not required of clients',
  'NamespaceStatus.phase': 'the default is filled where the field stands',
}

// Files whose name is not that of the group.
const NAMES: Readonly<Record<string, string>> = {
  'rbac.authorization': 'rbac',
  'flowcontrol.apiserver': 'flowcontrol',
  'internal.apiserver': 'apiserverinternal',
}

function fileOf(home: string): string {
  const [group = '', version = ''] = home.replace('{api}', '').split('/')
  return `${NAMES[group] ?? group}.${version}.json`
}

function reachable(): Shape[] {
  const found = new Set<Shape>()
  const walk = (shape: Shape): void => {
    if (found.has(shape)) return
    found.add(shape)
    for (const facts of shape.fields.values()) into(facts.holds)
  }
  const into = (holds: Holds): void => {
    if (holds.is === 'object') walk(holds.to())
    else if (holds.is === 'list' || holds.is === 'map') into(holds.of)
  }
  for (const { storage, versions = {}, subresources = {} } of resources) {
    walk(storage.shape)
    for (const { shape } of Object.values(versions)) walk(shape.shape)
    for (const subresource of Object.values(subresources)) {
      if (subresource.serves !== 'action') continue
      for (const { shape } of [subresource.input, ...(subresource.also ?? [])]) walk(shape)
    }
  }
  return [...found]
}

/** Fields as the facts list them: inlined ones in place. */
function flat(shape: Shape): [string, FieldFacts][] {
  return [...shape.fields].flatMap(([name, facts]) =>
    facts.inline && facts.holds.is === 'object'
      ? flat(facts.holds.to())
      : [[name, facts] as [string, FieldFacts]],
  )
}

describe('shapes agree with the facts', () => {
  for (const shape of reachable()) {
    test(`${shape.home} ${shape.name}`, () => {
      const type = factsOf<{ types: Record<string, FactType> }>(fileOf(shape.home)).types[
        shape.name
      ]
      expect(type, 'the facts know the type').toBeDefined()
      const want = type!.fields
        .filter((f) => !/TypeMeta/.test(f.inlineOf ?? ''))
        .map((f) => ({ ...f, name: (f.brandedName ?? f.name).replace('{nodeagent}', '{agent}') }))
      const got = flat(shape)
      expect(got.map(([name]) => name)).toEqual(want.map((f) => f.name))
      expect(shape.atomic).toBe(type!.structType === 'atomic')
      for (const [i, fact] of want.entries()) {
        const [name, facts] = got[i]!
        if (Object.hasOwn(MEANT, `${shape.name}.${name}`)) continue
        const where = `${shape.name}.${name}`
        expect(facts.number, where).toBe(fact.proto)
        if (!(fact.required && fact.pointer)) {
          expect(facts.presence, where).toBe(
            fact.required ? 'always' : fact.pointer ? 'explicit' : 'zero',
          )
        }
        if (fact.list)
          expect(facts.list, where).toEqual(fact.list === 'map' ? fact.listKeys : fact.list)
        expect(facts.patch?.strategy, where).toBe(fact.patchStrategy)
        expect(facts.patch?.key, where).toBe(fact.patchMergeKey)
        if (fact.enum && fact.type === 'string' && !fact.enum.includes('') && !fact.pointer) {
          expect([...(facts.oneOf ?? [])].sort(), where).toEqual([...fact.enum].sort())
        }
      }
    })
  }
})

const deleteAnswer = ({ deleteAnswers, without = [] }: (typeof resources)[number]) =>
  without.includes('delete') ? null : deleteAnswers === 'status' ? 'Status' : 'object'

interface FactColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly priority?: number
}

describe('resources agree with the facts', () => {
  for (const resource of resources) {
    const { shape } = resource.storage
    test(resource.plural, () => {
      const fact = factsOf<{ kinds: FactKind[] }>(fileOf(shape.home)).kinds.find(
        (k) => k.kind === shape.name,
      )!
      expect({
        resource: resource.plural,
        namespaced: resource.scope === 'namespace',
        shortNames: resource.short ?? [],
        categories: resource.categories ?? [],
        deleteReturns: deleteAnswer(resource),
      }).toEqual({
        resource: fact.resource,
        namespaced: fact.namespaced,
        shortNames: fact.shortNames,
        categories: fact.categories,
        deleteReturns: fact.deleteReturns ?? null,
      })
      if (resource.virtual !== undefined && resource.without?.includes('list')) return
      const key = `${fileOf(shape.home).replace('.json', '')}/${shape.name}`
      const table = factsOf<{
        kinds: Record<string, { columns: FactColumn[]; default?: boolean }>
      }>('tables.json').kinds[key]!
      if (table.default !== true) {
        expect(resource.columns?.map((c) => [c.name, c.type, c.format ?? '', c.priority])).toEqual(
          table.columns.map((c) => [c.name, c.type, c.format ?? '', c.priority ?? 0]),
        )
      }
      const { accepted } = factsOf<{ kinds: Record<string, { accepted: string[] }> }>(
        'fields-selectable.json',
      ).kinds[key]!
      expect(
        [
          'metadata.name',
          ...(resource.noNamespaceSelector ? [] : ['metadata.namespace']),
          ...Object.keys(resource.selectable ?? {}),
          ...Object.keys(resource.selectableAliases ?? {}),
        ].sort(),
      ).toEqual([...accepted].sort())
    })
  }
})
