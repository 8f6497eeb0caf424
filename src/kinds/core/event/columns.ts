import { age } from '../../../base/human-duration.ts'
import { column, type Column } from '../../../catalogue/resource.ts'
import { nameColumn } from '../../columns.ts'
import type { Event } from './event.ts'

type Cell = Column<Event>['cell']

const firstSeen: Cell = (event, { now }) => age(event.firstTimestamp ?? event.eventTime, now)

const lastSeen: Cell = (event, c) => {
  if (event.series) return age(event.series.lastObservedTime, c.now)
  return event.lastTimestamp ? age(event.lastTimestamp, c.now) : firstSeen(event, c)
}

const source: Cell = ({ source: { component, host }, reportingComponent, reportingInstance }) => {
  const who = component ?? reportingComponent ?? ''
  const where = host ?? reportingInstance ?? ''
  return where === '' ? who : `${who}, ${where}`
}

const object: Cell = ({ involvedObject: { kind = '', name = '' } }) =>
  name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`

/** Columns of the table of events. */
export const eventColumns: readonly Column<Event>[] = [
  column('Last Seen', 'string', lastSeen, { description: 'Time since it last happened.' }),
  column('Type', 'string', ({ type }) => type ?? '', { description: 'Normal or Warning.' }),
  column('Reason', 'string', ({ reason }) => reason ?? '', {
    description: 'Why it happened, as one word.',
  }),
  column('Object', 'string', object, { description: 'The object it is about.' }),
  column('Subobject', 'string', ({ involvedObject }) => involvedObject.fieldPath ?? '', {
    wide: true,
    description: 'Part of the object it is about.',
  }),
  column('Source', 'string', source, { wide: true, description: 'Who reports it.' }),
  column('Message', 'string', ({ message }) => (message ?? '').trim(), {
    description: 'What happened.',
  }),
  column('First Seen', 'string', firstSeen, {
    wide: true,
    description: 'Time since it first happened.',
  }),
  column(
    'Count',
    'string',
    ({ series, count }) => String(series ? (series.count ?? 0) : count || 1),
    {
      wide: true,
      description: 'How often it happened.',
    },
  ),
  { ...nameColumn, priority: 1 },
]
