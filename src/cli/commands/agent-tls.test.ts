import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { agentTlsOf } from './agent-tls.ts'

const dir = mkdtempSync(join(tmpdir(), 'agent-tls-'))
afterAll(() => rmSync(dir, { recursive: true }))

const file = (name: string) => {
  writeFileSync(join(dir, name), name)
  return join(dir, name)
}
const NONE = {
  'nodeagent-certificate-authority': '',
  'nodeagent-client-certificate': '',
  'nodeagent-client-key': '',
}

// The server checks the content: test/start-errors.test.ts.
describe('files of flags', () => {
  for (const { name, values, expected } of [
    { name: 'none', values: {}, expected: undefined },
    {
      name: 'an authority',
      values: { 'nodeagent-certificate-authority': file('ca') },
      expected: { ca: 'ca' },
    },
    {
      name: 'all',
      values: {
        'nodeagent-certificate-authority': file('ca'),
        'nodeagent-client-certificate': file('cert'),
        'nodeagent-client-key': file('key'),
      },
      expected: { ca: 'ca', cert: 'cert', key: 'key' },
    },
  ]) {
    test(name, () => expect(agentTlsOf({ ...NONE, ...values })).toEqual(expected))
  }
})

test('the error for a missing file names its flag', () => {
  const path = join(dir, 'none')
  expect(() => agentTlsOf({ ...NONE, 'nodeagent-client-key': path })).toThrow(
    new Error(`--nodeagent-client-key: cannot read ${path}: there is no such file`),
  )
})
