import { expect, test } from 'vitest'
import { freshForMs } from './freshness.ts'

const HOUR_MS = 3_600_000
const date = 'Tue, 02 Jan 2024 03:04:05 GMT'

for (const { name, headers, ms } of [
  { name: 'no cache headers', headers: {}, ms: 300_000 },
  { name: 'max-age', headers: { 'cache-control': 'public, max-age=3600' }, ms: HOUR_MS },
  { name: 'age counts', headers: { 'cache-control': 'Max-Age=3600', age: '600' }, ms: 3_000_000 },
  { name: 'older than it may be', headers: { 'cache-control': 'max-age=1', age: '600' }, ms: 0 },
  { name: 'an age that is none', headers: { 'cache-control': 'max-age=1', age: 'x' }, ms: 1000 },
  { name: 'a year is a day', headers: { 'cache-control': 'max-age=31536000' }, ms: 24 * HOUR_MS },
  { name: 's-maxage is for others', headers: { 'cache-control': 's-maxage=9' }, ms: 300_000 },
  { name: 'no-store', headers: { 'cache-control': 'no-store, max-age=3600' }, ms: 0 },
  { name: 'no-cache', headers: { 'cache-control': 'max-age=3600,no-cache' }, ms: 0 },
  { name: 'expires', headers: { date, expires: 'Tue, 02 Jan 2024 04:04:05 GMT' }, ms: HOUR_MS },
  { name: 'expires in the past', headers: { date, expires: '0' }, ms: 0 },
  {
    name: 'max-age before expires',
    headers: { 'cache-control': 'max-age=60', date, expires: 'Tue, 02 Jan 2024 04:04:05 GMT' },
    ms: 60_000,
  },
]) {
  test(`how long keys may be cached: ${name}`, () => expect(freshForMs(headers)).toBe(ms))
}
