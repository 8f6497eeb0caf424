import { expect, test } from 'vitest'
import type { Attributes } from './attributes.ts'
import { pluginIndex } from './plugin-index.ts'
import type { Plugin, PluginResource } from './plugin.ts'

const plugin = (name: string, resources?: readonly PluginResource[], operations = ['CREATE']) =>
  Object.assign(
    { handles: (operation: string) => operations.includes(operation), name },
    resources && { resources },
  ) as Plugin & { name: string }

const pods = { group: '', resource: 'pods' }
const find = pluginIndex([
  plugin('all'),
  plugin('pods', [pods]),
  plugin('pods-and-debug', [pods, { ...pods, subresource: 'ephemeralcontainers' }]),
  plugin('anything-of-pods', [{ ...pods, subresource: '*' }]),
  plugin('metrics', [{ group: 'metrics.example.com', resource: 'pods' }]),
  plugin('debug', [{ ...pods, subresource: 'ephemeralcontainers' }]),
  plugin('updates', undefined, ['UPDATE']),
  plugin('none', []),
])

for (const [operation, group, resource, subresource, expected] of [
  ['CREATE', '', 'pods', '', ['all', 'pods', 'pods-and-debug', 'anything-of-pods']],
  ['CREATE', '', 'pods', 'binding', ['all', 'anything-of-pods']],
  [
    'CREATE',
    '',
    'pods',
    'ephemeralcontainers',
    ['all', 'pods-and-debug', 'anything-of-pods', 'debug'],
  ],
  ['CREATE', 'metrics.example.com', 'pods', '', ['all', 'metrics']],
  ['CREATE', 'metrics.example.com', 'pods', 'status', ['all']],
  ['CREATE', 'apps', 'pods', '', ['all']],
  ['CREATE', '', 'services', '', ['all']],
  ['CREATE', '', 'constructor', '', ['all']],
  ['UPDATE', '', 'pods', '', ['updates']],
  ['DELETE', '', 'pods', '', []],
] as const) {
  test(`${operation} ${group}/${resource}/${subresource}`, () => {
    const attributes = {
      operation,
      resource: { group, version: 'v1', resource },
      subresource,
    } as Attributes
    expect(find(attributes).map((one) => (one as unknown as { name: string }).name)).toEqual(
      expected,
    )
  })
}
