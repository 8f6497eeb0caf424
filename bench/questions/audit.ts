/** What does it cost to record a get? */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vocabularies } from '../../src/vocabulary/index.ts'
import type { Bench, Question } from '../bench.ts'
import type { Target } from '../load/job.ts'
import { rateOf, type Row } from '../measure.ts'

const CONNECTIONS = 32
const NAMESPACE = 'audit'

export const audit: Question = {
  name: 'audit',
  // Reads come from memory, whatever is under it.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const folder = bench.workspace.folder()
    const policy = join(folder, 'policy.json')
    const apiVersion = vocabularies.orch.resolve('audit{api}/v1')
    const rules = [{ level: 'Metadata' }]
    writeFileSync(policy, JSON.stringify({ apiVersion, kind: 'Policy', rules }))
    const flags = [
      ...['--audit-policy-file', policy, '--audit-log-path', join(folder, 'audit.log')],
      ...['--audit-log-mode', 'batch'],
    ]
    const recorded = await bench.served({ flags })
    const silent = await bench.served()
    if (recorded.ours === null || silent.ours === null) return []
    const path = `${await bench.fill(recorded.ours, NAMESPACE, 'settings-', 1)}/settings-0000000`
    await bench.fill(silent.ours, NAMESPACE, 'settings-', 1)
    const gets = (target: Target) => async () =>
      rateOf(await bench.requests(target, 'h1', { connections: CONNECTIONS }, { is: 'get', path }))
    const row = await bench.alternate(
      {
        question: 'audit',
        what: 'get recorded at level Metadata, to none',
        unit: '/s',
        goal: null,
        costs: { of: 'bare', atMost: 1.1 },
      },
      gets(recorded.target),
      gets(silent.target),
    )
    return [row]
  },
}
