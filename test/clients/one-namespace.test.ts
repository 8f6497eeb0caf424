/** Somebody of one namespace, who tries everything with kubectl. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forbidden, lines, People } from './people.fixture.ts'

let people: People
beforeAll(async () => {
  people = await People.start()
})
afterAll(() => people.close())

describe('somebody of one namespace', () => {
  const map = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' } })
  for (const args of [
    ['create', 'configmap', 'm', '--from-literal=a=b'],
    ['get', 'configmap', 'm'],
    ['get', 'all'],
    ['label', 'configmap', 'm', 'a=b'],
    ['annotate', 'configmap', 'm', 'a=b'],
    ['patch', 'configmap', 'm', '-p', '{"data":{"c":"d"}}'],
    ['describe', 'configmap', 'm'],
    ['delete', 'configmap', 'm'],
    ['create', 'deployment', 'd', '--image=i'],
    ['scale', 'deployment', 'd', '--replicas=2'],
    ['set', 'image', 'deployment/d', 'i=j'],
    ['delete', 'deployment', '--all'],
    ['api-resources', '--cached=false'],
    ['version'],
  ]) {
    test(`may ${args.join(' ')}`, async () => {
      const { code, stderr } = await people.as('limited', '-n', 'own', ...args)
      const told = stderr.split('\n').filter((line) => !/^(WARNING|Flag|No resources)/.test(line))
      expect([code, told.join('\n')]).toEqual([0, ''])
    })
  }

  for (const { args, expected, input } of [
    {
      args: ['get', 'configmaps', '-n', 'other'],
      expected: forbidden('list resource "configmaps" in API group "" in the namespace "other"'),
    },
    {
      args: ['get', 'configmap', 'm', '-n', 'other'],
      expected: forbidden('get resource "configmaps" in API group "" in the namespace "other"'),
    },
    {
      args: ['get', 'configmaps', '-A'],
      expected: forbidden('list resource "configmaps" in API group "" at the cluster scope'),
    },
    {
      args: ['get', 'configmaps', '-A', '--field-selector=metadata.namespace=own'],
      expected: forbidden('list resource "configmaps" in API group "" at the cluster scope'),
    },
    {
      args: ['get', 'configmaps', '-n', 'other', '--watch'],
      expected: forbidden('list resource "configmaps"'),
    },
    {
      args: ['get', 'nodes'],
      expected: forbidden('list resource "nodes" in API group "" at the cluster scope'),
    },
    { args: ['get', 'namespaces'], expected: forbidden('list resource "namespaces"') },
    { args: ['get', 'namespace', 'other'], expected: forbidden('get resource "namespaces"') },
    { args: ['get', 'clusterroles'], expected: forbidden('list resource "clusterroles"') },
    { args: ['get', '--raw=/metrics'], expected: forbidden('get path "/metrics"') },
    {
      args: ['logs', 'p', '-n', 'other'],
      expected: forbidden('get resource "pods" in API group "" in the namespace "other"'),
    },
    {
      args: ['get', '--raw=/api/v1/namespaces/other/pods/p/log'],
      expected: forbidden('get resource "pods/log" in API group "" in the namespace "other"'),
    },
    {
      args: ['exec', 'p', '-n', 'other', '--', 'sh'],
      expected: forbidden('get resource "pods"'),
    },
    {
      args: ['create', '--raw=/api/v1/namespaces/other/pods/p/exec?command=sh', '-f', '-'],
      input: '',
      expected: forbidden('create resource "pods/exec" in API group "" in the namespace "other"'),
    },
    {
      args: ['patch', 'configmap', 'm', '-n', 'other', '-p', '{}'],
      expected: forbidden('get resource "configmaps"'),
    },
    {
      args: ['delete', 'configmap', 'm', '-n', 'other'],
      expected: forbidden('delete resource "configmaps" in API group "" in the namespace "other"'),
    },
    {
      args: ['delete', 'configmaps', '--all', '-n', 'other'],
      expected: forbidden('list resource "configmaps"'),
    },
    {
      args: ['create', 'configmap', 'x', '-n', 'other'],
      expected: [1, expect.stringContaining('User "limited" cannot create resource "configmaps"')],
    },
    {
      args: ['apply', '-n', 'other', '-f', '-'],
      input: map,
      expected: [1, expect.stringContaining('User "limited" cannot get resource "configmaps"')],
    },
    {
      args: ['apply', '-n', 'other', '-f', '-', '--server-side'],
      input: map,
      expected: forbidden('patch resource "configmaps" in API group "" in the namespace "other"'),
    },
    {
      args: ['create', 'token', 'default', '-n', 'other'],
      expected: [
        1,
        expect.stringContaining('User "limited" cannot create resource "serviceaccounts/token"'),
      ],
    },
    {
      args: ['create', 'rolebinding', 'x', '--clusterrole=edit', '--user=x', '-n', 'own'],
      expected: [
        1,
        expect.stringContaining('User "limited" cannot create resource "rolebindings"'),
      ],
    },
    {
      args: ['create', 'namespace', 'x'],
      expected: [1, expect.stringContaining('User "limited" cannot create resource "namespaces"')],
    },
    {
      args: ['delete', 'namespace', 'own'],
      expected: forbidden('delete resource "namespaces"'),
    },
    {
      args: ['drain', 'node'],
      expected: [1, expect.stringContaining('User "limited" cannot get resource "nodes"')],
    },
  ]) {
    test(`may not ${args.join(' ')}`, async () => {
      expect(lines(await people.kubectl.run(['--context=limited', ...args], input))).toEqual(
        expected,
      )
    })
  }
})
