import { expect, test } from 'vitest'
import type { ManualClock } from '../base/clock.ts'
import { FlowControl } from './flow-control.ts'
import { flowClock, level, podGet, schema } from './flow-control.fixture.ts'
import type { Ticket } from './ticket.ts'
import { ONE_SEAT, type Width } from './width.ts'

const QUEUES = { queues: 64, handSize: 1, queueLengthLimit: 4 }
const WAIT_LIMIT_MS = 15_000

/** A server whose level `work` has so many seats, and requests of its users. */
class World {
  readonly clock: ManualClock = flowClock()
  readonly control: FlowControl
  readonly order: string[] = []

  constructor(seats: number, queues: Parameters<typeof level>[2] = QUEUES) {
    // The level catch-all has 5 shares.
    this.control = new FlowControl({
      clock: this.clock,
      totalSeats: seats + 5,
      waitLimitMs: WAIT_LIMIT_MS,
      headers: { schema: 's', level: 'l' },
    })
    this.control.configure(
      [schema('work', 'work', { distinguisherMethod: { type: 'ByUser' } })],
      [level('work', seats, queues), level('catch-all', 5)],
    )
  }

  get seats() {
    return this.control.levels.get('work')!.seats!
  }

  begin(user: string, width: Width = ONE_SEAT): Ticket {
    const flow = this.control.flowOf({ name: user, groups: [] }, podGet())
    const ticket = flow.level.seats!.begin(flow, width)
    if (ticket.state === 'executing') this.order.push(user)
    ticket.onDecision = () => this.order.push(ticket.state === 'executing' ? user : `${user}!`)
    return ticket
  }
}

const states = (tickets: readonly Ticket[]) => tickets.map(({ state }) => state)

test('requests beyond the seats wait, and are executed as seats get free, in order of arrival', () => {
  const world = new World(2)
  const tickets = [1, 2, 3, 4].map(() => world.begin('a'))
  expect(states(tickets)).toEqual(['executing', 'executing', 'waiting', 'waiting'])
  tickets[1]!.end()
  expect(states(tickets)).toEqual(['executing', 'finished', 'executing', 'waiting'])
  tickets[1]!.end()
  expect(states(tickets)).toEqual(['executing', 'finished', 'executing', 'waiting'])
  tickets[0]!.end()
  tickets[2]!.end()
  tickets[3]!.end()
  expect(world.seats.isIdle).toBe(true)
  expect(world.seats.figures()).toMatchObject({
    waiting: 0,
    executing: 0,
    seatsInUse: 0,
    activeQueues: 0,
  })
})

test('without queues, requests beyond the seats are rejected', () => {
  const world = new World(1, undefined)
  world.control.configure([schema('work', 'work')], [level('work', 1), level('catch-all', 5)])
  const [first, second] = [world.begin('a'), world.begin('b')]
  expect([first.state, second.state, second.reason]).toEqual([
    'executing',
    'rejected',
    'concurrency-limit',
  ])
  first.end()
  expect(world.begin('c').state).toBe('executing')
})

test('a full queue rejects requests, but not those of other queues', () => {
  const world = new World(1)
  const tickets = Array.from({ length: 6 }, () => world.begin('a'))
  expect(states(tickets)).toEqual(['executing', ...Array<string>(4).fill('waiting'), 'rejected'])
  expect(tickets[5]!.reason).toBe('queue-full')
  expect(world.begin('b').state).toBe('waiting')
})

test('a client with many requests does not delay others by more than one request', () => {
  const world = new World(1, { queues: 64, handSize: 1, queueLengthLimit: 100 })
  const busy = Array.from({ length: 50 }, () => world.begin('busy'))
  const quiet = world.begin('quiet')
  for (const ticket of [busy[0]!, quiet, busy[1]!]) {
    world.clock.advance(3)
    ticket.end()
  }
  expect(world.order).toEqual(['busy', 'quiet', 'busy', 'busy'])
})

test('flows get equal work, whatever the duration of their requests', () => {
  const world = new World(1, { queues: 64, handSize: 1, queueLengthLimit: 1000 })
  const took = { slow: 12, fast: 4 }
  const used = { slow: 0, fast: 0 }
  const open: { user: 'slow' | 'fast'; ticket: Ticket }[] = []
  for (let i = 0; i < 300; i++)
    for (const user of ['slow', 'fast'] as const) open.push({ user, ticket: world.begin(user) })
  for (let i = 0; i < 200; i++) {
    const { user, ticket } = open.find((one) => one.ticket.state === 'executing')!
    world.clock.advance(took[user])
    used[user] += took[user]
    ticket.end()
  }
  expect(used.slow / used.fast).toBeGreaterThan(0.9)
  expect(used.slow / used.fast).toBeLessThan(1.1)
})

test('flows with equal virtual finishes take turns', () => {
  const world = new World(1, { queues: 64, handSize: 1, queueLengthLimit: 100 })
  const open = [world.begin('x')]
  for (let i = 0; i < 3; i++) for (const user of ['a', 'b', 'c']) open.push(world.begin(user))
  for (let i = 0; i < 9; i++) {
    const ticket = open.find(({ state }) => state === 'executing')!
    world.clock.advance(3)
    ticket.end()
  }
  const turns = world.order.slice(1)
  for (const from of [0, 3, 6]) expect(new Set(turns.slice(from, from + 3)).size).toBe(3)
})

test('requests of a hand of several queues join the one with the least work', () => {
  const world = new World(1, { queues: 64, handSize: 4, queueLengthLimit: 2 })
  const tickets = Array.from({ length: 10 }, () => world.begin('a'))
  expect(states(tickets)).toEqual(['executing', ...Array<string>(8).fill('waiting'), 'rejected'])
  expect([...world.seats.queues.values()].map(({ length }) => length)).toEqual([2, 2, 2, 2])
})

test('a request that waits too long is rejected', () => {
  const world = new World(1)
  const running = world.begin('a')
  const early = world.begin('a')
  world.clock.advance(5_000)
  const late = world.begin('b')
  world.clock.advance(WAIT_LIMIT_MS - 5_001)
  expect(states([early, late])).toEqual(['waiting', 'waiting'])
  world.clock.advance(1)
  expect([early.state, early.reason, late.state]).toEqual(['rejected', 'time-out', 'waiting'])
  world.clock.advance(5_000)
  expect([late.state, late.reason]).toEqual(['rejected', 'time-out'])
  running.end()
  expect(world.seats.isIdle).toBe(true)
})

test('a request whose client is gone leaves its queue', () => {
  const world = new World(1)
  const [running, gone, next] = [world.begin('a'), world.begin('a'), world.begin('a')]
  gone!.end()
  expect([gone!.state, gone!.reason]).toEqual(['rejected', 'cancelled'])
  running!.end()
  expect(next!.state).toBe('executing')
  next!.end()
  expect(world.seats.isIdle).toBe(true)
})

test('a wide request holds the line until its seats are free', () => {
  const world = new World(3)
  const wide: Width = { initialSeats: 3, finalSeats: 0, extraMs: 0 }
  const first = world.begin('a')
  const second = world.begin('b', wide)
  const third = world.begin('b')
  expect(states([first, second, third])).toEqual(['executing', 'waiting', 'waiting'])
  first.end()
  expect(states([second, third])).toEqual(['executing', 'waiting'])
  second.end()
  expect(third.state).toBe('executing')
})

test('a request that is wider than the level is executed alone', () => {
  const world = new World(2)
  const first = world.begin('a')
  const wide = world.begin('b', { initialSeats: 5, finalSeats: 0, extraMs: 0 })
  expect(wide.state).toBe('waiting')
  first.end()
  expect(wide.state).toBe('executing')
  const next = world.begin('c')
  expect(next.state).toBe('waiting')
  wide.end()
  expect(next.state).toBe('executing')
})

test('final seats are held for the extra time after the end', () => {
  const world = new World(2)
  const write = world.begin('a', { initialSeats: 1, finalSeats: 2, extraMs: 10 })
  const next = world.begin('b')
  expect(next.state).toBe('waiting')
  write.end()
  expect(next.state).toBe('waiting')
  world.clock.advance(9)
  expect(next.state).toBe('waiting')
  world.clock.advance(1)
  expect(next.state).toBe('executing')
  expect(world.seats.isIdle).toBe(false)
  next.end()
  expect(world.seats.isIdle).toBe(true)
})

test('a request that waits while the level shrinks holds fewer final seats for longer', () => {
  const world = new World(4)
  const running = world.begin('a', { initialSeats: 4, finalSeats: 0, extraMs: 0 })
  const write = world.begin('a', { initialSeats: 1, finalSeats: 4, extraMs: 5 })
  world.seats.configure(2, QUEUES)
  running.end()
  expect(write.state).toBe('executing')
  expect(write.width).toEqual({ initialSeats: 1, finalSeats: 2, extraMs: 10 })
})

test('more seats let requests in at once', () => {
  const world = new World(1)
  const tickets = [1, 2, 3].map(() => world.begin('a'))
  world.seats.configure(3, QUEUES)
  expect(states(tickets)).toEqual(['executing', 'executing', 'executing'])
})

test('virtual time advances with the seats in use for each active queue', () => {
  const world = new World(2)
  const tickets = [world.begin('a'), world.begin('a'), world.begin('b')]
  world.clock.advance(10)
  // Two seats, two active queues.
  expect(world.seats.figures().virtualTime).toBe(10)
  tickets[2]!.end()
  world.clock.advance(10)
  expect(world.seats.figures().virtualTime).toBe(30)
  tickets[0]!.end()
  world.clock.advance(10)
  expect(world.seats.figures().virtualTime).toBe(40)
  tickets[1]!.end()
  world.clock.advance(10)
  expect(world.seats.figures().virtualTime).toBe(40)
})

test('counters say what happened', () => {
  const world = new World(1)
  const tickets = Array.from({ length: 6 }, () => world.begin('a'))
  const counts = () => [...world.control.counts].find(({ schema: name }) => name === 'work')!
  expect(counts()).toMatchObject({ dispatched: 1, executing: 1, waiting: 4, seatsInUse: 1 })
  for (const ticket of tickets.reverse()) ticket.end()
  expect(counts()).toMatchObject({
    dispatched: 1,
    executing: 0,
    waiting: 0,
    seatsInUse: 0,
    rejected: { 'queue-full': 1, cancelled: 4 },
  })
})
