import { describe } from 'vitest'
import { SUBDOMAIN } from './messages.fixture.ts'
import { privileged, web } from './pod.fixture.ts'
import { containerTable, specTable } from './tables.fixture.ts'

const secure = (securityContext: object) => ({ securityContext })

describe('Windows users', () => {
  const user = (runAsUserName: string) => secure({ windowsOptions: { runAsUserName } })
  const says = (value: string, text: string) => [
    `Invalid @.securityContext.windowsOptions.runAsUserName: Invalid value: ${JSON.stringify(value)}: ${text}`,
  ]
  containerTable([
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

describe('operating systems', () => {
  const host = (hostProcess: boolean) => ({ windowsOptions: { hostProcess } })
  specTable([
    ['linux', { os: { name: 'linux' }, hostPID: true }, []],
    ['none', { os: {} }, ['Required @.os.name: Required value: cannot be empty']],
    [
      'another',
      { os: { name: 'plan9' } },
      ['NotSupported @.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    ],
    [
      'linux with settings for Windows',
      {
        os: { name: 'linux' },
        securityContext: { windowsOptions: {} },
        containers: [web({ securityContext: { windowsOptions: {} } })],
      },
      [
        'Forbidden @.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
        'Forbidden @.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
      ],
    ],
    [
      'Windows with settings for linux',
      {
        os: { name: 'windows' },
        hostIPC: true,
        securityContext: { fsGroup: 1, sysctls: [{ name: 'a', value: '' }] },
        initContainers: [web({ name: 'i', securityContext: { readOnlyRootFilesystem: false } })],
        containers: [web({ securityContext: { runAsUser: 1 } })],
      },
      [
        'Forbidden @.hostIPC: Forbidden: cannot be set for a windows pod',
        'Forbidden @.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
        'Forbidden @.securityContext.sysctls: Forbidden: cannot be set for a windows pod',
        'Forbidden @.initContainers[0].securityContext.readOnlyRootFilesystem: Forbidden: cannot be set for a windows pod',
        'Forbidden @.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      ],
    ],
    [
      'one process of the host among others',
      {
        securityContext: {},
        containers: [web({ securityContext: host(true) }), web({ name: 'b' })],
      },
      [
        'Invalid @: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
        'Invalid @.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
        'Forbidden @: Forbidden: hostProcess containers are disallowed by cluster policy',
      ],
    ],
    [
      'pod and container disagree',
      { securityContext: host(true), containers: [web({ securityContext: host(false) })] },
      [
        'Invalid @.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true',
      ],
    ],
  ])
  describe('where privilege is allowed', () => {
    specTable(
      [['all are processes of the host', { hostNetwork: true, securityContext: host(true) }, []]],
      privileged,
    )
  })
})
