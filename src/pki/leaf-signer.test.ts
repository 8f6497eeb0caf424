import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { issue } from './issue.ts'
import { leafSigner } from './leaf-signer.ts'

const times = { notBeforeMs: 0, notAfterMs: Date.parse('2030-01-02T03:04:05Z') }
const authority = issue({ ...times, subject: { commonName: 'a' }, use: 'authority' })
const other = issue({ ...times, subject: { commonName: 'b' }, use: 'authority' })
const leaf = issue({ ...times, subject: { commonName: 'c' }, use: 'server' })
const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })

test('an authority knows its end', () => {
  expect(leafSigner(authority).notAfterMs).toBe(times.notAfterMs)
})

for (const { name, pair, error } of [
  {
    name: 'the certificate of no authority',
    pair: leaf,
    error: 'the certificate is not that of an authority',
  },
  {
    name: 'the key of another',
    pair: { ...authority, key: other.key },
    error: 'the key is not that of the certificate',
  },
  {
    name: 'a key of another type',
    pair: { ...authority, key: String(ed25519) },
    error: 'the key is not that of the certificate',
  },
]) {
  test(`${name} cannot sign`, () => expect(() => leafSigner(pair)).toThrow(error))
}
