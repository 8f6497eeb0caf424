import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { codecOf, DecodeError, Decoding } from './codec.ts'
import { home, t } from '../notation/shape.ts'

const { shape } = home('test/v1')
class Inner extends shape({ '{agent}Endpoint': t.int32(1).required() }) {}
class Outer extends shape({
  plain: t.string(1),
  '{agent}Version': t.string(2).default('none'),
  list: t.list(3, Inner),
  map: t.map(4, Inner),
}) {}

describe('names of fields in the words of a vocabulary', () => {
  for (const { vocabulary, word, other } of [
    { vocabulary: 'orch', word: 'nodeagent', other: 'kubelet' },
    { vocabulary: 'kubernetes', word: 'kubelet', other: 'nodeagent' },
  ] as const) {
    describe(vocabulary, () => {
      const codec = codecOf(Outer.shape, vocabularies[vocabulary])
      const json = {
        plain: 'p',
        [`${word}Version`]: 'v1',
        list: [{ [`${word}Endpoint`]: 1 }],
        map: { '{agent}Version': { [`${word}Endpoint`]: 2 } },
      }
      const object = {
        plain: 'p',
        '{agent}Version': 'v1',
        list: [{ '{agent}Endpoint': 1 }],
        // Map keys are user data, whatever they look like.
        map: { '{agent}Version': { '{agent}Endpoint': 2 } },
      }

      test('in and out, in declared order', () => {
        const decoding = new Decoding()
        expect(codec.decode(json, decoding)).toEqual(object)
        expect(decoding.unknown).toEqual([])
        expect(JSON.stringify(codec.plain(object))).toBe(JSON.stringify(json))
      })

      test('defaults and fields that are always written', () => {
        expect(codec.decode({ list: [{}] }, new Decoding())).toEqual({
          '{agent}Version': 'none',
          list: [{ '{agent}Endpoint': 0 }],
        })
        expect(codec.plain({ list: [{}] })).toEqual({ list: [{ [`${word}Endpoint`]: 0 }] })
      })

      test('other words, and the template itself, are unknown', () => {
        const decoding = new Decoding()
        const given = {
          [`${other}Version`]: 'x',
          '{agent}Version': 'y',
          list: [{ '{agent}Endpoint': 3 }],
        }
        expect(codec.decode(given, decoding)).toEqual({
          '{agent}Version': 'none',
          list: [{ '{agent}Endpoint': 0 }],
        })
        expect(decoding.unknown).toEqual([
          'list[0].{agent}Endpoint',
          `${other}Version`,
          '{agent}Version',
        ])
      })

      test('errors name the field as it was sent', () => {
        expect(() =>
          codec.decode({ map: { a: { [`${word}Endpoint`]: 'x' } } }, new Decoding()),
        ).toThrow(
          new DecodeError(['map', 'a', `${word}Endpoint`], 'expected an integer, found a string'),
        )
      })
    })
  }

  test('without a vocabulary names are unchanged', () => {
    expect(codecOf(Inner.shape).plain({ '{agent}Endpoint': 5 })).toEqual({ '{agent}Endpoint': 5 })
  })
})
