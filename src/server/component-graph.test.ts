import { expect, test } from 'vitest'
import { ComponentGraph, componentsOf, type Component } from './component-graph.ts'

interface Parts {
  readonly a: string
  readonly b: string
  readonly c: string
  readonly d: string
}
type Name = keyof Parts

const component = componentsOf<Parts>()

/** Records events in order. */
class Story {
  readonly events: string[] = []
  readonly #gates = new Map<string, () => void>()

  /** A component that starts at once, or with `waits` when the test lets it. */
  part(
    name: Name,
    needs: readonly Name[] = [],
    { waits = false, fails = false, beside = [], stopFails = false }: Behaviour = {},
  ): Component<Parts> {
    return {
      name,
      needs,
      beside,
      start: async () => {
        this.events.push(`${name} begins`)
        if (waits) await new Promise<void>((resolve) => this.#gates.set(name, resolve))
        if (fails) {
          this.events.push(`${name} fails`)
          throw new Error(`${name} cannot`)
        }
        this.events.push(`${name} started`)
        return {
          part: name.toUpperCase(),
          stop: () => {
            this.events.push(`${name} stopped`)
            if (stopFails) throw new Error(`${name} does not end`)
          },
        }
      },
    }
  }

  /** Lets a component that waits go on. */
  release(name: Name): void {
    this.#gates.get(name)!()
  }

  /** The events since the last time, on one line. */
  told(): string {
    return this.events.splice(0).join(', ')
  }
}

interface Behaviour {
  readonly waits?: boolean
  readonly fails?: boolean
  readonly stopFails?: boolean
  readonly beside?: readonly Name[]
}

/** Everything that needs no further event has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

for (const { name, components, problem } of [
  {
    name: 'an unknown need',
    components: [['a', ['x']]],
    problem: 'a needs x, which is no component',
  },
  {
    name: 'a cycle',
    components: [
      ['a', []],
      ['b', ['a', 'd']],
      ['c', ['b']],
      ['d', ['c']],
    ],
    problem: 'components wait for each other: b > d > c > b',
  },
  {
    name: 'a component that needs itself',
    components: [['a', ['a']]],
    problem: 'components wait for each other: a > a',
  },
  {
    name: 'one name twice',
    components: [
      ['a', []],
      ['b', []],
      ['a', []],
    ],
    problem: 'two components have one name: a, b, a',
  },
] as const) {
  for (const kind of ['needs', 'beside'] as const)
    test(`${name} is refused (${kind})`, () => {
      const made = components.map(([part, others]) => ({
        name: part,
        [kind]: others,
        start: () => ({ part }),
      }))
      // Wrong names are no parts: a program that declares them does not compile.
      expect(() => new ComponentGraph(made as unknown as Component<Parts>[])).toThrow(
        new Error(problem),
      )
    })
}

test('an unknown part that is looked up later is refused, a cycle of these is not', () => {
  const start = () => ({ part: '' })
  const graph = new ComponentGraph<Parts>([
    { name: 'a', later: ['b'], start },
    { name: 'b', needs: ['a'], later: ['a'], start },
  ])
  expect(graph.order).toEqual(['a', 'b'])
  expect(() => new ComponentGraph<Parts>([{ name: 'a', later: ['b'], start }])).toThrow(
    new Error('a needs b, which is no component'),
  )
})

for (const { name, parts, order } of [
  { name: 'without needs', parts: [['c'], ['a'], ['b']], order: ['c', 'a', 'b'] },
  { name: 'with needs', parts: [['c', ['b']], ['a'], ['b', ['a']]], order: ['a', 'b', 'c'] },
  {
    name: 'with needs in common',
    parts: [['d', ['b', 'c']], ['c', ['a']], ['b', ['a']], ['a']],
    order: ['a', 'b', 'c', 'd'],
  },
] as const)
  test(`the order is that of the list, ${name}`, () => {
    const story = new Story()
    const made = parts.map(([one, needs]) => story.part(one, needs))
    expect(new ComponentGraph<Parts>(made).order).toEqual(order)
  })

test('components start at the same time as far as their needs allow', async () => {
  const story = new Story()
  const graph = new ComponentGraph<Parts>([
    story.part('a', [], { waits: true }),
    story.part('b', [], { waits: true }),
    story.part('c', ['a']),
    story.part('d', ['b', 'c']),
  ])
  const starting = graph.start()
  await settled()
  expect(story.told()).toBe('a begins, b begins')
  story.release('a')
  await settled()
  expect(story.told()).toBe('a started, c begins, c started')
  story.release('b')
  expect(await starting).toEqual({ a: 'A', b: 'B', c: 'C', d: 'D' })
  expect(story.told()).toBe('b started, d begins, d started')
  await graph.stop()
  await graph.stop()
  expect(story.told()).toBe('d stopped, c stopped, b stopped, a stopped')
})

test('a component sees the parts that it declares', async () => {
  let lookUp = () => ''
  const graph = new ComponentGraph<Parts>([
    component({ name: 'a', start: () => ({ part: 'A' }) }),
    component({
      name: 'b',
      needs: ['a'],
      beside: ['c'],
      later: ['d'],
      async start(parts, { c }) {
        // @ts-expect-error c is no part that was there before
        expect(parts.c).toBeUndefined()
        expect(() => parts.d).toThrow(new Error('b looks up d, which has not started'))
        lookUp = () => parts.d
        return { part: `${parts.a}B${await c}` }
      },
    }),
    component({ name: 'c', start: () => ({ part: 'C' }) }),
    component({ name: 'd', needs: ['b'], start: ({ b }) => ({ part: `(${b})D` }) }),
  ])
  expect(await graph.start()).toEqual({ a: 'A', b: 'ABC', c: 'C', d: '(ABC)D' })
  expect(lookUp()).toBe('(ABC)D')
})

test('a failure in the middle stops the started components, in reverse', async () => {
  const story = new Story()
  const graph = new ComponentGraph<Parts>([
    story.part('a'),
    story.part('b', ['a']),
    story.part('c', ['b'], { fails: true }),
    story.part('d', ['c']),
  ])
  await expect(graph.start()).rejects.toThrow(new Error('c cannot'))
  expect(story.told()).toBe(
    'a begins, a started, b begins, b started, c begins, c fails, b stopped, a stopped',
  )
})

test('after a failure starting components are awaited, and no other is started', async () => {
  const story = new Story()
  const graph = new ComponentGraph<Parts>([
    story.part('a', [], { waits: true }),
    story.part('b', [], { fails: true }),
    story.part('c', ['a']),
    story.part('d', [], { waits: true, beside: ['b'] }),
  ])
  const starting = graph.start()
  await settled()
  story.release('d')
  story.release('a')
  await expect(starting).rejects.toThrow(new Error('b cannot'))
  expect(story.told()).toBe(
    'a begins, b begins, b fails, d begins, d started, a started, d stopped, a stopped',
  )
})

test('of several failures the first in order is reported', async () => {
  const story = new Story()
  const graph = new ComponentGraph<Parts>([
    story.part('a', [], { waits: true, fails: true }),
    story.part('b', ['a']),
    story.part('c', [], { fails: true }),
  ])
  const starting = graph.start()
  await settled()
  story.release('a')
  await expect(starting).rejects.toThrow(new Error('a cannot'))
  expect(story.told()).toBe('a begins, c begins, c fails, a fails')
})

test('a component that awaits a failed one gets its error, also for one that was not started', async () => {
  const heard: string[] = []
  const graph = new ComponentGraph<Parts>([
    component({ name: 'a', start: () => Promise.reject(new Error('a cannot')) }),
    component({ name: 'b', needs: ['a'], start: () => ({ part: '' }) }),
    component({
      name: 'c',
      beside: ['a', 'b'],
      async start(_, { a, b }) {
        for (const part of [a, b]) await part.catch((error: unknown) => heard.push(String(error)))
        return { part: '' }
      },
    }),
  ])
  await expect(graph.start()).rejects.toThrow(new Error('a cannot'))
  expect(heard).toEqual(['Error: a cannot', 'Error: a cannot'])
})

test('a stop while starting awaits starting components and starts no more', async () => {
  const story = new Story()
  const graph = new ComponentGraph<Parts>([
    story.part('a'),
    story.part('b', ['a'], { waits: true }),
    story.part('c', ['b']),
  ])
  const starting = graph.start()
  await settled()
  const stopping = graph.stop()
  await settled()
  expect(story.told()).toBe('a begins, a started, b begins')
  story.release('b')
  await stopping
  await expect(starting).rejects.toThrow('the start was ended')
  expect(story.told()).toBe('b started, b stopped, a stopped')
})

test('a stop while the last is starting ends the start too', async () => {
  const story = new Story()
  const graph = new ComponentGraph<Parts>([story.part('a', [], { waits: true })])
  const starting = graph.start()
  await settled()
  const stopping = graph.stop()
  story.release('a')
  await expect(starting).rejects.toThrow('the start was ended')
  await stopping
  expect(story.told()).toBe('a begins, a started, a stopped')
})

test('a failed stop keeps no other component from being stopped', async () => {
  const story = new Story()
  const graph = new ComponentGraph<Parts>([
    story.part('a'),
    story.part('b', ['a'], { stopFails: true }),
    story.part('c', ['b'], { stopFails: true }),
  ])
  await graph.start()
  await expect(graph.stop()).rejects.toThrow(new Error('c does not end'))
  expect(story.told()).toMatch(/c stopped, b stopped, a stopped$/)
})

test('a failure of the start is not hidden by one of the stop', async () => {
  const story = new Story()
  const graph = new ComponentGraph<Parts>([
    story.part('a', [], { stopFails: true }),
    story.part('b', ['a'], { fails: true }),
  ])
  await expect(graph.start()).rejects.toThrow(new Error('b cannot'))
})
