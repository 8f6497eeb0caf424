/** What a watch that is wrong would show, and that it is found. */
import { expect, test } from 'vitest'
import type { Committed } from './history.ts'
import { simulate } from './simulate.fixture.ts'
import { checkLog, checkWatch, mergeLog, select, type WatchRecord } from './watch-history.ts'

const { log } = simulate(4, { keys: 2, clients: 4, steps: 500 })
const first = log[4]!.revision
const rest = log.slice(5)
const right: WatchRecord = { from: first, events: rest, bookmarks: [], end: { is: 'cut' } }
/** Each revision was committed that many milliseconds after the start. */
const history = { ms: 5_000, earliest: (revision: number) => revision }
const odd = (value: string) => Number(value.slice(1)) % 2 === 1
const last = rest.at(-1)!.revision

const faultsOf = (change: Partial<WatchRecord>) =>
  checkWatch({ ...right, ...change }, log, history).length

test('a watch that is right is taken, also with a selector, cut short or resumed anywhere', () => {
  expect(rest.length).toBeGreaterThan(20)
  expect(checkLog(log)).toEqual([])
  expect(mergeLog([right, right])).toEqual({ log: rest, wrong: [] })
  expect(faultsOf({})).toBe(0)
  const selected = select(log, odd).filter(({ revision }) => revision > first)
  expect(new Set(selected.map(({ type }) => type))).toEqual(
    new Set(['ADDED', 'MODIFIED', 'DELETED']),
  )
  expect(faultsOf({ events: selected, selects: odd })).toBe(0)
  for (const [i, { revision }] of rest.entries()) {
    expect(faultsOf({ events: rest.slice(0, i) })).toBe(0)
    expect(faultsOf({ from: revision, events: rest.slice(i + 1) })).toBe(0)
  }
  expect(faultsOf({ bookmarks: [{ revision: last, after: rest.length }] })).toBe(0)
  expect(faultsOf({ events: [], end: { is: 'expired', ms: 10_000 } })).toBe(0)
})

const other: Committed = { ...rest[3]!, value: 'other' }
test.each<[string, Partial<WatchRecord>]>([
  ['a change is missing', { events: rest.toSpliced(3, 1) }],
  ['a change comes twice', { events: rest.toSpliced(3, 0, rest[3]!) }],
  ['two changes come the wrong way round', { events: rest.toSpliced(3, 2, rest[4]!, rest[3]!) }],
  ['a change that was seen comes again', { from: rest[0]!.revision }],
  ['the first change is missing', { events: rest.slice(1) }],
  ['a change has another value', { events: rest.with(3, other) }],
  ['a bookmark hides a change', { events: [], bookmarks: [{ revision: last, after: 0 }] }],
  ['a bookmark comes late', { bookmarks: [{ revision: first, after: 3 }] }],
  ['a selector is ignored', { selects: odd }],
  ['history ends too early', { events: [], end: { is: 'expired', ms: 4_000 } }],
  ['it expires after it began', { end: { is: 'expired', ms: 10_000 } }],
  ['it is refused', { end: { is: 'refused', why: 'no' } }],
])('%s', (_, change) => {
  expect(faultsOf(change)).toBeGreaterThan(0)
})

test('changes that do not follow from each other', () => {
  const added = log.find(({ type }) => type === 'ADDED')!
  const again = { ...added, revision: last + 1 }
  expect(checkLog([added, again]).length).toBe(1)
  expect(checkLog([{ ...added, type: 'MODIFIED' }]).length).toBe(1)
  expect(checkLog([added, { ...again, type: 'MODIFIED', uid: 'other' }]).length).toBe(1)
  expect(checkLog([added, { ...again, type: 'DELETED', value: 'other' }]).length).toBe(1)
  expect(mergeLog([right, { ...right, events: rest.with(3, other) }]).wrong.length).toBe(1)
})
