/** Bytes with a secret part are found where all of them stand. */
import { describe, expect, test } from 'vitest'
import { knownPart, secretStart } from './known-bytes.ts'

const ALL = Buffer.from('name: secret end')

describe('a part', () => {
  for (const { name, from, to, secret } of [
    { name: 'without a secret', from: 0, to: 16, secret: null },
    { name: 'with one inside', from: 0, to: 16, secret: { from: 6, to: 12 } },
    { name: 'with one at its start', from: 6, to: 16, secret: { from: 6, to: 12 } },
    { name: 'with one at its end', from: 2, to: 12, secret: { from: 6, to: 12 } },
    { name: 'with one behind it', from: 0, to: 6, secret: { from: 6, to: 12 } },
    { name: 'with one before it', from: 12, to: 16, secret: { from: 6, to: 12 } },
    { name: 'of nothing', from: 4, to: 4, secret: { from: 6, to: 12 } },
  ])
    test(name, () => {
      const part = knownPart(ALL, from, to, secret)
      const own = ALL.subarray(from, to)
      expect(part.length).toBe(own.length)
      for (const at of [0, 3]) {
        const there = Buffer.concat([Buffer.from('###'.slice(0, at)), own, Buffer.from('#')])
        expect(part.isAt(there, at)).toBe(true)
        expect(part.isAt(there.subarray(0, at + own.length), at)).toBe(true)
        expect(part.isAt(there, at + 1)).toBe(own.length === 0)
        for (let i = at; i < at + own.length; i++) {
          const other = Buffer.from(there)
          other[i]! ^= 1
          expect(part.isAt(other, at)).toBe(false)
          expect(part.isAt(there.subarray(0, i), at)).toBe(false)
        }
      }
    })
})

describe('the secret of a header begins', () => {
  const long = 's'.repeat(43)
  for (const { value, secret } of [
    { value: `Bearer eyJhIjoxfQ.e30.${long}`, secret: long },
    { value: `Bearer eyJhIjoxfQ.e30.${long.slice(1)}`, secret: null },
    { value: `Bearer eyJhIjoxfQ.${long}`, secret: null },
    { value: `Bearer ${long}`, secret: null },
    { value: 'Bearer abcdef.0123456789abcdef', secret: null },
    { value: `Bearer eyJhIjoxfQ.b.c.d.${long}`, secret: null },
    { value: `Bearer secret.of.${long}`, secret: null },
    { value: `Bearer e30.e30.${long}`, secret: null },
    { value: 'Basic dTpw', secret: null },
    { value: '..', secret: null },
    { value: '', secret: null },
  ])
    test(JSON.stringify(value), () => expect(value.slice(secretStart(value))).toBe(secret ?? value))
})
