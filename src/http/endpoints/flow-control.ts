import { performance } from 'node:perf_hooks'
import type { FlowControl } from '../../flowcontrol/flow-control.ts'
import type { Endpoint } from '../context.ts'
import { pageNotFound } from '../plain-text.ts'

/** Below this path are text tables of the state of priority and fairness. */
export const FLOW_CONTROL_PATH = '/debug/api_priority_and_fairness/'

/** The tables; they are made when they are read. */
export const flowControlEndpoint =
  (control: FlowControl): Endpoint =>
  async ({ path, query }) => {
    const { dumpPriorityLevels, dumpQueues, dumpRequests } =
      await import('../../flowcontrol/dumps.ts')
    const text = () => {
      switch (path.slice(FLOW_CONTROL_PATH.length)) {
        case 'dump_priority_levels':
          return dumpPriorityLevels(control)
        case 'dump_queues':
          return dumpQueues(control)
        case 'dump_requests': {
          const details = (query.get('includeRequestDetails')?.[0] ?? '') !== ''
          return dumpRequests(control, { details, startOf: performance.timeOrigin })
        }
        default:
          return null
      }
    }
    const body = text()
    if (body === null) return pageNotFound()
    return { status: 200, headers: ['content-type', 'text/plain; charset=utf-8'], body }
  }
