import { group } from '../../../meta/object-meta.ts'
import { t } from '../../../notation/shape.ts'
import { ObjectReference } from '../object-reference.ts'
import { EventSource } from './event-parts.ts'

const { kind, shape } = group('events{api}/v1')

/** Repetition of an event over time. */
export class NewEventSeries extends shape(
  {
    /** Number of occurrences in the series so far, at least 2. */
    count: t.int32(1).required(),
    /** Time of the most recent occurrence, with microseconds. Required. */
    lastObservedTime: t.microTime(2).required(),
  },
  { name: 'EventSeries' },
) {}

/**
 * A report of something that happened to an object. Events are informative, are not guaranteed to
 * be delivered, and expire, by default after one hour.
 */
export class NewEvent extends kind(
  {
    /** Time of the first occurrence, with microseconds. Required and immutable. */
    eventTime: t.microTime(2).required(),
    /**
     * Repetition data of the event. Unset for an event that occurred once; the only data that
     * reporters update.
     */
    series: t.object(3, NewEventSeries).explicit(),
    /**
     * Controller that reported the event, as a qualified name such as `example.com/controller`.
     * Required and immutable.
     */
    reportingController: t.string(4),
    /**
     * Instance of the controller, for example its pod name; at most 128 characters. Required and
     * immutable.
     */
    reportingInstance: t.string(5),
    /**
     * Action that was taken or that failed regarding the object; at most 128 characters. Required
     * and immutable.
     */
    action: t.string(6),
    /**
     * Machine-readable reason for the action, one word in CamelCase; at most 128 characters.
     * Required and immutable.
     */
    reason: t.string(7),
    /** Object that the event is about. Immutable. */
    regarding: t.object(8, ObjectReference),
    /** Second object involved in the event, for example the created one. Immutable. */
    related: t.object(9, ObjectReference).explicit(),
    /** Human-readable description of the event, at most 1024 characters. Immutable. */
    note: t.string(10),
    /** Severity of the event: `Normal` or `Warning`. Required and immutable. */
    type: t.string(11),
    /**
     * Deprecated: source of events reported through the core version. Must be empty for new events.
     */
    deprecatedSource: t.object(12, EventSource),
    /**
     * Deprecated: time of the first occurrence of events reported through the core version. Must be
     * unset for new events.
     */
    deprecatedFirstTimestamp: t.time(13),
    /**
     * Deprecated: time of the most recent occurrence of events reported through the core version.
     * Must be unset for new events.
     */
    deprecatedLastTimestamp: t.time(14),
    /**
     * Deprecated: number of occurrences of events reported through the core version. Must be unset
     * for new events.
     */
    deprecatedCount: t.int32(15),
  },
  { name: 'Event' },
) {}
