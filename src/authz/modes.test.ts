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
    ['none', { modes: [] }, ['at least one authorization-mode must be passed']],
    ['unknown', { modes: ['rbac', 'RBAC'] }, ['authorization-mode "rbac" is not a valid mode']],
    ['empty', { modes: ['RBAC', ''] }, ['authorization-mode "" is not a valid mode']],
    [
      'twice',
      { modes: ['RBAC', 'Node', 'RBAC'] },
      ['authorization-mode ["RBAC" "Node" "RBAC"] has mode specified more than once'],
    ],
    [
      'no policy',
      { modes: ['ABAC'] },
      ["authorization-mode ABAC's authorization policy file not passed"],
    ],
    [
      'policy for nothing',
      { modes: ['RBAC'], policyFile: 'p' },
      ['cannot specify --authorization-policy-file without mode ABAC'],
    ],
    [
      'no webhook',
      { modes: ['Webhook'] },
      ["authorization-mode Webhook's authorization config file not passed"],
    ],
    [
      'webhook for nothing',
      { modes: ['RBAC'], webhookConfigFile: 'w' },
      ['cannot specify --authorization-webhook-config-file without mode Webhook'],
    ],
    [
      'version',
      { modes: ['Webhook'], webhookConfigFile: 'w', webhookVersion: 'v2' },
      ['unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"'],
    ],
    [
      'all at once',
      { modes: ['x', 'x'], policyFile: 'p', webhookConfigFile: 'w' },
      [
        'authorization-mode "x" is not a valid mode',
        'authorization-mode "x" is not a valid mode',
        'cannot specify --authorization-policy-file without mode ABAC',
        'cannot specify --authorization-webhook-config-file without mode Webhook',
        'authorization-mode ["x" "x"] has mode specified more than once',
      ],
    ],
  ]
  for (const [name, flags, errors] of wrong)
    test(name, () => expect(checkModes(flags)).toEqual({ errors }))
})
