/** Examples that are published with the encoding: X.690 and "A Layman's Guide to a Subset of ASN.1, BER, and DER". */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyObjectId } from '../kinds/certificates/raw-request.fixture.ts'
import {
  bitString,
  der,
  objectId,
  readDer,
  readObjectIdentifier,
  readSmallInteger,
  sequence,
  Tag,
  time,
} from './der.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const PRINTABLE = 0x13
const IA5 = 0x16

/** An attribute of a name, as a set of one. */
const attribute = (id: string, text: string) =>
  der(Tag.set, sequence(objectId(id), der(PRINTABLE, Buffer.from(text))))

describe('published encodings', () => {
  for (const { name, written, bytes } of [
    { name: 'X.690 8.2, a truth', written: der(Tag.boolean, Buffer.of(0xff)), bytes: '01 01 ff' },
    {
      name: 'X.690 8.6, bits that do not fill their bytes',
      written: bitString(hex('0a3b5f291cd0'), 4),
      bytes: '03 07 04 0a 3b 5f 29 1c d0',
    },
    { name: 'X.690 8.8, null', written: der(Tag.null), bytes: '05 00' },
    {
      name: 'X.690 8.9, a sequence',
      written: sequence(der(IA5, Buffer.from('Smith')), der(Tag.boolean, Buffer.of(0xff))),
      bytes: '30 0a 16 05 53 6d 69 74 68 01 01 ff',
    },
    {
      name: 'X.690 8.19, an identifier whose first number needs two bytes',
      written: objectId('2.100.3'),
      bytes: '06 03 81 34 03',
    },
    {
      name: 'guide 5.4, bits',
      written: bitString(hex('6e5dc0'), 6),
      bytes: '03 04 06 6e 5d c0',
    },
    {
      name: 'guide 5.9, an identifier',
      written: objectId('1.2.840.113549'),
      bytes: '06 06 2a 86 48 86 f7 0d',
    },
    {
      name: 'guide 5.10, octets',
      written: der(Tag.octetString, hex('0123456789abcdef')),
      bytes: '04 08 01 23 45 67 89 ab cd ef',
    },
    {
      name: 'guide 5.17, a time',
      written: time(Date.parse('1991-05-06T16:45:40-07:00')),
      bytes: '17 0d 39 31 30 35 30 36 32 33 34 35 34 30 5a',
    },
    {
      name: 'guide 6.2, a name',
      written: sequence(
        attribute('2.5.4.6', 'US'),
        attribute('2.5.4.10', 'Example Organization'),
        attribute('2.5.4.3', 'Test User 1'),
      ),
      bytes: `30 42
        31 0b 30 09 06 03 55 04 06 13 02 55 53
        31 1d 30 1b 06 03 55 04 0a 13 14
          45 78 61 6d 70 6c 65 20 4f 72 67 61 6e 69 7a 61 74 69 6f 6e
        31 14 30 12 06 03 55 04 03 13 0b 54 65 73 74 20 55 73 65 72 20 31`.replaceAll('\n', ''),
    },
  ]) {
    test(name, () => {
      expect(written.toString('hex')).toBe(hex(bytes).toString('hex'))
      expect(readDer(written).map(({ whole }) => whole)).toEqual([written])
    })
  }
})

test('identifiers are read as they were written', () => {
  const ids = ['2.100.3', '1.2.840.113549', '2.5.29.17', '0.9.2342.19200300.100.1.25']
  expect(ids.map((id) => readObjectIdentifier(readDer(objectId(id))[0]))).toEqual(ids)
})

describe('anything but DER is refused', () => {
  for (const { name, bytes, problem } of [
    { name: 'no length', bytes: '30', problem: 'asn1: syntax error: data truncated' },
    { name: 'too few bytes', bytes: '04 05 aa', problem: 'asn1: syntax error: data truncated' },
    {
      name: 'an indefinite length',
      bytes: '30 80 00 00',
      problem: 'asn1: syntax error: indefinite length found (not DER)',
    },
    {
      name: 'a length of five bytes',
      bytes: '04 85 00 00 00 00 01 aa',
      problem: 'asn1: structure error: length too large',
    },
    {
      name: 'a tag of several bytes',
      bytes: '1f 81 01 00',
      problem: 'asn1: syntax error: invalid tag',
    },
  ])
    test(name, () => {
      expect(() => readDer(hex(bytes))).toThrow(problem)
    })
})

describe('numbers have bounds, and what is within them is written as it was read', () => {
  const ARCS: readonly (readonly [arc: bigint, isRead: boolean])[] = [
    [0n, true],
    [2n ** 7n - 1n, true],
    [2n ** 7n, true],
    [2n ** 31n - 1n, true],
    [2n ** 31n, false],
    [2n ** 32n - 1n, false],
    [2n ** 32n, false],
    [2n ** 32n + 10n, false],
    [2n ** 53n, false],
    [2n ** 53n + 1n, false],
    [2n ** 64n, false],
    [2n ** 64n + 10n, false],
  ]
  for (const [arc, isRead] of ARCS)
    test(`${arc} in an object identifier`, () => {
      const dotted = `2.5.4.${arc}`
      const [element] = readDer(anyObjectId(dotted))
      if (isRead) {
        expect(readObjectIdentifier(element)).toBe(dotted)
        expect(objectId(dotted)).toEqual(anyObjectId(dotted))
      } else {
        expect(() => readObjectIdentifier(element)).toThrow('base 128 integer too large')
        expect(() => objectId(dotted)).toThrow('invalid object identifier')
      }
    })

  for (const dotted of [
    '',
    '1',
    '3.1',
    '1.40',
    '1.2.x',
    '1.2.-3',
    '1.2.1e3',
    '1.2.03',
    '2.2147483647',
  ])
    test(`"${dotted}" is no object identifier`, () => {
      expect(() => objectId(dotted)).toThrow('invalid object identifier')
    })

  for (const [bytes, expected] of [
    ['02 01 00', 0],
    ['02 01 7f', 127],
    ['02 02 00 80', 128],
    ['02 04 7f ff ff ff', 2 ** 31 - 1],
    ['02 05 00 80 00 00 00', 'integer too large'],
    ['02 05 01 00 00 00 00', 'integer too large'],
    ['02 07 20 00 00 00 00 00 00', 'integer too large'],
    ['02 09 01 00 00 00 00 00 00 00 00', 'integer too large'],
    ['02 01 ff', 'integer is negative'],
    ['02 02 00 7f', 'integer not minimally-encoded'],
    ['02 02 ff 80', 'integer not minimally-encoded'],
    ['02 00', 'empty integer'],
    ['05 00', "tags don't match"],
  ] as const)
    test(`the integer ${bytes}`, () => {
      const [element] = readDer(hex(bytes))
      if (typeof expected === 'number') expect(readSmallInteger(element)).toBe(expected)
      else expect(() => readSmallInteger(element)).toThrow(expected)
    })

  for (const [bytes, problem] of [
    ['04 81 7f', 'truncated|non-minimal length'],
    ['04 81 00', 'superfluous leading zeros in length'],
    ['04 82 00 80', 'superfluous leading zeros in length'],
    ['06 00', 'zero length OBJECT IDENTIFIER'],
    ['06 02 55 80', 'not minimally encoded'],
    ['06 02 55 81', 'truncated base 128 integer'],
    ['06 03 55 80 01', 'not minimally encoded'],
  ] as const)
    test(`${bytes} is not DER`, () => {
      expect(() => readObjectIdentifier(readDer(hex(bytes))[0])).toThrow(new RegExp(problem))
    })

  test('any bytes that are read are written again as they were', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (given) => {
        const bytes = Buffer.from(given)
        let elements
        try {
          elements = readDer(bytes)
        } catch {
          return
        }
        const written = elements.map(({ tag, content }) => der(tag, content))
        expect(Buffer.concat(written)).toEqual(bytes)
        for (const element of elements.filter(({ tag }) => tag === Tag.objectId)) {
          const dotted = attempt(() => readObjectIdentifier(element))
          if (dotted !== null) expect(objectId(dotted)).toEqual(element.whole)
        }
      }),
      { numRuns: 2000 },
    )
    const identifier = fc.uint8Array({ minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(identifier, (content) => {
        const whole = der(Tag.objectId, content)
        const dotted = attempt(() => readObjectIdentifier(readDer(whole)[0]))
        if (dotted !== null) expect(objectId(dotted)).toEqual(whole)
      }),
      { numRuns: 2000 },
    )
  })
})

function attempt(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}
