/** Tokens that the server did not issue, and those with claims that do not hold (authentication page 6). */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { es256, forge } from '../../src/authn/service-account/objects.fixture.ts'
import { ManualClock } from '../../src/base/clock.ts'
import type { Client } from '../client.ts'
import { inNamespace, Realm, TOKEN_REVIEWS, who } from './realm.fixture.ts'

const NOW = Date.parse('2024-01-02T03:04:05Z')
const ISSUER = 'https://orch.default.svc'

const ACCOUNTS = inNamespace('default', 'serviceaccounts')

const clock = new ManualClock(NOW)
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const second = generateKeyPairSync('rsa', { modulusLength: 2048 })

let realm: Realm
let nobody: Client
beforeAll(async () => {
  realm = await Realm.start(() => ({ clock }))
  nobody = realm.as({ anonymous: true })
})
afterAll(() => realm.close())

const bearing = (token: string) => who(nobody, { authorization: `Bearer ${token}` })
const account = (name: string) => realm.made(ACCOUNTS, { metadata: { name } })
const tokenOf = async (name: string, spec: object = {}): Promise<string> =>
  (await realm.made(`${ACCOUNTS}/${name}/token`, { spec })).status.token
const review = async (token: string, audiences?: string[]) => {
  const spec = { token, ...(audiences ? { audiences } : {}) }
  return (await realm.made(TOKEN_REVIEWS, { spec })).status
}
const known = (name: string, uid: string, extra?: object) => ({
  name: `system:serviceaccount:default:${name}`,
  uid,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  ...(extra ? { extra } : {}),
})
const why = (text: string) => ({ user: {}, error: `[invalid bearer token, ${text}]` })

describe('tokens with the right signature and claims that do not hold', () => {
  let key: KeyObject
  let uid: string
  let header: object
  let claims: Record<string, unknown>
  beforeAll(async () => {
    key = createPrivateKey(await realm.file('pki/sa.key'))
    uid = (await account('signed')).metadata.uid
    const token = await tokenOf('signed', { expirationSeconds: 172_800 })
    header = decodeProtectedHeader(token)
    claims = decodeJwt(token)
  })
  const now = () => clock.now() / 1000
  const other = (change: object) => ({
    'orch.io': { ...(claims['orch.io'] as object), ...change },
  })
  const without = (name: string) => ({ [name]: undefined })
  for (const { name, change, error } of [
    { name: 'as issued', change: () => ({}) },
    { name: 'valid within the leeway', change: () => ({ nbf: now() + 59 }) },
    {
      name: 'not yet valid',
      change: () => ({ nbf: now() + 61 }),
      error: 'service account token is not valid yet',
    },
    { name: 'expired within the leeway', change: () => ({ exp: now() - 59 }) },
    {
      name: 'expired',
      change: () => ({ exp: now() - 61 }),
      error: 'service account token has expired',
    },
    {
      name: 'no end',
      change: () => without('exp'),
      error: 'service account token has expired',
    },
    { name: 'an end that is a text', change: () => ({ exp: '99999999999' }), error: '' },
    {
      name: 'for others',
      change: () => ({ aud: ['vault'] }),
      error: `token audiences ["vault"] is invalid for the target audiences ["${ISSUER}"]`,
    },
    { name: 'for nobody in particular', change: () => without('aud') },
    {
      name: 'an account that is not there',
      change: () => other({ serviceaccount: { name: 'none', uid } }),
      error: 'serviceaccounts "none" not found',
    },
    {
      name: 'an account of another namespace',
      change: () => other({ namespace: 'orch-system' }),
      error: 'serviceaccounts "signed" not found',
    },
    {
      name: 'an account with another id',
      change: () => other({ serviceaccount: { name: 'signed', uid: 'x' } }),
      error: 'x',
    },
    {
      name: 'a pod that is not there',
      change: () => other({ pod: { name: 'none', uid: 'x' } }),
      error: 'service account token has been invalidated',
    },
    {
      name: 'no claims about an account',
      change: () => without('orch.io'),
      error: '',
    },
  ] as { name: string; change: () => object; error?: string }[]) {
    test(name, async () => {
      const token = forge(header, { ...claims, ...change() }, es256(key))
      expect(await bearing(token)).toEqual(error === undefined ? known('signed', uid) : 401)
      if (error === undefined) return
      const told = error === 'x' ? `service account UID (${uid}) does not match claim (x)` : error
      const status = await review(token)
      if (told === '') expect(status).toEqual({ user: {}, error: expect.any(String) })
      else expect(status).toEqual(why(told))
    })
  }

  test('the name in the subject alone makes nobody somebody else', async () => {
    const sub = 'system:serviceaccount:orch-system:default'
    expect([401, known('signed', uid)]).toContainEqual(
      await bearing(forge(header, { ...claims, sub }, es256(key))),
    )
  })

  test('claims as of a secret, without one', async () => {
    const flat = {
      iss: 'orch/serviceaccount',
      sub: 'system:serviceaccount:default:signed',
      'orch.io/serviceaccount/namespace': 'default',
      'orch.io/serviceaccount/secret.name': 'none',
      'orch.io/serviceaccount/service-account.name': 'signed',
      'orch.io/serviceaccount/service-account.uid': uid,
    }
    const token = forge(header, flat, es256(key))
    expect([await bearing(token), await review(token)]).toEqual([
      401,
      why('Token has been invalidated'),
    ])
  })
})

describe('forged tokens', () => {
  let claims: Record<string, unknown>
  let header: { alg: string; kid: string }
  let good: string
  /** The public key that everybody may read. */
  let publicPem: string
  beforeAll(async () => {
    const { metadata } = await account('forged')
    good = await tokenOf('forged', { expirationSeconds: 172_800 })
    claims = decodeJwt(good)
    header = decodeProtectedHeader(good) as typeof header
    publicPem = await realm.file('pki/sa.pub')
    expect(await bearing(good)).toEqual(known('forged', metadata.uid))
  })
  const none = () => Buffer.alloc(0)
  const hmac = (key: string | Buffer) => (text: string) =>
    createHmac('sha256', key).update(text).digest()
  for (const { name, forged } of [
    { name: 'no signature, alg none', forged: () => forge({ alg: 'none' }, claims, none) },
    { name: 'alg None', forged: () => forge({ alg: 'None' }, claims, none) },
    {
      name: 'alg NONE with the key id',
      forged: () => forge({ ...header, alg: 'NONE' }, claims, none),
    },
    { name: 'no algorithm', forged: () => forge({}, claims, none) },
    { name: 'an algorithm that is a list', forged: () => forge({ alg: ['ES256'] }, claims, none) },
    { name: 'the right algorithm without a signature', forged: () => forge(header, claims, none) },
    {
      name: 'a signature of zeros',
      forged: () => forge(header, claims, () => Buffer.alloc(64)),
    },
    {
      name: 'HS256 with the public key as its secret',
      forged: () => forge({ ...header, alg: 'HS256' }, claims, hmac(publicPem)),
    },
    {
      name: 'HS256 with the public key in DER',
      forged: () =>
        forge(
          { ...header, alg: 'HS256' },
          claims,
          hmac(createPublicKey(publicPem).export({ type: 'spki', format: 'der' })),
        ),
    },
    {
      name: 'HS256 with nothing',
      forged: () => forge({ ...header, alg: 'HS256' }, claims, hmac('')),
    },
    {
      name: 'a MAC under the right algorithm',
      forged: () => forge(header, claims, hmac(publicPem)),
    },
    { name: 'another key', forged: () => forge(header, claims, es256(otherKey)) },
    {
      name: 'another key that the header brings',
      forged: () =>
        forge(
          { alg: 'ES256', jwk: createPublicKey(otherKey).export({ format: 'jwk' }) },
          claims,
          es256(otherKey),
        ),
    },
    {
      name: 'another key that the header says where to fetch',
      forged: () =>
        forge({ alg: 'ES256', jku: 'https://127.0.0.1/keys', x5u: 'x' }, claims, es256(otherKey)),
    },
    {
      name: 'RS256 of a key of somebody else',
      forged: () =>
        forge({ ...header, alg: 'RS256' }, claims, () =>
          randomBytes(second.publicKey.asymmetricKeyDetails!.modulusLength! / 8),
        ),
    },
    {
      name: 'an extension that must be understood',
      forged: () => forge({ ...header, crit: ['x'], x: 1 }, claims, es256(otherKey)),
    },
    {
      name: 'other claims under the signature of the first',
      forged: () => {
        const [head, , signature] = good.split('.')
        const next = { ...claims, sub: 'system:serviceaccount:orch-system:default' }
        return `${head}.${Buffer.from(JSON.stringify(next)).toString('base64url')}.${signature}`
      },
    },
    { name: 'a signature with padding', forged: () => `${good}=` },
    { name: 'a signature that is cut', forged: () => good.slice(0, -2) },
    { name: 'four parts', forged: () => `${good}.x` },
    { name: 'five parts, as of something encrypted', forged: () => `${good}.x.y` },
    { name: 'two parts', forged: () => good.slice(0, good.lastIndexOf('.')) },
    { name: 'claims that are no object', forged: () => forge(header, 'x', none) },
    { name: 'a header that is no JSON', forged: () => `x.${good.split('.').slice(1).join('.')}` },
    {
      name: 'the old issuer, for which times do not count',
      forged: () => forge(header, { ...claims, iss: 'orch/serviceaccount' }, es256(otherKey)),
    },
    {
      name: 'another issuer',
      forged: () => forge(header, { ...claims, iss: 'https://evil.example' }, es256(otherKey)),
    },
  ]) {
    test(name, async () => {
      const token = forged()
      expect(await bearing(token)).toBe(401)
      const { authenticated = false, user } = await review(token)
      expect([authenticated, user]).toEqual([false, {}])
    })
  }
})
