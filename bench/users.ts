/** Users that role bindings allow: nothing is measured with the power of an administrator who may do everything. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { issue } from '../src/pki/issue.ts'
import { vocabularies } from '../src/vocabulary/index.ts'
import type { Target } from './load/job.ts'
import { askAs, type Ours } from './subjects.ts'

const DAY_MS = 86_400_000
const TRIES = 100
const TRY_AGAIN_MS = 50
const WORKER = 'bench-worker'

/** Where roles and bindings are. */
export const RBAC_PATH = vocabularies.orch.resolve('/apis/rbac.authorization{api}/v1')

/** A user with a client certificate of the server's own authority. */
export function certified(
  { target, dataDir }: Pick<Ours, 'target' | 'dataDir'>,
  name: string,
): Target {
  const [cert = '', key = ''] = ['ca.crt', 'ca.key'].map((file) =>
    readFileSync(join(dataDir, 'pki', file), 'utf8'),
  )
  const now = Date.now()
  const own = issue({
    subject: { commonName: name },
    notBeforeMs: now - DAY_MS,
    notAfterMs: now + DAY_MS,
    use: 'client',
    issuer: { cert, key },
  })
  return { ...target, ...own }
}

/** The same user as before, after the server was started again. */
export const workerAgain = (ours: Ours): Target => certified(ours, WORKER)

/** A user whom a role of the cluster allows what the questions ask, and nothing else; waits until it does. */
export async function worker(ours: Ours): Promise<Target> {
  const rule = (apiGroup: string, resource: string) => ({
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
    apiGroups: [apiGroup],
    resources: [resource],
  })
  await ours.ask('POST', `${RBAC_PATH}/clusterroles`, {
    metadata: { name: WORKER },
    rules: [
      rule('', 'configmaps'),
      rule('', 'pods'),
      rule('apps', 'deployments'),
      rule('apps', 'deployments/status'),
      rule(vocabularies.orch.resolve('coordination{api}'), 'leases'),
      rule('bench.example.com', 'gadgets'),
    ],
  })
  await ours.ask('POST', `${RBAC_PATH}/clusterrolebindings`, {
    metadata: { name: WORKER },
    roleRef: { kind: 'ClusterRole', name: WORKER },
    subjects: [{ kind: 'User', name: WORKER }],
  })
  const target = certified(ours, WORKER)
  for (let tries = 1; ; tries++) {
    try {
      await askAs(target, 'GET', '/apis/apps/v1/deployments?limit=1')
      return target
    } catch (error) {
      if (tries === TRIES) throw error
      await wait(TRY_AGAIN_MS)
    }
  }
}
