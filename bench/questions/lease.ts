/** What does the heartbeat of a node cost: the renewal of its lease? */
import { vocabularies } from '../../src/vocabulary/index.ts'
import type { Bench, Question } from '../bench.ts'
import { leaseText, numberText } from '../load/bodies.ts'
import { CHANGING, type Plan } from '../load/job.ts'
import { rateOf, type Row } from '../measure.ts'

const CONNECTIONS = 16
const NAMESPACE = 'leases'
const PREFIX = 'node-'
const API = vocabularies.orch.resolve('coordination{api}/v1')
// As large as a renewed lease with its field managers.
const BYTES = 640

export const lease: Question = {
  name: 'lease',
  async ask(bench: Bench): Promise<Row[]> {
    const { ours, target } = await bench.served()
    const path = `/apis/${API}/namespaces/${NAMESPACE}/leases`
    const names = Array.from({ length: CONNECTIONS }, (_, i) => PREFIX + numberText(i))
    const texts = names.map((name) => leaseText(API, name))
    if (ours !== null) {
      await bench.namespace(ours, NAMESPACE)
      for (const text of texts) {
        const { metadata, ...rest } = JSON.parse(text.replace(CHANGING, '000000')) as {
          metadata: object
        }
        await ours.ask('POST', path, { ...rest, metadata: { ...metadata, resourceVersion: '' } })
      }
    }
    const row = async (how: string, plan: Plan) =>
      bench.alternate(
        {
          question: 'lease',
          what: `renewal of a lease by ${how}, ${CONNECTIONS} connections`,
          unit: '/s',
          goal: null,
          costs: { of: 'gets', atMost: 3 },
        },
        ours &&
          (async () =>
            rateOf(await bench.requests(target, 'h1', { connections: CONNECTIONS }, plan))),
        () => bench.rawStore(CONNECTIONS, BYTES),
      )
    const paths = names.map((name) => `${path}/${name}`)
    return [
      await row('PUT', { is: 'replace', paths, texts }),
      await row('patch', { is: 'patchLease', path, prefix: PREFIX }),
    ]
  },
}
