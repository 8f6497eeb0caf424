/** Every built object is accepted by a server of its vocabulary. */
import { expect, test } from 'vitest'
import type { ApiObject } from '../client/transport.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { builders, startTestServer, type Built } from './index.ts'

const SPECIAL = ['roleBinding', 'clusterRoleBinding', 'definition']

for (const vocabulary of ['orch', 'kubernetes'] as const)
  test(`objects of the vocabulary ${vocabulary}`, async () => {
    const build = builders(vocabulary)
    const named = Object.entries(build).filter(([kind]) => !SPECIAL.includes(kind)) as [
      string,
      (name: string) => Built<ApiObject>,
    ][]
    const objects = [
      ...named.map(([kind, make]) => make(`a-${kind.toLowerCase()}`)),
      build.roleBinding('b', { role: 'a-role', users: ['ann'], metadata: { labels: { a: 'b' } } }),
      build.clusterRoleBinding('b', {
        clusterRole: 'view',
        groups: ['g'],
        accounts: ['default/a'],
      }),
      build.definition({ group: 'example.com', kind: 'Gadget', subresources: { status: {} } }),
    ]
    // Accounts of pods need the other controllers.
    const server = await startTestServer({
      vocabulary,
      controllers: 'server',
      disableAdmissionPlugins: ['ServiceAccount'],
    })
    const applied = await server.apply([
      ...objects,
      { ...build.definition({ group: 'example.org', kind: 'Box' }) },
    ])
    expect(applied).toHaveLength(objects.length + 1)
    const [group] = [vocabularies[vocabulary].resolve('rbac.authorization{api}')]
    expect(applied.find(({ kind }) => kind === 'RoleBinding')).toMatchObject({
      metadata: { name: 'b', labels: { a: 'b' } },
      subjects: [{ kind: 'User', apiGroup: group, name: 'ann' }],
      roleRef: { apiGroup: group, kind: 'Role', name: 'a-role' },
    })
    await server.close()
  })

test('what a test is about is merged in', () => {
  const { configMap, deployment, pod, roleBinding } = builders()
  expect(
    deployment('web', {
      metadata: { labels: { a: 'b' } },
      spec: { replicas: 3, template: { spec: { nodeName: 'n' } } },
    }),
  ).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { a: 'b' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { nodeName: 'n', containers: [{ name: 'main', image: 'example.com/app:1' }] },
      },
    },
  })
  expect(pod('p', { spec: { containers: [{ name: 'x' }] } }).spec!.containers).toEqual([
    { name: 'x' },
  ])
  const odd = JSON.parse('{"data":{"__proto__":"x"}}') as object
  expect(JSON.stringify(configMap('a', odd).data)).toBe('{"__proto__":"x"}')
  expect(() => roleBinding('b', {})).toThrow('a binding needs either role or clusterRole')
  expect(() => roleBinding('b', { role: 'r', accounts: ['a'] })).toThrow(
    'an account is namespace/name, and not a',
  )
})
