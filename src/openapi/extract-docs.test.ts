import { expect, test } from 'vitest'
import { readDocs } from './extract-docs.ts'

const docs = (source: string) => Object.fromEntries(readDocs(source))

test('comments above classes and fields', () => {
  const source = `
    const { kind, shape: other } = group('apps/v1')
    /** Things. */
    export class Thing extends kind({
      /**
       * How many;
       * one unless given.
       *
       * A paragraph of its own.
       */
      count: t.int32(2).default({ nested: [1] }),
      // Not for users.
      hidden: t.string(3),
      /** With a \`template\`: 'quoted'. */
      '{agent}Version': t.string(4),
    }) {}
    /** Inside. */
    class Inner extends other({ /** Text. */ text: t.string(1) }, { atomic: true }) {}
  `
  expect(docs(source)).toEqual({
    'apps/v1#Thing': 'Things.',
    'apps/v1#Thing.count': 'How many; one unless given.\n\nA paragraph of its own.',
    'apps/v1#Thing.{agent}Version': "With a `template`: 'quoted'.",
    'apps/v1#Inner': 'Inside.',
    'apps/v1#Inner.text': 'Text.',
  })
})

test('shared fields and published names', () => {
  const source = `
    const { shape } = home('core/v1')
    const shared = {
      /** Shared. */
      a: t.string(1),
    }
    export class One extends shape(shared, { name: 'First' }) {}
    export class Two extends shape({ ...shared, /** Own. */ b: t.bool(2) }) {}
  `
  expect(docs(source)).toEqual({
    'core/v1#First.a': 'Shared.',
    'core/v1#Two.a': 'Shared.',
    'core/v1#Two.b': 'Own.',
  })
})

test('declarations outside of the notation are ignored', () => {
  const source = `
    export function group(groupVersion) { const { shape } = home(groupVersion) }
    /** An error. */
    export class Failure extends Error { constructor() { super('{') } }
    /** Of another maker. */
    export class Odd extends shape({ /** A. */ a: 1 }) {}
  `
  expect(docs(source)).toEqual({})
})
