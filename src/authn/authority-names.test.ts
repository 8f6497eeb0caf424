import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { authorityNames } from './authority-names.ts'
import { make } from './certificates.fixture.ts'

const certificates = (pem: string) =>
  (pem.match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g) ?? []).map(
    (block) => new X509Certificate(block),
  )

const root = make({ subject: ['O=cluster, inc.', 'CN=zoë'], authority: true })
const other = make({ subject: ['CN=other'], authority: true, keyType: 'rsa' })
const again = make({ subject: ['CN=other'], authority: true })

test('each name is listed once, in order', () => {
  const names = certificates(authorityNames(root.pem + other.pem + again.pem))
  expect(names.map(({ subject }) => subject)).toEqual([
    root.certificate.subject,
    other.certificate.subject,
  ])
})

test('text between the certificates does not count', () => {
  const names = certificates(authorityNames(`# first\n${root.pem}\n# second\n${other.pem}`))
  expect(names).toHaveLength(2)
})

test('nothing is valid by them', () => {
  const [name] = certificates(authorityNames(root.pem))
  expect(name!.publicKey.asymmetricKeyType).toBe('x25519')
  expect(Date.parse(name!.validTo)).toBe(0)
})

test('nothing of nothing', () => {
  expect(authorityNames('')).toBe('')
})
