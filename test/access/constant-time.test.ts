/**
 * How long a guess takes must not tell how good it is. Time itself is not measured: what is computed for a token that
 * is nearly right is the same as for one that is all wrong, and nothing of a token is compared by itself.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { inNamespace, Realm } from './realm.fixture.ts'

const NAMES = ['createHash', 'createHmac', 'hash', 'timingSafeEqual'] as const
const real = Object.fromEntries(NAMES.map((name) => [name, crypto[name]]))
const done: string[] = []
const KNOWN = 'k'.repeat(40)

const clock = new ManualClock()
let realm: Realm
let legacy: string
beforeAll(async () => {
  realm = await Realm.start(
    (file) => ({
      clock,
      authentication: { tokenAuthFile: file('tokens.csv') },
      // It hashes the name of a user who is new to it, which is no secret.
      priorityAndFairness: false,
    }),
    { 'tokens.csv': `${KNOWN},alice,1` },
  )
  await realm.made(inNamespace('orch-system', 'secrets'), {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.orch.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    },
  })
  const secrets = inNamespace('default', 'secrets')
  await realm.made(inNamespace('default', 'serviceaccounts'), { metadata: { name: 'robot' } })
  await realm.made(secrets, {
    metadata: { name: 'kept', annotations: { 'orch.io/service-account.name': 'robot' } },
    type: 'orch.io/service-account-token',
  })
  await realm.server.settled()
  const { body } = await realm.admin.get(`${secrets}/kept`)
  legacy = Buffer.from(body.data.token, 'base64').toString()
  for (const name of NAMES) {
    Object.assign(crypto, {
      [name]: (...args: unknown[]) => {
        done.push(name)
        return (real[name] as (...args: unknown[]) => unknown)(...args)
      },
    })
  }
  syncBuiltinESMExports()
})
afterAll(async () => {
  Object.assign(crypto, real)
  syncBuiltinESMExports()
  await realm.close()
})
beforeEach(() => clock.advance(10_000))

/**
 * What was computed for one request with this token, and its status. Each comes over a connection of its own: others are
 * compared with what theirs has sent before, also in constant time, but only if that is as long.
 */
async function computed(token: string): Promise<[number, string[]]> {
  const nobody = realm.as({ anonymous: true })
  done.length = 0
  const { status } = await nobody.get('/version', { headers: { authorization: `Bearer ${token}` } })
  return [status, [...done]]
}

describe('a token of the file', () => {
  for (const { name, guess } of [
    { name: 'nothing right', guess: 'x'.repeat(40) },
    { name: 'the first sign right', guess: `k${'x'.repeat(39)}` },
    { name: 'all but the last sign right', guess: `${'k'.repeat(39)}x` },
    { name: 'too long', guess: `${KNOWN}k` },
    { name: 'too short', guess: 'k'.repeat(39) },
  ]) {
    test(name, async () => {
      const [status, guessed] = await computed(guess)
      expect([status, guessed]).toEqual([401, (await computed('y'.repeat(40)))[1]])
      // One for the file, one for what is remembered: a digest stands for the token in both.
      expect(guessed.filter((one) => one === 'hash').length).toBeGreaterThanOrEqual(2)
    })
  }
  test('one that is right is looked up in the same way', async () => {
    const [, guessed] = await computed('x'.repeat(40))
    const [status, found] = await computed(KNOWN)
    expect([status, guessed.slice(0, found.length)]).toEqual([200, found])
  })
})

describe('a token of a secret', () => {
  test('a known id with any wrong secret', async () => {
    const wrong = []
    for (const secret of ['xxxxxxxxxxxxxxxx', '0xxxxxxxxxxxxxxx', '0123456789abcdex']) {
      wrong.push(await computed(`abcdef.${secret}`))
    }
    expect(new Set(wrong.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(wrong[0]).toEqual([401, expect.arrayContaining(['timingSafeEqual'])])
  })
  test('the right one is compared in the same way', async () => {
    const [, guessed] = await computed('abcdef.xxxxxxxxxxxxxxxx')
    const [status, found] = await computed('abcdef.0123456789abcdef')
    expect([status, guessed.slice(0, found.length)]).toEqual([200, found])
  })
})

test('a token in a secret of an account is compared whole', async () => {
  const [status, found] = await computed(legacy)
  expect([status, found]).toEqual([200, expect.arrayContaining(['timingSafeEqual'])])
})
