import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** Component that reported an event. */
export class EventSource extends shape({
  /** Name of the component that reported the event. */
  component: t.string(1),
  /** Name of the node on which the component runs. */
  host: t.string(2),
}) {}

/** Repetition of an event over time. */
export class EventSeries extends shape({
  /** Number of occurrences in the series so far. */
  count: t.int32(1),
  /** Time of the most recent occurrence, with microseconds. */
  lastObservedTime: t.microTime(2),
}) {}
