/** What does it cost to know who asks, and whether they may? */
import type { Bench, Question } from '../bench.ts'
import type { Target } from '../load/job.ts'
import { rateOf, type Row } from '../measure.ts'
import type { Ours } from '../subjects.ts'
import { certified, RBAC_PATH } from '../users.ts'

const CONNECTIONS = 32
const NAMESPACES = 50
const NAMESPACE = 'identity'
const READER = 'reader'

/** Everybody reads the same object; the limit is what it costs the administrator, who may do everything. */
export const identity: Question = {
  name: 'identity',
  // Reads come from memory, whatever is under it.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const ours = await bench.ours()
    if (ours === null) return []
    const path = `${await bench.fill(ours, NAMESPACE, 'settings-', 1)}/settings-0000000`
    const account = await withToken(ours)
    await allowBoth(ours)
    const plan = { is: 'get', path } as const
    const by = (target: Target) => async () =>
      rateOf(await bench.requests(target, 'h1', { connections: CONNECTIONS }, plan))
    const row = (what: string, target: Target, atMost?: number) =>
      bench.alternate(
        {
          question: 'identity',
          what: `get by ${what}, to the administrator`,
          unit: '/s',
          goal: { of: 'ratio', is: 'at least', number: 0.85 },
          ...(atMost === undefined ? {} : { costs: { of: 'bare', atMost } }),
        },
        by(target),
        by(ours.target),
        { swaps: true },
      )
    const rows = [
      await row('the administrator again', ours.target),
      await row('a user with a certificate', certified(ours, READER)),
      await row('a service account', account, 1.1),
    ]
    const { bindings } = bench.options
    await bindOthers(bench, ours, bindings)
    rows.push(await row(`a service account, ${bindings} bindings of others`, account))
    return rows
  },
}

async function withToken(ours: Ours): Promise<Target> {
  const accounts = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`
  await ours.ask('POST', accounts, { metadata: { name: READER } })
  const { text } = await ours.ask('POST', `${accounts}/${READER}/token`, {})
  const { status } = JSON.parse(text) as { status: { token: string } }
  const { port, ca, pid } = ours.target
  return { port, ca, pid, token: status.token }
}

async function allowBoth(ours: Ours): Promise<void> {
  const inNamespace = `${RBAC_PATH}/namespaces/${NAMESPACE}`
  await ours.ask('POST', `${inNamespace}/roles`, {
    metadata: { name: READER },
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }],
  })
  for (const [name, subject] of [
    ['user', { kind: 'User', name: READER }],
    ['account', { kind: 'ServiceAccount', name: READER, namespace: NAMESPACE }],
  ] as const) {
    await ours.ask('POST', `${inNamespace}/rolebindings`, {
      metadata: { name },
      roleRef: { kind: 'Role', name: READER },
      subjects: [subject],
    })
  }
}

/** A fifth of the bindings is for the whole cluster, the others lie in namespaces. */
async function bindOthers(bench: Bench, ours: Ours, count: number): Promise<void> {
  const places: string[] = []
  for (let i = 0; i < NAMESPACES; i++) {
    await bench.namespace(ours, `others-${i}`)
    places.push(`${RBAC_PATH}/namespaces/others-${i}/rolebindings`)
  }
  const cluster = Math.round(count / 5)
  for (const [paths, some] of [
    [places, count - cluster],
    [[`${RBAC_PATH}/clusterrolebindings`], cluster],
  ] as const) {
    const plan = { is: 'createBindings', paths, prefix: 'others-', count: some } as const
    await bench.add(ours.target, plan)
  }
}
