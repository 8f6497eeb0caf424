/** What do the admission plugins cost that are on by default? */
import { PLUGIN_ORDER } from '../../src/admission/plugin-order.ts'
import type { Bench, Question } from '../bench.ts'
import type { Target } from '../load/job.ts'
import { rateOf, type Row } from '../measure.ts'
import { podsInEach } from '../pods.ts'
import type { Ours } from '../subjects.ts'

const CONNECTIONS = 16

export const plugins: Question = {
  name: 'plugins',
  // What is compared is above the store.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const all = await bench.served()
    const none = await bench.served({ flags: ['--disable-admission-plugins', PLUGIN_ORDER.join()] })
    if (all.ours === null || none.ours === null) return []
    const creates = async (ours: Ours, target: Target) => {
      const places = await podsInEach(ours, await bench.namespaces(ours, 'plugins'))
      return async (round: number) => {
        const count = Number.MAX_SAFE_INTEGER
        const plan = { is: 'createPods', paths: [places[round]!], prefix: 'web-', count } as const
        return rateOf(await bench.requests(target, 'h1', { connections: CONNECTIONS }, plan))
      }
    }
    const row = await bench.alternate(
      {
        question: 'plugins',
        what: 'create of a pod with the default plugins, to none',
        unit: '/s',
        goal: null,
        costs: { of: 'bare', atMost: 1.25 },
      },
      await creates(all.ours, all.target),
      await creates(none.ours, none.target),
    )
    return [row]
  },
}
