/** Hostile sources: each has a problem or an outcome, and none reaches a prototype. */
import { describe, expect, test } from 'vitest'
import { Budget } from './budget.ts'
import {
  bytes,
  type DeclaredType,
  INT_OR_TEXT,
  list,
  map,
  scalar,
  SPAN,
  text,
  TIME,
} from './declared-type.ts'
import { Expressions } from './expressions.ts'
import { FIRST_LANGUAGE } from './releases.ts'

const field = (type: DeclaredType) => ({ type, takesSpace: false })
const item: DeclaredType = {
  is: 'object',
  fields: new Map([
    ['k', field(text())],
    ['__proto__', field(scalar('int'))],
    ['constructor', field(text())],
  ]),
}
const root: DeclaredType = {
  is: 'object',
  fields: new Map(
    Object.entries({
      i: scalar('int'),
      d: scalar('double'),
      b: scalar('bool'),
      s: text(),
      raw: bytes(),
      time: TIME,
      span: SPAN,
      either: INT_OR_TEXT,
      ints: list(scalar('int')),
      items: list(item, undefined, { by: 'keys', keys: ['k'] }),
      set: list(text(), undefined, { by: 'value' }),
      map: map(text()),
      inner: item,
    } satisfies Record<string, DeclaredType>).map(([name, type]) => [name, field(type)]),
  ),
}
const object = JSON.parse(
  `{"i":-9007199254740991,"d":0.5,"b":true,"s":"é😀(","raw":"YWI=","time":"2020-02-29T23:59:59.999999999Z",
  "span":"-1h","either":"5%","ints":[0,-1,9007199254740991],"items":[{"k":"x","__proto__":1},{"constructor":"y"},null],
  "set":["a","b"],"map":{"__proto__":"p","constructor":"c","":""},"inner":{"k":null}}`,
) as unknown
/** Values of other types than are declared. */
const odd = JSON.parse(
  `{"i":"x","d":"x","b":1,"s":{},"raw":5,"time":5,"span":"x","either":[],"ints":{},"items":"x","set":[1,null],"map":[],"inner":[]}`,
) as unknown

/** A series of numbers below 1 that is the same for the same seed. */
function series(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const WORDS =
  `self oldSelf self.i self.d self.b self.s self.raw self.time self.span self.either self.ints self.items self.set
  self.map self.inner x y 1 0 -1 9223372036854775807 1u 0.5 1e308 true false null "a" "" '😀' b"\\xff" r"\\d+" "(" [] {} [1] {"a":1}
  ( ) [ ] { } , . .? ? : ?: && || ! - + * / % == != < <= > >= in .all(x, .exists(x, .exists_one(x, .map(x, .filter(x,
  has( size( int( uint( double( string( bytes( bool( timestamp( duration( type( dyn( url( ip( cidr( .matches( .contains(
  .startsWith( .size() .split( .join( .replace( .substring( .find( .findAll( .sum() .min() .isSorted() .indexOf( .lowerAscii()
  .getFullYear() .getHours("x") .format( .k .__proto__ .constructor .toString [0] ["a"] [?0] .orValue( .hasValue()
  optional.of( optional.none() sets.contains( .optMap(x, .transformMap(k, .all(i, as package \\ @ \` # //`.split(
    /\s+/,
  )

function* sources(seed: number, count: number): Generator<string> {
  const next = series(seed)
  for (let i = 0; i < count; i++) {
    const length = 1 + Math.floor(next() * 14)
    const words = Array.from({ length }, () => WORDS[Math.floor(next() * WORDS.length)]!)
    yield words.join(next() < 0.5 ? ' ' : '')
  }
}

/** Expressions that are mostly right: a value, then operators and functions of it. */
function* expressions(seed: number, count: number): Generator<string> {
  const next = series(seed)
  const one = (from: readonly string[]) => from[Math.floor(next() * from.length)]!
  const values = WORDS.slice(0, 34).filter((word) => word !== '"("')
  const value = (depth: number): string => {
    const kind = next()
    if (depth === 0 || kind < 0.2) return one(values)
    if (kind < 0.5) {
      return `(${value(depth - 1)} ${one(['==', '!=', '<', '>=', '+', '-', '*', '/', '%', '&&', '||', 'in'])} ${value(depth - 1)})`
    }
    if (kind < 0.6) return `(${value(depth - 1)} ? ${value(depth - 1)} : ${value(depth - 1)})`
    if (kind < 0.75) {
      const macro = one(['all', 'exists', 'exists_one', 'map', 'filter'])
      return `${value(depth - 1)}.${macro}(x, ${value(depth - 1)})`
    }
    const call = one(['size', 'string', 'int', 'dyn', 'type', 'double', 'has'])
    return kind < 0.9 ? `dyn(${value(depth - 1)})` : `${call}(${value(depth - 1)})`
  }
  for (let i = 0; i < count; i++) yield value(4)
}

function examine(source: string, minor: number): void {
  const made = new Expressions({ ...FIRST_LANGUAGE, minor }).compile(source, root)
  if ('problem' in made) {
    expect(made.problem).toMatch(/^(?:compilation|program instantiation) failed: /)
    return
  }
  const { expression } = made
  expect(expression.greatestCost).toBeGreaterThanOrEqual(0)
  for (const value of [object, odd]) {
    const outcome = expression.evaluate(value, object, new Budget(20_000))
    const [kind] = Object.keys(outcome)
    expect(['value', 'error', 'outOfBudget']).toContain(kind)
    if ('error' in outcome) expect(outcome.error).not.toBe('')
  }
}

describe('whatever is written has a problem or an outcome', () => {
  for (const minor of [25, 36])
    for (const [name, make] of [
      ['words in any order', sources],
      ['expressions', expressions],
    ] as const)
      test(`${name}, in release 1.${minor}`, () => {
        for (const source of make(7, 4_000)) {
          try {
            examine(source, minor)
          } catch (error) {
            throw new Error(`on ${JSON.stringify(source)}`, { cause: error })
          }
        }
      })
})

describe('long sources take no longer than their length', () => {
  for (const [name, part, length] of [
    ['parentheses', '(', 100_000],
    ['brackets', '[', 100_000],
    ['closed brackets', '[]', 50_000],
    ['minus signs', '-', 100_000],
    ['exclamation marks', '!', 100_000],
    ['question marks', '1?', 50_000],
    ['fields', 'a.', 50_000],
    ['sums', '1+', 50_000],
    ['alternatives', 'self.b||', 12_000],
    ['quotes', '"', 100_000],
    ['quotes of texts of several lines', '"""\n', 25_000],
    ['mixed quotes', `'''"""\n`, 14_000],
    ['quotes that are escaped', '"\\', 50_000],
    ['signs of no language', '@', 100_000],
    ['lines', '\n', 100_000],
    ['comments', '//\n', 33_000],
    ['unknown names', 'x,', 50_000],
    ['unknown calls', 'f(1)||', 16_000],
    ['wide characters', '😀', 50_000],
    ['loops', 'self.ints.all(x,', 6_000],
    ['maps', '{1:', 33_000],
    ['strings', '"a"+', 25_000],
    ['digits', '1', 100_000],
    ['calls that take any type', 'dyn(1)||', 12_000],
    ['items of any type', 'dyn(1),', 14_000],
    ['entries of maps', '1:1},{', 16_000],
    ['calls in calls', 'dyn(', 24_000],
  ] as const)
    test(name, () => {
      for (const minor of [25, 36]) {
        examine(part.repeat(length), minor)
        examine(`[${part.repeat(length)}`, minor)
        examine(`self.s == ${part.repeat(length - 10)} 1`, minor)
      }
    })

  test('negations that undo each other are none', () => {
    const { problem, expression } = {
      problem: '',
      expression: null,
      ...new Expressions().compile(`${'!'.repeat(50_000)}true`, root),
    }
    expect(problem).toBe('')
    expect(expression!.evaluate(object, object, new Budget())).toEqual({ value: true })
  })
})

describe('names of prototypes are names', () => {
  for (const [source, value] of [
    ['self.map["__proto__"] == "p" && self.map.constructor == "c"', true],
    ['"toString" in self.map || has(self.map.toString)', false],
    ['has(self.inner.__underscores__proto__underscores__) || has(self.inner.constructor)', false],
    ['self.items[1].constructor == "y"', true],
    ['{"__proto__": 1}.__proto__ == 1 && size({"__proto__": 1}) == 1', true],
    ['self.map.all(k, k in ["__proto__", "constructor", ""])', true],
    ['dyn(self.inner) == dyn(self.map)', false],
  ] as const)
    test(source, () => {
      const made = new Expressions().compile(source, root)
      if ('problem' in made) throw new Error(made.problem)
      expect(made.expression.evaluate(object, object, new Budget())).toEqual({ value })
    })
})
