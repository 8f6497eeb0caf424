import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openssl } from '../../../test/openssl.ts'
import { signingKey, verificationKeys } from './keys.ts'

const PUBLIC = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEW5czptgja6U/PHNK2risiwbtA7wh
dGbolQhi7C4P5JJHs+MIBHayzna7T0VubvgdQK5EbSJkTklY9ry+4Vf2PQ==
-----END PUBLIC KEY-----
`
const KID = 'P-DHA3TikGxcjNLErBsakQNVz39Yci9WorS2BSwpP5Y'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const ed = generateKeyPairSync('ed25519')
const pem = (key: typeof rsa.publicKey, type: 'spki' | 'pkcs1' | 'pkcs8' | 'sec1') =>
  key.export({ type, format: 'pem' } as never) as unknown as string

const NONE = 'no RSA or ECDSA key to verify with'
const NO_PRIVATE = 'no RSA or ECDSA private key'

test('a key is called by the digest of its public half', () => {
  expect(verificationKeys([PUBLIC]).map(({ kid, alg }) => ({ kid, alg }))).toEqual([
    { kid: KID, alg: 'ES256' },
  ])
})

test('the two halves of a pair are called the same', () => {
  const key = signingKey(pem(p256.privateKey, 'pkcs8'))
  const [publicKey] = verificationKeys([pem(p256.publicKey, 'spki')])
  expect([key.kid, key.key.type]).toEqual([publicKey!.kid, 'private'])
})

test('the key of a certificate is used', async () => {
  const args = 'req -x509 -key {key} -subj /CN=x -days 1'.split(' ')
  const certificate = await openssl(args, { key: pem(p256.privateKey, 'pkcs8') })
  expect(verificationKeys([certificate]).map(({ kid }) => kid)).toEqual([
    verificationKeys([pem(p256.publicKey, 'spki')])[0]!.kid,
  ])
})

describe('keys to verify with', () => {
  for (const { name, pems, algs } of [
    { name: 'RSA, public', pems: [pem(rsa.publicKey, 'spki')], algs: ['RS256'] },
    { name: 'RSA, public, old form', pems: [pem(rsa.publicKey, 'pkcs1')], algs: ['RS256'] },
    { name: 'RSA, private', pems: [pem(rsa.privateKey, 'pkcs8')], algs: ['RS256'] },
    { name: 'RSA, private, old form', pems: [pem(rsa.privateKey, 'pkcs1')], algs: ['RS256'] },
    { name: 'P-256, private, old form', pems: [pem(p256.privateKey, 'sec1')], algs: ['ES256'] },
    { name: 'P-384', pems: [pem(p384.publicKey, 'spki')], algs: ['ES384'] },
    { name: 'P-521', pems: [pem(p521.publicKey, 'spki')], algs: ['ES512'] },
    {
      name: 'several in a file, in order',
      pems: [`words\n${PUBLIC}${pem(rsa.publicKey, 'spki')}`, pem(p384.publicKey, 'spki')],
      algs: ['ES256', 'RS256', 'ES384'],
    },
    { name: 'one key twice', pems: [PUBLIC + PUBLIC, PUBLIC], algs: ['ES256'] },
    {
      name: 'with a key of another type',
      pems: [pem(ed.publicKey, 'spki') + PUBLIC],
      algs: ['ES256'],
    },
  ]) {
    test(name, () => expect(verificationKeys(pems).map(({ alg }) => alg)).toEqual(algs))
  }

  for (const { name, text, problem } of [
    { name: 'nothing', text: '', problem: NONE },
    { name: 'only a key of another kind', text: pem(ed.publicKey, 'spki'), problem: NONE },
    { name: 'broken base64', text: PUBLIC.replace('MFkw', '!!!!'), problem: NONE },
    {
      name: 'a short RSA key',
      text: pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey, 'spki'),
      problem: 'an RSA key of 1024 bits is too short: 2048 are the least',
    },
  ]) {
    test(`not ${name}`, () =>
      expect(() => verificationKeys([PUBLIC, text])).toThrow(new Error(problem)))
  }
})

describe('key to sign with', () => {
  for (const { name, text, problem } of [
    { name: 'a public key', text: PUBLIC, problem: NO_PRIVATE },
    {
      name: 'a broken key',
      text: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----',
      problem: NO_PRIVATE,
    },
    {
      name: 'a key of another kind',
      text: pem(ed.privateKey, 'pkcs8'),
      problem: 'a private key of type "ed25519", which must be RSA or ECDSA',
    },
  ]) {
    test(`not ${name}`, () => expect(() => signingKey(text)).toThrow(new Error(problem)))
  }
})
