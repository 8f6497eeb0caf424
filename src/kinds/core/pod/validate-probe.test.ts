import { describe } from 'vitest'
import { HEADER, PORT, NEGATIVE, ONE_HANDLER } from './messages.fixture.ts'
import { containerTable } from './tables.fixture.ts'

const exec = { exec: { command: ['a'] } }

describe('probes and life cycle', () => {
  containerTable([
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
