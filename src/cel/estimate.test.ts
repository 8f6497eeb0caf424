import { describe, expect, test } from 'vitest'
import { ENDLESS } from './cost-rule.ts'
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

/** Ten characters are up to 40 bytes. */
const TEN = text(10)
const item: DeclaredType = { is: 'object', fields: new Map([['name', field(TEN)]]) }

const root: DeclaredType = {
  is: 'object',
  fields: new Map(
    Object.entries({
      b: scalar('bool'),
      i: scalar('int'),
      d: scalar('double'),
      s: TEN,
      t: text(),
      raw: bytes(5),
      time: TIME,
      span: SPAN,
      either: INT_OR_TEXT,
      ten: list(scalar('int'), 10),
      all: list(scalar('int')),
      words: list(TEN, 5),
      texts: list(text()),
      items: list(item, 3),
      eight: map(TEN, 8),
      open: map(text()),
      inner: item,
    } satisfies Record<string, DeclaredType>).map(([name, type]) => [name, field(type)]),
  ),
}

/** One tenth of what nothing may cost. */
const A_TENTH = Math.ceil(ENDLESS / 10)

function costs(minor: number, rows: readonly (readonly [string, number])[], of = root): void {
  const expressions = new Expressions({ ...FIRST_LANGUAGE, minor })
  for (const [source, cost] of rows)
    test(source, () => {
      const made = expressions.compile(source, of)
      expect('expression' in made ? made.expression.greatestCost : made).toBe(cost)
    })
}

describe('values, fields and operators cost', () => {
  costs(25, [
    ['true', 0],
    ['"abc"', 0],
    ['self.b', 2],
    ['self.i == 3', 2],
    ['self.inner.name == "x"', 4],
    ['self.s == "abcdefghijkl"', 4],
    ['self.s == self.t', 8],
    ['self.t == self.t', 314_577],
    ['self.s != "x"', 3],
    ['self.raw == b"abc"', 3],
    ['self.time == self.time', 8],
    ['self.time == null', 3],
    ['self.inner == self.inner', 4],
    ['self.ten == self.ten', 5],
    ['self.all == self.all', 157_291],
    ['self.eight == self.eight', 5],
    ['self.i < 3', 3],
    ['self.d >= 1.0', 3],
    ['self.s < "x"', 3],
    ['self.s <= self.t', 8],
    ['self.time > self.time', 5],
    ['self.i + 1 == 2', 4],
    ['self.i * self.i - 1 > 0', 7],
    ['-self.i == 1', 4],
    ['!self.b', 3],
    ['self.s + self.s == "x"', 13],
    ['self.s + self.t == self.t', 629_156],
    ['(self.s + self.s).matches("abcd")', 21],
    ['self.ten + self.ten == self.all', 9],
    ['(self.ten + self.ten).all(x, true)', 66],
    ['self.b && self.b', 4],
    ['self.b || self.b || self.b', 6],
    ['self.b ? self.s == "x" : self.t == self.t', 314_579],
    ['(self.b ? self.s : self.t).contains("abc")', 314_577],
    ['3 in self.ten', 12],
    ['3 in self.all', 1_572_865],
    ['"a" in self.words', 7],
    ['"a" in self.eight', 3],
    ['self.s in ["a", "b", "c"]', 15],
    ['self.ten[0] == 1', 3],
    ['self.words[0] == self.words[1]', 10],
    ['self.words[0].contains("abcdefghijkl")', 11],
    ['self.eight["a"] == self.t', 9],
    ['self.eight.a == self.t', 314_578],
    ['self.open["a"] == self.t', 314_578],
    ['[1, 2] == self.ten', 13],
    ['{"a": 1} == {"b": 2}', 61],
    ['[self.s, self.s][0].contains("abc")', 15],
  ])
})

describe('macros cost', () => {
  costs(25, [
    ['has(self.s)', 0],
    ['has(self.inner.name)', 0],
    ['has(self.eight.a) && has(self.items[0].name)', 0],
    ['self.ten.all(x, true)', 33],
    ['self.ten.exists(x, true)', 43],
    ['self.ten.exists_one(x, true)', 23],
    ['self.ten.map(x, x).size() == 1', 145],
    // A sum of what `map` made counts as one without bound: its elements lost their bound.
    ['self.ten.map(x, x).sum() == 1', ENDLESS],
    ['self.ten.map(x, x > 1, x).size() == 1', 165],
    ['self.ten.filter(x, x > 1).size() == 1', 165],
    ['self.all.all(x, true)', 4_718_592],
    ['self.all.exists(x, true)', 6_291_455],
    ['self.eight.all(k, true)', 27],
    ['self.eight.all(key, key.matches("x"))', 43],
    ['self.open.all(key, key.matches("x"))', 1_966_078],
    ['self.eight.all(k, self.eight[k].matches("abcd"))', 99],
    ['self.words.all(x, x.matches("abcd"))', 48],
    ['self.texts.all(x, x.matches("abcd"))', 329_857_577_778],
    ['self.items.all(x, x.name.matches("abcd"))', 33],
    ['self.ten.filter(x, x > 1).all(y, y > 2)', ENDLESS],
    ['self.ten.map(x, x).all(y, y > 2)', ENDLESS],
    ['[1, 2, 3].all(x, x in self.ten)', 59],
  ])
})

describe('functions of every release cost', () => {
  costs(25, [
    ['size(self.s) == 1', 4],
    ['self.t.size() == 1', 4],
    ['self.all.size() == 1', 4],
    ['self.s.contains("abc")', 6],
    ['self.t.contains("test")', 314_575],
    ['self.t.contains(self.t)', 98_956_172_333],
    ['self.s.startsWith("abc")', 3],
    ['self.s.endsWith(self.t)', 314_577],
    ['self.s.matches("abcd")', 7],
    ['self.t.matches("abcd")', 314_575],
    ['self.s.matches(self.s)', 54],
    ['int(self.s) == 1', 4],
    ['double(self.i) == 1.0', 4],
    ['string(self.i) == "1"', 4],
    ['string(self.raw) == "a"', 4],
    ['bytes(self.s) == self.raw', 9],
    ['bytes(self.t) == self.raw', 314_578],
    ['duration(self.t) == self.span', 6],
    ['timestamp(self.t) == self.time', 6],
    ['type(self.either) == int', 4],
    ['dyn(self.i) == 1', 4],
    ['self.time.getFullYear() == 2020', 4],
    ['self.span.getHours() == 1', 4],
  ])
})

describe('functions of libraries cost', () => {
  costs(25, [
    ['url(self.s) == url("/a")', A_TENTH],
    ['url(self.t).getHost() == "a"', 314_577],
    ['isURL(self.s)', 3],
    ['isURL(self.t)', 3],
    ['self.s.find("abcd") == "a"', 8],
    ['self.t.find("abcd") == "a"', 314_576],
    ['self.t.findAll("abcd").size() == 1', 314_577],
    ['self.t.findAll("abcd").all(x, x == "a")', ENDLESS],
    ['self.s.lowerAscii() == "a"', 7],
    ['self.s.lowerAscii() == self.s.upperAscii()', A_TENTH],
    ['self.t.lowerAscii() == "a"', 314_576],
    ['self.s.trim().matches("abcd")', A_TENTH],
    ['self.s.substring(2).matches("abcd")', A_TENTH],
    ['self.s.substring(2, 3) == "a"', 7],
    ['self.s.charAt(1) == "a"', 4],
    ['self.t.charAt(1) == "a"', 4],
    ['self.s.indexOf("a") == 1', 7],
    ['self.t.indexOf("a") == 1', 314_576],
    ['self.s.lastIndexOf("a", 3) == 1', 7],
    ['self.s.replace("a", "b") == "c"', 11],
    ['self.t.replace("a", "b") == "c"', 629_149],
    ['self.s.replace("a", "bb").contains("abc")', A_TENTH],
    ['self.s.split(",").size() == 1', 12],
    ['self.t.split(",").size() == 1', 629_150],
    ['self.s.split(",").all(x, true)', ENDLESS],
    ['self.s.split(",", 3).all(x, true)', ENDLESS],
    ['self.words.join(",") == "a"', 24],
    ['self.words.join().size() == 1', 24],
    ['["a", "b"].join("-") == "a"', A_TENTH],
    ['self.texts.join() == "a"', 329_852_964_048],
    ['self.ten.isSorted()', 12],
    ['self.all.isSorted()', 1_572_865],
    ['self.words.isSorted()', 27],
    ['self.texts.isSorted()', 329_854_432_052],
    ['self.ten.sum() == 1', 13],
    ['self.ten.min() == 1', 13],
    ['self.words.max() == "a"', 28],
    ['self.ten.indexOf(1) == 1', 13],
    ['self.words.indexOf("a") == 1', 28],
    ['self.words.lastIndexOf("a") == 1', 28],
  ])
})

describe('values of no known type, and loops in loops cost', () => {
  costs(25, [
    ['self.either == 5', 3],
    ['self.either.matches("abcd")', 314_575],
    ['self.ten.all(x, self.ten.all(y, x == y))', 563],
    ['self.all.all(x, self.all.all(y, x == y))', 12_369_499_521_026],
  ])
})

describe('release 1.36 estimates', () => {
  costs(36, [
    ['has(self.s)', 1],
    ['has(self.inner.name)', 2],
    ['has(self.eight.a) && has(self.items[0].name)', 5],
    ['url(self.s) == url("/a")', 8],
    ['self.t.findAll("abcd").all(x, x == "a")', 12_897_480],
    ['self.s.lowerAscii() == self.s.upperAscii()', 16],
    ['self.s.trim().matches("abcd")', 11],
    ['self.s.substring(2).matches("abcd")', 11],
    ['self.s.replace("a", "bb").contains("abc")', 18],
    ['self.s.split(",").all(x, true)', 131],
    ['self.s.split(",", 3).all(x, true)', 20],
  ])
})

/** What begins with no variable is sized as the variables are, as in the reference. */
describe('values without a declared type in rules of a text cost', () => {
  costs(
    25,
    [
      ['["x", "y"].all(x, x.matches("abcd"))', 29],
      ['{"a": "x"}.a.matches("abcd")', 36],
      ['[self][0].matches("abcd")', 17],
      ['[1].exists_one(x, x > 0)', 16],
      ['type(self) == string', 7],
    ],
    TEN,
  )
})
