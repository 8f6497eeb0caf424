import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { CHUNK_BYTES, FanOut, Group, WRITES_AT_ONCE, type Receiver } from './fan-out.ts'

/** A receiver that records what it gets, may leave, and may be slow or broken. */
class Somebody implements Receiver {
  sent = 0
  closed = false
  got = ''
  writes = 0
  ended: unknown = null
  readonly #takes: (chunk: string) => boolean
  readonly #group: Group<Somebody>
  constructor(group: Group<Somebody>, takes: (chunk: string) => boolean = () => true) {
    this.#group = group
    this.#takes = takes
    group.join(this)
  }
  get sink() {
    return {
      closed: this.closed,
      drained: () => Promise.resolve(),
      write: (chunk: Buffer) => {
        const isTaken = this.#takes(chunk.toString())
        this.got += chunk.toString()
        this.writes++
        return isTaken
      },
    }
  }
  stop(): void {
    this.fail('stopped')
  }
  fail(error: unknown): void {
    this.ended ??= error
    this.#group.receivers.delete(this)
  }
}

function world() {
  const behind: [Somebody, number][] = []
  const group = new Group<Somebody>((who, revision) => {
    behind.push([who, revision])
    group.receivers.delete(who)
  })
  const fanOut = new FanOut<Somebody>()
  const publish = (text: string, revision = 0) => {
    group.push(
      [...text].map((letter) => Buffer.from(letter)),
      revision,
    )
    fanOut.take([group])
  }
  const settled = async () => {
    while (group.owes) await yieldToEventLoop()
  }
  return { group, fanOut, behind, publish, settled }
}
const crowd = (group: Group<Somebody>, size: number) =>
  Array.from({ length: size }, () => new Somebody(group))
const seen = (all: readonly Somebody[]) => [...new Set(all.map(({ got }) => got))]
const writes = (all: readonly Somebody[]) => all.reduce((n, one) => n + one.writes, 0)

test('few receivers get everything at once', () => {
  const { group, publish } = world()
  const all = crowd(group, WRITES_AT_ONCE)
  publish('ab')
  expect([seen(all), writes(all)]).toEqual([['ab'], WRITES_AT_ONCE])
})

test('many receivers get frames in rounds of a hundred, merged with frames published meanwhile', async () => {
  const { group, publish, settled } = world()
  const all = crowd(group, 10 * WRITES_AT_ONCE)
  publish('a')
  expect(writes(all)).toBe(WRITES_AT_ONCE)
  publish('b')
  expect(writes(all)).toBe(WRITES_AT_ONCE)
  await yieldToEventLoop()
  expect([writes(all), seen(all)]).toEqual([2 * WRITES_AT_ONCE, ['a', 'ab', '']])
  await settled()
  // Only the first hundred were written to twice.
  expect([writes(all), seen(all)]).toEqual([11 * WRITES_AT_ONCE, ['ab']])
})

test('a small group does not wait for a large one to complete', async () => {
  const { group, fanOut, publish } = world()
  const many = crowd(group, 10 * WRITES_AT_ONCE)
  publish('a')
  const few = new Group<Somebody>(() => {})
  const one = new Somebody(few)
  few.push([Buffer.from('x')], 0)
  fanOut.take([few])
  await yieldToEventLoop()
  await yieldToEventLoop()
  expect([one.got, writes(many) < many.length]).toEqual(['x', true])
})

test('a receiver that joins meanwhile has the present frames, and gets the following ones', async () => {
  const { group, publish, settled } = world()
  crowd(group, 2 * WRITES_AT_ONCE)
  publish('a')
  const late = new Somebody(group)
  publish('b')
  await settled()
  expect([late.got, late.writes]).toEqual(['b', 1])
})

test('`sendTo` sends one receiver the frames it lacks', async () => {
  const { group, publish, settled } = world()
  const all = crowd(group, 2 * WRITES_AT_ONCE)
  publish('ab')
  const last = all.at(-1)!
  group.sendTo(last)
  expect(last.got).toBe('ab')
  await settled()
  expect([last.got, last.writes]).toEqual(['ab', 1])
})

test('slow, closed and broken receivers leave the group', async () => {
  const { group, behind, publish, settled } = world()
  crowd(group, 2 * WRITES_AT_ONCE)
  const slow = new Somebody(group, () => false)
  const gone = new Somebody(group)
  const broken = new Somebody(group, () => {
    throw new Error('no more')
  })
  publish('a', 7)
  publish('b', 8)
  gone.closed = true
  await settled()
  expect(behind).toEqual([[slow, 8]])
  expect([slow.got, gone.got, gone.ended, broken.ended]).toEqual([
    'ab',
    '',
    'stopped',
    new Error('no more'),
  ])
  expect(group.receivers.size).toBe(2 * WRITES_AT_ONCE)
  publish('c', 9)
  await settled()
  expect([slow.got, behind.length]).toEqual(['ab', 1])
})

test('frames beyond the size of one write are split, until a write is refused', async () => {
  const { group, behind, publish, settled } = world()
  crowd(group, WRITES_AT_ONCE)
  const fast = new Somebody(group)
  let left = 2
  const slow = new Somebody(group, () => --left > 0)
  const half = (letter: string) => letter.repeat(CHUNK_BYTES / 2)
  for (const [i, letter] of [...'abcde'].entries()) publish(half(letter), 10 + i)
  await settled()
  expect([fast.got === [...'abcde'].map(half).join(''), fast.writes]).toEqual([true, 3])
  // It has received four, and reads the rest from the log.
  expect(slow.got === [...'abcd'].map(half).join('')).toBe(true)
  expect(behind).toEqual([[slow, 13]])
})

test('under any sequence, each receiver gets each frame once and in order from where it joined', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('one', 'three') },
    { weight: 2, arbitrary: fc.constant('turn') },
    { weight: 2, arbitrary: fc.record({ join: fc.integer({ min: 1, max: 150 }) }) },
    { weight: 1, arbitrary: fc.record({ leave: fc.nat(400) }) },
    { weight: 1, arbitrary: fc.record({ ask: fc.nat(400) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { group, publish, settled } = world()
      let all = ''
      let people: { who: Somebody; from: number }[] = []
      const next = (count: number) => {
        const text = Array.from({ length: count }, (_, i) =>
          String.fromCharCode(97 + ((all.length + i) % 26)),
        ).join('')
        all += text
        publish(text)
      }
      for (const one of steps) {
        if (one === 'one') next(1)
        else if (one === 'three') next(3)
        else if (one === 'turn') await yieldToEventLoop()
        else if ('join' in one)
          for (const who of crowd(group, one.join)) people.push({ who, from: all.length })
        else if ('leave' in one) {
          const [left] = people.splice(one.leave, 1)
          if (!left) continue
          left.who.stop()
          expect(all.slice(left.from).startsWith(left.who.got)).toBe(true)
        } else {
          const asked = people[one.ask]
          if (!asked) continue
          group.sendTo(asked.who)
          expect(asked.who.got).toBe(all.slice(asked.from))
        }
      }
      await settled()
      for (const { who, from } of people) expect(who.got).toBe(all.slice(from))
    }),
    { numRuns: 200 },
  )
})
