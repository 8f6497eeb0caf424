import { expect, test } from 'vitest'
import { listWidth, maxSeatsOf, writeWidth } from './width.ts'

test.each([
  // seats of the level, hand size (0: no queues) → most seats of one request
  [600, 6, 10],
  [245, 6, 10],
  [49, 6, 8],
  [25, 4, 4],
  [20, 6, 3],
  [13, 0, 2],
  [5, 6, 1],
  [1, 1, 1],
  [600, 0, 10],
])('a level of %i seats with hands of %i gives one request at most %i', (limit, hand, max) => {
  expect(maxSeatsOf(limit, hand)).toBe(max)
})

test.each([
  // query, stored objects, most → seats
  ['', undefined, 10, 1],
  ['', 0, 10, 1],
  ['', 49, 10, 1],
  ['', 51, 10, 2],
  ['', 150, 10, 3],
  ['', 5000, 10, 10],
  ['', 5000, 3, 3],
  ['resourceVersion=0', 150, 10, 2],
  ['resourceVersion=0', 90, 10, 1],
  ['resourceVersion=77', 150, 10, 2],
  ['resourceVersion=0&limit=10', 850, 10, 9],
  ['resourceVersion=77&limit=10', 850, 10, 1],
  ['resourceVersion=77&resourceVersionMatch=NotOlderThan', 850, 10, 9],
  ['resourceVersion=77&resourceVersionMatch=Exact', 350, 10, 7],
  ['limit=500', 150, 10, 3],
  ['limit=100', 5000, 10, 2],
  ['limit=100&labelSelector=a%3Db', 300, 10, 4],
  ['labelSelector=a%3Db', 300, 10, 6],
  ['fieldSelector=spec.nodeName%3Da&limit=1', 400, 10, 5],
  ['continue=abc&limit=100', 5000, 10, 2],
  ['limit=many', 10, 10, 10],
  ['limit=-1', 150, 10, 3],
])('a list with %j of %s objects, %i at most, takes %i seats', (query, stored, max, seats) => {
  const values = new Map([...new URLSearchParams(query)].map(([name, value]) => [name, [value]]))
  expect(listWidth(values, stored, max)).toEqual({
    initialSeats: seats,
    finalSeats: 0,
    extraMs: 0,
  })
})

test.each([
  // watches, most → seats after the response, and milliseconds
  [0, 10, 0, 0],
  [9, 10, 0, 0],
  [10, 10, 1, 5],
  [11, 10, 2, 5],
  [100, 10, 10, 5],
  [200, 10, 10, 10],
  [1000, 10, 10, 50],
  [100, 2, 2, 25],
])('a write sent to %i watches, %i seats at most, keeps %i seats for %i ms', (...row) => {
  const [watches, max, finalSeats, extraMs] = row
  expect(writeWidth(watches, max)).toEqual({ initialSeats: 1, finalSeats, extraMs })
})
