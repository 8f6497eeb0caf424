import type { TimeToLive } from './expiry.ts'
import { resourcePrefix } from '../base/store-keys.ts'

/** Key prefix of events. */
const EVENTS = resourcePrefix('', 'events')
/** Default time to live of events, milliseconds. */
const EVENT_TTL_MS = 3_600_000

/** How long keys of a server's store live: events for a while, everything else until it is deleted. */
export const eventLifetime =
  (ttlMs = EVENT_TTL_MS): TimeToLive =>
  (key) =>
    key.startsWith(EVENTS) ? ttlMs : undefined
