/** What do admission webhooks cost: those that are called, and those that are not? */
import { issue } from '../../src/pki/issue.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { configMapsIn, OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { Plan, Target } from '../load/job.ts'
import { plain, rateOf, type Row } from '../measure.ts'
import { podsInEach } from '../pods.ts'
import { firstLine, type Ours } from '../subjects.ts'

const CONNECTIONS = 16
const OTHERS = 200
const DAY_MS = 86_400_000
const PATH = vocabularies.orch.resolve('/apis/admissionregistration{api}/v1')

export const webhooks: Question = {
  name: 'webhooks',
  // Configurations are in memory, whatever is under them.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const without = await bench.served()
    const [others, one] = [await bench.served(), await bench.served()]
    if (without.ours === null || others.ours === null || one.ours === null) return []
    for (let i = 0; i < OTHERS; i++) await configureOther(others.ours, i)
    await configureOne(one.ours, await startWebhook(bench))
    // Two rows have rounds of the same side.
    const namespaces = (ours: Ours, name: string) =>
      bench.namespaces(ours, name, 2 * bench.options.rounds)
    const count = Number.MAX_SAFE_INTEGER
    const measured = async (target: Target, plan: Plan) =>
      rateOf(await bench.requests(target, 'h1', { connections: CONNECTIONS }, plan))
    const creates = async (ours: Ours, target: Target, name: string) => {
      const places = await namespaces(ours, name)
      const [prefix, sizeBytes] = ['settings-', OBJECT_BYTES]
      return () =>
        measured(target, {
          is: 'create',
          path: configMapsIn(places.pop()!),
          prefix,
          sizeBytes,
          count,
        })
    }
    const createsPods = async (ours: Ours, target: Target, name: string) => {
      const places = await podsInEach(ours, await namespaces(ours, name))
      return () =>
        measured(target, { is: 'createPods', paths: [places.pop()!], prefix: 'web-', count })
    }
    const bare = await creates(without.ours, without.target, 'bare')
    const called = await creates(one.ours, one.target, 'called')
    const barePods = await createsPods(without.ours, without.target, 'bare-pods')
    const calledPods = await createsPods(one.ours, one.target, 'called-pods')
    const question = 'webhooks'
    const atLeast = { of: 'ratio', is: 'at least', number: 0.95 } as const
    return [
      await bench.alternate(
        {
          question,
          what: `create with ${OTHERS} webhooks that do not match, to none`,
          unit: '/s',
          goal: atLeast,
        },
        await creates(others.ours, others.target, 'others'),
        bare,
      ),
      await bench.alternate(
        { question, what: 'create with one webhook on loopback, to none', unit: '/s', goal: null },
        called,
        await creates(without.ours, without.target, 'bare-again'),
      ),
      await bench.alternate(
        {
          question,
          what: "the server's CPU for one call of a webhook",
          unit: 'us',
          goal: { of: 'value', is: 'at most', number: 1000 },
        },
        async () => {
          const [more, less] = [await called(), await bare()]
          return plain((more.cpuMicros ?? 0) - (less.cpuMicros ?? 0))
        },
        null,
      ),
      await bench.alternate(
        {
          question,
          what: "the server's CPU for one call of a webhook for a pod",
          unit: 'us',
          goal: { of: 'value', is: 'at most', number: 1000 },
        },
        async () => {
          const [more, less] = [await calledPods(), await barePods()]
          return plain((more.cpuMicros ?? 0) - (less.cpuMicros ?? 0))
        },
        null,
      ),
    ]
  },
}

const hook = (name: string, resources: readonly string[], clientConfig: object) => ({
  name,
  clientConfig,
  rules: [
    { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources },
    { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['*'], resources: ['*/*'] },
  ],
  namespaceSelector: { matchLabels: { webhooks: 'on' } },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
})

async function configureOther(ours: Ours, i: number): Promise<void> {
  const kind = i % 2 === 0 ? 'mutating' : 'validating'
  const url = `https://127.0.0.1:1/${i}`
  await ours.ask('POST', `${PATH}/${kind}webhookconfigurations`, {
    metadata: { name: `other-${i}` },
    webhooks: [hook(`other-${i}.example.com`, ['secrets'], { url })],
  })
}

async function configureOne(ours: Ours, clientConfig: object): Promise<void> {
  const webhook = hook('one.example.com', ['configmaps', 'pods'], clientConfig)
  await ours.ask('POST', `${PATH}/validatingwebhookconfigurations`, {
    metadata: { name: 'one' },
    webhooks: [{ ...webhook, namespaceSelector: {} }],
  })
}

/** Starts a webhook; gives the configuration of its clients. */
async function startWebhook({ workspace }: Bench): Promise<object> {
  const now = Date.now()
  const times = { notBeforeMs: now - DAY_MS, notAfterMs: now + DAY_MS }
  const subject = { commonName: 'webhook' }
  const { cert, key } = issue({ ...times, subject, use: 'server', hosts: ['127.0.0.1'] })
  const child = workspace.listening('webhook-process.js', [JSON.stringify({ cert, key })])
  const port = await firstLine(child, 'the webhook')
  return {
    url: `https://127.0.0.1:${port}/`,
    caBundle: Buffer.from(cert).toString('base64'),
  }
}
