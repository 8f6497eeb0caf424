import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { crcOfFew } from './crc-of-few.ts'

test('the sum of some bytes is that of the platform, and can be continued by it', () => {
  for (let length = 0; length < 70; length++) {
    const bytes = randomBytes(length + 20)
    const few = crcOfFew(bytes, 3, 3 + length)
    expect(few).toBe(crc32(bytes.subarray(3, 3 + length)))
    expect(crc32(bytes.subarray(3 + length), few)).toBe(crc32(bytes.subarray(3)))
  }
})
