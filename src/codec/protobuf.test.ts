import { describe, expect, test } from 'vitest'
import { codecOf, Decoding, type JsonObject } from './codec.ts'
import { ProtobufError } from './protobuf-wire.ts'
import { protobufOf } from './protobuf.ts'
import { Field, home, t, type Shape } from '../notation/shape.ts'

const { shape } = home('tests/v1')
const v = { resolve: (template: string) => template.replaceAll('{agent}', 'nodeagent') }

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const of = (fields: Record<string, Field<any, any>>) => protobufOf(shape(fields).shape, v)

class Inner extends shape({ a: t.string(1), n: t.int32(2).explicit() }) {}
class Inline extends shape({ x: t.string(1), y: t.list(2, 'string') }) {}
class Tree extends shape({
  name: t.string(1).explicit(),
  left: new Field<object>(2, { is: 'object', to: (): Shape => Tree.shape }).explicit(),
}) {}
const special = (form: 'schemaOrBool' | 'schemaOrArray' | 'schemaOrStrings') =>
  new Field<unknown>(1, {
    is: 'any',
    special: { form, name: form, of: () => Inner.shape },
  }).explicit()

describe('each value has one form', () => {
  const most = 2 ** 53 - 1
  for (const { name, field, value, hex } of [
    { name: 'string', field: t.string(1), value: 'äb', hex: '0a 03 c3a462' },
    {
      name: 'long string',
      field: t.string(1),
      value: 'é'.repeat(150),
      hex: `0a ac02 ${'c3a9'.repeat(150)}`,
    },
    { name: 'number of two bytes', field: t.string(16), value: 'a', hex: '8201 01 61' },
    { name: 'true', field: t.bool(1), value: true, hex: '08 01' },
    { name: 'int32', field: t.int32(1), value: 300, hex: '08 ac02' },
    { name: 'int32 below zero', field: t.int32(1), value: -1, hex: '08 ffffffffffffffffff01' },
    { name: 'least int32', field: t.int32(1), value: -0x80000000, hex: '08 80808080f8ffffffff01' },
    { name: 'int64', field: t.int64(1), value: 5_000_000_000, hex: '08 80e497d012' },
    { name: 'largest exact int64', field: t.int64(1), value: most, hex: '08 ffffffffffffff0f' },
    { name: 'least exact int64', field: t.int64(1), value: -most, hex: '08 81808080808080f0ff01' },
    { name: 'double', field: t.double(1), value: 1.5, hex: '09 000000000000f83f' },
    { name: 'bytes', field: t.bytes(1), value: '//79', hex: '0a 03 fffefd' },
    { name: 'quantity', field: t.quantity(1), value: '1500m', hex: '0a 07 0a 05 313530306d' },
    { name: 'time', field: t.time(1), value: '1970-01-01T00:00:01Z', hex: '0a 04 08 01 10 00' },
    {
      name: 'start of time',
      field: t.time(1),
      value: '1970-01-01T00:00:00Z',
      hex: '0a 04 08 00 10 00',
    },
    {
      name: 'last time',
      field: t.time(1),
      value: '9999-12-31T23:59:59Z',
      hex: '0a 09 08 ff82d1ffaf07 10 00',
    },
    {
      name: 'micro time',
      field: t.microTime(1),
      value: '1970-01-01T00:00:01.000002Z',
      hex: '0a 05 08 01 10 d00f',
    },
    {
      name: 'micro time before the epoch',
      field: t.microTime(1),
      value: '1969-12-31T23:59:59.500000Z',
      hex: '0a 11 08 ffffffffffffffffff01 10 80cab5ee01',
    },
    {
      name: 'number of a choice',
      field: t.intOrString(1),
      value: 80,
      hex: '0a 06 08 00 10 50 1a 00',
    },
    {
      name: 'string of a choice',
      field: t.intOrString(1),
      value: 'http',
      hex: '0a 0a 08 01 10 00 1a 04 68747470',
    },
    { name: 'free form', field: t.raw(1), value: { a: 1 }, hex: '0a 09 0a 07 7b2261223a317d' },
    { name: 'any JSON', field: t.any(1), value: [null], hex: '0a 08 0a 06 5b6e756c6c5d' },
    {
      name: 'list of strings',
      field: t.list(1, 'string'),
      value: ['a', '', 'b'],
      hex: '0a 01 61 0a 00 0a 01 62',
    },
    {
      name: 'list of numbers, not packed',
      field: t.list(1, 'int32'),
      value: [1, 0, -1],
      hex: '08 01 08 00 08 ffffffffffffffffff01',
    },
    {
      name: 'list of objects',
      field: t.list(1, Inner),
      value: [{ a: 'x' }, { n: 0 }],
      hex: '0a 03 0a 01 78 0a 04 0a 00 10 00',
    },
    {
      name: 'list of any JSON with null',
      field: t.list(1, 'any'),
      value: [null, 1],
      hex: '0a 00 0a 03 0a 01 31',
    },
    {
      name: 'map in the order of keys',
      field: t.map(1, 'string'),
      value: { b: 'x', a: '' },
      hex: '0a 05 0a 01 61 12 00 0a 06 0a 01 62 12 01 78',
    },
    {
      name: 'map in the order of bytes, not of 16-bit units',
      field: t.map(1, 'bool'),
      value: { '😀': true, '\uFF5E': false },
      hex: '0a 07 0a 03 efbd9e 10 00 0a 08 0a 04 f09f9880 10 01',
    },
    {
      name: 'map of objects',
      field: t.map(1, Inner),
      value: { k: { a: 'x' } },
      hex: '0a 08 0a 01 6b 12 03 0a 01 78',
    },
    {
      name: 'map of bytes',
      field: t.map(1, 'bytes'),
      value: { k: '' },
      hex: '0a 05 0a 01 6b 12 00',
    },
    {
      name: 'map of lists',
      field: t.map(1, 'strings'),
      value: { k: ['a', 'b'], l: [] },
      hex: '0a 0b 0a 01 6b 12 06 0a 01 61 0a 01 62 0a 05 0a 01 6c 12 00',
    },
    {
      name: 'object',
      field: t.object(1, Inner),
      value: { a: 'x', n: 1 },
      hex: '0a 05 0a 01 78 10 01',
    },
    {
      name: 'false instead of a schema',
      field: special('schemaOrBool'),
      value: false,
      hex: '0a 02 08 00',
    },
    {
      name: 'true instead of a schema',
      field: special('schemaOrBool'),
      value: true,
      hex: '0a 02 08 01',
    },
    {
      name: 'schema, not bool',
      field: special('schemaOrBool'),
      value: { a: 'x' },
      hex: '0a 07 08 01 12 03 0a 01 78',
    },
    {
      name: 'schema, not list',
      field: special('schemaOrArray'),
      value: { a: 'x' },
      hex: '0a 05 0a 03 0a 01 78',
    },
    {
      name: 'list instead of a schema',
      field: special('schemaOrArray'),
      value: [{ a: 'x' }],
      hex: '0a 05 12 03 0a 01 78',
    },
    {
      name: 'schema, not names',
      field: special('schemaOrStrings'),
      value: { a: 'x' },
      hex: '0a 05 0a 03 0a 01 78',
    },
    {
      name: 'names instead of a schema',
      field: special('schemaOrStrings'),
      value: ['a', 'b'],
      hex: '0a 06 12 01 61 12 01 62',
    },
  ]) {
    test(name, () => {
      const { encode, decode } = of({ f: field })
      expect(encode({ f: value }).toString('hex')).toBe(bytes(hex).toString('hex'))
      expect(decode(bytes(hex))).toEqual({ f: value })
      // Uint8Array that is not a Buffer works as well.
      expect(decode(new Uint8Array(bytes(hex)))).toEqual({ f: value })
    })
  }
})

describe('absent, zero and given', () => {
  const zeros: Record<string, { plain: () => Field<any, any>; zero: unknown; hex: string }> = {
    string: { plain: () => t.string(1), zero: '', hex: '0a00' },
    bool: { plain: () => t.bool(1), zero: false, hex: '0800' },
    int32: { plain: () => t.int32(1), zero: 0, hex: '0800' },
    int64: { plain: () => t.int64(1), zero: 0, hex: '0800' },
    double: { plain: () => t.double(1), zero: 0, hex: '090000000000000000' },
    quantity: { plain: () => t.quantity(1), zero: '0', hex: '0a030a0130' },
    intOrString: { plain: () => t.intOrString(1), zero: 0, hex: '0a06080010001a00' },
    object: { plain: () => t.object(1, Inner), zero: {}, hex: '0a020a00' },
  }
  for (const [name, { plain, zero, hex }] of Object.entries(zeros)) {
    test(`${name}: always written unless absence differs`, () => {
      expect(of({ f: plain() }).encode({}).toString('hex')).toBe(hex)
      expect(of({ f: plain().required() }).encode({}).toString('hex')).toBe(hex)
      expect(of({ f: plain().explicit() }).encode({}).toString('hex')).toBe('')
      expect(of({ f: plain().explicit() }).encode({ f: null }).toString('hex')).toBe('')
    })
    const hasNoForm = ['quantity', 'intOrString'].includes(name)
    test(`${name}: a zero without presence is read as absence`, () => {
      const { decode } = of({ f: plain() })
      expect(decode(bytes(hex))).toEqual(hasNoForm ? { f: zero } : {})
      expect(decode(bytes(hex + hex))).toEqual(hasNoForm ? { f: zero } : {})
    })
    test(`${name}: an explicit zero is not absence`, () => {
      const explicit = shape({ f: plain().explicit() }).shape
      const { encode, decode } = protobufOf(explicit, v)
      expect(encode({ f: zero }).toString('hex')).toBe(hex)
      expect(decode(bytes(hex))).toEqual({ f: zero })
      expect(decode(bytes(''))).toEqual({})
      const codec = codecOf(explicit)
      expect(Object.keys(codec.decode(decode(bytes(hex)), new Decoding()))).toEqual(['f'])
    })
  }

  test('a zero takes the place of an earlier value', () => {
    const { decode } = of({ s: t.string(1), n: t.int32(2), b: t.bool(3) })
    expect(decode(bytes('0a0161 1001 1801'))).toEqual({ s: 'a', n: 1, b: true })
    expect(decode(bytes('0a0161 1001 1801 0a00 1000 1800'))).toEqual({})
  })

  for (const { name, field, hex } of [
    { name: 'no time', field: t.time(1), hex: '0a00' },
    { name: 'no micro time', field: t.microTime(1), hex: '0a00' },
    { name: 'no free-form object', field: t.raw(1), hex: '0a00' },
    { name: 'no bytes', field: t.bytes(1), hex: '' },
    { name: 'no list', field: t.list(1, 'string').required(), hex: '' },
    { name: 'no map', field: t.map(1, 'string').required(), hex: '' },
  ]) {
    test(name, () => {
      const { encode, decode } = of({ f: field })
      for (const object of [{}, { f: null }]) expect(encode(object).toString('hex')).toBe(hex)
      expect(decode(bytes(hex))).toEqual({})
    })
  }

  test('the zero time means absent', () => {
    const { encode, decode } = of({ f: t.time(1).explicit(), g: t.microTime(2).explicit() })
    const object = { f: '0001-01-01T00:00:00Z', g: '0001-01-01T00:00:00.000000Z' }
    expect(encode(object).toString('hex')).toBe('0a001200')
    expect(decode(bytes('0a0d 08 8092b8c398feffffff01 10 00'))).toEqual({})
  })

  test('a micro time next to the zero time is present', () => {
    const { encode, decode } = of({ f: t.microTime(1) })
    const object = { f: '0001-01-01T00:00:00.000001Z' }
    expect(decode(encode(object))).toEqual(object)
  })
})

describe('messages', () => {
  test('are written in the order of numbers, whatever the order of fields', () => {
    const { encode } = of({ b: t.string(2), c: t.string(3), a: t.string(1) })
    expect(encode({ c: 'c', b: 'b', a: 'a' }).toString('hex')).toBe('0a01611201621a0163')
  })

  test('hold inlined fields as one message, which is always written', () => {
    const { encode, decode } = of({ i: t.inline(1, Inline), z: t.string(2) })
    const object = { x: 'x', y: ['y'], z: 'z' }
    expect(encode(object).toString('hex')).toBe('0a060a017812017912017a')
    expect(decode(encode(object))).toEqual(object)
    expect(encode({}).toString('hex')).toBe('0a020a001200')
  })

  test('know fields by the words of the vocabulary', () => {
    const { encode, decode } = of({ '{agent}Version': t.string(1) })
    expect(encode({ nodeagentVersion: 'v' }).toString('hex')).toBe('0a0176')
    expect(decode(bytes('0a0176'))).toEqual({ nodeagentVersion: 'v' })
  })

  test('leave kind and apiVersion to the envelope', () => {
    const { encode } = protobufOf(shape({ a: t.string(1) }, { typed: true }).shape, v)
    expect(encode({ kind: 'K', apiVersion: 'v1', a: 'a' }).toString('hex')).toBe('0a0161')
  })

  test('take member names that every object inherits', () => {
    const { encode, decode } = of({ constructor: t.string(1).explicit(), m: t.map(2, 'string') })
    expect(encode({}).toString('hex')).toBe('')
    const hex = '120e 0a09 5f5f70726f746f5f5f 1201 78'
    const map = (decode(bytes(hex)) as { m: JsonObject }).m
    expect(Object.entries(map)).toEqual([['__proto__', 'x']])
    expect(encode({ m: map }).toString('hex')).toBe(bytes(hex).toString('hex'))
    expect({}).not.toHaveProperty('x')
  })

  test('an integer that is not exact is not written', () => {
    expect(() => of({ n: t.int64(1) }).encode({ n: 2 ** 53 })).toThrow(
      new ProtobufError(
        'proto: 9007199254740992 is beyond the integers that are represented exactly',
      ),
    )
  })

  for (const { name, hex, read } of [
    {
      name: 'unknown fields are passed over',
      hex: '50 01 59 0000000000000000 62 01 00 6d 00000000 0a 01 61',
      read: { s: 'a' },
    },
    { name: 'of a scalar the last counts', hex: '0a 01 61 0a 01 62', read: { s: 'b' } },
    {
      name: 'messages are joined',
      hex: '12 03 0a 01 61 12 02 10 05',
      read: { o: { a: 'a', n: 5 } },
    },
    {
      name: 'inlined messages are joined',
      hex: '3a 03 12 01 61 3a 06 0a 01 78 12 01 62',
      read: { x: 'x', y: ['a', 'b'] },
    },
    { name: 'numbers may be packed', hex: '18 01 1a 02 02 03', read: { l: [1, 2, 3] } },
    { name: 'an empty list may be packed', hex: '1a 00', read: { l: [] } },
    {
      name: 'of a key the last counts',
      hex: '22 06 0a 01 6b 12 01 61 22 06 0a 01 6b 12 01 62',
      read: { m: { k: 'b' } },
    },
    { name: 'an entry may lack its key', hex: '22 03 12 01 61', read: { m: { '': 'a' } } },
    { name: 'an entry may lack its value', hex: '22 03 0a 01 6b', read: { m: { k: '' } } },
    {
      name: 'an entry may hold more',
      hex: '22 08 0a 01 6b 18 01 12 01 61',
      read: { m: { k: 'a' } },
    },
    {
      name: 'a time has no parts of a second',
      hex: '2a 04 08 01 10 05',
      read: { t: '1970-01-01T00:00:01Z' },
    },
    {
      name: 'a micro time is cut',
      hex: '32 06 08 01 10 e7940f',
      read: { u: '1970-01-01T00:00:01.000248Z' },
    },
    {
      name: 'nanoseconds below zero are taken off',
      hex: '32 0d 08 01 10 b1f0ffffffffffffff01',
      read: { u: '1970-01-01T00:00:00.999999Z' },
    },
    {
      name: 'nanoseconds are carried',
      hex: '32 08 08 01 10 ffffffff07',
      read: { u: '1970-01-01T00:00:03.147483Z' },
    },
  ]) {
    test(name, () => {
      const { decode } = of({
        s: t.string(1),
        o: t.object(2, Inner).explicit(),
        l: t.list(3, 'int32'),
        m: t.map(4, 'string'),
        t: t.time(5),
        u: t.microTime(6),
        i: t.inline(7, Inline),
      })
      expect(decode(bytes(hex))).toEqual(read)
    })
  }
})

describe('bytes that are no message are refused', () => {
  const all = of({
    s: t.string(1),
    n: t.int32(2),
    l: t.int64(3),
    d: t.double(4),
    t: t.time(5),
    j: t.raw(6),
    m: t.map(7, 'string'),
    i: t.intOrString(8),
    o: t.object(9, Inner),
    r: t.list(10, 'string'),
    p: t.list(11, 'int32'),
    q: t.quantity(12),
  })
  const eof = 'proto: unexpected EOF'
  const illegal = 'proto: illegal wire format'
  const utf8 = 'proto: a string is not valid UTF-8'
  for (const { name, hex, message } of [
    { name: 'a tag without a value', hex: '0a', message: eof },
    { name: 'a text that is cut off', hex: '0a 02 61', message: eof },
    { name: 'a text of gigabytes', hex: '0a ffffffff07', message: eof },
    { name: 'a length without an end', hex: '0a ffffffffffff', message: illegal },
    { name: 'an integer without an end', hex: '10 ffffffffffffffffffffff', message: illegal },
    { name: 'an integer that is cut off', hex: '10 ff', message: eof },
    { name: 'a double that is cut off', hex: '21 00000000', message: eof },
    { name: 'a message longer than what holds it', hex: '4a 04 0a 01 61', message: eof },
    {
      name: 'a text longer than its message',
      hex: '4a 03 0a 05 61 0a 05 6262626262',
      message: eof,
    },
    { name: 'an unknown field that is cut off', hex: 'f201 05 00', message: eof },
    { name: 'number 0', hex: '00 00', message: 'proto: illegal tag 0 (wire type 0)' },
    {
      name: 'number 0 further in',
      hex: '2a 02 00 00',
      message: 'proto: illegal tag 0 (wire type 0)',
    },
    { name: 'a number that is too large', hex: 'ffffffffff7f', message: illegal },
    { name: 'wire type 6', hex: 'f6 01', message: illegal },
    { name: 'wire type 7', hex: 'f701', message: illegal },
    { name: 'a group', hex: 'f301 f401', message: 'proto: illegal wireType 3' },
    { name: 'the end of a group', hex: 'f401', message: 'proto: illegal wireType 4' },
    { name: 'a string as a number', hex: '08 01', message: 'proto: wrong wireType = 0' },
    { name: 'a number as a string', hex: '12 01 61', message: 'proto: wrong wireType = 2' },
    { name: 'an item of another wire type', hex: '50 01', message: 'proto: wrong wireType = 0' },
    {
      name: 'an item of another wire type, which could be packed',
      hex: '59 0000000000000000',
      message: 'proto: wrong wireType = 1',
    },
    { name: 'a key that is a number', hex: '3a 02 08 01', message: 'proto: wrong wireType = 0' },
    {
      name: 'a quantity that is a number',
      hex: '62 02 08 01',
      message: 'proto: wrong wireType = 0',
    },
    { name: 'text that is not UTF-8', hex: '0a 01 ff', message: utf8 },
    { name: 'half of a pair', hex: '0a 03 eda080', message: utf8 },
    { name: 'a key that is not UTF-8', hex: '3a 03 0a 01 80', message: utf8 },
    {
      name: 'an integer that is not exact',
      hex: '18 8080808080808010',
      message: 'proto: 9007199254740992 is beyond the integers that are represented exactly',
    },
    {
      name: 'infinity',
      hex: '21 000000000000f07f',
      message: 'proto: Infinity has no form in JSON',
    },
    {
      name: 'a time after the year 9999',
      hex: '2a 07 08 8083d1ffaf07',
      message: 'proto: a time is out of range',
    },
    {
      name: 'JSON that is none',
      hex: '32 03 0a 01 7b',
      message: 'proto: embedded bytes are not JSON',
    },
    {
      name: 'neither an integer nor a string',
      hex: '42 02 08 02',
      message: 'proto: 2 is neither an integer nor a string',
    },
  ]) {
    test(name, () => {
      expect(() => all.decode(bytes(hex))).toThrow(new ProtobufError(message))
    })
  }

  test('the replacement character may be sent', () => {
    expect(all.decode(bytes('0a 03 efbfbd'))).toEqual({ s: '\uFFFD' })
  })

  test('messages inside each other, up to a limit', () => {
    const { decode } = protobufOf(Tree.shape, v)
    const nested = (levels: number) => {
      let raw = Buffer.alloc(0)
      for (let i = 0; i < levels; i++) {
        const length = raw.length < 128 ? [raw.length] : [(raw.length & 127) | 128, raw.length >> 7]
        raw = Buffer.concat([Buffer.from([0x12, ...length]), raw])
      }
      return raw
    }
    expect(JSON.stringify(decode(nested(100)))).toBe(
      `${'{"left":'.repeat(100)}{}${'}'.repeat(100)}`,
    )
    expect(() => decode(nested(101))).toThrow(
      new ProtobufError('proto: message is nested too deeply'),
    )
    expect(() => decode(nested(5000))).toThrow(
      new ProtobufError('proto: message is nested too deeply'),
    )
  })
})
