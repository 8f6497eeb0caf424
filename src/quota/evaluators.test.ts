import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import type { Typed } from '../meta/object-meta.ts'
import { listOf } from './amounts.ts'
import { Evaluators } from './evaluators.ts'
import { meetsAll, type ScopeCondition } from './scopes.ts'

const NOW = Date.parse('2024-01-01T00:01:00Z')
const v = vocabularies.kubernetes
const core = (resource: string) => ({ group: '', resource })
const evaluatorsOf = (...gates: string[]) => new Evaluators(v, (gate) => gates.includes(gate))
const evaluators = evaluatorsOf()
const usage = (resource: string, object: object, of = evaluators) =>
  listOf(of.of(core(resource))!.usage({ metadata: {}, ...object }, NOW))

const container = (name: string, requests = {}, limits = {}) => ({
  name,
  resources: { requests, limits },
})
const ended = { 'count/pods': '1' }
const one = { 'count/pods': '1', pods: '1' }

describe('pods', () => {
  for (const [name, pod, expected] of [
    ['nothing is requested', { spec: { containers: [container('a')] } }, one],
    [
      'requests and limits of containers are added',
      {
        spec: {
          containers: [
            container('a', { cpu: '500m', memory: '1Gi' }, { cpu: '1' }),
            container('b', { cpu: '1' }, { cpu: '1', memory: '2Gi', 'ephemeral-storage': '1Gi' }),
          ],
        },
      },
      {
        ...one,
        cpu: '1500m',
        'requests.cpu': '1500m',
        memory: '1Gi',
        'requests.memory': '1Gi',
        'limits.cpu': '2',
        'limits.memory': '2Gi',
        'limits.ephemeral-storage': '1Gi',
      },
    ],
    [
      'an init container counts where it takes more than all others together',
      {
        spec: {
          containers: [container('a', { cpu: '1', memory: '1Gi' }), container('b', { cpu: '1' })],
          initContainers: [container('i', { cpu: '3' }), container('j', { memory: '512Mi' })],
        },
      },
      {
        ...one,
        cpu: '3',
        'requests.cpu': '3',
        memory: '1Gi',
        'requests.memory': '1Gi',
      },
    ],
    [
      'overhead is added to requests and limits',
      {
        spec: {
          containers: [container('a', { cpu: '1' }, { cpu: '1' })],
          overhead: { cpu: '250m' },
        },
      },
      { ...one, cpu: '1250m', 'requests.cpu': '1250m', 'limits.cpu': '1250m' },
    ],
    [
      'huge pages, ephemeral storage and extended resources',
      {
        spec: {
          containers: [
            container(
              'a',
              { 'hugepages-2Mi': '4Mi', 'ephemeral-storage': '1Gi', 'example.com/gpu': '2' },
              { 'hugepages-2Mi': '4Mi', 'example.com/gpu': '2' },
            ),
          ],
        },
      },
      {
        ...one,
        'hugepages-2Mi': '4Mi',
        'requests.hugepages-2Mi': '4Mi',
        'ephemeral-storage': '1Gi',
        'requests.ephemeral-storage': '1Gi',
        'requests.example.com/gpu': '2',
      },
    ],
    ['one that succeeded', { spec: {}, status: { phase: 'Succeeded' } }, ended],
    ['one that failed', { spec: {}, status: { phase: 'Failed' } }, ended],
    [
      'one that should be gone for a second',
      {
        spec: {},
        metadata: { deletionTimestamp: '2024-01-01T00:00:29Z', deletionGracePeriodSeconds: 30 },
      },
      ended,
    ],
    [
      'one that may still run',
      {
        spec: { containers: [] },
        metadata: { deletionTimestamp: '2024-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
      },
      one,
    ],
  ] as const)
    test(name, () => expect(usage('pods', pod)).toEqual(expected))

  for (const [limited, containers, initContainers, expected] of [
    [['pods', 'requests.ephemeral-storage'], [container('a')], [], null],
    [['requests.cpu'], [container('a', { cpu: '1' })], [], null],
    [['cpu'], [container('a', {}, { cpu: '1' })], [], 'must specify cpu for: a'],
    [
      ['requests.memory', 'limits.cpu'],
      [container('b'), container('a', {}, { cpu: '1' })],
      [container('i', { memory: '1' })],
      'must specify limits.cpu for: b,i; requests.memory for: a,b',
    ],
  ] as const)
    test(`limited ${limited.join()}: ${expected}`, () =>
      expect(
        evaluators.of(core('pods'))!.fault!(
          { metadata: {}, spec: { containers, initContainers } } as unknown as Typed,
          limited,
        ),
      ).toBe(expected))
})

describe('claims', () => {
  const claim = (spec: object, rest: object = {}) => ({ spec, ...rest })
  const requests = (storage: string) => ({ resources: { requests: { storage } } })
  const count = { 'count/persistentvolumeclaims': '1', persistentvolumeclaims: '1' }
  for (const [name, object, expected] of [
    ['without a class', claim(requests('1Gi')), { ...count, 'requests.storage': '1Gi' }],
    [
      'with a class',
      claim({ ...requests('2Gi'), storageClassName: 'gold' }),
      {
        ...count,
        'requests.storage': '2Gi',
        'gold.storageclass.storage.k8s.io/requests.storage': '2Gi',
        'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      },
    ],
    [
      'the annotation wins over the field',
      claim(
        { ...requests('1'), storageClassName: 'gold' },
        { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } } },
      ),
      {
        ...count,
        'requests.storage': '1',
        'old.storageclass.storage.k8s.io/requests.storage': '1',
        'old.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      },
    ],
    ['bytes are whole', claim(requests('1500m')), { ...count, 'requests.storage': '2' }],
    [
      'what is allocated does not count',
      claim(requests('1Gi'), { status: { allocatedResources: { storage: '3Gi' } } }),
      { ...count, 'requests.storage': '1Gi' },
    ],
  ] as const)
    test(name, () => expect(usage('persistentvolumeclaims', object)).toEqual(expected))

  test('with recovery of expansions the larger amount counts', () => {
    const object = claim(requests('1Gi'), { status: { allocatedResources: { storage: '3Gi' } } })
    const of = evaluatorsOf('RecoverVolumeExpansionFailure')
    expect(usage('persistentvolumeclaims', object, of)['requests.storage']).toBe('3Gi')
  })
})

describe('services', () => {
  const ports = [{ port: 1, nodePort: 30001 }, { port: 2 }]
  for (const [name, spec, nodeports, loadbalancers] of [
    ['of type ClusterIP', { type: 'ClusterIP', ports }, '0', '0'],
    ['of type NodePort', { type: 'NodePort', ports }, '2', '0'],
    ['of type LoadBalancer', { type: 'LoadBalancer', ports }, '2', '1'],
    [
      'of type LoadBalancer without allocation',
      { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false },
      '1',
      '1',
    ],
    ['of type ExternalName', { type: 'ExternalName' }, '0', '0'],
  ] as const)
    test(name, () =>
      expect(usage('services', { spec })).toEqual({
        'count/services': '1',
        services: '1',
        'services.nodeports': nodeports,
        'services.loadbalancers': loadbalancers,
      }),
    )
})

describe('other objects', () => {
  for (const [group, resource, expected] of [
    ['', 'configmaps', { 'count/configmaps': '1', configmaps: '1' }],
    ['', 'resourcequotas', { 'count/resourcequotas': '1', resourcequotas: '1' }],
    [
      '',
      'replicationcontrollers',
      { 'count/replicationcontrollers': '1', replicationcontrollers: '1' },
    ],
    ['', 'secrets', { 'count/secrets': '1', secrets: '1' }],
    ['', 'endpoints', { 'count/endpoints': '1' }],
    ['apps', 'deployments', { 'count/deployments.apps': '1' }],
    ['example.com', 'widgets', { 'count/widgets.example.com': '1' }],
    ['', 'events', null],
    ['events.k8s.io', 'events', null],
    ['', 'bindings', null],
    ['authorization.k8s.io', 'localsubjectaccessreviews', null],
  ] as const)
    test(`${resource} of ${group}`, () => {
      const evaluator = evaluators.of({ group, resource })
      const found = evaluator && listOf(evaluator.usage({ metadata: {} }, NOW))
      expect(found).toEqual(expected)
    })
})

describe('which resource a name is about', () => {
  for (const [name, expected] of [
    ['cpu', 'pods'],
    ['limits.ephemeral-storage', 'pods'],
    ['hugepages-2Mi', 'pods'],
    ['requests.hugepages-1Gi', 'pods'],
    ['requests.example.com/gpu', 'pods'],
    ['count/pods', 'pods'],
    ['services.nodeports', 'services'],
    ['count/services', 'services'],
    ['requests.storage', 'persistentvolumeclaims'],
    ['gold.storageclass.storage.k8s.io/requests.storage', 'persistentvolumeclaims'],
    ['gold.storageclass.storage.k8s.io/persistentvolumeclaims', 'persistentvolumeclaims'],
    ['secrets', 'secrets'],
    ['count/deployments.apps', 'deployments'],
    ['count/widgets.example.com', 'widgets'],
    ['count/events', undefined],
    ['example.com/gpu', undefined],
    ['requests.kubernetes.io/gpu', undefined],
    ['limits.example.com/gpu', undefined],
    ['constructor', undefined],
  ] as const)
    test(name, () => expect(evaluators.measuring(name)?.of.resource).toBe(expected))
})

describe('scopes', () => {
  const spec = (rest: object = {}) => ({ containers: [container('a')], ...rest })
  const term = (rest: object) => ({ labelSelector: {}, topologyKey: 'x', ...rest })
  const condition = (scopeName: string, operator = 'Exists', values?: string[]) =>
    ({ scopeName, operator, ...(values ? { values } : {}) }) as ScopeCondition
  const classed = spec({ priorityClassName: 'high' })
  for (const [name, pod, conditions, expected] of [
    ['none', spec(), [], true],
    ['no deadline', spec(), [condition('Terminating')], false],
    ['a deadline', spec({ activeDeadlineSeconds: 0 }), [condition('Terminating')], true],
    ['a deadline', spec({ activeDeadlineSeconds: 5 }), [condition('NotTerminating')], false],
    ['no requests', spec(), [condition('BestEffort')], true],
    ['no requests', spec(), [condition('NotBestEffort')], false],
    [
      'requests',
      spec({ containers: [container('a', { cpu: '1' })] }),
      [condition('NotBestEffort'), condition('NotTerminating')],
      true,
    ],
    ['one of two', spec(), [condition('BestEffort'), condition('Terminating')], false],
    ['a class', classed, [condition('PriorityClass')], true],
    ['no class', spec(), [condition('PriorityClass')], false],
    ['a class', classed, [condition('PriorityClass', 'DoesNotExist')], false],
    ['no class', spec(), [condition('PriorityClass', 'DoesNotExist')], true],
    ['a class of', classed, [condition('PriorityClass', 'In', ['low', 'high'])], true],
    ['a class of others', classed, [condition('PriorityClass', 'In', ['low'])], false],
    ['no class of', spec(), [condition('PriorityClass', 'In', ['low'])], false],
    ['a class of', classed, [condition('PriorityClass', 'NotIn', ['high'])], false],
    ['no class of', spec(), [condition('PriorityClass', 'NotIn', ['high'])], true],
    [
      'affinity in the own namespace',
      spec({
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term({})] } },
      }),
      [condition('CrossNamespacePodAffinity')],
      false,
    ],
    [
      'affinity to namespaces',
      spec({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [term({ namespaces: ['b'] })],
          },
        },
      }),
      [condition('CrossNamespacePodAffinity')],
      true,
    ],
    [
      'preferred anti-affinity to selected namespaces',
      spec({
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: term({ namespaceSelector: {} }) },
            ],
          },
        },
      }),
      [condition('CrossNamespacePodAffinity')],
      true,
    ],
  ] as const)
    test(`${name}: ${conditions.map((one) => Object.values(one).join(' ')).join(' and ')}`, () => {
      const pods = evaluators.of(core('pods'))!
      expect(
        meetsAll(conditions, pods.traits!({ metadata: {}, spec: pod } as unknown as Typed)),
      ).toBe(expected)
    })

  test('objects that are no pods are tracked by no quota with scopes', () => {
    expect(evaluators.of(core('services'))!.traits).toBe(undefined)
    expect(meetsAll([condition('NotBestEffort')], null)).toBe(false)
    expect(meetsAll([], null)).toBe(true)
  })
})
