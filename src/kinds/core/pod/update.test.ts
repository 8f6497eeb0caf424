import { describe, expect, test } from 'vitest'
import { partOf } from '../../parts.fixture.ts'
import { c, changes, partChanges, podOf, web } from './pod.fixture.ts'
import { pods } from './pod.ts'

const REST =
  'Forbidden spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing tolerations) or `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: '
const KEPT =
  'Forbidden spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'
const old = { key: 'a', effect: 'NoExecute' }

describe('the spec of a pod', () => {
  const rows: [name: string, old: object, next: object, expected: string[]][] = [
    ['nothing changes', {}, {}, []],
    ['an image changes', {}, { containers: [web({ image: 'web:2' })] }, []],
    [
      'the image of an init container changes',
      { initContainers: [web({ name: 'i' })] },
      { initContainers: [web({ name: 'i', image: 'web:2' })] },
      [],
    ],
    [
      'a container is added',
      {},
      { containers: [web(), web({ name: 'b' })] },
      ['Forbidden spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'an init container is added',
      {},
      { initContainers: [web({ name: 'i' })] },
      ['Forbidden spec.initContainers: Forbidden: pod updates may not add or remove containers'],
    ],
    ['a deadline is set', {}, { activeDeadlineSeconds: 5 }, []],
    ['a deadline is lowered', { activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 4 }, []],
    [
      'a deadline is raised',
      { activeDeadlineSeconds: 5 },
      { activeDeadlineSeconds: 6 },
      [
        'Invalid spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
      ],
    ],
    [
      'a deadline is taken away',
      { activeDeadlineSeconds: 5 },
      {},
      [
        'Invalid spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value',
      ],
    ],
    [
      'a deadline below zero',
      {},
      { activeDeadlineSeconds: -1 },
      [
        'Invalid spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      ],
    ],
    ['a toleration is added', { tolerations: [old] }, { tolerations: [{ key: 'b' }, old] }, []],
    [
      'a toleration lasts longer',
      { tolerations: [old] },
      { tolerations: [{ ...old, tolerationSeconds: 5 }] },
      [],
    ],
    ['a toleration is taken away', { tolerations: [old] }, {}, [KEPT]],
    [
      'a toleration changes',
      { tolerations: [old] },
      { tolerations: [{ ...old, value: 'b' }] },
      [KEPT],
    ],
    [
      'negative seconds become one',
      { terminationGracePeriodSeconds: -5 },
      { terminationGracePeriodSeconds: 1 },
      [],
    ],
    [
      'negative seconds become two',
      { terminationGracePeriodSeconds: -5 },
      { terminationGracePeriodSeconds: 2 },
      [`${REST}spec.terminationGracePeriodSeconds`],
    ],
    ['the node changes', {}, { nodeName: 'n' }, [`${REST}spec.nodeName`]],
    [
      'a command changes beside the image',
      {},
      { containers: [web({ image: 'web:2', command: ['a'] })] },
      [`${REST}spec.containers[0].command`],
    ],
    [
      'an environment changes',
      { containers: [web({ env: [{ name: 'A', value: '1' }] })] },
      { containers: [web({ env: [{ name: 'A', value: '2' }] })] },
      [`${REST}spec.containers[0].env[0].value`],
    ],
    [
      'an ephemeral container comes by the wrong way',
      {},
      { ephemeralContainers: [web({ name: 'e' })] },
      [`${REST}spec.ephemeralContainers`],
    ],
    [
      'another spelling of an amount changes nothing',
      { overhead: { cpu: '1' } },
      { overhead: { cpu: '1000m' } },
      [],
    ],
  ]
  for (const [name, before, after, expected] of rows) {
    test(name, () => expect(changes(podOf(after), podOf(before))).toEqual(expected))
  }
})

describe('annotations', () => {
  const armor = 'container.apparmor.security.beta.orch.io/web'
  const mirror = 'orch.io/config.mirror'
  const rows: [name: string, old: object, next: object, expected: string[]][] = [
    ['others change freely', { a: 'b' }, { c: 'd' }, []],
    [
      'these stay',
      { [armor]: 'unconfined', [mirror]: 'x' },
      { [armor]: 'unconfined', [mirror]: 'x' },
      [],
    ],
    [
      'AppArmor is added',
      {},
      { [armor]: 'unconfined' },
      [`Forbidden metadata.annotations[${armor}]: Forbidden: may not add AppArmor annotations`],
    ],
    [
      'AppArmor changes',
      { [armor]: 'unconfined' },
      { [armor]: 'runtime/default' },
      [
        `Forbidden metadata.annotations[${armor}]: Forbidden: may not remove or update AppArmor annotations`,
      ],
    ],
    [
      'the mirror is taken away',
      { [mirror]: 'x' },
      {},
      [
        `Forbidden metadata.annotations[${mirror}]: Forbidden: may not remove or update mirror pod annotation`,
      ],
    ],
    [
      'a mirror is added',
      {},
      { [mirror]: 'x' },
      [`Forbidden metadata.annotations[${mirror}]: Forbidden: may not add mirror pod annotation`],
    ],
  ]
  for (const [name, before, after, expected] of rows) {
    test(name, () => {
      expect(
        changes(podOf({}, { annotations: after }), podOf({}, { annotations: before })),
      ).toEqual(expected)
    })
  }
})

describe('the status', () => {
  const ended = (exitCode: number) => ({ name: 'web', state: { terminated: { exitCode } } })
  const runs = { name: 'web', state: { running: {} } }
  const revived = (list: string) =>
    `Forbidden status.${list}[0].state: Forbidden: may not be transitioned to non-terminated state`
  const rows: [name: string, spec: object, old: object, next: object, expected: string[]][] = [
    ['it runs', {}, {}, { phase: 'Running', containerStatuses: [runs] }, []],
    ['it runs again', {}, { containerStatuses: [ended(0)] }, { containerStatuses: [runs] }, []],
    [
      'it must not run again',
      { restartPolicy: 'Never' },
      { containerStatuses: [ended(1)] },
      { containerStatuses: [runs] },
      [revived('containerStatuses')],
    ],
    [
      'it must not run again after success',
      { restartPolicy: 'OnFailure' },
      { initContainerStatuses: [ended(0)] },
      { initContainerStatuses: [runs] },
      [revived('initContainerStatuses')],
    ],
    [
      'it may run again after failure',
      { restartPolicy: 'OnFailure' },
      { containerStatuses: [ended(1)] },
      { containerStatuses: [runs] },
      [],
    ],
    [
      'ephemeral containers never run again',
      {},
      { ephemeralContainerStatuses: [ended(1)] },
      { ephemeralContainerStatuses: [runs] },
      [revived('ephemeralContainerStatuses')],
    ],
    ['it may be forgotten', { restartPolicy: 'Never' }, { containerStatuses: [ended(1)] }, {}, []],
    ['addresses', {}, {}, { podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] }, []],
    [
      'two of a family',
      {},
      {},
      { podIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }] },
      [
        'Invalid status.podIPs: Invalid value: ["1.1.1.1","1.1.1.2"]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'an address twice',
      {},
      {},
      { podIPs: [{ ip: '::1' }, { ip: '::1' }] },
      [
        'Duplicate status.podIPs[1]: Duplicate value: "::1"',
        'Invalid status.podIPs: Invalid value: ["::1","::1"]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'no address',
      {},
      {},
      { podIP: 'x' },
      [
        'Invalid status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    ['conditions', {}, {}, { conditions: [{ type: 'Ready' }, { type: 'a.b/c' }] }, []],
    [
      'a bad condition',
      {},
      {},
      { conditions: [{ type: '/x' }] },
      ['Invalid metadata.conditions[0].Type: Invalid value: "/x": prefix part must be non-empty'],
    ],
    [
      'a bad nominated node',
      {},
      {},
      { nominatedNodeName: 'A' },
      [
        "Invalid status.nominatedNodeName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
  ]
  for (const [name, spec, before, after, expected] of rows) {
    test(name, () => {
      expect(partChanges('status', podOf(spec, {}, after), podOf(spec, {}, before))).toEqual(
        expected,
      )
    })
  }
  test('the node is not its business', () => {
    expect(partChanges('status', podOf({ nodeName: 'n' }), podOf())).toEqual([
      'Forbidden status.nodeName: Forbidden: may not be changed directly',
    ])
  })
  test('owners stay as they are', () => {
    const owner = { apiVersion: 'v1', kind: 'A', name: 'a', uid: '1' }
    const next = podOf({}, { ownerReferences: [{ ...owner, uid: '2' }] })
    partOf(pods, 'status').prepareForUpdate!(next, podOf({}, { ownerReferences: [owner] }), c)
    expect(next.metadata.ownerReferences).toEqual([owner])
    partOf(pods, 'status').prepareForUpdate!(next, podOf(), c)
    expect(next.metadata.ownerReferences).toBeUndefined()
  })
})

describe('ephemeral containers', () => {
  const one = web({ name: 'e' })
  const rows: [name: string, old: object[], next: object[], expected: string[]][] = [
    ['one is added', [one], [web({ name: 'f' }), one], []],
    [
      'one is taken away',
      [one],
      [],
      [
        'Forbidden spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed',
      ],
    ],
    [
      'one changes',
      [one],
      [web({ name: 'e', image: 'web:2' })],
      [
        'Forbidden spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed',
      ],
    ],
  ]
  for (const [name, before, after, expected] of rows) {
    test(name, () => {
      const next = podOf({ ephemeralContainers: after })
      expect(
        partChanges('ephemeralcontainers', next, podOf({ ephemeralContainers: before })),
      ).toEqual(expected)
    })
  }
  test('nothing else of the metadata is taken from the body', () => {
    const next = podOf({}, { resourceVersion: '7', labels: { a: 'b' }, annotations: { c: 'd' } })
    const { metadata } = next
    partOf(pods, 'ephemeralcontainers').prepareForUpdate!(
      next,
      podOf({}, { resourceVersion: '6', labels: { e: 'f' } }),
      c,
    )
    expect(metadata).toEqual({
      name: 'p',
      namespace: 'n',
      resourceVersion: '7',
      labels: { e: 'f' },
    })
    expect(next.metadata).toBe(metadata)
  })
})
