/** What watches promise: every change after their start, in order, each once, from any revision that was seen. */
import type { Committed } from './history.ts'

/** A watch with a selector shows the part of the objects whose value is selected. */
export type Selects = (value: string) => boolean

/** How a watch ended: cut by a client, a server or a fault, or refused because history had passed. */
export type WatchEnd =
  | { readonly is: 'cut' }
  /** `ms`: when it was told. */
  | { readonly is: 'expired'; readonly ms: number }
  /** An answer that no watch may get. */
  | { readonly is: 'refused'; readonly why: string }

/** One watch as its client saw it. */
export interface WatchRecord {
  readonly from: number
  readonly selects?: Selects
  readonly events: readonly Committed[]
  /** Revisions of bookmarks, each with the number of events that had come before it. */
  readonly bookmarks: readonly { readonly revision: number; readonly after: number }[]
  readonly end: WatchEnd
}

/** When changes can have been made, for the question whether history may have passed. */
export interface HistoryWindow {
  readonly ms: number
  /** The earliest time at which a revision can have been committed, in milliseconds. */
  earliest(revision: number): number
}

/** All changes that any watch told of, in order of revision; a contradiction when two tell it differently. */
export function mergeLog(records: readonly WatchRecord[]): {
  readonly log: readonly Committed[]
  readonly wrong: readonly string[]
} {
  const byRevision = new Map<number, Committed>()
  const wrong: string[] = []
  for (const { events, selects } of records) {
    // Types of a selection are its own; it is compared with the log instead.
    if (selects) continue
    for (const event of events) {
      const known = byRevision.get(event.revision)
      if (!known) byRevision.set(event.revision, event)
      else if (show(known) !== show(event))
        wrong.push(`watches disagree: ${show(known)} and ${show(event)}`)
    }
  }
  return { log: [...byRevision.values()].sort((a, b) => a.revision - b.revision), wrong }
}

/** What is wrong with the changes themselves: each must fit the one before it on its key. */
export function checkLog(log: readonly Committed[]): readonly string[] {
  const wrong: string[] = []
  const last = new Map<string, Committed>()
  for (const event of log) {
    const before = last.get(event.key)
    const present = before !== undefined && before.type !== 'DELETED'
    if (present ? event.type === 'ADDED' : event.type !== 'ADDED')
      wrong.push(`${show(event)} follows ${before ? show(before) : 'nothing'}`)
    else if (present && event.uid !== before.uid)
      wrong.push(`${show(event)} has uid ${event.uid}, not ${before.uid}`)
    else if (present && event.type === 'DELETED' && event.value !== before.value)
      wrong.push(`${show(event)} tells not the last value, ${before.value}`)
    else if (!present && before && event.uid === before.uid)
      wrong.push(`${show(event)} has the uid of the object before it`)
    last.set(event.key, event)
  }
  return wrong
}

/** What is wrong with one watch, given every change. */
export function checkWatch(
  record: WatchRecord,
  log: readonly Committed[],
  history: HistoryWindow,
): readonly string[] {
  const { from, events, end, bookmarks } = record
  const name = `watch from ${from}${record.selects ? ' with a selector' : ''}`
  const wrong: string[] = []
  let last = from
  for (const event of events) {
    if (event.revision <= last) wrong.push(`${name}: ${show(event)} comes after ${last}`)
    last = Math.max(last, event.revision)
  }
  if (wrong.length > 0) return wrong
  for (const { revision, after } of bookmarks) {
    const before = events[after - 1]
    const next = events[after]
    if (before && before.revision > revision)
      wrong.push(`${name}: bookmark ${revision} comes after ${show(before)}`)
    if (next && next.revision <= revision)
      wrong.push(`${name}: bookmark ${revision} comes before ${show(next)}`)
    last = Math.max(last, revision)
  }
  const due = (record.selects ? select(log, record.selects) : log).filter(
    ({ revision }) => revision > from && revision <= last,
  )
  const got = new Map(events.map((event) => [event.revision, show(event)]))
  for (const event of due) {
    const told = got.get(event.revision)
    if (told === undefined) wrong.push(`${name}: ${show(event)} is missing before ${last}`)
    else if (told !== show(event)) wrong.push(`${name}: ${told} should be ${show(event)}`)
    got.delete(event.revision)
  }
  for (const told of got.values()) wrong.push(`${name}: ${told} should not be there`)
  if (end.is === 'refused') wrong.push(`${name}: ${end.why}`)
  if (end.is === 'expired') {
    // The change after `from` may be of another resource, and next to it: once that is older than the window, it goes.
    const seen = log.findLast(({ revision }) => revision <= last)
    const age = end.ms - (seen ? history.earliest(seen.revision) : 0)
    if (events.length > 0) wrong.push(`${name}: expired after it had begun`)
    else if (age < history.ms)
      wrong.push(`${name}: expired when it was ${Math.round(age)} ms old at most`)
  }
  return wrong
}

/** The changes as a watch with a selector tells them. */
export function select(log: readonly Committed[], selects: Selects): readonly Committed[] {
  const shown = new Map<string, string>()
  const out: Committed[] = []
  for (const event of log) {
    const was = shown.get(event.key)
    const is = event.type !== 'DELETED' && selects(event.value)
    if (is) {
      shown.set(event.key, event.value)
      out.push({ ...event, type: was === undefined ? 'ADDED' : 'MODIFIED' })
    } else if (was !== undefined) {
      shown.delete(event.key)
      // It shows what it was when it was last selected.
      out.push({ ...event, type: 'DELETED', value: was })
    }
  }
  return out
}

const show = ({ type, key, value, revision }: Committed) => `${type} ${key} ${value} at ${revision}`
