import { group, ObjectMeta } from '../../../meta/object-meta.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import { resource } from '../../../catalogue/resource.ts'
import { t } from '../../../notation/shape.ts'
import { ObjectReference } from '../object-reference.ts'
import { eventColumns } from './columns.ts'
import { EventSeries, EventSource } from './event-parts.ts'
import { convertFromStorage, convertToStorage } from './convert.ts'
import { NewEvent } from './new-event.ts'
import { validateEvent, validateEventUpdate } from './validate.ts'

const { kind } = group('core/v1')

/**
 * A report of something that happened to an object. Events are informative, are not guaranteed to
 * be delivered, and expire, by default after one hour.
 */
export class Event extends kind({
  /** Standard metadata of the object. The namespace must be that of the involved object. */
  metadata: t.object(1, ObjectMeta).required(),
  /** Object that the event is about. Required. */
  involvedObject: t.object(2, ObjectReference).required(),
  /**
   * Machine-readable reason, one word in CamelCase. Required and at most 128 characters when
   * `eventTime` is set.
   */
  reason: t.string(3),
  /** Human-readable description of the event. At most 1024 characters when `eventTime` is set. */
  message: t.string(4),
  /** Component that reported the event. Replaced by `reportingComponent` in newer reporters. */
  source: t.object(5, EventSource),
  /** Time of the first occurrence of the event. */
  firstTimestamp: t.time(6),
  /** Time of the most recent occurrence of the event. */
  lastTimestamp: t.time(7),
  /** Number of occurrences of the event so far. */
  count: t.int32(8),
  /** Severity of the event: `Normal` or `Warning`. */
  type: t.string(9),
  /**
   * Time of the first occurrence, with microseconds. Reporters that set it must also set `action`,
   * `reason`, `reportingComponent` and `reportingInstance`.
   */
  eventTime: t.microTime(10),
  /** Repetition data of the event. Unset for an event that occurred once. */
  series: t.object(11, EventSeries).explicit(),
  /**
   * Action that was taken or that failed regarding the object. Required and at most 128 characters
   * when `eventTime` is set.
   */
  action: t.string(12),
  /** Second object involved in the event, for example the created one. */
  related: t.object(13, ObjectReference).explicit(),
  /**
   * Controller that reported the event, as a qualified name such as `example.com/controller`.
   * Required when `eventTime` is set.
   */
  reportingComponent: t.string(14),
  /**
   * Instance of the controller, for example its pod name. Required and at most 128 characters when
   * `eventTime` is set.
   */
  reportingInstance: t.string(15),
}) {}

/** The events of a namespace, in both versions. */
export const events = resource(Event, {
  plural: 'events',
  short: ['ev'],
  scope: 'namespace',
  takesPlainFinalizers: true,
  createOnUpdate: true,
  deleteAnswers: 'status',
  nameRule: isPathSegmentName,
  columns: eventColumns,

  selectable: {
    'involvedObject.kind': ({ involvedObject }) => involvedObject.kind,
    'involvedObject.namespace': ({ involvedObject }) => involvedObject.namespace,
    'involvedObject.name': ({ involvedObject }) => involvedObject.name,
    'involvedObject.uid': ({ involvedObject }) => involvedObject.uid,
    'involvedObject.apiVersion': ({ involvedObject }) => involvedObject.apiVersion,
    'involvedObject.resourceVersion': ({ involvedObject }) => involvedObject.resourceVersion,
    'involvedObject.fieldPath': ({ involvedObject }) => involvedObject.fieldPath,
    reason: ({ reason }) => reason,
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ source, reportingComponent }) => source.component ?? reportingComponent,
    type: ({ type }) => type,
  },

  versions: {
    'events{api}/v1': {
      shape: NewEvent,
      same: false,
      convertToStorage,
      convertFromStorage,
      selectableAliases: {
        reason: 'reason',
        type: 'type',
        'regarding.kind': 'involvedObject.kind',
        'regarding.namespace': 'involvedObject.namespace',
        'regarding.name': 'involvedObject.name',
        'regarding.uid': 'involvedObject.uid',
        'regarding.apiVersion': 'involvedObject.apiVersion',
        'regarding.resourceVersion': 'involvedObject.resourceVersion',
        'regarding.fieldPath': 'involvedObject.fieldPath',
        reportingController: 'reportingComponent',
      },
    },
  },

  validate: validateEvent,
  validateUpdate: validateEventUpdate,
})
