// The global one is an accessor: it takes longer than the calls that are measured.
import { performance } from 'node:perf_hooks'
import { systemClock } from '../../base/clock.ts'
import { FlowControl } from '../../flowcontrol/flow-control.ts'
import { ReadTurns } from '../../flowcontrol/read-turns.ts'
import type { FlowClock } from '../../flowcontrol/queue-set.ts'
import { Turns } from '../../flowcontrol/turns.ts'
import { WatchCounts } from '../../flowcontrol/watch-counts.ts'
import { FairLimits } from '../../http/fair-limits.ts'
import { InFlight } from '../../http/in-flight.ts'
import { PlainLimits } from '../../http/plain-limits.ts'
import type { RequestLimits } from '../../http/request-limits.ts'
import type { Api } from '../../registry/context.ts'
import { flowObserver, showFlowCounts, showKinds, showWaiting } from '../flow-metrics.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

const REQUEST_TIMEOUT_MS = 60_000

/** Limits of requests in progress. */
export interface ServerFlowControl {
  /** Null: nothing is limited. */
  readonly limits: RequestLimits | null
  /** Priority and fairness; null when it is off. */
  readonly control: FlowControl | null
}

// Seats are held for real time, also by a server whose clock stands.
const flowClock: FlowClock = { now: () => performance.now(), after: systemClock.after }

const nextIteration = (call: () => void) => void setImmediate(call)

/** Limits of the requests in progress, with the configuration that is imagined until the objects are read. */
export const flowControl = ({ options, v, flowLimits, metrics, clock }: Settings) =>
  component({
    name: 'flowControl',
    needs: ['api'],
    start({ api }) {
      const { isFair, readsInTurns, reads, writes } = flowLimits
      if (!isFair) {
        const limits = reads + writes > 0 ? new PlainLimits({ reads, writes }) : null
        return { part: { limits, control: null } }
      }
      const control = new FlowControl({
        clock: flowClock,
        totalSeats: reads + writes,
        waitLimitMs: (options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS) / 4,
        headers: {
          schema: v.resolve('x-{brand}-pf-flowschema-uid'),
          level: v.resolve('x-{brand}-pf-prioritylevel-uid'),
        },
        observe: (schema, level) => flowObserver(metrics, schema, level),
      })
      showFlowCounts(metrics, control)
      const waiting = { mutating: new InFlight(), readOnly: new InFlight() }
      showKinds(metrics, waiting, {
        phase: 'waiting',
        limits: { mutating: writes, readOnly: reads },
        now: () => clock.now(),
      })
      showWaiting(metrics, waiting, () => clock.now())
      const turns = new Turns({ now: flowClock.now, nextIteration })
      const isContended = () => turns.isContended()
      const limits = new FairLimits({
        control,
        turns,
        readTurns: readsInTurns ? new ReadTurns({ isContended, nextIteration }) : null,
        watches: new WatchCounts(),
        waiting,
        now: () => clock.now(),
        storedObjects: (group, resource) => storedObjects(api, group, resource),
      })
      return { part: { limits, control } }
    },
  })

/** Number of objects in memory; undefined for resources that were not read yet, or that others serve. */
function storedObjects(api: Api, group: string, resource: string): number | undefined {
  const storage = api.catalogue.entry(group, resource)?.versions[0]
  return storage?.virtual === null ? api.cache.loaded(storage)?.size : undefined
}
