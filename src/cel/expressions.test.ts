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

const field = (type: DeclaredType, takesSpace = false) => ({ type, takesSpace })

const item: DeclaredType = {
  is: 'object',
  fields: new Map([
    ['key', field(text())],
    ['value', field(scalar('int'))],
  ]),
}

const root: DeclaredType = {
  is: 'object',
  fields: new Map<string, ReturnType<typeof field>>([
    ['i', field(scalar('int'))],
    ['d', field(scalar('double'))],
    ['b', field(scalar('bool'))],
    ['s', field(text())],
    ['short', field(text(10))],
    ['bytes', field(bytes())],
    ['time', field(TIME)],
    ['span', field(SPAN)],
    ['either', field(INT_OR_TEXT)],
    ['ints', field(list(scalar('int')))],
    ['texts', field(list(text()))],
    ['few', field(list(text(10), 5))],
    ['set', field(list(text(), undefined, { by: 'value' }))],
    ['keyed', field(list(item, undefined, { by: 'keys', keys: ['key'] }))],
    ['map', field(map(scalar('int')))],
    ['inner', field(item)],
    ['a-b', field(scalar('int'))],
    ['a.b/c', field(scalar('int'))],
    ['a__b', field(scalar('int'))],
    ['namespace', field(scalar('int'))],
    ['__proto__', field(scalar('int'))],
    ['constructor', field(scalar('int'))],
    ['1st', field(scalar('int'))],
  ]),
}

const expressions = new Expressions()

function compiled(source: string, type: DeclaredType = root) {
  const made = expressions.compile(source, type)
  if ('problem' in made) throw new Error(made.problem)
  return made.expression
}

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** A problem at a column of an expression of one line. */
const at = (source: string, column: number, message: string) =>
  `ERROR: <input>:1:${column}: ${message}\n | ${source}\n | ${'.'.repeat(column - 1)}^`

describe('expressions that do not compile', () => {
  for (const [source, ...problems] of [
    ['', [1, `Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`]],
    ['self.', [6, "Syntax error: missing IDENTIFIER at '<EOF>'"]],
    ['self.i +', [9, `Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`]],
    ['* 1', [1, `Syntax error: extraneous input '*' expecting ${OPERAND}`]],
    ['(1 + 2', [7, "Syntax error: missing ')' at '<EOF>'"]],
    ['a b', [3, "Syntax error: extraneous input 'b' expecting <EOF>"]],
    ['{"a": 1}."a"', [10, 'Syntax error: mismatched input \'"a"\' expecting IDENTIFIER']],
    [
      'a | b',
      [3, "Syntax error: token recognition error at: '| '"],
      [5, "Syntax error: extraneous input 'b' expecting <EOF>"],
    ],
    [
      '1 + $',
      [5, "Syntax error: token recognition error at: '$'"],
      [6, `Syntax error: mismatched input '<EOF>' expecting ${OPERAND}`],
    ],
    ['self.1st', [5, "Syntax error: mismatched input '.1' expecting <EOF>"]],
    ['!-1', [1, "found no matching overload for '!_' applied to '(int)'"]],
    ['as', [1, 'reserved identifier: as']],
    ['9223372036854775808', [1, 'invalid int literal']],
    ['-9223372036854775809', [1, 'invalid int literal']],
    ['18446744073709551616u', [1, 'invalid uint literal']],
    ['1e999', [1, 'invalid double literal']],
    ['other', [1, "undeclared reference to 'other' (in container '')"]],
    ['self.none', [5, "undefined field 'none'"]],
    ['has(self.none)', [4, "undefined field 'none'"]],
    ['has(self.inner.none)', [4, "undefined field 'none'"]],
    ['has(self)', [5, 'invalid argument to has() macro']],
    ['self.ints.all(1, true)', [15, 'argument must be a simple name']],
    ['self.ints.map(1, true)', [15, 'argument is not an identifier']],
    ['self.toString', [5, "undefined field 'toString'"]],
    ['self.namespace', [5, "undefined field 'namespace'"]],
    ['self["i"]', [5, "found no matching overload for '_[_]' applied to '(selfType0, string)'"]],
    ['self.i == "x"', [8, "found no matching overload for '_==_' applied to '(int, string)'"]],
    ['self.s == null', [8, "found no matching overload for '_==_' applied to '(string, null)'"]],
    [
      'self.inner == self',
      [12, "found no matching overload for '_==_' applied to '(selfType0.inner, selfType0)'"],
    ],
    [
      'self.inner == self.keyed[0]',
      [
        12,
        "found no matching overload for '_==_' applied to '(selfType0.inner, selfType0.keyed.@idx)'",
      ],
    ],
    ['self.i + self.d', [8, "found no matching overload for '_+_' applied to '(int, double)'"]],
    ['1 < 1.5', [3, "found no matching overload for '_<_' applied to '(int, double)'"]],
    ['self.s.none()', [12, "undeclared reference to 'none' (in container '')"]],
    ['none(1)', [5, "undeclared reference to 'none' (in container '')"]],
    ['self.bytes.json()', [16, "undeclared reference to 'json' (in container '')"]],
    [
      'self.i.indexOf("x")',
      [15, "found no matching overload for 'indexOf' applied to 'int.(string)'"],
    ],
    [
      'self.texts.sum() == 1',
      [15, "found no matching overload for 'sum' applied to 'list(string).()'"],
    ],
    [
      'self.map.sum() == 1',
      [13, "found no matching overload for 'sum' applied to 'map(string, int).()'"],
    ],
    ['self.sum() == 1', [9, "found no matching overload for 'sum' applied to 'selfType0.()'"]],
    [
      'matches(self.s, "é")',
      [8, "found no matching overload for 'matches' applied to '(string, string)'"],
    ],
    ['self.texts.?a', [12, "Syntax error: extraneous input '?' expecting IDENTIFIER"]],
    ['[1, "x"]', [5, "expected type 'int' but found 'string'"]],
    ['{"a": 1, "b": "x"}', [15, "expected type 'int' but found 'string'"]],
    [
      'self.b ? 1 : "x"',
      [8, "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
    ],
    ['self.ints.all(x, x)', [14, "found no matching overload for '_&&_' applied to '(bool, int)'"]],
    ['self.s.i', [7, "type 'string' does not support field selection"]],
    [
      'self.inner.all(x, true)',
      [
        5,
        "expression of type 'selfType0.inner' cannot be range of a comprehension (must be list, map, or dynamic)",
      ],
    ],
    [
      'one + two',
      [1, "undeclared reference to 'one' (in container '')"],
      [7, "undeclared reference to 'two' (in container '')"],
    ],
    ['self.__proto__', [5, "undefined field '__proto__'"]],
    ['self.inner.constructor', [11, "undefined field 'constructor'"]],
  ] as readonly [string, ...[number, string][]][]) {
    test(JSON.stringify(source), () => {
      const texts = problems.map(([column, message]) => at(source, column, message))
      expect(expressions.compile(source, root)).toEqual({
        problem: `compilation failed: ${texts.join('\n')}`,
      })
    })
  }

  for (const [source, problem] of [
    ['self.s.matches("(")', 'error parsing regexp: missing closing ): `(`'],
    ['self.s.find("[")', 'error parsing regexp: missing closing ]: `[`'],
    [
      'timestamp("x") == self.time',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    ['duration("1x") == self.span', 'time: unknown unit "x" in duration "1x"'],
    ['int("x") == self.i', 'strconv.ParseInt: parsing "x": invalid syntax'],
  ] as const)
    test(`${source}, whose constants have no value`, () => {
      expect(expressions.compile(source, root)).toEqual({
        problem: `program instantiation failed: ${problem}`,
      })
    })

  test('show the line of a fault, and wide characters', () => {
    expect(expressions.compile('self.b ||\n\t"é" == self.x', root)).toEqual({
      problem:
        'compilation failed: ERROR: <input>:2:13: undefined field \'x\'\n |  "é" == self.x\n | ..．.........^',
    })
  })

  for (const [name, source, problem] of [
    [
      'too long',
      `self.s == '${'x'.repeat(100_000)}'`,
      'expression code point size exceeds limit: size: 100012, limit 100000',
    ],
    ['too deep', `${'('.repeat(50_000)}1`, 'expression recursion limit exceeded: 250'],
    ['a list in lists', '['.repeat(251), 'expression recursion limit exceeded: 250'],
    ['a long chain', `self${'.inner'.repeat(251)}`, 'expression recursion limit exceeded: 250'],
    ['a long sum', `1${' + 1'.repeat(251)}`, 'expression recursion limit exceeded: 250'],
  ] as const)
    test(`that are ${name}`, () => {
      expect(expressions.compile(source, root)).toEqual({
        problem: `compilation failed: ERROR: <input>:-1:0: ${problem}`,
      })
    })
})

test('many alternatives are no deep expression', () => {
  const source = `self.i == 0${' || self.i == 1'.repeat(5_000)} || true`
  expect(outcome(source)).toEqual({ value: true })
})

describe('types of results', () => {
  for (const [source, gives, usesOldSelf] of [
    ['self.i', 'int', false],
    ['self.d * 2.0', 'double', false],
    ['self.b && self.i > 1', 'bool', false],
    ['self.s', 'string', false],
    ['self.bytes', 'bytes', false],
    ['self.time', 'timestamp', false],
    ['self.span', 'duration', false],
    ['self.either', 'dyn', false],
    ['self.ints', 'list(int)', false],
    ['self.map', 'map(string, int)', false],
    ['self.map["a"]', 'int', false],
    ['self.inner', 'selfType0.inner', false],
    ['self.keyed', 'list(selfType0.keyed.@idx)', false],
    ['self.keyed.map(x, x.key)', 'list(string)', false],
    ['self.a__dash__b', 'int', false],
    ['self.a__dot__b__slash__c', 'int', false],
    ['self.a__underscores__b', 'int', false],
    ['self.__namespace__', 'int', false],
    ['self.__underscores__proto__underscores__', 'int', false],
    ['self.constructor', 'int', false],
    ['oldSelf.i == self.i', 'bool', true],
    ['[1].all(x, x == oldSelf.i)', 'bool', true],
    ['[1].all(oldSelf, oldSelf == 1)', 'bool', false],
    ['self.s.split(",")', 'list(string)', false],
    ['url(self.s).getQuery()', 'map(string, list(string))', false],
  ] as const) {
    test(source, () => {
      const { gives: found, usesOldSelf: uses } = compiled(source)
      expect([found, uses]).toEqual([gives, usesOldSelf])
    })
  }
})

const object = {
  i: 3,
  d: 2,
  b: true,
  s: 'aé😀b',
  bytes: 'YWI=',
  time: '2020-01-02T03:04:05Z',
  span: '1h30m',
  either: 5,
  ints: [3, 1, 2],
  texts: ['b', 'a'],
  set: ['x', 'y'],
  keyed: [
    { key: 'k', value: 1 },
    { key: 'l', value: 2 },
  ],
  map: { a: 1, __proto__x: 2 },
  inner: { key: 'k', value: null },
  'a-b': 7,
  constructor: 8,
}
const old = {
  ...object,
  set: ['y', 'x'],
  keyed: [...object.keyed].reverse(),
  texts: ['a', 'b'],
}

const outcome = (source: string) => compiled(source).evaluate(object, old, new Budget())

describe('expressions that are true', () => {
  for (const source of [
    'self.i == 3 && self.d == 2.0 && self.b',
    'self.s.size() == 4',
    'self.s.charAt(2) == "😀" && self.s.charAt(4) == ""',
    'self.s.indexOf("b") == 3 && self.s.indexOf("x") == -1',
    'self.s.lastIndexOf("b") == 3 && "abab".lastIndexOf("ab", 1) == 0',
    'self.s.substring(1, 3) == "é😀" && self.s.substring(3) == "b"',
    '"TacoÉ".lowerAscii() == "tacoÉ" && "tacoé".upperAscii() == "TACOé"',
    '"hello hello".replace("he", "we") == "wello wello"',
    '"hello hello".replace("he", "we", 1) == "wello hello"',
    '"a,b,c".split(",", 2) == ["a", "b,c"] && "a,b".split(",") == ["a", "b"]',
    '["a", "b"].join("-") == "a-b" && ["a", "b"].join() == "ab"',
    '"  x\\n".trim() == "x"',
    'self.s.matches("^a.*b$")',
    '"abc 123".find("[0-9]+") == "123" && "abc".find("[0-9]") == ""',
    '"1 2 3".findAll("[0-9]") == ["1", "2", "3"] && "1 2 3".findAll("[0-9]", 2) == ["1", "2"]',
    'self.bytes == b"ab"',
    'self.time.getDate() == 2 && self.time.getDayOfMonth() == 1 && self.time.getMonth() == 0',
    'self.time.getDayOfWeek() == 4 && self.time.getDayOfYear() == 1',
    'self.time.getHours() == 3 && self.time.getMinutes() == 4 && self.time.getSeconds() == 5',
    'self.time.getHours("America/New_York") == 22 && self.time.getDate("America/New_York") == 1',
    'self.time.getHours("-08:30") == 18 && self.time.getMinutes("-08:30") == 34',
    'self.time.getHours("02:15") == 5 && self.time.getMilliseconds("UTC") == 0',
    'timestamp("2020-12-31T23:30:00.25Z").getFullYear("Asia/Tokyo") == 2021',
    'timestamp("2020-12-31T23:30:00.25Z").getDayOfYear() == 365',
    'timestamp("2020-12-31T23:30:00.25Z").getDayOfYear("Asia/Tokyo") == 0',
    'timestamp("2020-12-31T23:30:00.25Z").getMilliseconds("Asia/Tokyo") == 250',
    'timestamp("0044-03-15T12:00:00Z").getFullYear("Europe/Rome") == 44',
    'self.span.getHours() == 1 && self.span.getSeconds() == 5400',
    'self.time.getFullYear() == 2020 && self.time < timestamp("2021-01-01T00:00:00Z")',
    'self.span == duration("90m") && self.span.getMinutes() == 90',
    'type(self.either) == int && self.either == 5',
    '[1, 2].isSorted() && !self.ints.isSorted() && [].isSorted()',
    'self.ints.sum() == 6 && self.ints.min() == 1 && self.ints.max() == 3',
    '[duration("1h"), duration("30m")].sum() == self.span',
    'self.ints.indexOf(2) == 2 && [1, 2, 1].lastIndexOf(1) == 2 && self.ints.indexOf(9) == -1',
    '2 in self.ints && !(4 in self.ints) && "a" in self.map',
    'self.set == oldSelf.set && self.texts != oldSelf.texts',
    'self.keyed == oldSelf.keyed',
    '(self.set + ["x", "z"]).size() == 3 && (self.texts + ["b"]).size() == 3',
    '(self.keyed + oldSelf.keyed).size() == 2',
    'self.map == {"a": 1, "__proto__x": 2}',
    'self.map.all(k, self.map[k] > 0) && self.map.size() == 2',
    'has(self.inner.key) && !has(self.inner.value)',
    'self.inner == oldSelf.inner && self == self && self != oldSelf || true',
    'self.a__dash__b == 7 && self.constructor == 8 && !has(self.__namespace__)',
    'self.keyed.exists(x, x.key == "l") && self.keyed.exists_one(x, x.value == 1)',
    'self.keyed.filter(x, x.value > 1).map(x, x.key) == ["l"]',
    'self.keyed.map(x, x.value > 1, x.key) == ["l"]',
    'url("https://h:80/a b?q=1&q=2").getHost() == "h:80"',
    'url("https://[::1]:80/").getHostname() == "::1" && url("https://[::1]:80/").getPort() == "80"',
    'url("https://h/a b").getEscapedPath() == "/a%20b" && url("/p").getScheme() == ""',
    'url("https://h/?q=1&q=2&r=a+b").getQuery() == {"q": ["1", "2"], "r": ["a b"]}',
    'isURL("https://h") && isURL("/a") && !isURL("a") && !isURL("../x") && url("/a") == url("/a")',
    '1 / 0 == 1 || true',
    'has(self.keyed[0].key) && has(dyn(self.inner).key)',
    'has(self.keyed.filter(x, x.key == "k")[0].value) && has({"a": {"b": 1}}["a"].b)',
    'self.inner != null && self.time != null && self.span != null && !(self == null)',
    '.5 + .25 == 0.75 && 1e3 == 1000.0 && 0x10 == 16 && -9223372036854775808 < 0',
    '9007199254740993 - 1 == 9007199254740992 && 4611686018427387904 + 4611686018427387903 > 0',
    '7 / -2 == -3 && -7 % 3 == -1 && 7u / 2u == 3u && int(2.9) == 2 && uint("5") == 5u',
  ]) {
    test(source, () => expect(outcome(source)).toEqual({ value: true }))
  }
})

describe('expressions that fail', () => {
  for (const [source, error] of [
    ['self.inner.value == 1', 'no such key: value'],
    ['self.ints[5] == 1', 'index out of bounds: 5'],
    ['self.map["z"] == 1', 'no such key: z'],
    ['self.i / 0 == 1', 'division by zero'],
    ['self.i % 0 == 1', 'modulus by zero'],
    ['9223372036854775807 + self.i > 0', 'integer overflow'],
    ['-9223372036854775808 - self.i < 0', 'integer overflow'],
    ['-(-9223372036854775808 + self.i - 3) > 0', 'integer overflow'],
    ['4611686018427387904 * self.i > 0', 'integer overflow'],
    ['0u - uint(self.i) == 0u', 'unsigned integer overflow'],
    ['uint(-self.i) == 0u', 'unsigned integer overflow'],
    ['int(self.d * 1e19) == self.i', 'integer overflow'],
    ['self.either.startsWith("x")', 'no such overload'],
    ['self.either + "x" == ""', 'no such overload'],
    ['dyn(self.s) < 1', 'no such overload'],
    ['dyn([dyn(1), dyn("2")]).sum() == 3', 'no such overload'],
    ['dyn([dyn("a"), dyn(2)]).join() == "a2"', 'no such overload'],
    ['int(self.s) == 1', 'strconv.ParseInt: parsing "aé😀b": invalid syntax'],
    ['string(self.bytes + b"\\xff") == ""', 'invalid UTF-8 in bytes, cannot convert to string'],
    ['self.time.getHours("Nowhere/Else") == 1', 'unknown time zone Nowhere/Else'],
    ['self.time.getHours("x:1") == 1', 'strconv.Atoi: parsing "x": invalid syntax'],
    ['self.s.substring(9) == ""', 'index out of range: 9'],
    ['url("a b") == url("/")', 'URL parse error during conversion from string: a b'],
    ['self.ints.filter(x, x > 9).min() == 1', 'min called on empty list'],
    ['self.s.matches(self.s + "(")', 'error parsing regexp: missing closing ): `aé😀b(`'],
  ] as const) {
    test(source, () => expect(outcome(source)).toEqual({ error }))
  }
})

describe('costs', () => {
  const ints = list(scalar('int'))
  const types: Readonly<Record<string, DeclaredType>> = {
    ints,
    tenInts: list(scalar('int'), 10),
    text: text(),
    tenChars: text(10),
    nested: list(list(scalar('int'))),
    map: map(scalar('int')),
  }
  for (const [name, source, cost] of [
    ['ints', 'true', 0],
    ['ints', 'self.all(x, true)', 4_718_591],
    ['tenInts', 'self.all(x, true)', 32],
    ['tenInts', 'self.exists(x, true)', 42],
    ['tenInts', 'self.exists_one(x, true)', 23],
    ['tenInts', 'self.map(x, x) == self', 144],
    ['tenInts', 'self.filter(x, true).size() == 1', 144],
    ['text', 'self.contains("test")', 314_574],
    ['tenChars', 'self.contains("test")', 5],
    ['tenChars', 'self == "test"', 2],
    ['tenChars', 'self.matches("abcd")', 6],
    ['tenChars', 'self + self < "x"', 11],
    ['tenChars', 'self.startsWith("abc") || self.endsWith("abc")', 4],
    ['tenInts', '5 in self', 11],
    ['tenInts', 'self.sum() == 1', 12],
    ['tenInts', 'self[0] == 1 && size(self) > 1', 5],
    ['tenInts', '[1, 2, 3].size() == 3', 12],
    ['tenInts', '{"a": 1}.size() == 1', 32],
    ['map', 'self.all(k, true)', 1_348_169],
    ['nested', 'self.all(x, x.all(y, true))', 4_947_799_703_552],
  ] as const) {
    test(`${source} on ${name}`, () => {
      const type = types[name]!
      const made = new Expressions().compile(source, type)
      expect('expression' in made ? made.expression.greatestCost : made).toBe(cost)
    })
  }

  const many = { ints: Array.from({ length: 100_000 }, (_, i) => i) }
  test('one evaluation has a limit', () => {
    const rule = compiled('self.ints.all(x, self.ints.all(y, y >= 0))')
    const budget = new Budget()
    expect(rule.evaluate(many, null, budget)).toEqual({ outOfBudget: true })
    expect(budget.left).toBeGreaterThan(8_999_900)
    expect(compiled('self.ints.size() > 1').evaluate(many, null, budget)).toEqual({ value: true })
  })
  test('errors that are made up for do not hide the limit', () => {
    const rule = compiled('self.ints.all(x, self.ints.all(y, y >= 0)) || true')
    expect(rule.evaluate(many, null, new Budget())).toEqual({ outOfBudget: true })
  })
  test('all evaluations together have a limit', () => {
    const budget = new Budget(1000)
    const rule = compiled('self.ints.all(x, x >= 0)')
    const few = { ints: [1, 2, 3] }
    let count = 0
    while ('value' in rule.evaluate(few, null, budget)) count++
    expect(count).toBe(55)
  })
  test('a pattern takes linear time', () => {
    const rule = compiled('self.s.matches("^(a+)+$")')
    const budget = new Budget()
    const long = { s: `${'a'.repeat(5000)}b` }
    expect(rule.evaluate(long, null, budget)).toEqual({ value: false })
  })
  for (const [name, source, text] of [
    ['of many steps', 'self.s.matches("^(a|b)*a(a|b){1000}[cd]")', 'ab'.repeat(10_000)],
    ['of many steps, found', 'self.s.find("(a|b){0,1000}[cd]") == ""', 'ab'.repeat(10_000)],
    ['out of the object', 'self.ints.exists(x, "".matches(self.s))', '(a|b){1000}(c|d){1000}'],
  ] as const)
    test(`a pattern ${name} has its cost`, () => {
      const given = { ...many, s: text }
      expect(compiled(source).evaluate(given, null, new Budget())).toEqual({ outOfBudget: true })
    })
})
