import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseYaml, parseYamlDocuments, toYaml, YamlError } from './yaml.ts'

const lines = (...parts: string[]) => `${parts.join('\n')}\n`

describe('reading', () => {
  for (const { name, text, value } of [
    { name: 'nothing', text: '', value: null },
    { name: 'a comment', text: '# nothing\n', value: null },
    { name: 'a map', text: 'a: 1\nb: [x, yes]\nc:\n', value: { a: 1, b: ['x', true], c: null } },
    { name: 'JSON', text: ' {"a": [1, "yes", 1e3]}', value: { a: [1, 'yes', 1000] } },
    { name: 'almost JSON', text: '{"a": yes, b: off,}', value: { a: true, b: false } },
    { name: 'quoted words', text: `- "yes"\n- 'null'\n- "1"\n`, value: ['yes', 'null', '1'] },
    {
      name: 'dates',
      text: '- 2001-01-01\n- 2001-01-01T00:00:00Z\n',
      value: ['2001-01-01', '2001-01-01T00:00:00Z'],
    },
    { name: 'large integers', text: 'a: 9223372036854775807', value: { a: 9223372036854775807n } },
    {
      name: 'large integers in JSON',
      text: '[-9223372036854775808]',
      value: [-9223372036854775808n],
    },
    { name: 'blocks', text: 'a: |\n  x\n  y\nb: >-\n  x\n  y\n', value: { a: 'x\ny\n', b: 'x y' } },
    {
      name: 'keys of other types',
      text: '1: a\n0x10: b\n1.5: c\nyes: d\n2001-01-01: e\n',
      value: { 1: 'a', 16: 'b', 1.5: 'c', true: 'd', '2001-01-01': 'e' },
    },
    {
      name: 'anchors, aliases and merge keys',
      text: lines('base: &b {x: 1, y y: 2}', 'a: *b', 'm:', '  <<: *b', '  x: 3', '  z: 4'),
      value: { base: { x: 1, 'y y': 2 }, a: { x: 1, 'y y': 2 }, m: { x: 3, 'y y': 2, z: 4 } },
    },
    {
      name: 'of several merged maps the first wins, and the map itself over all',
      text: lines('- &a {k: 1}', '- &b {k: 2, l: 2}', '- {l: 3, <<: [*a, *b]}'),
      value: [{ k: 1 }, { k: 2, l: 2 }, { k: 1, l: 3 }],
    },
    { name: 'a quoted merge key', text: '"<<": {a: 1}', value: { '<<': { a: 1 } } },
    { name: 'an anchor of a scalar', text: '- &a yes\n- *a\n', value: [true, true] },
    {
      name: 'tags',
      text: lines('- !!str 1', '- !!int "2"', '- !!float 3', '- ! yes', '- !own x', '- !!null ""'),
      value: ['1', 2, 3, 'yes', 'x', null],
    },
    { name: 'a long tag', text: '!<tag:yaml.org,2002:str> 1', value: '1' },
    {
      name: 'tagged containers',
      text: 'a: !!seq [1]\nb: !!map {c: 1}\nd: !own {}\n',
      value: { a: [1], b: { c: 1 }, d: {} },
    },
    { name: 'binary', text: 'a: !!binary |\n  aGVs\n  bG8=\n', value: { a: 'hello' } },
    { name: 'one document with markers', text: '---\na: 1\n...\n', value: { a: 1 } },
    { name: 'empty documents around one', text: '---\n# x\n---\na: 1\n---\n', value: { a: 1 } },
  ]) {
    test(name, async () => expect(await parseYaml(text)).toEqual(value))
  }

  test('keys of prototypes are plain data', async () => {
    for (const text of [
      '__proto__: {a: 1}',
      '{"__proto__":{"a":1}}',
      'x: &x {a: 1}\n__proto__: *x',
      '<<: {__proto__: {a: 1}}',
    ]) {
      const value = (await parseYaml(text)) as object
      expect(Object.hasOwn(value, '__proto__')).toBe(true)
      expect('a' in value).toBe(false)
    }
  })

  test('an alias becomes a copy', async () => {
    const value = (await parseYaml('a: &a {x: [1]}\nb: *a\n')) as { a: { x: number[] }; b: object }
    value.a.x.push(2)
    expect(value).toEqual({ a: { x: [1, 2] }, b: { x: [1] } })
  })

  test('several documents', async () => {
    expect(await parseYamlDocuments('a: 1\n---\n---\n- 2\n...\n---\nx\n')).toEqual([
      { a: 1 },
      [2],
      'x',
    ])
    expect(await parseYamlDocuments('')).toEqual([])
  })
})

describe('refusals', () => {
  for (const { name, text, message } of [
    {
      name: 'a repeated key',
      text: 'a: 1\nb: 2\na: 3\n',
      message: 'line 3: key "a" already set in map',
    },
    {
      name: 'a repeated number',
      text: '- {1: a, 1: b}',
      message: 'line 1: key 1 already set in map',
    },
    {
      name: 'a repeated key in JSON',
      text: '{"a":1,\n"a":2}',
      message: 'line 2: key "a" already set in map',
    },
    {
      name: 'a repeated prototype key',
      text: '__proto__: 1\n__proto__: 2',
      message: 'line 2: key "__proto__" already set in map',
    },
    {
      name: 'a list as key',
      text: 'x: 1\n[a]: b\n',
      message: 'line 2: a list or map cannot be a key',
    },
    { name: 'null as key', text: 'a:\n  ~: b\n', message: 'line 2: unsupported map key: null' },
    { name: 'infinity', text: 'a: .inf', message: 'line 1: JSON has no number .inf' },
    { name: 'not a number', text: '- 1\n- .nan', message: 'line 2: JSON has no number .nan' },
    { name: 'a wrong tag', text: '!!int x', message: 'line 1: cannot decode `x` as a !!int' },
    {
      name: 'bad base64',
      text: '!!binary "x"',
      message: 'line 1: !!binary value contains invalid base64 data',
    },
    { name: 'an unknown alias', text: 'a: *b', message: `unknown anchor 'b' referenced` },
    {
      name: 'a value that contains itself',
      text: 'a: &a [*a]',
      message: `anchor 'a' value contains itself`,
    },
    {
      name: 'merging a scalar',
      text: '<<: 1',
      message: 'map merge requires map or sequence of maps as the value',
    },
    { name: 'two documents', text: 'a: 1\n---\nb: 1\n', message: 'expected one document, found 2' },
    {
      name: 'long text behind many aliases',
      text: `- &a "${'x'.repeat(100_000)}"\n${'- *a\n'.repeat(40)}`,
      message: 'document contains excessive aliasing: copied more than 3145728 bytes',
    },
    { name: 'bad syntax', text: 'a: b: c', message: 'line 1: ' },
    { name: 'a tab', text: 'a:\n\tb: c', message: 'line 2: ' },
    {
      name: 'deep nesting',
      text: '['.repeat(100_000),
      message: 'line 1: nesting exceeded maxDepth (512)',
    },
    {
      name: 'deep nesting by indentation',
      text: '- '.repeat(100_000),
      message: 'line 1: nesting exceeded maxDepth (512)',
    },
  ]) {
    test(name, async () => {
      const error: unknown = await parseYaml(text).catch((e: unknown) => e)
      expect(error).toBeInstanceOf(YamlError)
      expect(
        (error as Error).message.replace('error converting YAML to JSON: yaml: ', ''),
      ).toContain(message)
    })
  }

  test('with `onDuplicate` duplicate keys are reported, and the last wins', async () => {
    const told: string[] = []
    const onDuplicate = (message: string) => told.push(message)
    expect(await parseYaml('a: 1\nb: {c: 1,\n  c: 2}\na: 3\na: 4\n', { onDuplicate })).toEqual({
      a: 4,
      b: { c: 2 },
    })
    expect(told).toEqual([
      'line 3: key "c" already set in map',
      'line 4: key "a" already set in map',
      'line 5: key "a" already set in map',
    ])
    told.length = 0
    await parseYaml('a: 1\n'.repeat(50_000), { onDuplicate })
    expect(told).toHaveLength(100)
  })
})

describe('limits', () => {
  const tooMany = 'the document must have at most 100000 fields and list items'
  for (const { name, text, refusal } of [
    {
      name: 'a bomb of aliases',
      text: lines(
        'a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]',
        ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`),
      ),
      refusal: tooMany,
    },
    { name: 'as many items as there may be', text: '- 1\n'.repeat(100_000) },
    { name: 'one item more', text: '- 1\n'.repeat(100_001), refusal: tooMany },
    { name: 'JSON of one item more', text: `[${'1,'.repeat(100_000)}1]`, refusal: tooMany },
    {
      name: 'managedFields count apart',
      text: `metadata:\n  managedFields:\n${'  - 1\n'.repeat(99_000)}a:\n${'- 1\n'.repeat(99_000)}`,
    },
    {
      name: 'members of merged maps',
      text: `a: &a {b: 1, c: 2}\nd:\n${'- <<: *a\n'.repeat(40_000)}`,
      refusal: tooMany,
    },
    {
      name: 'the same map merged again and again',
      text: `a: &a {${Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join(', ')}}\nb:\n  <<: [${'*a, '.repeat(20_000)}]\n`,
    },
    {
      name: 'many maps merged again and again',
      text: `a: &a\n${'- {b: 1}\n'.repeat(5_000)}c:\n${'- <<: *a\n'.repeat(100)}`,
      refusal: 'YAML may merge at most 300000 keys of other maps',
    },
    {
      name: 'signs that cost time',
      text: `- ${'[]: '.repeat(110_000)}`,
      refusal:
        'YAML may have at most 325000 lines, colons, commas, brackets, quotes and escapes; send more as JSON',
    },
    { name: 'a definition of three megabytes', text: definition(3_000_000) },
    { name: 'comments', text: `a: 1\n${'# x\n'.repeat(400_000)}` },
  ])
    test(name, async () => {
      const outcome = await parseYaml(text).then(
        () => undefined,
        (error: Error) => error.message.replace('Request entity too large: ', ''),
      )
      expect(outcome).toBe(refusal)
    })
})

/** A definition as long as those of large projects, most of which is descriptions. */
function definition(bytes: number): string {
  const words = 'The label query over volumes to consider for binding, which is long.\n'
  const field = `      description: ${words}        ${words}      items:\n        type: string\n      type: array\n`
  let text = 'spec:\n  properties:\n'
  for (let i = 0; text.length < bytes; i++) text += `    p${i}:\n${field}`
  return text
}

describe('writing', () => {
  for (const { name, value, text } of [
    {
      name: 'an object: keys in order, lists not indented',
      value: { kind: 'Pod', apiVersion: 'v1', spec: { items: [{ b: 1, a: [[1], []] }], none: {} } },
      text: lines(
        'apiVersion: v1',
        'kind: Pod',
        'spec:',
        '  items:',
        '  - a:',
        '    - - 1',
        '    - []',
        '    b: 1',
        '  none: {}',
      ),
    },
    { name: 'a scalar', value: 'x', text: 'x\n' },
    { name: 'null and booleans', value: [null, true, false], text: '- null\n- true\n- false\n' },
    {
      name: 'numbers',
      value: [0, -1, 1.5, 1e21, 9223372036854775807n],
      text: '- 0\n- -1\n- 1.5\n- 1e+21\n- 9223372036854775807\n',
    },
    {
      name: 'words that would read as something else',
      value: [
        '1e3',
        'yes',
        'n',
        'null',
        '',
        '~',
        '010',
        '0x1f',
        '1_000',
        '12:30:45',
        '2001-01-01',
        '.5',
        '.inf',
        '<<',
        '=',
      ],
      text: lines(
        ...['1e3', 'yes', 'n', 'null', '', '~', '010', '0x1f', '1_000', '12:30:45'].map(
          (w) => `- "${w}"`,
        ),
        ...['2001-01-01', '.5', '.inf', '<<'].map((w) => `- "${w}"`),
        `- '='`,
      ),
    },
    {
      name: 'keys that would read as something else',
      value: { y: 1, 1: 2 },
      text: '"1": 2\n"y": 1\n',
    },
    { name: 'a time', value: { t: '2022-08-01T00:00:00Z' }, text: 't: "2022-08-01T00:00:00Z"\n' },
    {
      name: 'words that syntax forbids bare',
      value: ['a: b', '- x', '# y', '*', "it's: so"],
      text: lines(`- 'a: b'`, `- '- x'`, `- '# y'`, `- '*'`, `- 'it''s: so'`),
    },
    {
      name: 'several lines',
      value: { a: 'x\ny\n', b: 'x\n\ny' },
      text: 'a: |\n  x\n  y\nb: |-\n  x\n\n  y\n',
    },
    {
      name: 'control characters',
      value: ['a\u0000b', '\t', ' '],
      text: '- "a\\0b"\n- "\\t"\n- " "\n',
    },
    {
      name: 'long text on one line',
      value: 'word '.repeat(40).trim(),
      text: `${'word '.repeat(40).trim()}\n`,
    },
    { name: 'undefined members', value: { a: undefined, b: [undefined] }, text: 'b:\n- null\n' },
  ]) {
    test(name, async () => expect(await toYaml(value)).toBe(text))
  }

  test('shared parts are written out', async () => {
    const part = { a: 1 }
    expect(await toYaml([part, part])).toBe('- a: 1\n- a: 1\n')
  })

  test('long text', async () => {
    for (const text of [
      'x'.repeat(1_000_000),
      'x y '.repeat(250_000),
      '#'.repeat(500_000),
      'a\n'.repeat(150_000),
    ]) {
      expect(await parseYaml(await toYaml({ text }))).toEqual({ text })
    }
  })
})

test('a round trip preserves values', async () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string(),
    fc.stringMatching(/^[-+.0-9_eExXobn:T]{1,6}$/),
    fc.stringMatching(/^[-# :|>&*!%@`'"{}[\],?~\n\t a]{0,6}$/),
    fc.constantFrom('yes', 'no', '---', '...', '<<', '=', 'null', '\u0085', '\u2028', '\ufeff'),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.integer(),
      // Integral doubles beyond 2^53 are excluded: they come back as bigint.
      fc.double({ min: -1e15, max: 1e15, noNaN: true }).map((n) => (n === 0 ? 0 : n)),
      fc.constantFrom(1e21, 1e300, -5e-324),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.constantFrom(null, true, false),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(word, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  const exact = (value: unknown) =>
    JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `int:${v}` : v))
  const sorted = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(sorted)
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
  }
  await fc.assert(
    fc.asyncProperty(tree, async (value) => {
      const again = await parseYaml(await toYaml(value))
      expect(exact(sorted(again))).toBe(exact(sorted(value)))
    }),
    { numRuns: 1000 },
  )
})
