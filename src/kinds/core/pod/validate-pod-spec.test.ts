import { describe } from 'vitest'
import { LABEL, SUBDOMAIN, QUALIFIED, IP } from './messages.fixture.ts'
import { context, web } from './pod.fixture.ts'
import { specTable } from './tables.fixture.ts'

describe('the spec', () => {
  specTable([
    ['a small pod is fine', {}, []],
    ['no containers', { containers: [] }, ['Required @.containers: Required value']],
    [
      'a name in two lists',
      { initContainers: [web()] },
      ['Duplicate @.initContainers[0].name: Duplicate value: "web"'],
    ],
    [
      'words outside the lists',
      { restartPolicy: 'x', dnsPolicy: 'y', preemptionPolicy: 'z' },
      [
        'NotSupported @.restartPolicy: Unsupported value: "x": supported values: "Always", "Never", "OnFailure"',
        'NotSupported @.dnsPolicy: Unsupported value: "y": supported values: "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"',
        'NotSupported @.preemptionPolicy: Unsupported value: "z": supported values: "Never", "PreemptLowerPriority"',
      ],
    ],
    ['an empty policy', { preemptionPolicy: '' }, ['Required @.preemptionPolicy: Required value']],
    [
      'a bad node selector',
      { nodeSelector: { 'a b': 'c' } },
      [`Invalid @.nodeSelector: Invalid value: "a b": ${QUALIFIED}`],
    ],
    [
      'names of objects',
      { serviceAccountName: 'A', nodeName: 'B', priorityClassName: 'C', runtimeClassName: '' },
      [
        `Invalid @.serviceAccountName: Invalid value: "A": ${SUBDOMAIN}`,
        `Invalid @.nodeName: Invalid value: "B": ${SUBDOMAIN}`,
        `Invalid @.priorityClassName: Invalid value: "C": ${SUBDOMAIN}`,
        `Invalid @.runtimeClassName: Invalid value: "": ${SUBDOMAIN}`,
      ],
    ],
    [
      'a deadline of no time',
      { activeDeadlineSeconds: 0 },
      [
        'Invalid @.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      ],
    ],
    [
      'host names are labels',
      { hostname: 'a.b', subdomain: 'C' },
      [
        `Invalid @.hostname: Invalid value: "a.b": ${LABEL}`,
        `Invalid @.subdomain: Invalid value: "C": ${LABEL}`,
      ],
    ],
    [
      'a bad readiness gate',
      { readinessGates: [{ conditionType: 'a b' }] },
      [`Invalid @.readinessGates[0].conditionType: Invalid value: "a b": ${QUALIFIED}`],
    ],
    [
      'lines of the hosts file',
      { hostAliases: [{ ip: 'x', hostnames: ['A', 'b'] }] },
      [
        `Invalid @.hostAliases.ip: Invalid value: "x": ${IP}`,
        `Invalid @.hostAliases.hostnames: Invalid value: "A": ${SUBDOMAIN}`,
      ],
    ],
    [
      'overhead is like limits',
      { overhead: { disk: '1' } },
      [
        'Invalid @.overhead.limits[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
        'Invalid @.overhead.limits[disk]: Invalid value: "disk": must be a standard resource for containers',
      ],
    ],
    [
      'a volume twice',
      { volumes: [{ name: 'v' }, { name: 'v' }] },
      ['Duplicate @.volumes[1].name: Duplicate value: "v"'],
    ],
    [
      'a token without an account',
      {
        serviceAccountName: '',
        volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
      },
      [
        'Forbidden @.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
      ],
    ],
  ])
})

describe('resolver', () => {
  const many = (n: number) => Array.from({ length: n }, (_, i) => `a${i}`)
  specTable([
    [
      'all settings',
      {
        dnsPolicy: 'None',
        dnsConfig: {
          nameservers: ['1.1.1.1', '::1'],
          searches: ['a.b.'],
          options: [{ name: 'n', value: '' }],
        },
      },
      [],
    ],
    [
      'no settings at all',
      { dnsPolicy: 'None' },
      ['Required @.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'no server',
      { dnsPolicy: 'None', dnsConfig: {} },
      [
        'Required @.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None',
      ],
    ],
    [
      'too many servers',
      { dnsConfig: { nameservers: ['::1', '::2', '::3', '::4'] } },
      [
        'Invalid @.dnsConfig.nameservers: Invalid value: ["::1","::2","::3","::4"]: must not have more than 3 nameservers',
      ],
    ],
    [
      'no address, no name',
      { dnsConfig: { nameservers: ['a'], searches: ['A.'], options: [{}] } },
      [
        `Invalid @.dnsConfig.nameservers[0]: Invalid value: "a": ${IP}`,
        `Invalid @.dnsConfig.searches[0]: Invalid value: "A.": ${SUBDOMAIN}`,
        'Required @.dnsConfig.options[0]: Required value: must not be empty',
      ],
    ],
    [
      'too many domains',
      { dnsConfig: { searches: many(7) } },
      [
        'Invalid @.dnsConfig.searches: Invalid value: ["a0","a1","a2","a3","a4","a5","a6"]: must not have more than 6 search paths',
      ],
    ],
    [
      'too long domains',
      { dnsConfig: { searches: ['a'.repeat(200), 'b'.repeat(56)] } },
      [
        `Invalid @.dnsConfig.searches: Invalid value: ["${'a'.repeat(200)}","${'b'.repeat(56)}"]: must not have more than 256 characters (including spaces) in the search list`,
      ],
    ],
  ])
  describe('with wide limits', () => {
    specTable(
      [['32 domains', { dnsConfig: { searches: many(32) } }, []]],
      context('ExpandedDNSConfig'),
    )
  })
})
