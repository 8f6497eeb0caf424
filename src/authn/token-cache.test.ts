import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { outcome, recordingContext, tokensOf, userOf } from './authentication.fixture.ts'
import {
  CredentialError,
  type AuthenticationResult,
  type TokenAuthenticator,
} from './authenticator.ts'
import { tokenCache } from './token-cache.ts'

const someUser = { user: userOf('u'), audiences: null }

function made(inner: TokenAuthenticator) {
  const clock = new ManualClock()
  const counts: string[] = []
  const metrics = {
    request: (status: string) => void counts.push(status),
    fetch: (status: string) => void counts.push(`fetch ${status}`),
    active: (status: string, change: number) => void counts.push(`${status} ${change}`),
  }
  return { clock, counts, it: tokenCache(inner, { clock, metrics }) }
}

describe('repeated lookups', () => {
  for (const { name, token, afterMs, audiences = ['a'], asked } of [
    { name: 'not one that was known just now', token: 'good', afterMs: 9_999, asked: 1 },
    { name: 'one that was known ten seconds ago', token: 'good', afterMs: 10_000, asked: 2 },
    { name: 'one for other audiences', token: 'good', afterMs: 0, audiences: ['a', 'b'], asked: 2 },
    { name: 'an unknown token', token: 'what', afterMs: 0, asked: 2 },
    { name: 'one that failed', token: 'bad', afterMs: 0, asked: 2 },
  ]) {
    for (const later of [false, true]) {
      test(`${name}${later ? ', looked up' : ''}`, async () => {
        const table = { good: someUser, bad: new CredentialError('no') }
        const tokens = tokensOf(table, { later })
        const { it, clock } = made(tokens)
        const first = await outcome(() => it.authenticateToken(token, recordingContext(['a'])))
        clock.advance(afterMs)
        const second = await outcome(() => it.authenticateToken(token, recordingContext(audiences)))
        expect({ same: second === first, asked: tokens.calls.length }).toEqual({
          same: true,
          asked,
        })
      })
    }
  }
})

test('a clock that is set back does not prolong what is known', async () => {
  const tokens = tokensOf({ good: someUser })
  const { it, clock } = made(tokens)
  await it.authenticateToken('good', recordingContext())
  for (const [stepMs, passMs, asked] of [
    [-200_000, 9_999, 1],
    [-200_000, 1, 2],
    [500_000, 9_999, 2],
    [0, 1, 3],
  ] as const) {
    clock.step(stepMs)
    clock.advance(passMs)
    await it.authenticateToken('good', recordingContext())
    expect(tokens.calls.length).toBe(asked)
  }
})

test('a known token costs no promise', async () => {
  const { it } = made(tokensOf({ good: someUser }, { later: true }))
  await it.authenticateToken('good', recordingContext())
  expect(it.authenticateToken('good', recordingContext())).toBe(someUser)
})

test('notes of an authenticator are repeated for each request', async () => {
  const { it } = made({
    name: 'x',
    authenticateToken(_, context) {
      context.annotate('k', 'v')
      context.warn('careful')
      return someUser
    },
  })
  const left = []
  for (let i = 0; i < 2; i++) {
    const context = recordingContext()
    await it.authenticateToken('t', context)
    left.push({ annotations: context.annotations, warnings: context.warnings })
  }
  const each = { annotations: [['k', 'v']], warnings: ['careful'] }
  expect(left).toEqual([each, each])
})

describe('at the same time', () => {
  const open = () => {
    const waiting: { resolve(answer: AuthenticationResult): void; reject(error: unknown): void }[] =
      []
    const tokens: TokenAuthenticator = {
      name: 'slow',
      authenticateToken(_, context) {
        context.annotate('k', 'v')
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
      },
    }
    return { waiting, ...made(tokens) }
  }

  test('concurrent requests with equal tokens share one lookup', async () => {
    const { waiting, it, counts } = open()
    const asked = [recordingContext(), recordingContext()]
    const answers = asked.map((context) => it.authenticateToken('t', context))
    const other = it.authenticateToken('other', recordingContext())
    expect(waiting.length).toBe(2)
    waiting[0]!.resolve(someUser)
    waiting[1]!.resolve(null)
    expect(await Promise.all([...answers, other])).toEqual([someUser, someUser, null])
    expect(asked.map((context) => context.annotations)).toEqual([[['k', 'v']], [['k', 'v']]])
    expect([...counts].sort()).toEqual([
      ...['blocked -1', 'blocked 1', 'fetch ok', 'fetch ok'],
      ...['in_flight -1', 'in_flight -1', 'in_flight 1', 'in_flight 1', 'miss', 'miss', 'miss'],
    ])
  })

  test('all callers get the error, and it is not cached', async () => {
    const { waiting, it } = open()
    const answers = [0, 1].map(() => outcome(() => it.authenticateToken('t', recordingContext())))
    waiting[0]!.reject(new CredentialError('no'))
    expect(await Promise.all(answers)).toEqual(['no', 'no'])
    void it.authenticateToken('t', recordingContext())
    expect(waiting.length).toBe(2)
  })

  test('no caller waits longer than thirty seconds', async () => {
    const { waiting, it, clock } = open()
    const answer = outcome(() => it.authenticateToken('t', recordingContext()))
    clock.advance(30_000)
    expect(await answer).toBe('the token was not looked up in time')
    void it.authenticateToken('t', recordingContext())
    expect(waiting.length).toBe(2)
  })
})

describe('a token that came with the same headers before', () => {
  const context = recordingContext(['a'])
  /** Looked up, then found, so that the headers remember it. */
  async function remembered() {
    const tokens = tokensOf({ good: someUser, bad: new CredentialError('no') })
    const all = made(tokens)
    const memory = { token: null }
    for (let i = 0; i < 2; i++) await all.it.authenticateToken('good', context, memory)
    return { ...all, memory }
  }

  test('is not known after one request', async () => {
    const { it } = made(tokensOf({ good: someUser }))
    const memory = { token: null }
    await it.authenticateToken('good', context, memory)
    expect(it.recall!(memory, context)).toBe(null)
  })

  for (const { name, afterMs, audiences, found } of [
    { name: 'is known', afterMs: 9_999, audiences: context.audiences, found: someUser },
    {
      name: 'is known for ten seconds',
      afterMs: 10_000,
      audiences: context.audiences,
      found: null,
    },
    { name: 'is not known for other audiences', afterMs: 0, audiences: ['b'], found: null },
  ]) {
    test(name, async () => {
      const { it, clock, memory } = await remembered()
      clock.advance(afterMs)
      expect(it.recall!(memory, { ...context, audiences })).toBe(found)
    })
  }

  test('counts as found, and does not hold for longer', async () => {
    const { it, clock, counts, memory } = await remembered()
    counts.length = 0
    clock.advance(9_000)
    expect(it.recall!(memory, context)).toBe(someUser)
    clock.advance(1_000)
    expect(it.recall!(memory, context)).toBe(null)
    expect(counts).toEqual(['hit'])
  })

  test('that is wrong is not remembered', async () => {
    const { it } = made(tokensOf({ bad: new CredentialError('no') }))
    const memory = { token: null }
    for (let i = 0; i < 3; i++) await outcome(() => it.authenticateToken('bad', context, memory))
    expect(memory.token).toBe(null)
  })
})
