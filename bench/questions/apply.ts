/** What do applying and field ownership cost above the store? */
import type { Bench, Question } from '../bench.ts'
import type { Plan } from '../load/job.ts'
import { rateOf, type Row } from '../measure.ts'
import type { Ours } from '../subjects.ts'

const CONNECTIONS = 16
const PREFIX = 'shop-'
const ENDLESS = Number.MAX_SAFE_INTEGER
const BARE_BYTES = 4096

export const apply: Question = {
  name: 'apply',
  async ask(bench: Bench): Promise<Row[]> {
    const { ours, target } = await bench.served()
    const lanes = { connections: CONNECTIONS }
    const from = async (namespace: string) =>
      ours === null ? { path: '', text: '' } : deployments(bench, ours, namespace)
    const changed = await from('apply-change')
    const same = await from('apply-same')
    const imaged = await from('image')
    const valueBytes = Buffer.byteLength(same.text) || BARE_BYTES
    const measured = (plan: Plan) =>
      ours && (async () => rateOf(await bench.requests(target, 'h1', lanes, plan)))
    const store = () => bench.rawStore(CONNECTIONS, valueBytes)
    const row = (what: string) => ({
      question: 'apply',
      what: `${what}, ${CONNECTIONS} connections`,
      unit: '/s' as const,
      goal: null,
    })
    const repeated: Plan = {
      is: 'apply',
      path: same.path,
      prefix: PREFIX,
      changes: false,
      count: ENDLESS,
    }
    const bare = await bench.bare({
      is: 'http',
      headers: { 'content-type': 'application/json' },
      body: same.text || 'v'.repeat(BARE_BYTES),
    })
    return [
      await bench.alternate(
        row('apply that changes one field'),
        measured({ ...repeated, path: changed.path, changes: true }),
        store,
      ),
      // It writes nothing, so its limit is the transport.
      await bench.alternate(row('apply that changes nothing'), measured(repeated), async () =>
        rateOf(await bench.requests(bare.target, 'h1', lanes, repeated)),
      ),
      await bench.alternate(
        row('create of a deployment'),
        ours &&
          (async (round) => {
            const path = await namespaceOf(bench, ours, `create-deployments-${round}`)
            const plan: Plan = { is: 'createDeployments', path, prefix: PREFIX, count: ENDLESS }
            return rateOf(await bench.requests(target, 'h1', lanes, plan))
          }),
        store,
      ),
      await bench.alternate(
        row('strategic merge of an image'),
        measured({ is: 'patchImage', path: imaged.path, prefix: PREFIX }),
        store,
      ),
    ]
  },
}

async function namespaceOf(bench: Bench, ours: Ours, name: string): Promise<string> {
  await bench.namespace(ours, name)
  return `/apis/apps/v1/namespaces/${name}/deployments`
}

/** Deployments that one manager applied and another gave a status, one for each connection. */
async function deployments(
  bench: Bench,
  ours: Ours,
  namespace: string,
): Promise<{ path: string; text: string }> {
  const path = await namespaceOf(bench, ours, namespace)
  await bench.run({
    is: 'requests',
    target: ours.target,
    protocol: 'h1',
    connections: CONNECTIONS,
    streams: 1,
    plan: { is: 'apply', path, prefix: PREFIX, changes: false, count: CONNECTIONS },
    seconds: 600,
    warmUpSeconds: 0,
    atMost: CONNECTIONS,
  })
  const { items } = JSON.parse((await ours.ask('GET', path)).text) as {
    items: { metadata: { name: string } }[]
  }
  for (const { metadata } of items) {
    await ours.ask('PUT', `${path}/${metadata.name}/status`, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: metadata.name },
      status: STATUS,
    })
  }
  const { text } = await ours.ask('GET', `${path}/${items[0]!.metadata.name}`)
  return { path, text }
}

const condition = (type: string, reason: string, message: string) => ({
  type,
  status: 'True',
  reason,
  message,
  lastTransitionTime: '2022-11-01T10:00:00Z',
  lastUpdateTime: '2022-11-01T10:00:00Z',
})

const STATUS = {
  observedGeneration: 1,
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  conditions: [
    condition('Available', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'),
    condition('Progressing', 'NewReplicaSetAvailable', 'The rollout has ended.'),
  ],
}
