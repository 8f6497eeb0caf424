/** create role, clusterrole, rolebinding, clusterrolebinding. */
import { generatorCommand, nameArg } from '../../api/generate.ts'
import { findResource } from '../../api/resources.ts'
import type { Context } from '../../base/context.ts'
import { Fault } from '../../base/faults.ts'
import type { FlagSpecs } from '../../base/flags.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'

const ruleFlags = {
  resource: { type: 'list', help: 'Resource that the rule applies to' },
  'resource-name': {
    type: 'array',
    help: 'Resource in the white list that the rule applies to, repeat this flag for multiple items',
  },
  verb: { type: 'list', help: 'Verb that applies to the resources contained in the rule' },
} as const satisfies FlagSpecs

interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

const RESOURCE_VERBS =
  'get list watch create update patch delete deletecollection use bind impersonate escalate proxy approve sign'.split(
    ' ',
  )

const unique = (texts: readonly string[]) => [...new Set(texts)]

/** One rule for each group, in the order of their first resource. */
async function resourceRules(c: Context): Promise<Rule[]> {
  const verbs = unique(c.flags.list('verb'))
  if (verbs.length === 0) throw new Fault('error: at least one verb must be specified')
  for (const verb of verbs)
    if (verb !== '*' && !RESOURCE_VERBS.includes(verb))
      c.err(`Warning: '${verb}' is not a standard resource verb\n`)
  const words = unique(c.flags.list('resource'))
  const byGroup = new Map<string, string[]>()
  const discovery = await c.discovery()
  for (const word of words) {
    const [name = '', sub = ''] = word.split('/')
    if (name === '') throw new Fault(`error: resource with empty name: ${word}`)
    if (word === '*') {
      byGroup.set('*', ['*'])
      continue
    }
    const found = await findResource(discovery, name, '')
    const full = sub === '' ? found.name : `${found.name}/${sub}`
    byGroup.set(found.group, [...(byGroup.get(found.group) ?? []), full])
  }
  const names = c.flags.list('resource-name')
  return [...byGroup].map(([group, resources]) => ({
    apiGroups: [group],
    ...(names.length > 0 ? { resourceNames: names } : {}),
    resources,
    verbs: verbs.includes('*') ? ['*'] : verbs,
  }))
}

export const createRole = generatorCommand({
  use: 'NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]',
  text: 'Creates a role with one rule for each group.',
  examples: [['Who may read pods', 'create role reader --verb=get,list,watch --resource=pods']],
  flags: ruleFlags,
  async make(c, v) {
    const name = nameArg(c)
    const rules = await resourceRules(c)
    if (rules.length === 0) throw new Fault('error: at least one resource must be specified')
    return { apiVersion: rbac(v), kind: 'Role', metadata: { name }, rules }
  },
})

const rbac = (v: Vocabulary) => v.resolve('rbac.authorization{api}/v1')
const rbacGroup = (v: Vocabulary) => v.resolve('rbac.authorization{api}')

export const createClusterRole = generatorCommand({
  use: 'NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none]',
  text: 'Creates a cluster role, of rules for resources and URLs or of other cluster roles.',
  flags: {
    ...ruleFlags,
    'aggregation-rule': {
      type: 'text',
      help: 'An aggregation label selector for combining ClusterRoles.',
    },
    'non-resource-url': { type: 'list', help: 'A partial url that user should have access to.' },
  },
  async make(c, v) {
    const metadata = { name: nameArg(c) }
    const aggregation = c.flags.text('aggregation-rule')
    const head = { apiVersion: rbac(v), kind: 'ClusterRole', metadata }
    if (aggregation !== '') {
      if (c.flags.list('verb').length > 0)
        throw new Fault(
          'error: aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames',
        )
      const matchLabels = Object.fromEntries(
        aggregation.split(',').map((pair) => pair.split('=').slice(0, 2)),
      )
      return { ...head, aggregationRule: { clusterRoleSelectors: [{ matchLabels }] }, rules: null }
    }
    const rules: Rule[] = await resourceRules(c)
    const urls = c.flags.list('non-resource-url')
    if (urls.length > 0) rules.push({ nonResourceURLs: urls, verbs: unique(c.flags.list('verb')) })
    if (rules.length === 0)
      throw new Fault('error: one of resource or nonResourceURL must be specified')
    return { ...head, rules }
  },
})

const subjectFlags = {
  clusterrole: { type: 'text', help: 'ClusterRole this binding should reference' },
  group: {
    type: 'array',
    help: 'Groups to bind to the role. The flag can be repeated to add multiple groups.',
  },
  serviceaccount: {
    type: 'array',
    help: 'Service accounts to bind to the role, in the format <namespace>:<name>. The flag can be repeated to add multiple service accounts.',
  },
  user: {
    type: 'array',
    help: 'Usernames to bind to the role. The flag can be repeated to add multiple users.',
  },
} as const satisfies FlagSpecs

function subjects(c: Context, v: Vocabulary): object[] {
  const apiGroup = rbacGroup(v)
  return [
    ...c.flags.list('user').map((name) => ({ apiGroup, kind: 'User', name })),
    ...c.flags.list('group').map((name) => ({ apiGroup, kind: 'Group', name })),
    ...c.flags.list('serviceaccount').map((text) => {
      const [namespace = '', name = '', ...more] = text.split(':')
      if (namespace === '' || name === '' || more.length > 0) {
        throw new Fault('error: serviceaccount must be <namespace>:<name>')
      }
      return { kind: 'ServiceAccount', name, namespace }
    }),
  ]
}

const bindingUse =
  'NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]'

export const createRoleBinding = generatorCommand({
  use: bindingUse.replace('--clusterrole=NAME', '--clusterrole=NAME|--role=NAME'),
  text: 'Creates a role binding for a role or a cluster role.',
  flags: {
    ...subjectFlags,
    role: { type: 'text', help: 'Role this RoleBinding should reference' },
  },
  make(c, v) {
    const metadata = { name: nameArg(c) }
    const [role, clusterRole] = [c.flags.text('role'), c.flags.text('clusterrole')]
    if ((role === '') === (clusterRole === ''))
      throw new Fault('error: exactly one of clusterrole or role must be specified')
    return {
      apiVersion: rbac(v),
      kind: 'RoleBinding',
      metadata,
      roleRef: {
        apiGroup: rbacGroup(v),
        kind: role === '' ? 'ClusterRole' : 'Role',
        name: role === '' ? clusterRole : role,
      },
      subjects: subjects(c, v),
    }
  },
})

export const createClusterRoleBinding = generatorCommand({
  use: bindingUse,
  text: 'Creates a cluster role binding for a cluster role.',
  flags: subjectFlags,
  make(c, v) {
    const metadata = { name: nameArg(c) }
    if (c.flags.text('clusterrole') === '')
      throw new Fault('error: required flag(s) "clusterrole" not set')
    return {
      apiVersion: rbac(v),
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbacGroup(v), kind: 'ClusterRole', name: c.flags.text('clusterrole') },
      subjects: subjects(c, v),
    }
  },
})
