/** Rows of users who give others what they hold themselves: every permission is looked up. */
import { ask, NS, RBAC, type Json } from './requests.ts'
import { many, type Row } from './row.ts'

const ROLES = `${RBAC}/clusterroles`
const BINDINGS = `${RBAC}/clusterrolebindings`
const AS = { 'impersonate-user': 'giver' }

const named = (name: string, rules: readonly Json[]): Json => ({ metadata: { name }, rules })
const bound = (name: string): Json => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  subjects: [{ kind: 'User', name: 'giver', apiGroup: 'rbac.authorization.k8s.io' }],
})
const ruleOf = (i: number): Json => ({ verbs: ['get'], apiGroups: [''], resources: [`r${i}`] })
const held = (rules: readonly Json[]) => [
  ask('POST', ROLES, () => named('held', rules)),
  ask('POST', BINDINGS, () => bound('held')),
  ask('POST', ROLES, () =>
    named('may-write', [
      {
        verbs: ['create', 'update', 'patch', 'get'],
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['*'],
      },
    ]),
  ),
  ask('POST', BINDINGS, () => bound('may-write')),
]
const gone = [
  ...['held', 'may-write'].flatMap((name) => [
    { method: 'DELETE', path: `${BINDINGS}/${name}` },
    { method: 'DELETE', path: `${ROLES}/${name}` },
  ]),
  { method: 'DELETE', path: `${ROLES}/big` },
  { method: 'DELETE', path: `${BINDINGS}/big` },
  { method: 'DELETE', path: `${NS.replace('/api/v1', RBAC)}/roles/big` },
]
const grant = (
  name: string,
  holds: readonly Json[],
  gives: () => readonly Json[],
  status: number,
): Row => ({
  name: `grant ${name}`,
  before: held(holds),
  ask: { ...ask('POST', ROLES, () => named('big', gives())), headers: AS },
  status,
  after: gone,
})

const single = () => many(ruleOf)
const wide = { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'secrets'] }
/** One rule that names as many permissions as may be looked at. */
const product = (count: number): Json => ({
  verbs: Array.from({ length: count }, (_, i) => `v${i}`),
  apiGroups: [''],
  resources: Array.from({ length: count }, (_, i) => `r${i}`),
})

export const grants: Row[] = [
  grant(
    'of many rules, all held by one',
    [product(10), { ...wide, resources: ['*'] }],
    single,
    201,
  ),
  grant('of many rules, each held', single(), single, 201),
  grant('of many rules, none held', [wide], () => many((i) => ruleOf(i + 1e6)), 403),
  grant('of many rules against many others', single(), () => many((i) => ruleOf(i + 1e6)), 403),
  grant('of a product, held', [product(315)], () => [product(315)], 201),
  grant('of a product, not held', [wide], () => [product(315)], 403),
  grant('of a product beyond the bound', [wide], () => [product(10_000)], 403),
  {
    name: 'grant of a role by a binding',
    before: [...held(single()), ask('POST', ROLES, () => named('big', single()))],
    ask: {
      ...ask('POST', BINDINGS, () => ({
        ...bound('big'),
        subjects: [{ kind: 'User', name: 'other', apiGroup: 'rbac.authorization.k8s.io' }],
      })),
      headers: AS,
    },
    status: 201,
    after: gone,
  },
]
