/** Text tables of the state of flow control, for people. */
import type { FlowControl } from './flow-control.ts'
import type { RejectionReason } from './flow-counts.ts'
import type { PriorityLevel } from './priority-level.ts'
import type { Ticket } from './ticket.ts'

type Cells = readonly (string | number | boolean)[]

const NONE = '<none>'
/** Queues that are not in use are shown too, unless there are more than these. */
const MAX_IDLE_QUEUES = 1024

const LEVEL_COLUMNS = [
  ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests'],
  ...['ExecutingRequests', 'DispatchedRequests', 'RejectedRequests', 'TimedoutRequests'],
  'CancelledRequests',
]

/** One line for each priority level. */
export function dumpPriorityLevels({ levels, counts }: FlowControl): string {
  const all = [...counts]
  return table(
    LEVEL_COLUMNS,
    byName(levels).map(({ name, seats, isQuiescing }): Cells => {
      if (!seats) return [name, ...LEVEL_COLUMNS.slice(1).map(() => NONE)]
      const { activeQueues, waiting, executing } = seats.figures()
      const mine = all.filter(({ level }) => level === name)
      const rejected = (...reasons: RejectionReason[]) =>
        sum(mine.flatMap((one) => reasons.map((reason) => one.rejected[reason])))
      return [
        ...[name, activeQueues, seats.isIdle, isQuiescing, waiting, executing],
        sum(mine.map(({ dispatched }) => dispatched)),
        rejected('queue-full', 'concurrency-limit'),
        rejected('time-out'),
        rejected('cancelled'),
      ]
    }),
  )
}

const QUEUE_COLUMNS = [
  ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse'],
  ...['NextDispatchR', 'InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum'],
]

/** One line for each queue. */
export function dumpQueues({ levels }: FlowControl): string {
  return table(
    QUEUE_COLUMNS,
    byName(levels).flatMap(({ name, seats }): Cells[] => {
      if (!seats?.settings) return [[name, ...QUEUE_COLUMNS.slice(1).map(() => NONE)]]
      const { queues } = seats
      const indexes =
        seats.settings.queues <= MAX_IDLE_QUEUES
          ? Array.from({ length: seats.settings.queues }, (_, i) => i)
          : [...queues.keys()].sort((a, b) => a - b)
      return indexes.map((index) => {
        const queue = queues.get(index)
        if (!queue) return [name, index, 0, 0, 0, seconds(0), 0, 0, seconds(0)]
        return [
          ...[name, index, queue.length, queue.executing, queue.seatsInUse],
          ...[seconds(queue.nextDispatchR), queue.initialSeats, queue.seats, seconds(queue.work)],
        ]
      })
    }),
  )
}

const REQUEST_COLUMNS = [
  ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue'],
  ...['FlowDistingsher', 'ArriveTime', 'InitialSeats', 'FinalSeats', 'AdditionalLatency'],
]
const DETAIL_COLUMNS = [
  ...['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'],
]

/** One line for each request that waits. `startOf`: the wall time of the monotonic time 0, milliseconds. */
export function dumpRequests(
  { levels }: FlowControl,
  { details, startOf }: { readonly details: boolean; readonly startOf: number },
): string {
  const columns = details ? [...REQUEST_COLUMNS, ...DETAIL_COLUMNS] : REQUEST_COLUMNS
  return table(
    columns,
    byName(levels).flatMap(({ name, seats }): Cells[] => {
      if (!seats) return [[name, ...columns.slice(1).map(() => NONE)]]
      const lines: Cells[] = []
      for (const queue of seats.queues.values()) {
        let index = 0
        for (let ticket = queue.head; ticket; ticket = ticket.after)
          lines.push([
            ...[name, ticket.flow.schema, queue.index, index++, ticket.flow.distinguisher],
            ...waitingCells(ticket, startOf),
            ...(details ? detailCells(ticket) : []),
          ])
      }
      return lines
    }),
  )
}

function waitingCells({ arrivedAt, width }: Ticket, startOf: number): Cells {
  const { initialSeats, finalSeats, extraMs } = width
  return [new Date(startOf + arrivedAt).toISOString(), initialSeats, finalSeats, `${extraMs}ms`]
}

function detailCells({ request }: Ticket): Cells {
  if (!request) return DETAIL_COLUMNS.map(() => '')
  const { user, path, info } = request
  const { verb, namespace, name, group, version, resource, subresource } = info
  return [
    ...[user.name, verb, path, namespace, name, group === '' ? version : `${group}/${version}`],
    ...[resource, subresource],
  ].map((text) => JSON.stringify(text).slice(1, -1))
}

const byName = (levels: ReadonlyMap<string, PriorityLevel>) =>
  [...levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1))

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

/** Seat-seconds. */
const seconds = (seatMs: number) => `${(seatMs / 1000).toFixed(8)}ss`

/** Cells in columns, with commas between. */
function table(columns: readonly string[], rows: readonly Cells[]): string {
  const lines = [columns, ...rows].map((cells) => cells.map(String))
  const widths = columns.map((_, i) =>
    lines.reduce((widest, cells) => Math.max(widest, cells[i]!.length), 0),
  )
  return lines
    .map((cells) => {
      const text = cells.map((cell, i) => `${cell}, `.padEnd(widths[i]! + 2)).join('')
      return `${text.replace(/, *$/, '')}\n`
    })
    .join('')
}
