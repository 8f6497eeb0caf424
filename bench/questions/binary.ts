/** What does the binary form cost, which node agents and controllers ask for, beside JSON? */
import { vocabularies } from '../../src/vocabulary/index.ts'
import type { Bench, Question } from '../bench.ts'
import type { Plan } from '../load/job.ts'
import { rateOf, type Row } from '../measure.ts'

const ITEMS = 2000
const PAGE = 500
const BINARY = vocabularies.orch.resolve('application/vnd.{brand}.protobuf')

export const binary: Question = {
  name: 'binary',
  // Reads come from memory, whatever is under it.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const { ours, target } = await bench.served()
    if (ours === null) return []
    const path = await bench.fill(ours, 'binary', 'settings-', ITEMS)
    /** Rounds of one read in the binary form, and in JSON. */
    const beside = (
      what: string,
      atMost: number,
      connections: number,
      plan: Plan & { is: 'get' },
    ) => {
      const round = (of: Plan) => async () =>
        rateOf(await bench.requests(target, 'h1', { connections }, of))
      return bench.alternate(
        {
          question: 'binary',
          what: `${what} in the binary form, to JSON`,
          unit: '/s',
          goal: null,
          costs: { of: 'bare', atMost },
        },
        round({ ...plan, accept: BINARY }),
        round(plan),
      )
    }
    return [
      await beside('get 2 KiB, 32 connections,', 2, 32, {
        is: 'get',
        path: `${path}/settings-0000000`,
      }),
      await beside(`page of ${PAGE}`, 5, 1, { is: 'get', path: `${path}?limit=${PAGE}` }),
    ]
  },
}
