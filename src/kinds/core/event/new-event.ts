import { group } from '../../../meta/object-meta.ts'
import { t } from '../../../notation/shape.ts'
import { ObjectReference } from '../object-reference.ts'
import { EventSource } from './event-parts.ts'

const { kind, shape } = group('events{api}/v1')

/** How an event goes on that happens again and again. */
export class NewEventSeries extends shape(
  {
    /** How often it happened so far; at least 2. */
    count: t.int32(1).required(),
    /** When it last happened. */
    lastObservedTime: t.microTime(2).required(),
  },
  { name: 'EventSeries' },
) {}

/** Something that happened to an object. The server forgets events after a while. */
export class NewEvent extends kind(
  {
    /** When it first happened. */
    eventTime: t.microTime(2).required(),
    /** How it goes on, when it happens again and again; absent for what happened once. */
    series: t.object(3, NewEventSeries).explicit(),
    /** Which controller reports it, for instance `example.com/controller`; needed on create. */
    reportingController: t.string(4),
    /** Which instance of the controller; needed on create. */
    reportingInstance: t.string(5),
    /** What was done, or what failed, about the object; needed on create, at most 128 characters. */
    action: t.string(6),
    /** Why it was done, as one word for programs; needed on create, at most 128 characters. */
    reason: t.string(7),
    /** The object it is about. */
    regarding: t.object(8, ObjectReference),
    /** A second object that has to do with it. */
    related: t.object(9, ObjectReference).explicit(),
    /** What happened, for people; at most 1024 characters. */
    note: t.string(10),
    /** `Normal` or `Warning`. */
    type: t.string(11),
    /** Source of an event that was reported in the older version. */
    deprecatedSource: t.object(12, EventSource),
    /** First time of an event that was reported in the older version. */
    deprecatedFirstTimestamp: t.time(13),
    /** Last time of an event that was reported in the older version. */
    deprecatedLastTimestamp: t.time(14),
    /** Count of an event that was reported in the older version. */
    deprecatedCount: t.int32(15),
  },
  { name: 'Event' },
) {}
