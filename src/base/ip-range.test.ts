import { describe, expect, test } from 'vitest'
import { ipFromBigInt, ipToBigInt, parseIpRange, parsePortRange } from './ip-range.ts'

describe('usable addresses of a network', () => {
  for (const { text, shown = text, size, reserved, first, last } of [
    { text: '10.0.0.0/24', size: 254, reserved: 16, first: '10.0.0.1', last: '10.0.0.254' },
    {
      text: '10.0.0.7/24',
      shown: '10.0.0.0/24',
      size: 254,
      reserved: 16,
      first: '10.0.0.1',
      last: '10.0.0.254',
    },
    { text: '10.0.0.0/30', size: 2, reserved: 0, first: '10.0.0.1', last: '10.0.0.2' },
    {
      text: '10.96.0.0/12',
      size: 1_048_574,
      reserved: 256,
      first: '10.96.0.1',
      last: '10.111.255.254',
    },
    { text: 'fd00::/108', size: 65_535, reserved: 256, first: 'fd00::1', last: 'fd00::ffff' },
    { text: 'fd00::/124', size: 15, reserved: 0, first: 'fd00::1', last: 'fd00::f' },
    { text: 'fd00:1::/120', size: 255, reserved: 16, first: 'fd00:1::1', last: 'fd00:1::ff' },
  ]) {
    test(text, () => {
      const range = parseIpRange(text)
      expect([range.text, range.size, range.reserved]).toEqual([shown, size, reserved])
      expect([range.at(0), range.at(size - 1)]).toEqual([first, last])
      expect([range.indexOf(first), range.indexOf(last)]).toEqual([0, size - 1])
    })
  }
  test('network, broadcast and foreign addresses are outside', () => {
    const range = parseIpRange('10.0.0.0/24')
    expect(
      ['10.0.0.0', '10.0.0.255', '10.0.1.1', 'fd00::1', 'x'].map((a) => range.indexOf(a)),
    ).toEqual([-1, -1, -1, -1, -1])
  })
  for (const text of [
    '',
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/x',
    '10.0.0/8',
    '/8',
  ]) {
    test(`${JSON.stringify(text)} is none`, () => {
      expect(() => parseIpRange(text)).toThrow(`${text} is no network such as 10.0.0.0/24`)
    })
  }
})

describe('ports', () => {
  for (const { text, shown, size } of [
    { text: '30000-32767', shown: '30000-32767', size: 2768 },
    { text: '30000+10', shown: '30000-30010', size: 11 },
    { text: '8080', shown: '8080-8080', size: 1 },
  ]) {
    test(text, () => {
      const range = parsePortRange(text)
      expect([range.text, range.size]).toEqual([shown, size])
      expect(range.indexOf(range.at(size - 1))).toBe(size - 1)
      expect(range.indexOf('1')).toBe(-1)
    })
  }
  for (const text of ['a-b', '32767-30000', '1-70000']) {
    test(`${JSON.stringify(text)} is refused`, () =>
      expect(() => parsePortRange(text)).toThrow(text))
  }
})

describe('addresses as numbers and back', () => {
  for (const [given, canonical] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::ffff:192.0.2.1', '::ffff:c000:201'],
  ] as const) {
    test(given, () => {
      expect(ipFromBigInt(ipToBigInt(given), given.includes(':') ? 'IPv6' : 'IPv4')).toBe(canonical)
    })
  }
})
