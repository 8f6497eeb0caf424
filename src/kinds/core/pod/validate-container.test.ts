import { describe, expect, test } from 'vitest'
import { LABEL, PORT } from './messages.fixture.ts'
import { podOf, problems, web } from './pod.fixture.ts'
import { containerTable, specTable } from './tables.fixture.ts'

describe('names, images, policies', () => {
  containerTable([
    ['a small container is fine', {}, []],
    ['no name', { name: '' }, ['Required @.name: Required value']],
    ['a bad name', { name: 'A' }, [`Invalid @.name: Invalid value: "A": ${LABEL}`]],
    ['no image', { image: '' }, ['Required @.image: Required value']],
    [
      'white space around the image',
      { image: ' a' },
      ['Invalid @.image: Invalid value: " a": must not have leading or trailing whitespace'],
    ],
    [
      'an unknown pull policy',
      { imagePullPolicy: 'Sometimes' },
      [
        'NotSupported @.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
    [
      'an unknown message policy',
      { terminationMessagePolicy: 'x' },
      [
        'NotSupported @.terminationMessagePolicy: Unsupported value: "x": supported values: "FallbackToLogsOnError", "File"',
      ],
    ],
  ])
})

describe('ports', () => {
  containerTable([
    [
      'a full port',
      {
        ports: [
          { name: 'http', containerPort: 80, hostPort: 80, protocol: 'SCTP', hostIP: '1.1.1.1' },
        ],
      },
      [],
    ],
    ['no number', { ports: [{}] }, ['Required @.ports[0].containerPort: Required value']],
    [
      'numbers out of range',
      { ports: [{ containerPort: 65536, hostPort: -1 }] },
      [
        `Invalid @.ports[0].containerPort: Invalid value: 65536: ${PORT}`,
        `Invalid @.ports[0].hostPort: Invalid value: -1: ${PORT}`,
      ],
    ],
    [
      'a bad name',
      { ports: [{ name: 'a--b', containerPort: 80 }] },
      ['Invalid @.ports[0].name: Invalid value: "a--b": must not contain consecutive hyphens'],
    ],
    [
      'a name twice',
      {
        ports: [
          { name: 'a', containerPort: 80 },
          { name: 'a', containerPort: 81 },
        ],
      },
      ['Duplicate @.ports[1].name: Duplicate value: "a"'],
    ],
    [
      'an unknown protocol',
      { ports: [{ containerPort: 80, protocol: 'tcp' }] },
      [
        'NotSupported @.ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
      ],
    ],
    [
      'a host port twice',
      {
        ports: [
          { containerPort: 80, hostPort: 1 },
          { containerPort: 81, hostPort: 1 },
        ],
      },
      ['Duplicate @.ports[1].hostPort: Duplicate value: "TCP//1"'],
    ],
    [
      'a host port on two addresses',
      {
        ports: [
          { containerPort: 80, hostPort: 1, hostIP: '1.1.1.1' },
          { containerPort: 81, hostPort: 1 },
        ],
      },
      [],
    ],
  ])
  test('a host port in two containers', () => {
    const ports = [{ containerPort: 80, hostPort: 1 }]
    expect(problems(podOf({ containers: [web({ ports }), web({ name: 'b', ports })] }))).toEqual([
      'Duplicate spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//1"',
    ])
  })
  test('two init containers may have the same host port, one may not have it twice', () => {
    const ports = [{ containerPort: 80, hostPort: 1 }]
    const twice = [...ports, { containerPort: 81, hostPort: 1 }]
    const initContainers = [web({ name: 'a', ports }), web({ name: 'b', ports: twice })]
    expect(problems(podOf({ initContainers }))).toEqual([
      'Duplicate spec.initContainers[1].ports[1].hostPort: Duplicate value: "TCP//1"',
    ])
  })
  test('on the host network the numbers agree', () => {
    const containers = [web({ ports: [{ containerPort: 80, hostPort: 81 }] })]
    expect(problems(podOf({ hostNetwork: true, containers }))).toEqual([
      'Invalid spec.containers[0].ports[0].containerPort: Invalid value: 80: must match `hostPort` when `hostNetwork` is true',
    ])
  })
})

describe('init and ephemeral containers', () => {
  const exec = { exec: { command: ['a'] } }
  const life = {
    lifecycle: { preStop: exec },
    livenessProbe: exec,
    readinessProbe: exec,
    startupProbe: exec,
  }
  const FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
  specTable([
    [
      'init containers have no life',
      { initContainers: [web({ name: 'i', ...life })] },
      FIELDS.map(
        (field) =>
          `Forbidden @.initContainers[0].${field}: Forbidden: may not be set for init containers`,
      ),
    ],
    [
      'ephemeral ones come later',
      { ephemeralContainers: [web({ name: 'e' })] },
      ['Forbidden @.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
  ])
  const later = (container: object) =>
    problems(
      podOf(
        { volumes: [{ name: 'v' }], ephemeralContainers: [container] },
        { resourceVersion: '1' },
      ),
    )
  test('a good one', () => {
    expect(
      later(
        web({
          name: 'e',
          targetContainerName: 'web',
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
        }),
      ),
    ).toEqual([])
  })
  test('a name that is taken', () => {
    expect(later(web())).toEqual([
      'Duplicate spec.ephemeralContainers[0].name: Duplicate value: "web"',
    ])
  })
  test('no such target', () => {
    expect(later(web({ name: 'e', targetContainerName: 'e' }))).toEqual([
      'NotFound spec.ephemeralContainers[0].targetContainerName: Not found: "e"',
    ])
  })
  test('what it cannot have', () => {
    const container = web({
      name: 'e',
      ...life,
      ports: [{ containerPort: 80 }],
      resources: { limits: { cpu: '1' } },
      volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }],
    })
    const at = 'Forbidden spec.ephemeralContainers[0]'
    const says = 'Forbidden: cannot be set for an Ephemeral Container'
    const fields = ['ports', ...FIELDS, 'resources', 'volumeMounts[0].subPath']
    expect(later(container)).toEqual(fields.map((field) => `${at}.${field}: ${says}`))
  })
})
