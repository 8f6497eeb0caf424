/** Tokens of service accounts from the request for one to its end (seed 1, Service account token; page 6). */
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import type { Client } from '../client.ts'
import { inNamespace, Realm, TOKEN_REVIEWS, who } from './realm.fixture.ts'

const NOW = Date.parse('2024-01-02T03:04:05Z')
const ISSUER = 'https://orch.default.svc'
const REMEMBERED_MS = 10_000
const LEEWAY_MS = 60_000

const ACCOUNTS = inNamespace('default', 'serviceaccounts')
const PODS = inNamespace('default', 'pods')
const SECRETS = inNamespace('default', 'secrets')

const clock = new ManualClock(NOW)

let realm: Realm
let nobody: Client
beforeAll(async () => {
  realm = await Realm.start(() => ({ clock }))
  nobody = realm.as({ anonymous: true })
})
afterAll(() => realm.close())

const bearing = (token: string) => who(nobody, { authorization: `Bearer ${token}` })
const account = (name: string) => realm.made(ACCOUNTS, { metadata: { name } })
const pod = (name: string, serviceAccountName: string, more: object = {}) =>
  realm.made(PODS, {
    metadata: { name },
    spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }], ...more },
  })
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
/** Time passes until nothing that was found is remembered. */
const forget = () => clock.advance(REMEMBERED_MS)

describe('a token that was asked for', () => {
  let uid: string
  beforeAll(async () => {
    uid = (await account('robot')).metadata.uid
  })

  test('is good for this server, and bound to nothing', async () => {
    const token = await tokenOf('robot')
    expect(await bearing(token)).toEqual(known('robot', uid))
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', kid: expect.any(String) })
    expect(decodeJwt(token)).toEqual({
      aud: [ISSUER],
      iss: ISSUER,
      sub: 'system:serviceaccount:default:robot',
      iat: clock.now() / 1000,
      nbf: clock.now() / 1000,
      exp: clock.now() / 1000 + 3600,
      'orch.io': { namespace: 'default', serviceaccount: { name: 'robot', uid } },
    })
    expect(await review(token)).toEqual({
      authenticated: true,
      audiences: [ISSUER],
      user: {
        username: 'system:serviceaccount:default:robot',
        uid,
        groups: [
          'system:serviceaccounts',
          'system:serviceaccounts:default',
          'system:authenticated',
        ],
      },
    })
  })

  test('for somebody else is not for this server', async () => {
    const token = await tokenOf('robot', { audiences: ['vault'] })
    expect(await bearing(token)).toBe(401)
    expect(await review(token)).toEqual(
      why(`token audiences ["vault"] is invalid for the target audiences ["${ISSUER}"]`),
    )
    expect(await review(token, ['vault', 'x'])).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
    })
  })

  test('for both counts for both', async () => {
    const token = await tokenOf('robot', { audiences: ['vault', ISSUER] })
    expect(await bearing(token)).toEqual(known('robot', uid))
    expect(await review(token, ['vault'])).toMatchObject({ audiences: ['vault'] })
  })

  test('ends when its time is over', async () => {
    const token = await tokenOf('robot', { expirationSeconds: 600 })
    clock.advance(600_000 + LEEWAY_MS - 1000)
    expect(await bearing(token)).toEqual(known('robot', uid))
    forget()
    expect(await bearing(token)).toBe(401)
    expect(await review(token)).toEqual(why('service account token has expired'))
  })

  test('tells what pod it is for, and ends with it', async () => {
    const { metadata } = await pod('own', 'robot')
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'own' }
    const token = await tokenOf('robot', { boundObjectRef })
    const extra = {
      'authentication.orch.io/pod-name': ['own'],
      'authentication.orch.io/pod-uid': [metadata.uid],
    }
    expect(await bearing(token)).toEqual(known('robot', uid, extra))
    await realm.admin.delete(`${PODS}/own`)
    forget()
    expect(await bearing(token)).toBe(401)
    expect(await review(token)).toEqual(why('service account token has been invalidated'))
    const next = await pod('own', 'robot')
    expect(await bearing(token)).toBe(401)
    expect(await review(token)).toEqual(
      why(
        `pod UID (${next.metadata.uid}) does not match service account pod ref claim (${metadata.uid})`,
      ),
    )
  })

  test('holds while its pod has time to end, and a little longer', async () => {
    await pod('slow', 'robot', { nodeName: 'node', terminationGracePeriodSeconds: 30 })
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'slow' }
    const token = await tokenOf('robot', { boundObjectRef })
    await realm.admin.delete(`${PODS}/slow`)
    clock.advance(30_000 + LEEWAY_MS - 1000)
    expect(await bearing(token)).toMatchObject({ name: known('robot', uid).name })
    forget()
    expect(await bearing(token)).toBe(401)
  })

  test('ends with the secret that it is bound to', async () => {
    await realm.made(SECRETS, { metadata: { name: 'bond' } })
    const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: 'bond' }
    const token = await tokenOf('robot', { boundObjectRef })
    expect(await bearing(token)).toEqual(known('robot', uid))
    await realm.admin.delete(`${SECRETS}/bond`)
    forget()
    expect(await bearing(token)).toBe(401)
  })

  test('ends with its account, and a namesake does not bring it back', async () => {
    const { metadata: first } = await account('brief')
    const token = await tokenOf('brief')
    expect(await bearing(token)).toEqual(known('brief', first.uid))
    await realm.admin.delete(`${ACCOUNTS}/brief`)
    forget()
    expect(await bearing(token)).toBe(401)
    expect(await review(token)).toEqual(why('serviceaccounts "brief" not found'))
    const { metadata: next } = await account('brief')
    expect(await bearing(token)).toBe(401)
    expect(await review(token)).toEqual(
      why(`service account UID (${next.uid}) does not match claim (${first.uid})`),
    )
  })
})

describe('who may ask for one', () => {
  test('only who may create the token of this account', async () => {
    await account('asked')
    const user = realm.user('asker')
    const path = `${ACCOUNTS}/asked/token`
    const text =
      'serviceaccounts "asked" is forbidden: User "asker" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default"'
    expect((await user.post(path, {})).body.message).toBe(text)
    const rules = {
      verbs: ['create'],
      apiGroups: [''],
      resources: ['serviceaccounts'],
    }
    await realm.allow({ user: 'asker' }, rules, 'default')
    expect((await user.post(path, {})).body.message).toBe(text)
    const token = { ...rules, resources: ['serviceaccounts/token'], resourceNames: ['asked'] }
    await realm.allow({ user: 'asker' }, token, 'default')
    expect((await user.post(path, {})).status).toBe(201)
    expect((await user.post(`${ACCOUNTS}/robot/token`, {})).status).toBe(403)
  })
})

describe('a token in a secret', () => {
  const make = async (name: string, of: string) => {
    await realm.made(SECRETS, {
      metadata: { name, annotations: { 'orch.io/service-account.name': of } },
      type: 'orch.io/service-account-token',
    })
    await realm.server.settled()
    const { body } = await realm.admin.get(`${SECRETS}/${name}`)
    const read = (key: string) => Buffer.from(body.data[key], 'base64').toString('utf8')
    return { token: read('token'), namespace: read('namespace'), ca: read('ca.crt') }
  }

  test('is filled in, holds, and ends with the secret', async () => {
    const { metadata } = await account('keeper')
    const { token, namespace, ca } = await make('kept', 'keeper')
    expect([namespace, ca]).toEqual(['default', realm.server.ca])
    expect(decodeJwt(token)).toEqual({
      iss: 'orch/serviceaccount',
      sub: 'system:serviceaccount:default:keeper',
      'orch.io/serviceaccount/namespace': 'default',
      'orch.io/serviceaccount/secret.name': 'kept',
      'orch.io/serviceaccount/service-account.name': 'keeper',
      'orch.io/serviceaccount/service-account.uid': metadata.uid,
    })
    clock.advance(86_400_000)
    expect(await bearing(token)).toEqual(known('keeper', metadata.uid))
    await realm.admin.delete(`${SECRETS}/kept`)
    forget()
    expect(await bearing(token)).toBe(401)
    expect(await review(token)).toEqual(why('Token has been invalidated'))
  })

  test('counts only as long as the secret holds it', async () => {
    await account('changed')
    const { token } = await make('swapped', 'changed')
    expect(await bearing(token)).toMatchObject({ groups: known('', '').groups })
    await realm.admin.merge(`${SECRETS}/swapped`, { stringData: { token: `${token}x` } })
    forget()
    expect(await bearing(token)).toBe(401)
    expect(await review(token)).toEqual(why("Token does not match server's copy"))
  })

  test('goes with its account', async () => {
    await account('leaving')
    const { token } = await make('left', 'leaving')
    await realm.admin.delete(`${ACCOUNTS}/leaving`)
    await realm.server.settled()
    expect((await realm.admin.get(`${SECRETS}/left`)).status).toBe(404)
    forget()
    expect(await bearing(token)).toBe(401)
  })

  test('a secret is no way to a token of another account', async () => {
    await account('victim')
    const { token } = await make('mine', 'victim')
    const [, claims, signature] = token.split('.')
    const moved = {
      ...JSON.parse(Buffer.from(claims!, 'base64url').toString()),
      'orch.io/serviceaccount/secret.name': 'stolen',
    }
    const text = Buffer.from(JSON.stringify(moved)).toString('base64url')
    expect(await bearing(`${token.split('.')[0]}.${text}.${signature}`)).toBe(401)
  })
})
