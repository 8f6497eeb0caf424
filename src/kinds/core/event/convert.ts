import type { Event } from './event.ts'
import type { NewEvent } from './new-event.ts'

/** Drops the members without a value. */
function given<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as never
}

/** The stored form of an event of the events group. */
export function convertToStorage(event: NewEvent): Event {
  const { series } = event
  return given({
    kind: event.kind,
    apiVersion: event.apiVersion,
    metadata: event.metadata,
    involvedObject: event.regarding,
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime,
    series: series && given({ ...series, count: series.count === 0 ? undefined : series.count }),
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController,
    reportingInstance: event.reportingInstance,
  }) as Event
}

/** A stored event as the events group shows it. */
export function convertFromStorage(event: Event): NewEvent {
  const { series } = event
  return given({
    kind: event.kind,
    apiVersion: event.apiVersion,
    metadata: event.metadata,
    eventTime: event.eventTime,
    series: series && { ...series, count: series.count ?? 0 },
    reportingController: event.reportingComponent,
    reportingInstance: event.reportingInstance,
    action: event.action,
    reason: event.reason,
    regarding: event.involvedObject,
    related: event.related,
    note: event.message,
    type: event.type,
    deprecatedSource: event.source,
    deprecatedFirstTimestamp: event.firstTimestamp,
    deprecatedLastTimestamp: event.lastTimestamp,
    deprecatedCount: event.count,
  }) as NewEvent
}
