/** Times beside those that the language reads. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { secondsOf } from './message-time.ts'

const read = (text: string) => secondsOf(Buffer.from(`"${text}"`), 1)

test('any second from the year 1000 on', () => {
  const first = Date.parse('1000-01-01T00:00:00Z') / 1000
  const last = Date.parse('9999-12-31T23:59:59Z') / 1000
  const seconds = fc.oneof(
    fc.integer({ min: first, max: last }),
    fc.constantFrom(first, last, -1, 0, 951_782_400, 951_868_800, 4_107_542_399, 4_107_542_400),
  )
  fc.assert(
    fc.property(seconds, (second) => {
      expect(read(new Date(second * 1000).toISOString().replace('.000Z', 'Z'))).toBe(second)
    }),
    { numRuns: 3000 },
  )
})

test.each([
  '0001-01-01T00:00:00Z',
  '2024-01-01T00:00:00.5Z',
  '2024-01-01T00:00:00.000000Z',
  '2024-01-01T00:00:00+00:00',
  '2024-13-01T00:00:00Z',
  '2024-00-01T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
  '2024-04-31T00:00:00Z',
  '2024-12-32T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:60:00Z',
  '2024-01-01T00:00:60Z',
  '2024x01-01T00:00:00Z',
  '2024-01-01 00:00:00Z',
  '2024-01-01T00:00:00z',
  '2024-01-0xT00:00:00Z',
  '2024-01-01Tab:00:00Z',
  '',
])('another form is none: %s', (text) => {
  expect(read(text)).toBe(null)
})
