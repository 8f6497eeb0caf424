import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { reachServer } from './reach-server.ts'

const refused = () => Promise.reject(new Error('connection refused'))
const hangs = () => new Promise<never>(() => {})
const LATE = 'the server was not healthy within 10 seconds: '

const rows: readonly {
  readonly what: string
  readonly attempts: readonly (() => Promise<string>)[]
  /** What it resolves with, or the message of its error. */
  readonly comes: string
  readonly afterMs: number
  readonly tries: number
}[] = [
  {
    what: 'a healthy server',
    attempts: [() => Promise.resolve('v')],
    comes: 'v',
    afterMs: 0,
    tries: 1,
  },
  {
    what: 'one that comes up',
    attempts: [refused, refused, () => Promise.resolve('v')],
    comes: 'v',
    afterMs: 2000,
    tries: 3,
  },
  {
    what: 'an absent one',
    attempts: [refused],
    comes: `${LATE}connection refused`,
    afterMs: 10_000,
    tries: 10,
  },
  {
    what: 'one that never answers',
    attempts: [hangs],
    comes: `${LATE}it does not answer`,
    afterMs: 10_000,
    tries: 1,
  },
  {
    what: 'one that stops answering',
    attempts: [refused, hangs],
    comes: `${LATE}connection refused`,
    afterMs: 10_000,
    tries: 2,
  },
]

describe('the wait for the server', () => {
  for (const { what, attempts, comes, afterMs, tries } of rows) {
    test(what, async () => {
      const clock = new ManualClock(0)
      let made = 0
      let isDone = false
      const attempt = () => attempts[Math.min(made++, attempts.length - 1)]!()
      const reached = reachServer({ attempt, clock, log: silentLog }, new AbortController().signal)
        .catch((error: Error) => error.message)
        .finally(() => (isDone = true))
      for (;;) {
        await new Promise(setImmediate)
        if (isDone) break
        clock.advance(500)
      }
      expect([await reached, clock.now(), made]).toEqual([comes, afterMs, tries])
    })
  }

  test('ends when it is aborted', async () => {
    const ending = new AbortController()
    const parts = { attempt: hangs, clock: new ManualClock(), log: silentLog }
    const reached = reachServer(parts, ending.signal)
    ending.abort()
    expect(await reached).toBe(null)
  })
})
