import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** Which program saw an event, and where. */
export class EventSource extends shape({
  /** The program. */
  component: t.string(1),
  /** Node on which it runs. */
  host: t.string(2),
}) {}

/** How an event goes on that happens again and again. */
export class EventSeries extends shape({
  /** How often it happened so far. */
  count: t.int32(1),
  /** When it last happened. */
  lastObservedTime: t.microTime(2),
}) {}
