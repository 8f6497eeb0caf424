import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { issue } from '../../pki/issue.ts'
import { agentTlsOf } from './agent-tls.ts'

const dir = mkdtempSync(join(tmpdir(), 'agent-tls-'))
afterAll(() => rmSync(dir, { recursive: true }))

const made = (use: 'authority' | 'client') =>
  issue({
    subject: { commonName: 'x' },
    notBeforeMs: Date.now() - 60_000,
    notAfterMs: Date.now() + 3_600_000,
    use,
  })
const [authority, own, other] = [made('authority'), made('client'), made('client')]
const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}
const files = {
  ca: file('ca.crt', authority.cert),
  cert: file('own.crt', own.cert),
  key: file('own.key', own.key),
  otherKey: file('other.key', other.key),
  words: file('words', 'words'),
}
const NONE = {
  'nodeagent-certificate-authority': '',
  'nodeagent-client-certificate': '',
  'nodeagent-client-key': '',
}
const certificate = (cert: string, key: string) => ({
  'nodeagent-client-certificate': cert,
  'nodeagent-client-key': key,
})

describe('files of flags', () => {
  for (const { name, values, expected } of [
    { name: 'none', values: {}, expected: undefined },
    {
      name: 'an authority',
      values: { 'nodeagent-certificate-authority': files.ca },
      expected: { ca: authority.cert },
    },
    {
      name: 'a certificate',
      values: certificate(files.cert, files.key),
      expected: { cert: own.cert, key: own.key },
    },
    {
      name: 'both',
      values: {
        'nodeagent-certificate-authority': files.ca,
        ...certificate(files.cert, files.key),
      },
      expected: { ca: authority.cert, cert: own.cert, key: own.key },
    },
  ]) {
    test(name, () => expect(agentTlsOf({ ...NONE, ...values })).toEqual(expected))
  }
})

describe('refused', () => {
  for (const { name, values, message } of [
    {
      name: 'a certificate alone',
      values: { 'nodeagent-client-certificate': files.cert },
      message: '--nodeagent-client-certificate and --nodeagent-client-key go together',
    },
    {
      name: 'a key alone',
      values: { 'nodeagent-client-key': files.key },
      message: '--nodeagent-client-certificate and --nodeagent-client-key go together',
    },
    {
      name: 'no such file',
      values: { 'nodeagent-certificate-authority': join(dir, 'none') },
      message: `--nodeagent-certificate-authority: ENOENT: no such file or directory, open '${join(dir, 'none')}'`,
    },
    {
      name: 'an authority that is none',
      values: { 'nodeagent-certificate-authority': files.words },
      message: '--nodeagent-certificate-authority: no certificate in it',
    },
    {
      name: 'a key of another',
      values: certificate(files.cert, files.otherKey),
      message: /^--nodeagent-client-certificate and --nodeagent-client-key: .*key values mismatch$/,
    },
    {
      name: 'a certificate that is none',
      values: certificate(files.words, files.key),
      message: /^--nodeagent-client-certificate and --nodeagent-client-key: .*no start line$/,
    },
  ]) {
    test(name, () => expect(() => agentTlsOf({ ...NONE, ...values })).toThrow(message))
  }
})
