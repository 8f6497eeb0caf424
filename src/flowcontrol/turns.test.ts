import { expect, test } from 'vitest'
import { FlowCounts } from './flow-counts.ts'
import type { Flow } from './flow.ts'
import { PriorityLevel } from './priority-level.ts'
import { Turns } from './turns.ts'

const COST_MS = 0.1

/** Requests that cost time, and iterations that end when the test says so. */
class World {
  time = 0
  readonly order: string[] = []
  #next: (() => void) | null = null
  readonly turns = new Turns({
    now: () => this.time,
    nextIteration: (call) => (this.#next = call),
  })

  arrive(flow: Flow): void {
    this.turns.notice(flow)
    const turn = this.turns.take(flow, this.time)
    const run = () => {
      this.time += COST_MS
      this.order.push(flow.distinguisher)
    }
    if (turn === null) run()
    else void turn.then(run)
  }

  /** Ends the iteration; returns what is executed before the sockets are read again. */
  async iterate(): Promise<string> {
    const before = this.order.length
    const next = this.#next
    this.#next = null
    next?.()
    for (let i = 0; i < 100; i++) await Promise.resolve()
    return this.order.slice(before).join('')
  }
}

const work = new PriorityLevel('work')
const flowOf = (name: string, level = work): Flow => ({
  schema: 'all',
  level,
  distinguisher: name,
  counts: new FlowCounts('all', level.name),
  headers: [],
  era: {},
  hand: null,
})
const [a, b, c] = [flowOf('a'), flowOf('b'), flowOf('c')]

test('requests of a single flow never wait', () => {
  const world = new World()
  for (let i = 0; i < 20; i++) world.arrive(a)
  expect(world.order.join('')).toBe('a'.repeat(20))
})

test('with several flows, requests wait when the time of an iteration is over', async () => {
  const world = new World()
  world.arrive(b)
  for (let i = 0; i < 8; i++) world.arrive(a)
  expect(world.order.join('')).toBe('baaa')
  expect(world.turns.waiting).toBe(5)
  // B arrives: it is executed after one request of A.
  world.arrive(b)
  expect(await world.iterate()).toBe('aba')
  expect(await world.iterate()).toBe('aaa')
  expect(world.turns.waiting).toBe(0)
})

test('a flow with requests that wait does not overtake itself, others run at once', async () => {
  const world = new World()
  world.arrive(b)
  for (let i = 0; i < 8; i++) world.arrive(a)
  expect(await world.iterate()).toBe('aaa')
  // Sockets are read: there is new time.
  world.arrive(a)
  world.arrive(c)
  expect(world.order.join('')).toBe('baaaaaac')
  expect(await world.iterate()).toBe('aaa')
})

test('levels take turns, and in them flows', async () => {
  const world = new World()
  const system = new PriorityLevel('system')
  const s = flowOf('s', system)
  world.arrive(b)
  for (let i = 0; i < 5; i++) world.arrive(a)
  for (const flow of [b, c, s, s, s]) world.arrive(flow)
  expect(world.order.join('')).toBe('baaa')
  expect(await world.iterate()).toBe('asb')
  expect(await world.iterate()).toBe('scs')
  expect(await world.iterate()).toBe('a')
})

test('ten seconds after the last request of another flow, nothing waits', () => {
  const world = new World()
  world.arrive(b)
  world.arrive(a)
  world.time += 10_001
  for (let i = 0; i < 20; i++) world.arrive(a)
  expect(world.order.length).toBe(22)
})

for (const { name, flows, contendedMs } of [
  { name: 'one that follows another once', flows: [b, a], contendedMs: 50 },
  { name: 'one that comes between requests of another', flows: [a, b, a], contendedMs: 1_000 },
  { name: 'three that follow each other', flows: [a, b, c], contendedMs: 1_000 },
]) {
  test(`${name}: the others wait for ${contendedMs} ms`, () => {
    const world = new World()
    for (const flow of flows) world.arrive(flow)
    const { turns } = world
    const began = world.time
    const at = (ms: number) => {
      world.time = began + ms
      return turns.isContended()
    }
    expect([at(contendedMs - 1), at(contendedMs + 1)]).toEqual([true, false])
  })
}

test('a flow that comes back each half of a second contends all the time', () => {
  const world = new World()
  world.arrive(a)
  for (let i = 0; i < 5; i++) {
    world.time += 500
    world.arrive(b)
    world.arrive(a)
    world.time += 450
    expect(world.turns.isContended()).toBe(true)
  }
})
