/** What releases add to the language: it works from that release on, and is refused before. */
import { describe, expect, test } from 'vitest'
import { NAME_FORMATS } from '../structural/name-formats.ts'
import { Budget } from './budget.ts'
import { type DeclaredType, list, map, scalar, text } from './declared-type.ts'
import { Expressions } from './expressions.ts'

const field = (type: DeclaredType) => ({ type, takesSpace: false })
const inner: DeclaredType = { is: 'object', fields: new Map([['a', field(text())]]) }
const root: DeclaredType = {
  is: 'object',
  fields: new Map(
    Object.entries({
      i: scalar('int'),
      d: scalar('double'),
      s: text(),
      ints: list(scalar('int')),
      map: map(text()),
      inner,
      none: inner,
      'a-b': scalar('int'),
    } satisfies Record<string, DeclaredType>).map(([name, type]) => [name, field(type)]),
  ),
}
const object = {
  i: 3,
  d: 2.5,
  s: 'x',
  ints: [3, 1, 2],
  map: { k: 'v' },
  inner: { a: 'b' },
  'a-b': 7,
}

const of = (minor: number) => new Expressions({ minor, formats: NAME_FORMATS })

function outcome(source: string, minor: number): unknown {
  const made = of(minor).compile(source, root)
  return 'problem' in made ? made : made.expression.evaluate(object, object, new Budget())
}

for (const [library, since, ...sources] of [
  ['numbers of different types', 29, 'self.i > self.d && self.d < 3 && 1u < 2.0 && 1 <= 1u'],
  ['matches() as a function', 29, 'matches(self.s, "^x$")'],
  [
    'optional values',
    29,
    'self.?none.?a.orValue("z") == "z"',
    'self.inner.?a.value() == "b" && self.?inner.a.hasValue()',
    'self.map[?"k"] == optional.of("v") && !self.map[?"l"].hasValue()',
    'self.ints[?0].value() == 3 && self.ints[?9] == optional.none()',
    '[?self.map[?"l"], "a"] == ["a"] && {?"b": self.map[?"k"]} == {"b": "v"}',
    'self.?inner.optMap(x, x.a + "c").optMap(y, y + "d").orValue("") == "bcd"',
    'self.?none.optFlatMap(x, x.?a).hasValue() == false',
    'self.?none.?a.or(self.?inner.?a).value() == "b"',
    'optional.ofNonZeroValue("").hasValue() == false && has(self.?inner.a)',
    'type(optional.none()) == optional_type',
  ],
  [
    'quantities',
    29,
    'quantity("1.5Gi").isGreaterThan(quantity("1G")) && isQuantity("1k") && !isQuantity("1kk")',
    'quantity("2k").asInteger() == 2000 && !quantity("0.5").isInteger()',
    'quantity("500m").asApproximateFloat() == 0.5 && quantity("1000m") == quantity("1")',
    'quantity("1").add(quantity("2")).sub(1).compareTo(quantity("2")) == 0',
    'quantity("1").add(5).isLessThan(quantity("7"))',
  ],
  [
    'sets',
    30,
    'sets.contains(self.ints, [1, 2]) && !sets.contains(self.ints, [4])',
    'sets.equivalent(self.ints, [1, 2, 3, 3]) && sets.intersects(self.ints, [9, 1])',
  ],
  [
    'format() and quote()',
    30,
    '"%s is %d and %.1f".format(["a", 5, 2.25]) == "a is 5 and 2.2"',
    'strings.quote("a\\"b\\n") == "\\"a\\\\\\"b\\\\n\\""',
  ],
  [
    'addresses',
    31,
    'ip("192.168.0.1").family() == 4 && isIP("::1") && !isIP("1.2.3") && ip.isCanonical("::1")',
    'cidr("10.0.0.0/8").containsIP("10.1.2.3") && cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")',
    'string(cidr("10.1.2.3/8").masked()) == "10.0.0.0/8" && cidr("10.0.0.0/8").prefixLength() == 8',
    'ip("127.0.0.1").isLoopback() && ip("fe80::1").isLinkLocalUnicast() && isCIDR("::/0")',
  ],
  [
    'formats',
    32,
    '!format.dns1123Label().validate("abc").hasValue()',
    'format.dns1035Label().validate("1a").value()[0].startsWith("a DNS-1035 label")',
    'format.named("uuid").value().validate("x") == optional.of(["does not match the UUID format"])',
    '!format.named("other").hasValue() && format.labelValue() == format.named("labelValue").value()',
    '!format.dns1123LabelPrefix().validate("abc-").hasValue()',
    '!format.date().validate("2020-02-29").hasValue() && format.date().validate("2021-02-29").hasValue()',
    '!format.datetime().validate("2020-02-29T00:00:00Z").hasValue() && !format.byte().validate("YQ==").hasValue()',
    '!format.uri().validate("https://x").hasValue() && format.qualifiedName().validate("a/b/c").hasValue()',
  ],
  [
    'loops with two variables',
    33,
    'self.ints.all(i, v, i < 3 && v > 0) && self.ints.exists(i, v, i == 1 && v == 1)',
    'self.map.existsOne(k, v, v == "v") && self.ints.transformList(i, v, i * v) == [0, 1, 4]',
    'self.map.transformMap(k, v, k + v) == {"k": "kv"}',
    'self.map.transformMapEntry(k, v, {v: k}) == {"v": "k"}',
    'self.ints.transformList(i, v, v > 1, v) == [3, 2]',
  ],
  ['names in back quotes', 33, '{"a.b": 1}.`a.b` == 1'],
  [
    'versions',
    34,
    'semver("1.2.3").major() == 1 && semver("1.2.3").minor() == 2 && semver("1.2.3").patch() == 3',
    'semver("1.2.3-alpha.2").isLessThan(semver("1.2.3-alpha.10"))',
    'semver("1.2.3").isGreaterThan(semver("1.2.3-rc")) && semver("1.0.0+a") == semver("1.0.0+b")',
    'isSemver("1.2.3") && !isSemver("1.2") && !isSemver("01.2.3") && isSemver("v1.2", true)',
    'semver("v01.2", true).compareTo(semver("1.2.0")) == 0',
  ],
  [
    'later functions of lists',
    35,
    'self.ints.sort() == [1, 2, 3] && self.ints.reverse() == [2, 1, 3] && self.ints.slice(1, 3) == [1, 2]',
    'self.ints.sortBy(x, -x) == [3, 2, 1] && [1, 1, 2].distinct() == [1, 2]',
    '[[1], [2, 3]].flatten() == [1, 2, 3] && [[[1], [2]], [[3]]].flatten(2) == [1, 2, 3]',
    'lists.range(3) == [0, 1, 2] && self.ints.first().value() == 3 && self.ints.last().value() == 2',
    '![].first().hasValue()',
  ],
] as readonly [string, number, ...string[]][]) {
  describe(`${library} are there since release 1.${since}`, () => {
    for (const source of sources)
      test(source, () => {
        expect(outcome(source, 36)).toEqual({ value: true })
        expect(outcome(source, since)).toEqual({ value: true })
        expect(outcome(source, since - 1)).toHaveProperty('problem')
      })
  })
}

describe('lists and maps of several types are refused in each release, but for format() since 1.30', () => {
  for (const [source, column, message] of [
    ['[1, "x"].size() == 2', 5, "expected type 'int' but found 'string'"],
    ['{"a": 1, 2: 1}.size() == 2', 10, "expected type 'string' but found 'int'"],
    ['[[1], ["x"]].size() == 2', 7, "expected type 'list(int)' but found 'list(string)'"],
  ] as const)
    test(source, () => {
      const problem = `compilation failed: ERROR: <input>:1:${column}: ${message}\n | ${source}\n | ${'.'.repeat(column - 1)}^`
      for (const minor of [25, 29, 30, 36]) expect(outcome(source, minor)).toEqual({ problem })
    })
})

describe('faults in literals have a place since release 1.30', () => {
  for (const [source, column, message, before] of [
    [
      'self.s.matches("(")',
      16,
      'invalid matches argument',
      'error parsing regexp: missing closing ): `(`',
    ],
    ['duration("1x") > duration("1s")', 10, 'invalid duration argument', undefined],
    [
      'timestamp("x") > timestamp("2020-01-01T00:00:00Z")',
      11,
      'invalid timestamp argument',
      undefined,
    ],
  ] as const)
    test(source, () => {
      expect(outcome(source, 30)).toEqual({
        problem: `compilation failed: ERROR: <input>:1:${column}: ${message}\n | ${source}\n | ${'.'.repeat(column - 1)}^`,
      })
      expect(outcome(source, 29)).toEqual({
        problem: expect.stringContaining(`program instantiation failed: ${before ?? ''}`) as string,
      })
    })
})

describe('values of later libraries fail', () => {
  for (const [source, error] of [
    ['quantity("x").isInteger()', /^quantities must match the regular expression/],
    ['quantity("1.5").asInteger() == 1', /^cannot convert value to integer$/],
    ['ip("x").family() == 4', /^IP Address "x" parse error during conversion from string$/],
    [
      'ip("fe80::1%en0").family() == 4',
      /^IP address "fe80::1%en0" with zone value is not allowed$/,
    ],
    [
      'ip("::ffff:1.2.3.4").family() == 4',
      /^IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed$/,
    ],
    ['cidr("1.2.3.4").prefixLength() == 4', /^network address parse error/],
    ['semver("x").major() == 1', /^No Major\.Minor\.Patch elements found/],
    ['optional.none().value() == 1', /^optional\.none\(\) dereference$/],
    ['"%d".format(["x"]) == ""', /^error during formatting: decimal clause/],
    ['self.ints.slice(2, 9) == []', /^cannot slice\(2, 9\), list is length 3$/],
  ] as const)
    test(source, () => {
      expect(outcome(source, 36)).toEqual({ error: expect.stringMatching(error) as string })
    })
})

test('what begins with a name of a library is a variable of a loop where it is one', () => {
  expect(outcome('[{"of": 1}].all(optional, optional.of == 1)', 36)).toEqual({ value: true })
})

describe('the value before is an optional one where that is asked for', () => {
  for (const [source, old, value] of [
    ['oldSelf.hasValue()', null, false],
    ['oldSelf.hasValue() && oldSelf.value().i == 3', object, true],
    ['!oldSelf.hasValue() || self.i >= oldSelf.value().i', undefined, true],
    ['oldSelf.i.orValue(9) == 3 && self.i == 3', object, true],
    ['oldSelf.orValue(self).i == 3', null, true],
  ] as const)
    test(`${source} with ${old ? 'one' : 'none'}`, () => {
      const made = of(30).compile(source, root, true)
      if ('problem' in made) throw new Error(made.problem)
      expect(made.expression.usesOldSelf).toBe(true)
      expect(made.expression.evaluate(object, old, new Budget())).toEqual({ value })
    })
})
