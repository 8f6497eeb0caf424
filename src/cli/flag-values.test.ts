import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseFlags, FlagError, type Flags } from '../flags/flags.ts'
import { serverFlags } from '../server/options/server-flags.ts'
import { controllerManagerFlags } from './commands/controller-manager-flags.ts'
import { flagValues } from './flag-values.ts'

const dir = mkdtempSync(join(tmpdir(), 'config-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const path = join(dir, 'config.yaml')

const values = async (text: string, ...args: readonly string[]) => {
  writeFileSync(path, text)
  return flagValues(serverFlags, [`--config=${path}`, ...args])
}

describe('values of a file', () => {
  for (const { name, text, args = [], same } of [
    { name: 'nothing', text: '# only this\n', same: [] },
    { name: 'an empty mapping', text: '{}', same: [] },
    { name: 'a number', text: 'secure-port: 7', same: ['--secure-port=7'] },
    { name: 'a number as text', text: 'secure-port: "7"', same: ['--secure-port=7'] },
    { name: 'one letter', text: 'v: 3', same: ['-v3'] },
    { name: 'true', text: 'verify: true', same: ['--verify'] },
    { name: 'false', text: 'store-journal: no', same: ['--store-journal=false'] },
    { name: 'a duration', text: 'request-timeout: 1m30s', same: ['--request-timeout=90s'] },
    { name: 'a list', text: 'tls-san: [a.example, ::1]', same: ['--tls-san=a.example,::1'] },
    { name: 'items of a text', text: 'tls-san: a.example,::1', same: ['--tls-san=a.example,::1'] },
    { name: 'a list of none', text: 'tls-san: []', same: [] },
    {
      name: 'an item with a comma',
      text: 'cors-allowed-origins: ["^a{1,2}$"]',
      same: ['--cors-allowed-origins="^a{1,2}$"'],
    },
    {
      name: 'items that are not split',
      text: 'tls-sni-cert-key: ["a,b:c"]',
      same: ['--tls-sni-cert-key=a,b:c'],
    },
    {
      name: 'switches as a mapping',
      text: 'feature-gates: {A: true, B: false}',
      same: ['--feature-gates=A=true,B=false'],
    },
    {
      name: 'switches as a list',
      text: 'runtime-config: [api/alpha=true, apps/v1=false]',
      same: ['--runtime-config=api/alpha=true,apps/v1=false'],
    },
    {
      name: 'JSON',
      text: '{"secure-port": 7, "verify": true}',
      same: ['--secure-port=7', '--verify'],
    },
    {
      name: 'the command line wins',
      text: 'secure-port: 7\ntls-san: [a]\nv: 3',
      args: ['--secure-port=8', '--tls-san=b'],
      same: ['--secure-port=8', '--tls-san=b', '-v3'],
    },
    {
      name: 'the command line wins with a default',
      text: 'secure-port: 7',
      args: ['--secure-port=6443'],
      same: [],
    },
  ])
    test(name, async () => {
      expect({ ...(await values(text, ...args)), config: '' }).toEqual(
        parseFlags(serverFlags, same),
      )
    })
})

describe('faults of a file', () => {
  for (const [text, fault] of [
    ['secure-prot: 7', 'secure-prot is no flag (did you mean secure-port?)'],
    ['secure_port: 7', 'secure_port is no flag (did you mean secure-port?)'],
    ['--secure-port: 7', '--secure-port is no flag (did you mean secure-port?)'],
    ['constructor: 7', 'constructor is no flag'],
    ['__proto__: 7', '__proto__ is no flag'],
    ['secure-port: 65536', 'secure-port must be from 0 to 65535, not 65536'],
    ['secure-port: x', 'secure-port must be a whole number, not "x"'],
    ['secure-port: [7]', 'secure-port must be one value, not a list'],
    ['secure-port: {a: 7}', 'secure-port must be one value, not a mapping'],
    ['secure-port:', 'secure-port must not be empty'],
    ['tls-san: {a: b}', 'tls-san must be one value or a list, not a mapping'],
    ['tls-san: [[a]]', 'tls-san must not have values within values'],
    ['verify: maybe', 'verify must be true or false, not "maybe"'],
    ['feature-gates: {"A=b": true}', 'feature-gates must not have the name "A=b"'],
    ['feature-gates: {A: 1.5}', 'feature-gates must have true or false for "A", not "A=1.5"'],
    ['config: other', 'config can only be given on the command line'],
    ['help: true', 'help can only be given on the command line'],
    [
      'verify: 7\nport: 8',
      'verify must be true or false, not "7"; port is no flag (did you mean secure-port?)',
    ],
    ['v: 1\nv: 2', 'yaml: line 2: key "v" already set in map'],
    ['{"v": 1, "v": 2}', 'yaml: line 1: key "v" already set in map'],
    ['- v', 'must be a mapping of names of flags and their values'],
    ['v', 'must be a mapping of names of flags and their values'],
    ['v: 1\n---\nv: 2', 'holds more than one document'],
    ['v: [', 'yaml: line 1: unexpected end of the stream within a flow collection'],
  ])
    test(JSON.stringify(text), async () => {
      await expect(values(text!)).rejects.toThrow(new FlagError(`--config: ${path}: ${fault}`))
    })

  test('no file', async () => {
    await expect(async () => flagValues(serverFlags, ['--config=/absent'])).rejects.toThrow(
      new FlagError('--config: cannot read /absent: there is no such file'),
    )
  })
})

describe('every flag can be in a file', () => {
  const programs: Readonly<Record<string, Flags>> = {
    server: serverFlags,
    'controller manager': controllerManagerFlags,
  }
  for (const [program, flags] of Object.entries(programs))
    test(program, async () => {
      const standard = parseFlags(flags, [])
      const named = Object.keys(flags).filter(
        (name) => !['config', 'help', 'help-all', 'version'].includes(name),
      )
      // Defaults that a flag would not take are those of flags that must be given.
      const text = named
        .filter((name) => flags[name]!.check?.(standard[name]) == null)
        .map((name) => `${name}: ${JSON.stringify(flags[name]!.default)}\n`)
        .join('')
      writeFileSync(path, text)
      const read = await flagValues({ ...flags, config: serverFlags.config }, [`--config=${path}`])
      expect({ ...read, config: '' }).toEqual(standard)
    })
})
