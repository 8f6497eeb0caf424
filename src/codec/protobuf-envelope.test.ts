import { describe, expect, test } from 'vitest'
import {
  BETA_METADATA_LIST,
  eventFrame,
  ListWriter,
  MAGIC,
  unwrap,
  wrap,
  type Envelope,
  type ListNumbers,
} from './protobuf-envelope.ts'
import { ProtobufError } from './protobuf-wire.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const magic = '6b387300'

describe('an envelope', () => {
  test('starts with four bytes, and always contains encoding and content type', () => {
    expect(wrap({ apiVersion: 'v1', kind: 'Pod' }, bytes('0a00')).toString('hex')).toBe(
      bytes(`${magic} 0a09 0a02 7631 1203 506f64 1202 0a00 1a00 2200`).toString('hex'),
    )
  })

  test('of a long message contains its length', () => {
    const raw = Buffer.alloc(100_000, 7)
    const whole = wrap({ apiVersion: 'apps/v1', kind: 'Deployment' }, raw)
    expect(unwrap(whole)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      raw,
      contentEncoding: '',
      contentType: '',
    })
  })

  const nothing: Envelope = {
    apiVersion: '',
    kind: '',
    raw: Buffer.alloc(0),
    contentEncoding: '',
    contentType: '',
  }
  for (const { name, hex, read } of [
    { name: 'without anything but a kind', hex: '0a03 1201 4b', read: { kind: 'K' } },
    {
      name: 'in any order',
      hex: '1201 01 0a04 0a02 7631',
      read: { apiVersion: 'v1', raw: bytes('01') },
    },
    {
      name: 'with a content type',
      hex: '1a01 67 2201 74',
      read: { contentEncoding: 'g', contentType: 't' },
    },
    {
      name: 'with fields that nobody knows',
      hex: '2a01 00 30 05 1201 01',
      read: { raw: bytes('01') },
    },
    {
      name: 'whose type comes in two parts',
      hex: '0a03 0a01 76 0a03 1201 4b',
      read: { apiVersion: 'v', kind: 'K' },
    },
  ]) {
    test(`is read ${name}`, () => {
      expect(unwrap(bytes(magic + hex))).toEqual({ ...nothing, ...read })
    })
  }

  const prefix =
    'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'
  const eof = 'proto: unexpected EOF'
  for (const { name, hex, message } of [
    { name: 'nothing', hex: '', message: 'empty data' },
    { name: 'a part of the prefix', hex: '6b3873', message: prefix },
    { name: 'another prefix', hex: '6b387301 1201 01', message: prefix },
    { name: 'a prefix alone', hex: magic, message: 'empty body' },
    { name: 'a type that is cut off', hex: `${magic} 0a09 0a02`, message: eof },
    { name: 'a type longer than its message', hex: `${magic} 0a02 0a05 76 1201 01`, message: eof },
    { name: 'a message that is cut off', hex: `${magic} 1205 01`, message: eof },
    { name: 'a message of gigabytes', hex: `${magic} 12 ffffffff07 01`, message: eof },
    { name: 'something behind its end', hex: `${magic} 1201 01 ff`, message: eof },
    { name: 'text behind its end', hex: `${magic} 1201 01 0a`, message: eof },
    {
      name: 'a zero behind its end',
      hex: `${magic} 1201 01 00`,
      message: 'proto: illegal tag 0 (wire type 0)',
    },
    { name: 'a number as message', hex: `${magic} 10 01`, message: 'proto: wrong wireType = 0' },
    { name: 'a number as kind', hex: `${magic} 0a02 10 01`, message: 'proto: wrong wireType = 0' },
    { name: 'a group', hex: `${magic} 3b 3c`, message: 'proto: illegal wireType 3' },
    {
      name: 'a kind that is not UTF-8',
      hex: `${magic} 0a03 1201 ff`,
      message: 'proto: a string is not valid UTF-8',
    },
    { name: 'JSON', hex: Buffer.from('{"kind":"Pod"}').toString('hex'), message: prefix },
  ]) {
    test(`is not: ${name}`, () => {
      expect(() => unwrap(bytes(hex))).toThrow(new ProtobufError(message))
    })
  }
})

/** A list of an item and an empty one. */
function listOf(numbers?: ListNumbers): Buffer {
  const list = new ListWriter(() => Buffer.alloc(1000), numbers)
  list.add((writer) => writer.raw(bytes('0a00')))
  list.add(() => {})
  const message = list.finish({ apiVersion: 'v1', kind: 'PodList' }, bytes('1201 37'))
  return unwrap(Buffer.concat(message)).raw
}

describe('a list', () => {
  test('of many items comes in pieces', () => {
    const list = new ListWriter(() => Buffer.alloc(256 << 10))
    const item = Buffer.alloc(1000, 1)
    for (let i = 0; i < 1000; i++) list.add((writer) => writer.raw(item))
    const message = list.finish({ apiVersion: 'v1', kind: 'PodList' }, bytes(''))
    expect(message.length).toBe(6)
    const { raw } = unwrap(Buffer.concat(message))
    const items = Array.from({ length: 1000 }, () => Buffer.concat([bytes('12 e807'), item]))
    expect(raw.equals(Buffer.concat([bytes('0a00'), ...items]))).toBe(true)
  })

  test('has its metadata first, then each item', () => {
    expect(listOf().toString('hex')).toBe(bytes('0a03 120137 1202 0a00 1200').toString('hex'))
  })

  test('has its items first where they have the lower number', () => {
    expect(listOf(BETA_METADATA_LIST).toString('hex')).toBe(
      bytes('0a02 0a00 0a00 1203 120137').toString('hex'),
    )
  })
})

describe('a frame of a watch', () => {
  test('is its length, and an event that holds a whole envelope', () => {
    const object = wrap({ apiVersion: 'v1', kind: 'Pod' }, bytes(''))
    const inner = `0a${object.length.toString(16).padStart(2, '0')}${object.toString('hex')}`
    const event = `0a05 ${Buffer.from('ADDED').toString('hex')} 12${(inner.length / 2).toString(16)}${inner}`
    const length = bytes(event).length
    const frame = eventFrame('ADDED', object)
    expect(frame.toString('hex')).toBe(
      `${length.toString(16).padStart(8, '0')}${bytes(event).toString('hex')}`,
    )
    expect(frame.indexOf(MAGIC)).toBeGreaterThan(0)
  })

  test('of a large object has a length of several bytes', () => {
    const frame = eventFrame('MODIFIED', Buffer.alloc(70_000))
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4)
    expect(frame.length).toBe(4 + 2 + 8 + 4 + 4 + 70_000)
  })
})
