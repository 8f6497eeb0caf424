import { afterEach, beforeEach, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { clusterRoleAggregation } from './cluster-role-aggregation.ts'
import { startControllers, type RunningControllers } from './index.ts'

const RBAC = 'rbac.authorization{api}/v1'
const at = (name = '') => [RBAC, 'clusterroles', '', name] as const

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
const start = () =>
  (running = startControllers(context.controllerContext, [clusterRoleAggregation]))
beforeEach(async () => {
  context = await inProcess()
  start()
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] })
const part = (name: string, labels: Record<string, string>, ...resources: string[]) =>
  context.hand.create(at(), { metadata: { name, labels }, rules: resources.map(rule) })
const whole = (name: string, selectors: object[], labels = {}, rules: object[] = []) =>
  context.hand.create(at(), {
    metadata: { name, labels },
    aggregationRule: { clusterRoleSelectors: selectors },
    rules,
  })
const resourcesOf = async (name: string) => {
  await running.idle()
  return (await context.hand.get(at(name))).rules?.flatMap(
    ({ resources }: { resources: string[] }) => resources,
  )
}

test('rules come from the selected roles, selector by selector, by name, each once', async () => {
  await part('b', { to: 'view' }, 'pods', 'nodes')
  await part('a', { to: 'view' }, 'secrets', 'pods')
  await part('c', { to: 'edit' }, 'events')
  await part('d', { to: 'other' }, 'leases')
  await whole('all', [
    { matchLabels: { to: 'edit' } },
    { matchExpressions: [{ key: 'to', operator: 'In', values: ['view', 'edit'] }] },
  ])
  expect(await resourcesOf('all')).toEqual(['events', 'secrets', 'pods', 'nodes'])
})

test('roles that many selectors find are taken once', async () => {
  const resources = Array.from({ length: 2_000 }, (_, i) => `r${i}`)
  await part('a', { to: 'view' }, ...resources)
  const selectors = Array.from({ length: 20_000 }, () => ({ matchLabels: { to: 'view' } }))
  await whole('all', selectors)
  expect(await resourcesOf('all')).toEqual(resources)
})

test('a role that is created, changed or deleted takes effect at once', async () => {
  await whole('all', [{ matchLabels: { to: 'view' } }])
  expect(await resourcesOf('all')).toBe(undefined)
  await part('a', { to: 'view' }, 'pods')
  expect(await resourcesOf('all')).toEqual(['pods'])
  await context.hand.patch(at('a'), { rules: [rule('nodes')] })
  expect(await resourcesOf('all')).toEqual(['nodes'])
  await context.hand.patch(at('a'), { metadata: { labels: { to: null } } })
  expect(await resourcesOf('all')).toBe(undefined)
  await part('b', { to: 'view' }, 'leases')
  expect(await resourcesOf('all')).toEqual(['leases'])
  await context.hand.delete(at('b'))
  expect(await resourcesOf('all')).toBe(undefined)
})

test('rules by hand are replaced, and the owner of the rules is the controller', async () => {
  await whole('all', [{ matchLabels: { to: 'view' } }], {}, [rule('secrets')])
  await part('a', { to: 'view' }, 'pods')
  expect(await resourcesOf('all')).toEqual(['pods'])
  const { metadata } = await context.hand.get(at('all'))
  expect(
    metadata.managedFields
      .filter(({ fieldsV1 }: { fieldsV1: object }) => 'f:rules' in fieldsV1)
      .map(({ manager, operation }: { manager: string; operation: string }) => [
        manager,
        operation,
      ]),
  ).toEqual([['clusterrole-aggregation-controller', 'Apply']])
})

test('aggregated roles are aggregated as well, a role never into itself', async () => {
  await whole('top', [{ matchLabels: { tier: 'x' } }], { tier: 'x' })
  await whole('middle', [{ matchLabels: { to: 'middle' } }], { tier: 'x' })
  await part('leaf', { to: 'middle' }, 'pods')
  expect(await resourcesOf('top')).toEqual(['pods'])
})

test('an unchanged role is not written again, also after a restart', async () => {
  await part('a', { to: 'view' }, 'pods')
  await whole('all', [{ matchLabels: { to: 'view' } }])
  await resourcesOf('all')
  const { revision } = context.api.cache
  await running.stop()
  start()
  await running.idle()
  expect(context.api.cache.revision).toBe(revision)
})
