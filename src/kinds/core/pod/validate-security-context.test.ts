import { describe, expect, test } from 'vitest'
import { IDS } from './messages.fixture.ts'
import { podOf, privileged, problems, web } from './pod.fixture.ts'
import { containerTable, specTable } from './tables.fixture.ts'

const secure = (securityContext: object) => ({ securityContext })

describe('security settings', () => {
  containerTable([
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

const podContext = (securityContext: object) => ({ securityContext })

describe('security settings of the pod', () => {
  specTable([
    [
      'ids',
      podContext({ runAsUser: -1, runAsGroup: -2, fsGroup: -3, supplementalGroups: [0, -4] }),
      [
        `Invalid @.securityContext.fsGroup: Invalid value: -3: ${IDS}`,
        `Invalid @.securityContext.runAsUser: Invalid value: -1: ${IDS}`,
        `Invalid @.securityContext.runAsGroup: Invalid value: -2: ${IDS}`,
        `Invalid @.securityContext.supplementalGroups[1]: Invalid value: -4: ${IDS}`,
      ],
    ],
    [
      'the processes of the host and of each other',
      { hostPID: true, shareProcessNamespace: true },
      [
        'Invalid @.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
      ],
    ],
    [
      'kernel settings',
      podContext({
        sysctls: [
          { name: 'a.b_c/d', value: '1' },
          { name: 'a/b', value: '2' },
        ],
      }),
      [],
    ],
    [
      'bad kernel settings',
      podContext({
        sysctls: [
          { name: '', value: '' },
          { name: 'A', value: '' },
          { name: 'a', value: '' },
          { name: 'a', value: '' },
        ],
      }),
      [
        'Required @.securityContext.sysctls[0].name: Required value',
        'Invalid @.securityContext.sysctls[1].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
        'Duplicate @.securityContext.sysctls[3].name: Duplicate value: "a"',
      ],
    ],
    [
      'an unknown policy',
      podContext({ fsGroupChangePolicy: 'x' }),
      [
        'NotSupported @.securityContext.fsGroupChangePolicy: Unsupported value: "x": supported values: "Always", "OnRootMismatch"',
      ],
    ],
    [
      'a filter file that goes up',
      podContext({ seccompProfile: { type: 'Localhost', localhostProfile: '../a' } }),
      [
        `Invalid @.securityContext.seccompProfile.localhostProfile: Invalid value: "../a": must not contain '..'`,
      ],
    ],
  ])
})
