/** What the index remembers is what an index finds that remembers nothing. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Catalogue, ResourceEntry } from '../../catalogue/catalogue.ts'
import { OPERATIONS, type Attributes, type GroupVersionResource } from '../attributes.ts'
import { hooksOf, type ConfiguredWebhook } from './hook.ts'
import { HookIndex } from './hook-index.ts'

const GROUPS = ['', 'apps', 'example.com']
const VERSIONS = ['v1', 'v1beta1']
const RESOURCES = ['pods', 'deployments', 'namespaces']
const SUBRESOURCES = ['', 'status', 'scale']

/** Each resource in both versions, of one kind; the same name in several groups is another one. */
const served = new Map<string, ResourceEntry>()
const keyOf = (group: string, version: string, resource: string) =>
  `${group}/${version}/${resource}`
for (const group of GROUPS)
  for (const resource of RESOURCES) {
    const versions: ResourceEntry[] = []
    for (const version of VERSIONS) {
      const entry = {
        group,
        version,
        resource,
        kind: resource,
        groupVersion: `${group}/${version}`,
        subresources: new Map([
          ['status', { serves: 'part' }],
          ['scale', { serves: 'body' }],
        ]),
        versions,
      } as unknown as ResourceEntry
      versions.push(entry)
      served.set(keyOf(group, version, resource), entry)
    }
  }
const catalogue: Pick<Catalogue, 'find'> = {
  find: (group, version, resource) => served.get(keyOf(group, version, resource)),
}

const some = (values: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...values, '*'), { minLength: 1, maxLength: 2 })
const rule = fc.record({
  operations: some(OPERATIONS),
  apiGroups: some(GROUPS),
  apiVersions: some(VERSIONS),
  resources: some([...RESOURCES, ...RESOURCES.map((one) => `${one}/status`), 'pods/*', '*/scale']),
  scope: fc.constantFrom('*', 'Namespaced', 'Cluster', undefined),
})
const configurations = fc.array(
  fc.record({
    rules: fc.array(rule, { maxLength: 3 }),
    matchPolicy: fc.constantFrom('Exact', 'Equivalent', undefined),
  }),
  { maxLength: 5 },
)
const request = fc
  .record({
    operation: fc.constantFrom(...OPERATIONS),
    group: fc.constantFrom(...GROUPS),
    version: fc.constantFrom(...VERSIONS),
    resource: fc.constantFrom(...RESOURCES),
    requestSubresource: fc.constantFrom(...SUBRESOURCES),
    namespace: fc.constantFrom('', 'default'),
  })
  .map(
    ({ group, version, resource, ...rest }) =>
      ({ ...rest, requestResource: { group, version, resource } }) as unknown as Attributes,
  )

test('an index that remembers finds the same as a new one', () => {
  fc.assert(
    fc.property(configurations, fc.array(request, { maxLength: 60 }), (given, requests) => {
      const webhooks = given.map((one, i) => ({ name: `w${i}`, ...one }) as ConfiguredWebhook)
      const hooks = hooksOf(new Map([['c', webhooks]]))
      const index = new HookIndex(hooks, catalogue)
      for (const one of [...requests, ...requests]) {
        const plain = new HookIndex(hooks, catalogue).candidates(one)
        expect(index.candidates(one)).toEqual(plain)
        expect(index.candidates(one)).toBe(index.candidates(one))
      }
    }),
    { numRuns: 200 },
  )
})

test('it forgets when it knows very many, and finds them again', () => {
  const webhooks = [
    {
      name: 'w',
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['r7'] }],
    },
  ] as unknown as ConfiguredWebhook[]
  const index = new HookIndex(hooksOf(new Map([['c', webhooks]])), catalogue)
  const found = (resource: string) =>
    index.candidates({
      operation: 'CREATE',
      requestResource: { group: '', version: 'v1', resource } satisfies GroupVersionResource,
      requestSubresource: '',
      namespace: 'n',
    } as unknown as Attributes).length
  const before = [found('r7'), found('r8')]
  for (let i = 0; i < 20_000; i++) found(`r${i}`)
  expect([before, [found('r7'), found('r8')]]).toEqual([
    [1, 0],
    [1, 0],
  ])
})
