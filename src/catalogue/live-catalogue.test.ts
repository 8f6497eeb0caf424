import { expect, test } from 'vitest'
import { resources } from '../kinds/index.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { buildCatalogue } from './catalogue.ts'
import { declaredEntries } from './declared-entry.ts'
import type { ResourceVersions } from './catalogue-snapshot.ts'
import type { CatalogueChange, LiveCatalogue } from './live-catalogue.ts'
import { group } from '../meta/object-meta.ts'
import { resource, same, type Resource } from './resource.ts'
import { t } from '../notation/shape.ts'

const v = vocabularies.orch

/** A kind of one field. */
function thing(home: string, kindName: string, plural: string, more: readonly string[] = []) {
  const made = (version: string) =>
    Object.defineProperty(class extends group(version).kind({ size: t.int32(2) }) {}, 'name', {
      value: kindName,
    })
  return resource(made(home), {
    plural,
    scope: 'namespace',
    versions: Object.fromEntries(more.map((version) => [version, same(made(version))])),
  })
}

const entryOf = (
  declaration: Resource,
  isServed = (_version: string) => true,
): ResourceVersions => {
  const versions = declaredEntries(declaration, v)
  return { versions, served: versions.filter(({ version }) => isServed(version)) }
}

const widgets = () => thing('example.com/v1', 'Widget', 'widgets', ['example.com/v1beta1'])

function telling(catalogue: LiveCatalogue): string[] {
  const told: string[] = []
  const names = (entries: readonly ResourceVersions[]) =>
    entries.map(({ versions: [{ resource: plural, group: name }] }) => `${plural}.${name}`)
  catalogue.subscribe(({ generation, added, changed, removed }: CatalogueChange) => {
    const all = [names(added), names(changed.map(({ now }) => now)), names(removed)]
    told.push(`${generation}: ${all.map((some) => some.join(' ')).join(' | ')}`)
  })
  return told
}

test('published entries are served until their owner replaces them', () => {
  const catalogue = buildCatalogue(resources, v)
  const { groups } = catalogue
  const told = telling(catalogue)
  const first = entryOf(widgets())
  catalogue.publish('a', [first])
  expect(catalogue.find('example.com', 'v1', 'widgets')).toBe(first.versions[0])
  expect(catalogue.group('example.com')).toEqual({
    group: 'example.com',
    versions: ['v1', 'v1beta1'],
  })
  expect(catalogue.groups).toEqual([...groups, catalogue.group('example.com')])
  expect(catalogue.entryAt('/registry/example.com/widgets/')?.versions).toBe(first.versions)
  const core = catalogue.resources('', 'v1')

  const gadgets = entryOf(thing('example.com/v1', 'Gadget', 'gadgets'))
  catalogue.publish('b', [gadgets])
  catalogue.publish('a', [entryOf(widgets(), (version) => version === 'v1')])
  expect(catalogue.hasVersion('example.com', 'v1beta1')).toBe(false)
  expect(catalogue.entry('example.com', 'widgets')?.versions.length).toBe(2)
  expect(catalogue.resources('example.com', 'v1').map((one) => one.resource)).toEqual([
    'gadgets',
    'widgets',
  ])

  catalogue.publish('a', [])
  expect(catalogue.find('example.com', 'v1', 'widgets')).toBeUndefined()
  catalogue.publish('b', [])
  expect(catalogue.groups).toEqual(groups)
  expect(catalogue.entryAt('/registry/example.com/widgets/')).toBeUndefined()
  expect(catalogue.resources('', 'v1')).toBe(core)
  expect(told).toEqual([
    '2: widgets.example.com |  | ',
    '3: gadgets.example.com |  | ',
    '4:  | widgets.example.com | ',
    '5:  |  | widgets.example.com',
    '6:  |  | gadgets.example.com',
  ])
})

test('a snapshot does not change', () => {
  const catalogue = buildCatalogue(resources, v)
  const { now } = catalogue
  catalogue.publish('a', [entryOf(widgets())])
  expect(now.find('example.com', 'v1', 'widgets')).toBeUndefined()
  expect(now.groups).not.toEqual(catalogue.groups)
  expect([now.generation, catalogue.generation]).toEqual([1, 2])
})

test('publishing the same entries again changes nothing', () => {
  const catalogue = buildCatalogue(resources, v)
  const told = telling(catalogue)
  const entry = entryOf(widgets())
  catalogue.publish('a', [entry])
  const { now } = catalogue
  catalogue.publish('a', [{ ...entry, served: [...entry.served] }])
  catalogue.publish('nobody', [])
  expect(catalogue.now).toBe(now)
  expect(told.length).toBe(1)
})

test('a change by a listener is reported after the one that it is handling', () => {
  const catalogue = buildCatalogue(resources, v)
  let isFirst = true
  catalogue.subscribe(() => {
    if (isFirst) catalogue.publish('b', [entryOf(thing('other.com/v1', 'Gadget', 'gadgets'))])
    isFirst = false
  })
  const told = telling(catalogue)
  catalogue.publish('a', [entryOf(widgets())])
  expect(told).toEqual(['2: widgets.example.com |  | ', '3: gadgets.other.com |  | '])
})

test('a resource changes hands in one step', () => {
  const catalogue = buildCatalogue(resources, v)
  catalogue.publish('a', [entryOf(widgets())])
  const next = entryOf(widgets())
  catalogue.publishAll([
    ['a', []],
    ['b', [next]],
  ])
  expect(catalogue.find('example.com', 'v1', 'widgets')).toBe(next.versions[0])
})

for (const { name, wanted, message } of [
  {
    name: 'a resource of another owner',
    wanted: thing('example.com/v1', 'Widget', 'widgets'),
    message: 'widgets.example.com of "b" is there already, of "a"',
  },
  {
    name: 'a resource of another owner in another version',
    wanted: thing('example.com/v2', 'Gadget', 'widgets'),
    message: 'widgets.example.com of "b" is there already, of "a"',
  },
  {
    name: 'a kind of another owner',
    wanted: thing('example.com/v1', 'Widget', 'gadgets'),
    message: 'kind Widget of example.com/v1 of "b" is there already, of "a"',
  },
  {
    name: 'a resource that is built in',
    wanted: thing('apps/v9', 'Thing', 'deployments'),
    message: 'deployments.apps of "b" is there already, of "the server"',
  },
  {
    name: 'a resource of the core group',
    wanted: thing('core/v1', 'Thing', 'pods'),
    message: 'pods of "b" is there already, of "the server"',
  },
])
  test(`refused: ${name}`, () => {
    const catalogue = buildCatalogue(resources, v)
    catalogue.publish('a', [entryOf(widgets())])
    const { now } = catalogue
    const told = telling(catalogue)
    const other = entryOf(thing('third.com/v1', 'Third', 'thirds'))
    expect(() => catalogue.publish('b', [other, entryOf(wanted)])).toThrow(
      expect.objectContaining({ name: 'CatalogueConflict', message }),
    )
    expect(catalogue.now).toBe(now)
    expect(told).toEqual([])
  })

test('two groups have the same plural', () => {
  const catalogue = buildCatalogue(resources, v)
  catalogue.publish('a', [entryOf(widgets()), entryOf(thing('other.com/v1', 'Widget', 'widgets'))])
  expect(catalogue.find('example.com', 'v1', 'widgets')?.keyPrefix).toBe(
    '/registry/example.com/widgets/',
  )
  expect(catalogue.find('other.com', 'v1', 'widgets')?.keyPrefix).toBe(
    '/registry/other.com/widgets/',
  )
})
