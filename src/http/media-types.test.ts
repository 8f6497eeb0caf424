import { describe, expect, test } from 'vitest'
import {
  negotiate,
  noTransformation,
  parseAccept,
  parseContentType,
  parseMediaType,
  transformations,
} from './media-types.ts'

const written = ({ type, subtype, params }: NonNullable<ReturnType<typeof parseMediaType>>) =>
  [`${type}/${subtype}`, ...[...params].map(([name, value]) => `${name}=${value}`)].join(' ')

describe('a media type', () => {
  for (const [text, expected] of [
    ['application/json', 'application/json'],
    [' Application/JSON ', 'application/json'],
    ['application/json; charset=UTF-8', 'application/json charset=UTF-8'],
    ['application/json;as=Table;v=v1;g=meta.x', 'application/json as=Table v=v1 g=meta.x'],
    ['application/json ; AS = "Ta\\"b,;le" ', 'application/json as=Ta"b,;le'],
    ['application/vnd.x.protobuf;type=a/b', 'application/vnd.x.protobuf type=a/b'],
    ['application/apply-patch+yaml', 'application/apply-patch+yaml'],
    ['application/json;', 'application/json'],
    ['application/json;v=', 'application/json v='],
    ['application/json;v=1;v=2', 'application/json v=1'],
    ['a/b;__proto__=c', 'a/b __proto__=c'],
    ['json', null],
    ['', null],
    ['/json', null],
    ['application/', null],
    ['app lication/json', null],
    ['application/json;v', null],
    ['application/json;v="x', null],
    ['application/json;v="x"y', null],
    ['application/json;v=a b', null],
  ] as const) {
    test(JSON.stringify(text), () => {
      const media = parseMediaType(text)
      expect(media && written(media)).toBe(expected)
    })
  }

  test('a body without Content-Type is JSON', () => {
    expect(parseContentType(undefined)).toEqual({
      type: 'application',
      subtype: 'json',
      params: new Map(),
    })
    expect(parseContentType('')).toBe(parseContentType('application/json'))
    expect(parseContentType('nonsense')).toBe(null)
    // Parsing takes linear time.
    expect(parseContentType(`application/json${'; \t'.repeat(50_000)}x`)).toBe(null)
    expect(parseContentType('text/plain;a=b')).toBe(parseContentType('text/plain;a=b'))
  })
})

describe('clauses of an Accept header', () => {
  for (const [header, expected] of [
    ['application/json', ['application/json']],
    ['a/a, b/b ,c/c', ['a/a', 'b/b', 'c/c']],
    ['a/a;q=0.5, b/b, c/c;q=0.9', ['b/b', 'c/c', 'a/a']],
    ['*/*, a/*, a/a', ['a/a', 'a/*', '*/*']],
    ['a/a;q=0.1,*/*;q=0.8', ['*/*', 'a/a']],
    ['a/a;x="1,2";q=0.2, b/b;q=0', ['a/a x=1,2', 'b/b']],
    ['a/a;q=2, b/b;q=x, c/c;q=-1, d/d;q=1.000', ['d/d']],
    ['nonsense, ,a/a,, */a', ['a/a']],
    ['', []],
  ] as const) {
    test(header, () => expect(parseAccept(header).map(written)).toEqual(expected))
  }
})

const json = { type: 'application', subtype: 'json' }
const yaml = { type: 'application', subtype: 'yaml' }
const binary = { type: 'application', subtype: 'vnd.x.protobuf' }
const table = transformations('meta.x', ['Table'])

describe('negotiation', () => {
  for (const { accept, taken, acceptable = table } of [
    { accept: undefined, taken: 'application/json' },
    { accept: '', taken: 'application/json' },
    { accept: '*/*', taken: 'application/json' },
    { accept: 'application/*', taken: 'application/json' },
    { accept: 'application/json', taken: 'application/json' },
    { accept: 'application/yaml', taken: 'application/yaml' },
    { accept: 'application/vnd.x.protobuf,application/json', taken: 'application/vnd.x.protobuf' },
    { accept: 'application/cbor, application/yaml;q=0.5', taken: 'application/yaml' },
    { accept: 'application/yaml;q=0.5, application/json', taken: 'application/json' },
    { accept: 'text/html, */*;q=0.1', taken: 'application/json' },
    { accept: '*/*, application/yaml', taken: 'application/yaml' },
    { accept: 'application/json;q=0, */*', taken: 'application/yaml' },
    { accept: 'application/json;charset=utf-8', taken: 'application/json charset=utf-8' },
    { accept: 'application/json;pretty=1', taken: 'application/json pretty=1' },
    { accept: 'application/json;stream=watch', taken: 'application/json stream=watch' },
    { accept: 'application/json;stream=other,application/yaml', taken: 'application/yaml' },
    {
      accept: 'application/json;as=Table;v=v1;g=meta.x,application/json',
      taken: 'application/json as=Table v=v1 g=meta.x',
    },
    {
      accept: 'application/json;as=Table;v=v1beta1;g=meta.x',
      taken: 'application/json as=Table v=v1beta1 g=meta.x',
    },
    { accept: 'application/json;as=Table;v=v2;g=meta.x', taken: null },
    { accept: 'application/json;as=Table;v=v1;g=meta.y', taken: null },
    { accept: 'application/json;as=Chair;v=v1;g=meta.x', taken: null },
    { accept: 'application/json;g=meta.x', taken: null },
    {
      accept: 'application/json;as=Table;v=v2;g=meta.x,application/json',
      taken: 'application/json',
    },
    {
      accept: 'application/json;as=Table;v=v1;g=meta.x,application/json',
      taken: 'application/json',
      acceptable: noTransformation,
    },
    { accept: 'text/html', taken: null },
    { accept: 'application/json;q=0', taken: null },
    { accept: 'nonsense', taken: null },
  ]) {
    test(String(accept), () => {
      const choice = negotiate(accept, [json, yaml, binary], acceptable)
      expect(choice && written({ ...choice.offer, params: choice.params })).toBe(taken)
    })
  }

  test('a later offer is used if the callback rejects the first', () => {
    const choice = negotiate('*/*;as=Table', [binary, json], (_, offer) => offer === json)
    expect(choice?.offer).toBe(json)
  })

  test('JSON is not assumed to be acceptable', () => {
    expect(negotiate('application/json', [yaml])).toBe(null)
    expect(negotiate(undefined, [])).toBe(null)
  })

  test('simple choices do not allocate', () => {
    expect(negotiate(undefined, [json])).toBe(negotiate('application/json', [json]))
    expect(negotiate('a/a, */*', [json])).toBe(negotiate(undefined, [json]))
  })

  test('many different headers exceed the cache and are still parsed', () => {
    for (let i = 0; i < 1000; i++) expect(parseAccept(`a/a${i}`).map(written)).toEqual([`a/a${i}`])
    expect(parseAccept(`a/${'b'.repeat(1000)}`)).toHaveLength(1)
  })
})
