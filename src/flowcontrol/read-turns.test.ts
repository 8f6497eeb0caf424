import { expect, test } from 'vitest'
import { Reader, ReadTurns } from './read-turns.ts'

const CONTENDED = 2
const ALONE = 4

/** A connection: requests that its client has sent, and whether they are read. */
class Connection extends Reader {
  isRead = true
  isNew = true
  readonly #world: World
  readonly user: string
  requests = 0

  constructor(world: World, user: string) {
    super(world.turns)
    this.#world = world
    this.user = user
  }

  send(): this {
    this.requests++
    return this
  }

  stop(): void {
    this.isRead = false
  }

  start(): void {
    this.isRead = true
    // The system reports those that were ready before first.
    this.#world.connections.delete(this)
    this.#world.connections.add(this)
  }
}

/** An event loop whose iterations end when the test says so. */
class World {
  isContended = true
  readonly connections = new Set<Connection>()
  #next: (() => void) | null = null
  readonly turns = new ReadTurns({
    isContended: () => this.isContended,
    nextIteration: (call) => (this.#next = call),
    contended: CONTENDED,
    alone: ALONE,
  })

  /** Connections of a user, each with a request. */
  open(user: string, count: number): Connection[] {
    return Array.from({ length: count }, () => {
      const connection = new Connection(this, user).send()
      this.connections.add(connection)
      return connection
    })
  }

  /** Reads what is ready, and ends the iteration; returns the users whose requests were read. */
  iterate(answers = true): string {
    const read: string[] = []
    // Those that are ready are known before the first of them is read.
    for (const connection of this.connections) {
      const { isRead, requests, user } = connection
      if (!isRead || requests === 0) continue
      connection.requests--
      if (!connection.isNew) connection.begun()
      connection.isNew = false
      connection.belongsTo(user)
      read.push(user)
      if (answers) connection.answered()
    }
    const next = this.#next
    this.#next = null
    next?.()
    return read.join('')
  }

  /** Whether the loop would wait for something to happen. */
  get isIdle(): boolean {
    return this.#next === null
  }

  /** Iterates until the loop is idle; returns what was read in each iteration. */
  run(most = 100): string[] {
    const all: string[] = []
    do all.push(this.iterate())
    while (!this.isIdle && all.length < most)
    return all
  }
}

/** A world whose connections have each sent a request before, one after the other. */
function warm(users: Readonly<Record<string, number>>): World {
  const world = new World()
  for (const [user, count] of Object.entries(users))
    for (let i = 0; i < count; i++) {
      world.open(user, 1)
      world.run()
    }
  return world
}

const sendAll = (world: World) => {
  for (const connection of world.connections) connection.send()
}

test('few connections are always read', () => {
  const world = new World()
  const connections = world.open('a', CONTENDED)
  for (let i = 0; i < 3; i++) {
    for (const connection of connections) connection.send()
    expect(world.iterate()).toBe('aa')
    expect(world.isIdle).toBe(true)
  }
})

for (const { name, isContended, users, first, total } of [
  { name: 'several users send', isContended: true, users: { a: 7 }, first: 'aa', total: 7 },
  { name: 'one user sends', isContended: false, users: { a: 7 }, first: 'aaaa', total: 7 },
  {
    name: 'another user has one connection',
    isContended: true,
    users: { a: 5, b: 1 },
    first: 'aab',
    total: 6,
  },
  {
    name: 'several users are busy',
    isContended: true,
    users: { a: 4, b: 4, c: 3 },
    first: 'aabbcc',
    total: 11,
  },
]) {
  test(`an iteration takes a few requests of each user while ${name}`, () => {
    const world = warm(users)
    world.isContended = isContended
    sendAll(world)
    const read = world.run()
    expect([...read[0]!].toSorted().join('')).toBe(first)
    expect(read.join('')).toHaveLength(total)
    for (const users of read.slice(1)) expect(users.length).toBeLessThanOrEqual(first.length)
    expect(world.turns.held).toBe(0)
    expect([...world.connections].every(({ isRead }) => isRead)).toBe(true)
  })
}

test('busy users get through with all connections, in turns', () => {
  const world = warm({ a: 6, b: 6 })
  const connections = [...world.connections]
  const answered = new Map(connections.map((connection) => [connection, 0]))
  for (let i = 0; i < 60; i++) {
    for (const connection of connections) {
      if (connection.requests > 0) continue
      connection.send()
      answered.set(connection, answered.get(connection)! + 1)
    }
    const read = world.iterate()
    if (i > 0) expect(read.length).toBe(CONTENDED)
  }
  const counts = [...answered.values()]
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2)
})

test('a new user is read in the next iteration', () => {
  const world = warm({ a: 100 })
  sendAll(world)
  world.iterate()
  world.open('b', 1)
  const read = world.iterate()
  expect(read).toContain('b')
  expect(read.length).toBeLessThanOrEqual(CONTENDED + 1)
})

test('connections that are silent at their turn do not delay those that are not', () => {
  const world = warm({ a: 50 })
  const connections = [...world.connections]
  const busy = connections.slice(0, 3)
  // At first all of them might send soon.
  for (const connection of busy) connection.send()
  expect(world.iterate()).toBe('aa')
  expect(world.turns.held).toBe(50 - CONTENDED)
  world.run()
  for (let i = 0; i < 3; i++) {
    for (const connection of busy) connection.send()
    world.iterate()
    expect(world.turns.held).toBeLessThanOrEqual(busy.length)
  }
})

test('what comes at once from silent connections is taken in parts, too', () => {
  const world = warm({ a: 100 })
  sendAll(world)
  world.run()
  expect([...world.connections].some(({ wasUsed }) => wasUsed)).toBe(false)
  sendAll(world)
  const read = world.run()
  expect(read.join('')).toHaveLength(100)
  for (const users of read) expect(users.length).toBeLessThanOrEqual(CONTENDED * 2)
})

for (const { name, isHeld, act } of [
  {
    name: 'is closed',
    isHeld: true,
    act: (world: World, held: Connection) => {
      world.connections.delete(held)
      held.leave()
    },
  },
  {
    name: 'is closed before its request',
    isHeld: false,
    act: (_: World, held: Connection) => held.leave(),
  },
]) {
  test(`a connection that ${name} is forgotten`, () => {
    const world = warm({ a: 8 })
    sendAll(world)
    world.iterate()
    const before = world.turns.held
    const some = [...world.connections].find((connection) => connection.isHeld === isHeld)
    if (some) act(world, some)
    expect(world.turns.held).toBe(before - (isHeld ? 1 : 0))
    world.run()
    expect(world.turns.held).toBe(0)
    expect(world.isIdle).toBe(true)
  })
}

test('a connection that is used for something else is read', () => {
  const world = warm({ a: 8 })
  sendAll(world)
  world.iterate()
  const held = [...world.connections].find(({ isRead }) => !isRead)!
  held.leave()
  expect(held.isRead).toBe(true)
})

test('a connection with a request under way is not held', () => {
  const world = new World()
  const slow = world.open('a', 1)[0]!
  world.iterate(false)
  const others = world.open('a', 6)
  world.run()
  for (const connection of others) connection.send()
  world.iterate()
  expect(world.turns.held).toBeGreaterThan(0)
  expect(slow.isRead).toBe(true)
  slow.answered()
  expect(slow.isRead).toBe(false)
})

test('a connection may change its user', () => {
  const world = warm({ a: 6 })
  const connections = [...world.connections]
  for (const connection of connections) {
    connection.begun()
    connection.belongsTo('b')
    connection.answered()
  }
  world.run()
  sendAll(world)
  expect(world.run().join('')).toHaveLength(6)
  for (const connection of connections) connection.leave()
  expect(world.turns.held).toBe(0)
})

test('at the end all connections are read, and no more are held', () => {
  const world = warm({ a: 20 })
  sendAll(world)
  world.iterate()
  expect(world.turns.held).toBeGreaterThan(0)
  world.turns.close()
  expect(world.turns.held).toBe(0)
  sendAll(world)
  expect(world.iterate()).toHaveLength(20)
  expect(world.iterate().length).toBeGreaterThan(0)
  expect(world.turns.held).toBe(0)
  expect(world.isIdle).toBe(true)
})
