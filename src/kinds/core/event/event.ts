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

/** Something that happened to an object. The server forgets events after a while. */
export class Event extends kind({
  /** Name and the like; the namespace is that of the object it is about. */
  metadata: t.object(1, ObjectMeta).required(),
  /** The object it is about. */
  involvedObject: t.object(2, ObjectReference).required(),
  /** Why it happened, as one word for programs. */
  reason: t.string(3),
  /** What happened, for people. */
  message: t.string(4),
  /** Which program saw it, and where. */
  source: t.object(5, EventSource),
  /** When it was first seen. */
  firstTimestamp: t.time(6),
  /** When it was last seen. */
  lastTimestamp: t.time(7),
  /** How often it was seen. */
  count: t.int32(8),
  /** `Normal` or `Warning`; others may come. */
  type: t.string(9),
  /** When it first happened; set by newer reporters, in place of the two times above. */
  eventTime: t.microTime(10),
  /** How it goes on, when it happens again and again; absent for what happened once. */
  series: t.object(11, EventSeries).explicit(),
  /** What was done, or what failed, about the object. */
  action: t.string(12),
  /** A second object that has to do with it. */
  related: t.object(13, ObjectReference).explicit(),
  /** Which controller reports it, for instance `example.com/controller`. */
  reportingComponent: t.string(14),
  /** Which instance of the controller. */
  reportingInstance: t.string(15),
}) {}

/** The events of a namespace, in both versions. */
export const events = resource(Event, {
  plural: 'events',
  short: ['ev'],
  scope: 'namespace',
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
