import type { ClusterRole } from '../kinds/rbac/cluster-role.ts'
import type { PolicyRule } from '../kinds/rbac/policy-rule.ts'
import { Pace } from '../base/turn.ts'
import type { JsonObject } from '../schema/codec.ts'
import { sameValue } from '../schema/field-errors.ts'
import { matchesLabels, selectorFromObject } from '../schema/selectors.ts'
import { workQueue, type Controller } from './controller.ts'
import { following } from './following.ts'
import { Writer } from './writer.ts'

const NAME = 'clusterrole-aggregation'
const WORKERS = 5

/** Gathers the rules of cluster roles with an aggregation rule from the roles that it selects. */
export const clusterRoleAggregation: Controller = {
  name: NAME,
  async start(world) {
    const { api, source } = world
    const group = api.v.spell('rbac.authorization{api}')
    const served = api.catalogue.find(group, 'v1', 'clusterroles')
    const writer = new Writer(api, `${NAME}-controller`)
    const roles = new Map<string, ClusterRole>()
    const gathering = new Set<string>()
    const queue = workQueue(world, NAME, {
      workers: WORKERS,
      async work(name) {
        const role = roles.get(name)
        if (!served || !role?.aggregationRule || role.metadata.deletionTimestamp !== undefined)
          return
        const rules = await gathered(role, roles)
        if (sameValue(rules, role.rules ?? [])) return
        const plain = served.codec.plain({ rules } as never)
        const config: JsonObject = { metadata: { name }, rules: plain['rules'] ?? [] }
        await writer.apply({ served, namespace: '', name }, config, `${NAME}-controller`)
      },
    })
    const end = await source.follow<ClusterRole>(
      { group, resource: 'clusterroles' },
      {
        set(role) {
          const name = role.metadata.name ?? ''
          roles.set(name, role)
          if (role.aggregationRule) gathering.add(name)
          else gathering.delete(name)
          for (const one of gathering) queue.add(one)
        },
        removed({ metadata: { name = '' } }) {
          roles.delete(name)
          gathering.delete(name)
          for (const one of gathering) queue.add(one)
        },
      },
    )
    return following(queue, writer, [end])
  },
}

/** Rules of the selected roles, selector by selector and by name, each rule once. */
async function gathered(
  role: ClusterRole,
  roles: ReadonlyMap<string, ClusterRole>,
): Promise<PolicyRule[]> {
  const rules = new Map<string, PolicyRule>()
  const pace = new Pace()
  const left = new Map([...roles].sort(([a], [b]) => (a < b ? -1 : 1)))
  left.delete(role.metadata.name ?? '')
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const parsed = selectorFromObject(selector)
    for (const [name, other] of left) {
      if (!matchesLabels(parsed, other.metadata.labels)) continue
      // What a second selector finds again is there already.
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
