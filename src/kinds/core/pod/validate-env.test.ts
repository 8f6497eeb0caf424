import { describe } from 'vitest'
import { SUBDOMAIN, ENV } from './messages.fixture.ts'
import { containerTable } from './tables.fixture.ts'

const env = (valueFrom: object, value = '') => ({ env: [{ name: 'A', value, valueFrom }] })
const fieldRef = { fieldPath: 'metadata.name' }

describe('environment', () => {
  containerTable([
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
