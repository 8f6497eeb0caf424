import { describe, expect, test } from 'vitest'
import { podOf, privileged, problems, web } from './pod.fixture.ts'

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const ENV =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
const HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
const PORT = 'must be between 1 and 65535, inclusive'
const NEGATIVE = 'must be greater than or equal to 0'
const ONE_HANDLER = 'may not specify more than 1 handler type'

type Row = readonly [name: string, container: object, expected: readonly string[]]

/** Expected texts are relative to the container. */
function table(rows: readonly Row[], spec: object = {}): void {
  for (const [name, container, expected] of rows) {
    test(name, () => {
      expect(problems(podOf({ ...spec, containers: [web(container)] }))).toEqual(
        expected.map((text) => text.replace('@', 'spec.containers[0]')),
      )
    })
  }
}

describe('names, images, policies', () => {
  table([
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
  table([
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

const env = (valueFrom: object, value = '') => ({ env: [{ name: 'A', value, valueFrom }] })
const fieldRef = { fieldPath: 'metadata.name' }

describe('environment', () => {
  table([
    ['a value', { env: [{ name: 'A', value: 'b' }, { name: 'a.b' }] }, []],
    ['no name', { env: [{ value: 'b' }] }, ['Required @.env[0].name: Required value']],
    [
      'a bad name',
      { env: [{ name: '1a' }] },
      [`Invalid @.env[0].name: Invalid value: "1a": ${ENV}`],
    ],
    [
      'no source',
      env({}),
      [
        'Invalid @.env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      ],
    ],
    ['a field', env({ fieldRef }), []],
    ['a label', env({ fieldRef: { fieldPath: "metadata.labels['a/b']" } }), []],
    [
      'two sources',
      env({ fieldRef, configMapKeyRef: { name: 'c', key: 'k' } }),
      [
        'Invalid @.env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time',
      ],
    ],
    [
      'value and source',
      env({ fieldRef }, 'b'),
      [
        'Invalid @.env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
      ],
    ],
    [
      'a field that variables cannot show',
      env({ fieldRef: { fieldPath: 'status.phase' } }),
      [
        'NotSupported @.env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.podIP", "status.podIPs"',
      ],
    ],
    [
      'a field that does not exist',
      env({ fieldRef: { fieldPath: 'metadata.x' } }),
      [
        'Invalid @.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.x": error converting fieldPath: field label not supported: metadata.x',
      ],
    ],
    ['a resource', env({ resourceFieldRef: { resource: 'requests.cpu', divisor: '1m' } }), []],
    ['huge pages', env({ resourceFieldRef: { resource: 'limits.hugepages-2Mi' } }), []],
    [
      'an unknown resource',
      env({ resourceFieldRef: { resource: 'cpu' } }),
      [
        'NotSupported @.env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "cpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      ],
    ],
    [
      'no name and no key',
      env({ secretKeyRef: {} }),
      [
        `Invalid @.env[0].valueFrom.secretKeyRef.name: Invalid value: "": ${SUBDOMAIN}`,
        'Required @.env[0].valueFrom.secretKeyRef.key: Required value',
      ],
    ],
    ['a key of a config map', env({ configMapKeyRef: { name: 'c', key: 'a.b' } }), []],
    ['all of a config map', { envFrom: [{ prefix: 'A_', configMapRef: { name: 'c' } }] }, []],
    [
      'a bad prefix and no name',
      { envFrom: [{ prefix: '1', secretRef: {} }] },
      [
        `Invalid @.envFrom[0].prefix: Invalid value: "1": ${ENV}`,
        'Required @.envFrom[0].secretRef.name: Required value',
      ],
    ],
    [
      'no source of many',
      { envFrom: [{}] },
      [
        'Invalid @.envFrom[0]: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
      ],
    ],
    [
      'two sources of many',
      { envFrom: [{ configMapRef: { name: 'c' }, secretRef: { name: 's' } }] },
      [
        'Invalid @.envFrom[0]: Invalid value: "": may not have more than one field specified at a time',
      ],
    ],
  ])
})

const mount = (more: object, ...others: object[]) => ({
  volumeMounts: [{ name: 'v', mountPath: '/v', ...more }, ...others],
})
const device = (more: object, ...others: object[]) => ({
  volumeDevices: [{ name: 'd', devicePath: '/d', ...more }, ...others],
})

describe('mounts and devices', () => {
  const volumes = [{ name: 'v' }, { name: 'd', persistentVolumeClaim: { claimName: 'c' } }]
  table(
    [
      ['both', { ...mount({ subPath: 'a/b' }), ...device({}) }, []],
      [
        'a mount of nothing',
        mount({ name: '', mountPath: '' }),
        [
          'Required @.volumeMounts[0].name: Required value',
          'Required @.volumeMounts[0].mountPath: Required value',
        ],
      ],
      ['no such volume', mount({ name: 'x' }), ['NotFound @.volumeMounts[0].name: Not found: "x"']],
      [
        'a path twice',
        mount({}, { name: 'v', mountPath: '/v' }),
        ['Invalid @.volumeMounts[1].mountPath: Invalid value: "/v": must be unique'],
      ],
      [
        'an absolute sub-path that goes up',
        mount({ subPath: '/a/../b' }),
        [
          'Invalid @.volumeMounts[0].subPath: Invalid value: "/a/../b": must be a relative path',
          `Invalid @.volumeMounts[0].subPath: Invalid value: "/a/../b": must not contain '..'`,
        ],
      ],
      [
        'both sub-paths',
        mount({ subPath: 'a', subPathExpr: '$(A)' }),
        [
          'Invalid @.volumeMounts[0].subPathExpr: Invalid value: "$(A)": subPathExpr and subPath are mutually exclusive',
        ],
      ],
      [
        'spreading both ways without privilege',
        mount({ mountPropagation: 'Bidirectional' }),
        [
          'Forbidden @.volumeMounts[0].mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
        ],
      ],
      [
        'an unknown way of spreading',
        mount({ mountPropagation: 'x' }),
        [
          'NotSupported @.volumeMounts[0].mountPropagation: Unsupported value: "x": supported values: "Bidirectional", "HostToContainer", "None"',
        ],
      ],
      [
        'a device of nothing',
        device({ name: '', devicePath: '' }),
        [
          'Required @.volumeDevices[0].name: Required value',
          'Required @.volumeDevices[0].devicePath: Required value',
        ],
      ],
      [
        'a device of no volume',
        device({ name: 'x' }),
        ['NotFound @.volumeDevices[0].name: Not found: "x"'],
      ],
      [
        'a device of a directory',
        device({ name: 'v' }),
        [
          'Invalid @.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ],
      ],
      [
        'a device that goes up',
        device({ devicePath: '/a/../b' }),
        [`Invalid @.volumeDevices[0].devicePath: Invalid value: "/a/../b": must not contain '..'`],
      ],
      [
        'a device twice',
        device({}, { name: 'd', devicePath: '/d' }),
        [
          'Invalid @.volumeDevices[1].name: Invalid value: "d": must be unique',
          'Invalid @.volumeDevices[1].devicePath: Invalid value: "/d": must be unique',
        ],
      ],
      [
        'one volume both ways at one place',
        { ...mount({ name: 'd', mountPath: '/d' }), ...device({}) },
        [
          'Invalid @.volumeMounts[0].name: Invalid value: "d": must not already exist in volumeDevices',
          'Invalid @.volumeMounts[0].mountPath: Invalid value: "/d": must not already exist as a path in volumeDevices',
          'Invalid @.volumeDevices[0].devicePath: Invalid value: "/d": must not already exist as a path in volumeMounts',
          'Invalid @.volumeDevices[0].name: Invalid value: "d": must not already exist in volumeMounts',
        ],
      ],
    ],
    { volumes },
  )
  test('privileged containers may spread mounts both ways', () => {
    const container = web({
      ...mount({ mountPropagation: 'Bidirectional' }),
      securityContext: { privileged: true },
    })
    expect(problems(podOf({ volumes, containers: [container] }), privileged)).toEqual([])
  })
})

const limits = (list: object, requests?: object) => ({
  resources: { limits: list, ...(requests && { requests }) },
})

describe('resources', () => {
  table([
    [
      'the usual ones',
      limits({ cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' }, { cpu: '500m' }),
      [],
    ],
    ['an extended one', limits({ 'example.com/gpu': '2' }), []],
    [
      'less than nothing',
      limits({ cpu: '-1' }),
      [
        `Invalid @.resources.limits[cpu]: Invalid value: "-1": ${NEGATIVE}`,
        `Invalid @.resources.requests[cpu]: Invalid value: "-1": ${NEGATIVE}`,
      ],
    ],
    [
      'a request above the limit',
      limits({ cpu: '1' }, { cpu: '1001m' }),
      [
        'Invalid @.resources.requests: Invalid value: "1001m": must be less than or equal to cpu limit',
      ],
    ],
    [
      'an unknown name',
      { resources: { requests: { disk: '1' } } },
      [
        'Invalid @.resources.requests[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
        'Invalid @.resources.requests[disk]: Invalid value: "disk": must be a standard resource for containers',
      ],
    ],
    [
      'a name that is not for containers',
      { resources: { requests: { storage: '1' } } },
      [
        'Invalid @.resources.requests[storage]: Invalid value: "storage": must be a standard resource for containers',
      ],
    ],
    [
      'a domain of the product',
      { resources: { requests: { 'orch.io/x': '1' } } },
      [
        `Invalid @.resources.requests[orch.io/x]: Invalid value: "orch.io/x": doesn't follow extended resource name standard`,
      ],
    ],
    [
      'part of a device',
      limits({ 'a.b/c': '1500m' }),
      [
        'Invalid @.resources.limits[a.b/c]: Invalid value: "1500m": must be an integer',
        'Invalid @.resources.requests[a.b/c]: Invalid value: "1500m": must be an integer',
      ],
    ],
    [
      'fewer devices than the limit',
      limits({ 'a.b/c': '2' }, { 'a.b/c': '1' }),
      ['Invalid @.resources.requests: Invalid value: "1": must be equal to a.b/c limit'],
    ],
    [
      'devices without limit',
      { resources: { requests: { 'a.b/c': '1' } } },
      [
        'Required @.resources.limits: Required value: limit must be set for non overcommitable resources',
      ],
    ],
    ['huge pages', limits({ 'hugepages-2Mi': '4Mi', memory: '1Gi' }), []],
    [
      'huge pages alone',
      limits({ 'hugepages-2Mi': '4Mi' }),
      ['Forbidden @.resources: Forbidden: HugePages require cpu or memory'],
    ],
    [
      'parts of huge pages',
      limits({ 'hugepages-2Mi': '3Mi', cpu: '1' }),
      [
        'Invalid @.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": must be a multiple of the page size 2Mi',
        'Invalid @.resources.requests[hugepages-2Mi]: Invalid value: "3Mi": must be a multiple of the page size 2Mi',
      ],
    ],
  ])
})

const exec = { exec: { command: ['a'] } }

describe('probes and life cycle', () => {
  table([
    [
      'all handlers',
      {
        livenessProbe: exec,
        readinessProbe: { httpGet: { port: 'http', httpHeaders: [{ name: 'X-A', value: '' }] } },
        startupProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 1 },
        lifecycle: { postStart: exec, preStop: { httpGet: { port: 80 } } },
      },
      [],
    ],
    ['gRPC', { livenessProbe: { grpc: { port: 80 } } }, []],
    [
      'no handler',
      { readinessProbe: {} },
      ['Required @.readinessProbe: Required value: must specify a handler type'],
    ],
    [
      'two handlers',
      { readinessProbe: { ...exec, tcpSocket: { port: 80 }, grpc: { port: 80 } } },
      [
        `Forbidden @.readinessProbe.tcpSocket: Forbidden: ${ONE_HANDLER}`,
        `Forbidden @.readinessProbe.grpc: Forbidden: ${ONE_HANDLER}`,
      ],
    ],
    [
      'no command',
      { readinessProbe: { exec: {} } },
      ['Required @.readinessProbe.exec.command: Required value'],
    ],
    [
      'a bad request',
      {
        readinessProbe: {
          httpGet: { port: 0, scheme: 'http', httpHeaders: [{ name: 'a b', value: '' }] },
        },
      },
      [
        'NotSupported @.readinessProbe.httpGet.scheme: Unsupported value: "http": supported values: "HTTP", "HTTPS"',
        `Invalid @.readinessProbe.httpGet.port: Invalid value: 0: ${PORT}`,
        `Invalid @.readinessProbe.httpGet.httpHeaders[0].name: Invalid value: "a b": ${HEADER}`,
      ],
    ],
    [
      'a bad port',
      { readinessProbe: { tcpSocket: { port: '80' } } },
      [
        'Invalid @.readinessProbe.tcpSocket.port: Invalid value: "80": must contain at least one letter (a-z)',
      ],
    ],
    [
      'a bad gRPC port',
      { readinessProbe: { grpc: { port: 70000 } } },
      [`Invalid @.readinessProbe.grpc.port: Invalid value: 70000: ${PORT}`],
    ],
    [
      'negative numbers',
      {
        readinessProbe: {
          ...exec,
          initialDelaySeconds: -1,
          timeoutSeconds: -2,
          periodSeconds: -3,
          successThreshold: -4,
          failureThreshold: -5,
        },
      },
      [
        `Invalid @.readinessProbe.initialDelaySeconds: Invalid value: -1: ${NEGATIVE}`,
        `Invalid @.readinessProbe.timeoutSeconds: Invalid value: -2: ${NEGATIVE}`,
        `Invalid @.readinessProbe.periodSeconds: Invalid value: -3: ${NEGATIVE}`,
        `Invalid @.readinessProbe.successThreshold: Invalid value: -4: ${NEGATIVE}`,
        `Invalid @.readinessProbe.failureThreshold: Invalid value: -5: ${NEGATIVE}`,
      ],
    ],
    ['two successes are for readiness', { readinessProbe: { ...exec, successThreshold: 2 } }, []],
    [
      'not for the others',
      {
        livenessProbe: { ...exec, successThreshold: 2 },
        startupProbe: { ...exec, successThreshold: 2 },
      },
      [
        'Invalid @.livenessProbe.successThreshold: Invalid value: 2: must be 1',
        'Invalid @.startupProbe.successThreshold: Invalid value: 2: must be 1',
      ],
    ],
    [
      'no time to end in',
      { livenessProbe: { ...exec, terminationGracePeriodSeconds: 0 } },
      [
        'Invalid @.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0',
      ],
    ],
    [
      'readiness ends nothing',
      { readinessProbe: { ...exec, terminationGracePeriodSeconds: 1 } },
      [
        'Invalid @.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes',
      ],
    ],
    [
      'an empty handler',
      { lifecycle: { postStart: {} } },
      ['Required @.lifecycle.postStart: Required value: must specify a handler type'],
    ],
  ])
})

const secure = (securityContext: object) => ({ securityContext })
const IDS = 'must be between 0 and 2147483647, inclusive'

describe('security settings', () => {
  table([
    ['ids', secure({ runAsUser: 0, runAsGroup: 2147483647 }), []],
    [
      'bad ids',
      secure({ runAsUser: -1, runAsGroup: 2147483648 }),
      [
        `Invalid @.securityContext.runAsUser: Invalid value: -1: ${IDS}`,
        `Invalid @.securityContext.runAsGroup: Invalid value: 2147483648: ${IDS}`,
      ],
    ],
    [
      'privilege',
      secure({ privileged: true }),
      ['Forbidden @.securityContext.privileged: Forbidden: disallowed by cluster policy'],
    ],
    [
      'administration without more rights',
      secure({ allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } }),
      [
        'Invalid @.securityContext: Invalid value: {"capabilities":{"add":["CAP_SYS_ADMIN"]},"allowPrivilegeEscalation":false}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      ],
    ],
    [
      'a filter from a file',
      secure({ seccompProfile: { type: 'Localhost', localhostProfile: 'a/b' } }),
      [],
    ],
    [
      'a filter of no type',
      secure({ seccompProfile: {} }),
      [
        'Required @.securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set',
      ],
    ],
    [
      'a filter of an unknown type',
      secure({ seccompProfile: { type: 'x' } }),
      [
        'NotSupported @.securityContext.seccompProfile.type: Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
    [
      'no file',
      secure({ seccompProfile: { type: 'Localhost' } }),
      [
        'Required @.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
      ],
    ],
    [
      'a file too many',
      secure({ seccompProfile: { type: 'Unconfined', localhostProfile: 'a' } }),
      [
        'Invalid @.securityContext.seccompProfile.localhostProfile: Invalid value: "a": can only be set when seccomp type is Localhost',
      ],
    ],
    [
      'an unknown mount of proc',
      secure({ procMount: 'x' }),
      [
        'NotSupported @.securityContext.procMount: Unsupported value: "x": supported values: "Default", "Unmasked"',
      ],
    ],
  ])
  test('privilege needs more rights', () => {
    const container = web(secure({ privileged: true, allowPrivilegeEscalation: false }))
    expect(problems(podOf({ containers: [container] }), privileged)).toEqual([
      'Invalid spec.containers[0].securityContext: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    ])
  })
})

describe('Windows users', () => {
  const user = (runAsUserName: string) => secure({ windowsOptions: { runAsUserName } })
  const says = (value: string, text: string) => [
    `Invalid @.securityContext.windowsOptions.runAsUserName: Invalid value: ${JSON.stringify(value)}: ${text}`,
  ]
  table([
    ['a name', user('ContainerUser'), []],
    ['a name in a domain', user('NT AUTHORITY\\NETWORK SERVICE'), []],
    ['a name in a long domain', user('a-long.example.com\\me'), []],
    ['none', user(''), says('', 'runAsUserName cannot be an empty string')],
    ['a line end', user('a\n'), says('a\n', 'runAsUserName cannot contain control characters')],
    [
      'two backslashes',
      user('a\\b\\c'),
      says('a\\b\\c', 'runAsUserName cannot contain more than one backslash'),
    ],
    ['no user', user('a\\'), says('a\\', "runAsUserName's User cannot be empty")],
    [
      'only dots',
      user('. .'),
      says('. .', "runAsUserName's User cannot contain only periods or spaces"),
    ],
    [
      'a sign',
      user('a@b'),
      says(
        'a@b',
        'runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]',
      ),
    ],
    [
      'a bad domain',
      user('.a_long_name_here\\b'),
      says(
        '.a_long_name_here\\b',
        "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
      ),
    ],
    [
      'a long user',
      user('a'.repeat(105)),
      says('a'.repeat(105), "runAsUserName's User length must not be longer than 104 characters"),
    ],
    [
      'credentials',
      secure({ windowsOptions: { gmsaCredentialSpecName: 'A', gmsaCredentialSpec: '' } }),
      [
        `Invalid @.securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: "A": ${SUBDOMAIN}`,
        'Invalid @.securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
      ],
    ],
  ])
})
