import type { ClusterRole } from '../kinds/rbac/cluster-role.ts'
import type { PolicyRule } from '../kinds/rbac/policy-rule.ts'
import type { Entry } from '../client/entry.ts'
import { BackgroundPace } from '../base/background-pace.ts'
import { sameValue } from '../meta/field-errors.ts'
import { matchesLabels, selectorFromObject } from '../meta/selectors.ts'
import { clusterRoles } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following } from './following.ts'

const NAME = 'clusterrole-aggregation'
const WORKERS = 5

/** Gathers the rules of cluster roles with an aggregation rule from the roles that it selects. */
export const clusterRoleAggregation: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v } = context
    const address = clusterRoles(v)
    if (!(await resources.serves(address))) return asleep
    const client = context.clientFor(`${NAME}-controller`)
    const roles = new Map<string, ClusterRole>()
    const gathering = new Set<string>()
    const queue = workQueue(context, NAME, {
      workers: WORKERS,
      async work(name) {
        const role = roles.get(name)
        if (!role?.aggregationRule || role.metadata.deletionTimestamp !== undefined) return
        const rules = await gathered(role, roles)
        if (sameValue(rules, role.rules ?? [])) return
        const config = {
          apiVersion: `${address.group}/${address.version}`,
          kind: 'ClusterRole',
          metadata: { name },
          rules,
        }
        const fieldManager = `${NAME}-controller`
        await client.resource<ClusterRole>(address).apply(config, { fieldManager, force: true })
      },
    })
    const changed = ({ name, object }: Entry<ClusterRole>) => {
      roles.set(name, object)
      if (object.aggregationRule) gathering.add(name)
      else gathering.delete(name)
      for (const one of gathering) queue.add(one)
    }
    const deleted = ({ name }: Entry<ClusterRole>) => {
      roles.delete(name)
      gathering.delete(name)
      for (const one of gathering) queue.add(one)
    }
    const informer = informers.of<ClusterRole>(address)
    // With some of the roles only an aggregated one would lose rules for a moment.
    await informer.synced(signal)
    return following(queue, client, [
      informer.addHandler({ add: changed, update: changed, delete: deleted }),
    ])
  },
}

/** Rules of the selected roles, selector by selector and by name, each rule once. */
async function gathered(
  role: ClusterRole,
  roles: ReadonlyMap<string, ClusterRole>,
): Promise<PolicyRule[]> {
  const rules = new Map<string, PolicyRule>()
  const pace = new BackgroundPace()
  const left = new Map([...roles].sort(([a], [b]) => (a < b ? -1 : 1)))
  left.delete(role.metadata.name ?? '')
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const parsed = selectorFromObject(selector)
    for (const [name, other] of left) {
      if (!matchesLabels(parsed, other.metadata.labels)) continue
      // Another selector has matched this role already.
      left.delete(name)
      for (const rule of other.rules ?? []) {
        const key = keyOf(rule)
        if (!rules.has(key)) rules.set(key, rule)
      }
    }
    const pause = pace.pause()
    if (pause) await pause
  }
  return [...rules.values()]
}

const keyOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule) =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs])
