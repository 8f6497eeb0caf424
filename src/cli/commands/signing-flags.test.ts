import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseFlags } from '../../flags/flags.ts'
import { signingFlags, signingOf } from './signing-flags.ts'

const dir = mkdtempSync(join(tmpdir(), 'signing-'))
afterAll(() => rmSync(dir, { recursive: true }))
const file = (name: string) => {
  writeFileSync(join(dir, name), name)
  return join(dir, name)
}
const [cert, key] = [file('cert'), file('key')]
const read = (...args: string[]) => signingOf(parseFlags(signingFlags, args))
const pair = (prefix: string) => [
  `--cluster-signing-${prefix}cert-file=${cert}`,
  `--cluster-signing-${prefix}key-file=${key}`,
]
const found = (prefix: string) => ({
  cert: 'cert',
  key: 'key',
  flag: `cluster-signing-${prefix}cert-file`,
})

describe('who signs', () => {
  for (const { name, args, authorities } of [
    { name: 'nobody', args: [], authorities: {} },
    {
      name: 'one authority for all',
      args: pair(''),
      authorities: {
        agentServing: found(''),
        agentClient: found(''),
        serverClient: found(''),
        legacyUnknown: found(''),
      },
    },
    {
      name: 'one for each',
      args: [...pair('nodeagent-serving-'), ...pair('legacy-unknown-')],
      authorities: {
        agentServing: found('nodeagent-serving-'),
        legacyUnknown: found('legacy-unknown-'),
      },
    },
    {
      name: 'the others',
      args: [...pair('nodeagent-client-'), ...pair('apiserver-client-')],
      authorities: {
        agentClient: found('nodeagent-client-'),
        serverClient: found('apiserver-client-'),
      },
    },
  ]) {
    test(name, () => {
      expect(read(...args)).toEqual({ durationMs: 31_536_000_000, authorities })
    })
  }

  test('for how long', () => {
    expect(read('--cluster-signing-duration=24h').durationMs).toBe(86_400_000)
  })
})

describe('faults', () => {
  for (const { args, error } of [
    {
      args: [`--cluster-signing-cert-file=${cert}`],
      error: '--cluster-signing-cert-file needs --cluster-signing-key-file',
    },
    {
      args: [`--cluster-signing-legacy-unknown-key-file=${key}`],
      error:
        '--cluster-signing-legacy-unknown-key-file needs --cluster-signing-legacy-unknown-cert-file',
    },
    {
      args: [...pair(''), ...pair('nodeagent-client-')],
      error:
        'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    },
    {
      args: ['--cluster-signing-cert-file=/none', `--cluster-signing-key-file=${key}`],
      error: 'cluster-signing-cert-file: cannot read /none: there is no such file',
    },
  ]) {
    test(error, () => expect(() => read(...args)).toThrow(error))
  }
})
