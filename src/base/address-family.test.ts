import { isIP } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressFamily } from './address-family.ts'

describe('agrees with the runtime', () => {
  for (const text of [
    ...['', 'localhost', '127.0.0.1', '127.0.0.01', '127.1', '256.0.0.1', '1.2.3.4.5', ' 1.2.3.4'],
    ...['::', '::1', '1::', '::1\0', ':', ':::', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7', '1::2::3'],
    ...[
      '::ffff:1.2.3.4',
      '1.2.3.4::',
      '::1.2.3',
      '12345::',
      'g::',
      '[::1]',
      '::1%',
      'fe80::1%eth0',
    ],
    ...['0001:0002:0003:0004:0005:0006:0007:0008', '::00001', 'FE80::A', '1:2:3:4:5:6:1.2.3.4'],
    ...['1:2:3:4:5:6:7:1.2.3.4', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '1:2:3:4::5:6:7:8'],
  ]) {
    test(JSON.stringify(text), () => expect(addressFamily(text)).toBe(isIP(text)))
  }

  test('texts made of address characters, and addresses', () => {
    const signs = fc.string({
      unit: fc.constantFrom('0', '1', 'a', 'F', ':', '::', '.', '%', '25'),
    })
    fc.assert(
      fc.property(fc.oneof(signs, fc.ipV6(), fc.ipV4()), (text) => {
        expect(addressFamily(text)).toBe(isIP(text))
      }),
    )
  })
})
