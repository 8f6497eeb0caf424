import { describe, expect, test } from 'vitest'
import { checkModes, parseModes, type ModeFlags } from './modes.ts'

test('the flag is a list', () => {
  expect(['', 'RBAC', 'Node,RBAC', 'RBAC,'].map(parseModes)).toEqual([
    [],
    ['RBAC'],
    ['Node', 'RBAC'],
    ['RBAC', ''],
  ])
})

const NONE = 'is none of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node'

describe('flags', () => {
  const right: readonly [string, ModeFlags][] = [
    ['the usual ones', { modes: ['Node', 'RBAC'] }],
    [
      'all',
      {
        modes: ['Node', 'RBAC', 'ABAC', 'Webhook', 'AlwaysAllow', 'AlwaysDeny'],
        policyFile: 'p',
        webhookConfigFile: 'w',
      },
    ],
    ['a version', { modes: ['Webhook'], webhookConfigFile: 'w', webhookVersion: 'v1' }],
    ['a version that nobody asks for', { modes: ['RBAC'], webhookVersion: 'v7' }],
  ]
  for (const [name, flags] of right)
    test(name, () => expect(checkModes(flags)).toEqual({ modes: flags.modes }))

  const wrong: readonly [string, ModeFlags, readonly string[]][] = [
    ['none', { modes: [] }, ['--authorization-mode needs at least one mode']],
    ['unknown', { modes: ['rbac', 'RBAC'] }, [`--authorization-mode "rbac" ${NONE}`]],
    ['empty', { modes: ['RBAC', ''] }, [`--authorization-mode "" ${NONE}`]],
    ['twice', { modes: ['RBAC', 'Node', 'RBAC'] }, ['--authorization-mode names "RBAC" twice']],
    [
      'no policy',
      { modes: ['ABAC'] },
      ['--authorization-mode ABAC needs --authorization-policy-file'],
    ],
    [
      'policy for nothing',
      { modes: ['RBAC'], policyFile: 'p' },
      ['--authorization-policy-file needs --authorization-mode ABAC'],
    ],
    [
      'no webhook',
      { modes: ['Webhook'] },
      ['--authorization-mode Webhook needs --authorization-webhook-config-file'],
    ],
    [
      'webhook for nothing',
      { modes: ['RBAC'], webhookConfigFile: 'w' },
      ['--authorization-webhook-config-file needs --authorization-mode Webhook'],
    ],
    [
      'version',
      { modes: ['Webhook'], webhookConfigFile: 'w', webhookVersion: 'v2' },
      ['--authorization-webhook-version must be one of v1, v1beta1, not "v2"'],
    ],
    [
      'all at once',
      { modes: ['x', 'x'], policyFile: 'p', webhookConfigFile: 'w' },
      [
        `--authorization-mode "x" ${NONE}`,
        `--authorization-mode "x" ${NONE}`,
        '--authorization-policy-file needs --authorization-mode ABAC',
        '--authorization-webhook-config-file needs --authorization-mode Webhook',
        '--authorization-mode names "x" twice',
      ],
    ],
  ]
  for (const [name, flags, errors] of wrong)
    test(name, () => expect(checkModes(flags)).toEqual({ errors }))
})
