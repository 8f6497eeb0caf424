/** What do applying and field ownership cost above the store? */
import type { Bench, Question } from '../bench.ts'
import { CHANGING, REVISION, type Plan } from '../load/job.ts'
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
      ours === null ? NONE : deployments(bench, ours, namespace)
    const changed = await from('apply-change')
    const same = await from('apply-same')
    const imaged = await from('image')
    const reported = await from('status')
    const places = await bench.namespaces(ours, 'create-deployments')
    const valueBytes = Buffer.byteLength(same.text) || BARE_BYTES
    const measured = (plan: Plan) =>
      ours && (async () => rateOf(await bench.requests(target, 'h1', lanes, plan)))
    const store = () => bench.rawStore(CONNECTIONS, valueBytes)
    const row = (what: string, atMost: number) => ({
      question: 'apply',
      what: `${what}, ${CONNECTIONS} connections`,
      unit: '/s' as const,
      goal: null,
      costs: { of: 'gets', atMost } as const,
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
        row('apply that changes one field', 8.5),
        measured({ ...repeated, path: changed.path, changes: true }),
        store,
      ),
      // It writes nothing, so its limit is the transport.
      await bench.alternate(row('apply that changes nothing', 2.5), measured(repeated), async () =>
        rateOf(await bench.requests(bare.target, 'h1', lanes, repeated)),
      ),
      await bench.alternate(
        row('create of a deployment', 7),
        ours &&
          (async (round) => {
            const path = deploymentsIn(places[round]!)
            const plan: Plan = { is: 'createDeployments', path, prefix: PREFIX, count: ENDLESS }
            return rateOf(await bench.requests(target, 'h1', lanes, plan))
          }),
        store,
      ),
      await bench.alternate(
        row('strategic merge of an image', 8),
        measured({ is: 'patchImage', path: imaged.path, prefix: PREFIX }),
        store,
      ),
      await bench.alternate(
        row("update of a deployment's status with one condition changed", 7),
        measured(replacing(reported)),
        store,
      ),
    ]
  },
}

const deploymentsIn = (namespace: string): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments`

/** Deployments under a path, as they are read. */
interface Deployments {
  readonly path: string
  readonly text: string
  readonly all: readonly { readonly name: string; readonly text: string }[]
}

const NONE: Deployments = { path: '', text: '', all: [] }

/** What a controller sends that tells of progress: the whole object, with another message in one condition. */
const replacing = ({ path, all }: Deployments): Plan => ({
  is: 'replace',
  paths: all.map(({ name }) => `${path}/${name}/status`),
  texts: all.map(({ text }) =>
    text
      .replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${REVISION}"`)
      .replace(PROGRESS, `Step ${CHANGING} of the rollout has ended.`),
  ),
})

/** Deployments that one manager applied and another gave a status, one for each connection. */
async function deployments(bench: Bench, ours: Ours, namespace: string): Promise<Deployments> {
  await bench.namespace(ours, namespace)
  const path = deploymentsIn(namespace)
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
  const all = []
  for (const { metadata } of items) {
    const { text } = await ours.ask('GET', `${path}/${metadata.name}`)
    all.push({ name: metadata.name, text })
  }
  return { path, text: all[0]!.text, all }
}

const condition = (type: string, reason: string, message: string) => ({
  type,
  status: 'True',
  reason,
  message,
  lastTransitionTime: '2022-11-01T10:00:00Z',
  lastUpdateTime: '2022-11-01T10:00:00Z',
})

const PROGRESS = 'The rollout has ended.'

const STATUS = {
  observedGeneration: 1,
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  conditions: [
    condition('Available', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'),
    condition('Progressing', 'NewReplicaSetAvailable', PROGRESS),
  ],
}
