import { describe, expect, test } from 'vitest'
import { growth } from '../../test/touched.ts'
import { SelectorError } from './selector-error.ts'
import {
  describeLabelSelector,
  everything,
  formatFieldSelector,
  formatLabelSelector,
  isEverything,
  type LabelSelectorObject,
  matchesFields,
  matchesLabels,
  nothing,
  parseFieldSelector,
  parseLabelSelector,
  requiredLabel,
  requiredValue,
  selectorFromLabels,
  selectorFromObject,
} from './selectors.ts'

const NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

describe('label selector texts', () => {
  const cases: [text: string, canonical: string][] = [
    ['', ''],
    [' \t\r\n', ''],
    ['a', 'a'],
    ['a ', 'a'],
    ['\ra', 'a'],
    ['!a', '!a'],
    ['! a', '!a'],
    ['a=b', 'a=b'],
    ['a==b', 'a==b'],
    ['a!=b', 'a!=b'],
    [' a = b ', 'a=b'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['a==', 'a=='],
    ['a!=', 'a!='],
    ['a>1', 'a>1'],
    ['a<7', 'a<7'],
    ['a > 1', 'a>1'],
    ['a in (b)', 'a in (b)'],
    ['a in (c,b)', 'a in (b,c)'],
    ['a in (b,b)', 'a in (b)'],
    ['a notin (b, c)', 'a notin (b,c)'],
    ['a  in\t (b)', 'a in (b)'],
    ['a notin\n (b)', 'a notin (b)'],
    ['a in(b)', 'a in (b)'],
    ['a in ()', 'a in ()'],
    ['a notin ( )', 'a notin ()'],
    ['a in (,)', 'a in ()'],
    ['a in (b,)', 'a in (,b)'],
    ['a in (, b)', 'a in (,b)'],
    ['a in (b,,c)', 'a in (,b,c)'],
    ['a in (in,notin)', 'a in (in,notin)'],
    ['in in (in)', 'in in (in)'],
    ['in', 'in'],
    ['!notin', '!notin'],
    ['in,notin', 'in,notin'],
    ['notin=in', 'notin=in'],
    ['a=in', 'a=in'],
    ['x=a,b', 'b,x=a'],
    ['b=1,a=1', 'a=1,b=1'],
    ['a=1,a=2', 'a=1,a=2'],
    ['x notin (abc,,def),bar,z in (),w', 'bar,w,x notin (,abc,def),z in ()'],
    ['x=a,y!=b,z in (h,i,j)', 'x=a,y!=b,z in (h,i,j)'],
    ['example.com/key-with-dash in (so,what)', 'example.com/key-with-dash in (so,what)'],
    ['0.1.2.domain/99 notin (10.10.100.1)', '0.1.2.domain/99 notin (10.10.100.1)'],
    ['toString', 'toString'],
  ]
  test.each(cases)('%j is %j', (text, canonical) => {
    const selector = parseLabelSelector(text)
    expect(formatLabelSelector(selector)).toBe(canonical)
    expect(formatLabelSelector(parseLabelSelector(canonical))).toBe(canonical)
    expect(isEverything(selector)).toBe(canonical === '')
  })
})

const REQUIREMENT = 'unable to parse requirement: '

describe('label selectors that do not parse', () => {
  const cases: [text: string, message: string][] = [
    ['!', `${REQUIREMENT}found '', expected: identifier`],
    ['!,a', `${REQUIREMENT}found ',', expected: identifier`],
    ['!!a', `${REQUIREMENT}found '!', expected: identifier`],
    ['!=a', "found '!=', expected: !, identifier, or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['=', "found '=', expected: !, identifier, or 'end of string'"],
    ['(', "found '(', expected: !, identifier, or 'end of string'"],
    ['>1', "found '>', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a=b,=', "found '=', expected: identifier after ','"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a in (b)c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!a b', "found 'b', expected: ',' or 'end of string'"],
    ['a=b)', "found ')', expected: ',' or 'end of string'"],
    ['a b', `${REQUIREMENT}found 'b', expected: in, notin, =, ==, !=, gt, lt`],
    ['a nott in (b)', `${REQUIREMENT}found 'nott', expected: in, notin, =, ==, !=, gt, lt`],
    ['a !b', `${REQUIREMENT}found '!', expected: in, notin, =, ==, !=, gt, lt`],
    ['a (', `${REQUIREMENT}found '(', expected: in, notin, =, ==, !=, gt, lt`],
    ['a IN (b)', `${REQUIREMENT}found 'IN', expected: in, notin, =, ==, !=, gt, lt`],
    ['a===b', `${REQUIREMENT}found '=', expected: identifier`],
    ['a=!b', `${REQUIREMENT}found '!', expected: identifier`],
    ['a>=1', `${REQUIREMENT}found '=', expected: identifier`],
    ['a=(b)', `${REQUIREMENT}found '(', expected: identifier`],
    ['a in', `${REQUIREMENT}found '' expected: '('`],
    ['a in b', `${REQUIREMENT}found 'b' expected: '('`],
    ['a notin', `${REQUIREMENT}found '' expected: '('`],
    ['a in (', `${REQUIREMENT}found '', expected: ',', ')' or identifier`],
    ['a in (=', `${REQUIREMENT}found '=', expected: ',', ')' or identifier`],
    ['a in (b', `${REQUIREMENT}found '', expected: ',' or ')'`],
    ['a in (b c)', `${REQUIREMENT}found 'c', expected: ',' or ')'`],
    ['a in (b=c)', `${REQUIREMENT}found '=', expected: ',' or ')'`],
    ['a in (b,', `${REQUIREMENT}found '', expected: ',', or identifier`],
    ['a in (b,,)', `${REQUIREMENT}found ')', expected: ',', or identifier`],
    ['a in (b,!c)', `${REQUIREMENT}found '!', expected: ',', or identifier`],
    ['-a', `${REQUIREMENT}<nil>: Invalid value: "-a": name part ${NAME}`],
    ['__proto__', `${REQUIREMENT}<nil>: Invalid value: "__proto__": name part ${NAME}`],
    ['/a', `${REQUIREMENT}<nil>: Invalid value: "/a": prefix part must be non-empty`],
    [
      'a/',
      `${REQUIREMENT}<nil>: Invalid value: "a/": name part must be non-empty; name part ${NAME}`,
    ],
    ['a=-b', `${REQUIREMENT}values[0][a]: Invalid value: "-b": ${LABEL_VALUE}`],
    ['a in (c,-b)', `${REQUIREMENT}values[0][a]: Invalid value: "-b": ${LABEL_VALUE}`],
    ['x=a||y=b', `${REQUIREMENT}values[0][x]: Invalid value: "a||y": ${LABEL_VALUE}`],
    [
      `a=${'b'.repeat(64)}`,
      `${REQUIREMENT}values[0][a]: Invalid value: "${'b'.repeat(64)}": must be no more than 63 characters`,
    ],
    [
      'a>b',
      `${REQUIREMENT}values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a<',
      `${REQUIREMENT}values[0]: Invalid value: "": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a>9223372036854775808',
      `${REQUIREMENT}values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a in (-b,-c)',
      `${REQUIREMENT}[values[0][a]: Invalid value: "-b": ${LABEL_VALUE}, values[1][a]: Invalid value: "-c": ${LABEL_VALUE}]`,
    ],
    ['a\u0000', `${REQUIREMENT}<nil>: Invalid value: "a\\u0000": name part ${NAME}`],
  ]
  test.each(cases)('%j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message))
  })

  test('long texts are parsed in linear time', () => {
    const read = (text: string) => {
      try {
        parseLabelSelector(text)
      } catch (error) {
        expect(error).toBeInstanceOf(SelectorError)
      }
    }
    const size = 40_000
    for (const piece of ['a,', 'a', '!', '(', ' ', '=', ',', 'a=b,'])
      expect(growth(piece, size, read), piece).toBeLessThan(2.1)
    expect(growth('b,', size, (text) => read(`a in (${text}c)`))).toBeLessThan(2.1)
    expect(growth('a=b,', size, (text) => void parseFieldSelector(text))).toBeLessThan(2.1)
  })
})

describe('labels match', () => {
  const proto = JSON.parse('{"__proto__": "1", "a": "b"}') as Record<string, string>
  const cases: [text: string, labels: Record<string, string> | undefined, matches: boolean][] = [
    ['', undefined, true],
    ['', {}, true],
    ['', { a: 'b' }, true],
    ['a', { a: 'b' }, true],
    ['a', { a: '' }, true],
    ['a', { b: 'a' }, false],
    ['a', undefined, false],
    ['!a', undefined, true],
    ['!a', { a: '' }, false],
    ['!a', { b: '' }, true],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a==b', { a: 'b' }, true],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a=b', { a: 'B' }, false],
    ['a!=b', { a: 'c' }, true],
    ['a!=b', { a: 'b' }, false],
    ['a!=b', {}, true],
    ['a!=b', undefined, true],
    ['a in (b,c)', { a: 'c' }, true],
    ['a in (b,c)', { a: 'd' }, false],
    ['a in (b,c)', {}, false],
    ['a in ()', { a: '' }, true],
    ['a in ()', {}, false],
    ['a notin (b,c)', { a: 'd' }, true],
    ['a notin (b,c)', { a: 'b' }, false],
    ['a notin (b,c)', {}, true],
    ['a notin ()', { a: '' }, false],
    ['a>1', { a: '2' }, true],
    ['a>1', { a: '1' }, false],
    ['a>1', { a: '10' }, true],
    ['a>1', { a: 'x' }, false],
    ['a>1', { a: '' }, false],
    ['a>1', {}, false],
    ['a<1', { a: '-5' }, true],
    ['a<1', { a: '+0' }, true],
    ['a<1', { a: '0.5' }, false],
    ['a<1', { a: '-9223372036854775809' }, false],
    ['a<9223372036854775807', { a: '9223372036854775806' }, true],
    ['a=1,b=2', { a: '1', b: '2' }, true],
    ['a=1,b=2', { a: '1', b: '3' }, false],
    ['a=1,a=2', { a: '1' }, false],
    ['a,!b', { a: '1', b: '' }, false],
    ['toString', {}, false],
    ['!toString', {}, true],
    ['constructor!=x', {}, true],
    ['a=b', proto, true],
    ['toString', { toString: 'x' }, true],
  ]
  test.each(cases)('%j on %j: %j', (text, labels, matches) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(matches)
  })

  test('a selector of nothing matches nothing, not even the empty', () => {
    expect(matchesLabels(nothing, undefined)).toBe(false)
    expect(matchesLabels(nothing, { a: 'b' })).toBe(false)
    expect([isEverything(nothing), isEverything(everything)]).toEqual([false, true])
  })
})

describe('object form', () => {
  const cases: [LabelSelectorObject | null | undefined, canonical: string, shown: string][] = [
    [undefined, '', '<none>'],
    [null, '', '<none>'],
    [{}, '', '<none>'],
    [{ matchLabels: {}, matchExpressions: [] }, '', '<none>'],
    [{ matchLabels: { b: '2', a: '1' } }, 'a=1,b=2', 'a=1,b=2'],
    [
      { matchExpressions: [{ key: 'a', operator: 'In', values: ['c', 'b'] }] },
      'a in (b,c)',
      'a in (b,c)',
    ],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['v'] }] }, 'a in (v)', 'a in (v)'],
    [
      { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['v'] }] },
      'a notin (v)',
      'a notin (v)',
    ],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'a', 'a'],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: [] }] }, '!a', '!a'],
    [
      { matchLabels: { z: '1' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
      'a,z=1',
      'a,z=1',
    ],
  ]
  test.each(cases)('%j is %j', (object, canonical, shown) => {
    const selector = selectorFromObject(object)
    expect(formatLabelSelector(selector)).toBe(canonical)
    expect(selector.nothing).toBe(object === null || object === undefined)
    expect(describeLabelSelector(object)).toBe(shown)
  })

  const broken: [string, LabelSelectorObject, string][] = [
    [
      'unknown operator',
      { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] },
      '"Gt" is not a valid label selector operator',
    ],
    [
      'operator of the prototype',
      { matchExpressions: [{ key: 'a', operator: 'toString' }] },
      '"toString" is not a valid label selector operator',
    ],
    [
      'no values',
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      'values with Exists',
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
    ],
    ['bad key', { matchLabels: { '-a': 'b' } }, `key: Invalid value: "-a": name part ${NAME}`],
    [
      'bad value',
      { matchLabels: { a: '-b' } },
      `values[0][a]: Invalid value: "-b": ${LABEL_VALUE}`,
    ],
    [
      'bad key of the prototype',
      { matchLabels: JSON.parse('{"__proto__":"b"}') as Record<string, string> },
      `key: Invalid value: "__proto__": name part ${NAME}`,
    ],
  ]
  test.each(broken)('%s', (_name, object, message) => {
    expect(() => selectorFromObject(object)).toThrow(new SelectorError(message))
    expect(describeLabelSelector(object)).toBe('<error>')
  })

  test('plain labels make a selector', () => {
    expect(formatLabelSelector(selectorFromLabels({ b: '2', a: '1' }))).toBe('a=1,b=2')
    expect([
      isEverything(selectorFromLabels({})),
      isEverything(selectorFromLabels(undefined)),
    ]).toEqual([true, true])
    expect(matchesLabels(selectorFromLabels({ a: '1' }), { a: '1', b: '2' })).toBe(true)
  })
})

test('the value that a label selector requires', () => {
  const selector = parseLabelSelector('a=1,b in (2),c in (3,4),d!=5,e')
  expect(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => requiredLabel(selector, key))).toEqual([
    '1',
    '2',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

describe('field selector texts', () => {
  type Term = ReturnType<typeof parseFieldSelector>[number]
  const eq = (field: string, value: string): Term => ({ field, op: '=', value })
  const ne = (field: string, value: string): Term => ({ field, op: '!=', value })
  const cases: [text: string, terms: Term[], canonical: string][] = [
    ['', [], ''],
    [',', [], ''],
    [',,', [], ''],
    ['a=b', [eq('a', 'b')], 'a=b'],
    ['a==b', [eq('a', 'b')], 'a=b'],
    ['a!=b', [ne('a', 'b')], 'a!=b'],
    ['a=', [eq('a', '')], 'a='],
    ['a!=', [ne('a', '')], 'a!='],
    ['=b', [eq('', 'b')], '=b'],
    [',a=b,', [eq('a', 'b')], 'a=b'],
    ['b=2,a=1', [eq('a', '1'), eq('b', '2')], 'a=1,b=2'],
    [
      'metadata.name=x,status.phase!=Running',
      [eq('metadata.name', 'x'), ne('status.phase', 'Running')],
      'metadata.name=x,status.phase!=Running',
    ],
    ['a=b c', [eq('a', 'b c')], 'a=b c'],
    [' a = b ', [eq(' a ', ' b ')], ' a = b '],
    ['a=b!c', [eq('a', 'b!c')], 'a=b!c'],
    ['a=!b', [eq('a', '!b')], 'a=!b'],
    ['a!b=c', [eq('a!b', 'c')], 'a!b=c'],
    ['a=b\\,c', [eq('a', 'b,c')], 'a=b\\,c'],
    ['a=b\\=c', [eq('a', 'b=c')], 'a=b\\=c'],
    ['a=b\\\\c', [eq('a', 'b\\c')], 'a=b\\\\c'],
    ['a=\\,\\=\\\\', [eq('a', ',=\\')], 'a=\\,\\=\\\\'],
    ['a=b\\\\,c=d', [eq('a', 'b\\'), eq('c', 'd')], 'a=b\\\\,c=d'],
    ['__proto__=x', [eq('__proto__', 'x')], '__proto__=x'],
    ['a=\u{1f600}\\,', [eq('a', '\u{1f600},')], 'a=\u{1f600}\\,'],
  ]
  test.each(cases)('%j', (text, terms, canonical) => {
    expect(parseFieldSelector(text)).toEqual(terms)
    expect(formatFieldSelector(terms)).toBe(canonical)
    expect(parseFieldSelector(canonical)).toEqual(terms)
  })

  const broken: [string, string][] = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
    ['a>b', "invalid selector: 'a>b'; can't understand 'a>b'"],
    ['!a', "invalid selector: '!a'; can't understand '!a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a===b', 'invalid field selector: unescaped character in value: 61'],
    ['a!==b', 'invalid field selector: unescaped character in value: 61'],
    ['a=b!=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b\\\u{1f600}', 'invalid field selector: invalid escape sequence: \\\u{1f600}'],
  ]
  test.each(broken)('%j is refused', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message))
  })
})

describe('fields match', () => {
  const cases: [string, Record<string, string>, boolean][] = [
    ['', {}, true],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a=', {}, true],
    ['a=', { a: '' }, true],
    ['a!=', {}, false],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a!=b', { a: 'c' }, true],
    ['a=b,c!=d', { a: 'b', c: 'e' }, true],
    ['a=b,c!=d', { a: 'b', c: 'd' }, false],
    ['__proto__=', {}, true],
    ['toString=', {}, true],
    ['constructor!=', {}, false],
  ]
  test.each(cases)('%j on %j: %j', (text, fields, matches) => {
    expect(matchesFields(parseFieldSelector(text), fields)).toBe(matches)
  })
})

test('the value that a field selector requires', () => {
  const terms = parseFieldSelector('metadata.name=x,metadata.namespace!=y,a=')
  expect(
    ['metadata.name', 'metadata.namespace', 'a', 'b'].map((field) => requiredValue(terms, field)),
  ).toEqual(['x', undefined, '', undefined])
})
