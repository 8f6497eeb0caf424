/** How many seats a request takes, and for how long after its response. */

/** Seats of one request. */
export interface Width {
  /** While it is executed. */
  readonly initialSeats: number
  /** For `extraMs` after its response; 0: none. */
  readonly finalSeats: number
  readonly extraMs: number
}

/** The width of most requests. */
export const ONE_SEAT: Width = { initialSeats: 1, finalSeats: 0, extraMs: 0 }

/** Most seats of any request, however many its priority level has. */
const MAX_SEATS = 10
const LARGEST_SHARE = 0.15
const OBJECTS_PER_SEAT = 100
const WATCHES_PER_SEAT = 10
const EVENT_MS = 5

/** Most seats that one request may take of a level; `handSize`: queues of a flow, 0 without queues. */
export function maxSeatsOf(limit: number, handSize: number): number {
  const shared = Math.ceil(limit * LARGEST_SHARE)
  const ofHand = handSize > 0 ? Math.floor(limit / handSize) : shared
  return Math.min(MAX_SEATS, Math.max(1, Math.min(shared, ofHand)))
}

/** The query of a request, by names. */
export type QueryValues = ReadonlyMap<string, readonly string[]>

const widths: readonly Width[] = Array.from({ length: MAX_SEATS + 1 }, (_, seats) =>
  seats === 1 ? ONE_SEAT : { initialSeats: seats, finalSeats: 0, extraMs: 0 },
)

/**
 * The width of a list. `stored`: number of objects of the resource; undefined: unknown. The limits are those of the
 * objects that are read, not of those that match.
 */
export function listWidth(query: QueryValues, stored: number | undefined, max: number): Width {
  const first = (name: string) => query.get(name)?.[0] ?? ''
  const asked = limitOf(first('limit'))
  // It will be refused.
  if (asked === null) return widths[max]!
  if (stored === undefined) return ONE_SEAT
  const limit = asked > 0 ? Math.min(asked, stored) : stored
  const version = first('resourceVersion')
  const match = first('resourceVersionMatch')
  const fromStore =
    version === '' ||
    first('continue') !== '' ||
    (asked > 0 && version !== '0') ||
    (match !== '' && match !== 'NotOlderThan')
  const selects = first('labelSelector') !== '' || first('fieldSelector') !== ''
  const objects = !fromStore ? stored : selects ? stored + limit : 2 * limit
  const seats = Math.ceil(objects / OBJECTS_PER_SEAT)
  return widths[Math.min(Math.max(seats, 1), max)]!
}

function limitOf(text: string): number | null {
  if (text === '') return 0
  return /^[-+]?\d{1,19}$/.test(text) ? Number(text) : null
}

/** The width of a write whose change is sent to so many watches. */
export function writeWidth(watches: number, max: number): Width {
  if (watches < WATCHES_PER_SEAT) return ONE_SEAT
  const seats = Math.ceil(watches / WATCHES_PER_SEAT)
  const finalSeats = Math.min(seats, max)
  // Fewer seats are held longer: the work stays the same.
  return { initialSeats: 1, finalSeats, extraMs: (EVENT_MS * seats) / finalSeats }
}
