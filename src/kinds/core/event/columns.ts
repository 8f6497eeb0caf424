import { age } from '../../../base/human-duration.ts'
import { column, type Column } from '../../../catalogue/resource.ts'
import { nameColumn } from '../../columns.ts'
import type { Event } from './event.ts'

type Cell = Column<Event>['cell']

const firstTime = ({ firstTimestamp, eventTime }: Event) => firstTimestamp ?? eventTime

const lastTime = (event: Event) =>
  event.series ? event.series.lastObservedTime : event.lastTimestamp || firstTime(event)

const firstSeen: Cell = (event, { now }) => age(firstTime(event), now)
const lastSeen: Cell = (event, { now }) => age(lastTime(event), now)

const source: Cell = ({ source: { component, host }, reportingComponent, reportingInstance }) => {
  const who = component ?? reportingComponent ?? ''
  const where = host ?? reportingInstance ?? ''
  return where === '' ? who : `${who}, ${where}`
}

const object: Cell = ({ involvedObject: { kind = '', name = '' } }) =>
  name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`

/** Columns of the table of events. */
export const eventColumns: readonly Column<Event>[] = [
  column('Last Seen', 'string', lastSeen, {
    description: 'Time since the most recent occurrence.',
    since: lastTime,
  }),
  column('Type', 'string', ({ type }) => type ?? '', {
    description: 'Severity of the event: Normal or Warning.',
  }),
  column('Reason', 'string', ({ reason }) => reason ?? '', {
    description: 'Machine-readable reason of the event.',
  }),
  column('Object', 'string', object, { description: 'Object that the event is about.' }),
  column('Subobject', 'string', ({ involvedObject }) => involvedObject.fieldPath ?? '', {
    wide: true,
    description: 'Path of the field that the event is about.',
  }),
  column('Source', 'string', source, {
    wide: true,
    description: 'Component that reported the event.',
  }),
  column('Message', 'string', ({ message }) => (message ?? '').trim(), {
    description: 'Human-readable description of the event.',
  }),
  column('First Seen', 'string', firstSeen, {
    wide: true,
    description: 'Time since the first occurrence.',
    since: firstTime,
  }),
  column(
    'Count',
    'string',
    ({ series, count }) => String(series ? (series.count ?? 0) : count || 1),
    {
      wide: true,
      description: 'Number of occurrences of the event.',
    },
  ),
  { ...nameColumn, priority: 1 },
]
