/** What does a read-modify-write cost above the store? */
import type { Bench, Question } from '../bench.ts'
import { rateOf, type Row } from '../measure.ts'

const CONNECTIONS = 16

export const patch: Question = {
  name: 'patch',
  async ask(bench: Bench): Promise<Row[]> {
    const { ours, target } = await bench.served()
    const prefix = 'settings-'
    const path = ours === null ? '' : await bench.fill(ours, 'patch', prefix, CONNECTIONS)
    const row = await bench.alternate(
      {
        question: 'patch',
        what: `merge patch of a label, ${CONNECTIONS} connections`,
        unit: '/s',
        goal: null,
        costs: { of: 'gets', atMost: 4 },
      },
      ours &&
        (async () =>
          rateOf(
            await bench.requests(
              target,
              'h1',
              { connections: CONNECTIONS },
              { is: 'patch', path, prefix },
            ),
          )),
      () => bench.rawStore(CONNECTIONS),
    )
    return [row]
  },
}
