import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from './index.ts'
import { resourceQuotas } from './resource-quota.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
const start = () => (running = startControllers(context.controllerContext, [resourceQuotas]))
beforeEach(async () => {
  context = await inProcess({ vocabulary: 'kubernetes' })
  // That of the pods.
  await context.hand.create(['v1', 'serviceaccounts', 'default'], { metadata: { name: 'default' } })
  start()
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

type Amounts = Record<string, string>
const at = (resource: string, name = '') => ['v1', resource, 'default', name] as const
const make = (resource: string, name: string, rest: object = {}) =>
  context.hand.create(at(resource), { metadata: { name }, ...rest })
const quota = (hard: Amounts, spec: object = {}, name = 'q') =>
  make('resourcequotas', name, { spec: { hard, ...spec } })
const statusOf = async (name = 'q') => {
  await running.idle()
  return (await context.hand.get(at('resourcequotas', name))).status
}
const usedOf = async (name = 'q') => (await statusOf(name)).used
const maps = async (...names: string[]) => {
  for (const name of names) await make('configmaps', name)
}
const pod = (name: string, spec: object = {}, resources: object = {}) =>
  make('pods', name, { spec: { containers: [{ name: 'c', image: 'x', resources }], ...spec } })
/** As a request does whose object is on its way. */
const charge = (used: Amounts) =>
  context.hand.patch(at('resourcequotas', 'q'), { status: { used } }, 'status')

describe('what is there is counted', () => {
  test('when a quota comes, by all its names that can be known', async () => {
    await maps('a', 'b')
    await pod('p', {}, { requests: { cpu: '500m' }, limits: { memory: '1Gi' } })
    await pod('r', { activeDeadlineSeconds: 5 }, { requests: { cpu: '1' } })
    const hard = {
      configmaps: '5',
      'count/configmaps': '5',
      'requests.cpu': '4',
      memory: '4Gi',
      'count/deployments.apps': '2',
      'count/widgets.example.com': '2',
      'example.com/unknown': '2',
      'services.nodeports': '1',
    }
    await quota(hard)
    expect(await statusOf()).toEqual({
      hard,
      used: {
        configmaps: '2',
        'count/configmaps': '2',
        'count/deployments.apps': '0',
        memory: '1Gi',
        'requests.cpu': '1500m',
        'services.nodeports': '0',
      },
    })
  })

  test('in its scopes', async () => {
    await pod('best')
    await pod('ends', { activeDeadlineSeconds: 5 }, { requests: { cpu: '1' } })
    await quota({ pods: '9' }, { scopes: ['BestEffort'] }, 'best')
    await quota({ pods: '9', 'requests.cpu': '9' }, { scopes: ['Terminating'] }, 'ends')
    await quota({ configmaps: '9' }, { scopeSelector: { matchExpressions: [] } }, 'maps')
    expect(await usedOf('best')).toEqual({ pods: '1' })
    expect(await usedOf('ends')).toEqual({ pods: '1', 'requests.cpu': '1' })
  })

  test('again when other names are limited; the old ones go', async () => {
    await maps('a')
    await quota({ configmaps: '5' })
    expect(await usedOf()).toEqual({ configmaps: '1' })
    await context.hand.patch(at('resourcequotas', 'q'), {
      spec: { hard: { configmaps: null, 'count/configmaps': '3', pods: '1' } },
    })
    expect(await statusOf()).toEqual({
      hard: { 'count/configmaps': '3', pods: '1' },
      used: { 'count/configmaps': '1', pods: '0' },
    })
  })

  test('a new limit is in force at once', async () => {
    await quota({ configmaps: '5' })
    await statusOf()
    await context.hand.patch(at('resourcequotas', 'q'), { spec: { hard: { configmaps: '7' } } })
    expect(await statusOf()).toEqual({ hard: { configmaps: '7' }, used: { configmaps: '0' } })
  })
})

describe('what is given back', () => {
  const quotaOf = async (hard: Amounts) => {
    await quota(hard)
    await statusOf()
  }
  test('deleted objects', async () => {
    await quotaOf({ configmaps: '5', pods: '5', 'requests.cpu': '5' })
    await maps('a', 'b', 'c')
    await pod('p', {}, { requests: { cpu: '2' } })
    expect(await usedOf()).toEqual({ configmaps: '3', pods: '1', 'requests.cpu': '2' })
    await context.hand.delete(at('configmaps', 'a'))
    await context.hand.delete(at('pods', 'p'))
    expect(await usedOf()).toEqual({ configmaps: '2', pods: '0', 'requests.cpu': '0' })
  })

  test('pods that have ended, but not their object', async () => {
    await quotaOf({ pods: '5', 'count/pods': '5', 'limits.cpu': '5' })
    await pod('p', {}, { limits: { cpu: '2' } })
    expect(await usedOf()).toEqual({ pods: '1', 'count/pods': '1', 'limits.cpu': '2' })
    await context.hand.patch(at('pods', 'p'), { status: { phase: 'Succeeded' } }, 'status')
    expect(await usedOf()).toEqual({ pods: '0', 'count/pods': '1', 'limits.cpu': '0' })
  })

  test('node ports of a service that needs none any more', async () => {
    await quotaOf({ services: '5', 'services.nodeports': '5', 'services.loadbalancers': '5' })
    await make('services', 's', { spec: { type: 'LoadBalancer', ports: [{ port: 1 }] } })
    expect(await usedOf()).toEqual({
      services: '1',
      'services.nodeports': '1',
      'services.loadbalancers': '1',
    })
    await context.hand.patch(at('services', 's'), { spec: { type: 'ClusterIP' } })
    expect(await usedOf()).toEqual({
      services: '1',
      'services.nodeports': '0',
      'services.loadbalancers': '0',
    })
  })

  test('pods that leave a scope', async () => {
    await quota({ pods: '5' }, { scopes: ['NotTerminating'] })
    await statusOf()
    await pod('p')
    expect(await usedOf()).toEqual({ pods: '1' })
    await context.hand.patch(at('pods', 'p'), { spec: { activeDeadlineSeconds: 9 } })
    expect(await usedOf()).toEqual({ pods: '0' })
  })

  test('pods that should long be gone, when everything is counted anew', async () => {
    await quotaOf({ pods: '5', 'count/pods': '5' })
    await pod('p', { nodeName: 'n' })
    await context.hand.patch(at('pods', 'p'), { status: { phase: 'Running' } }, 'status')
    await context.hand.delete(at('pods', 'p'))
    expect(await usedOf()).toEqual({ pods: '1', 'count/pods': '1' })
    context.clock.advance(5 * 60_000)
    expect(await usedOf()).toEqual({ pods: '0', 'count/pods': '1' })
  })
})

describe('charges of requests that are under way', () => {
  test('are kept while others are given back, until a minute has passed', async () => {
    await quota({ configmaps: '9' })
    await statusOf()
    await maps('a', 'b')
    expect(await usedOf()).toEqual({ configmaps: '2' })
    await charge({ configmaps: '4' })
    await context.hand.delete(at('configmaps', 'a'))
    expect(await usedOf()).toEqual({ configmaps: '3' })
    context.clock.advance(59_000)
    expect(await usedOf()).toEqual({ configmaps: '3' })
    context.clock.advance(1_000)
    expect(await usedOf()).toEqual({ configmaps: '1' })
  })

  test('are kept of requests before the controller began', async () => {
    await quota({ configmaps: '9' })
    await statusOf()
    await maps('a')
    await running.stop()
    await charge({ configmaps: '3' })
    await context.hand.delete(at('configmaps', 'a'))
    start()
    expect(await usedOf()).toEqual({ configmaps: '3' })
    await maps('b')
    await context.hand.delete(at('configmaps', 'b'))
    expect(await usedOf()).toEqual({ configmaps: '3' })
    context.clock.advance(60_000)
    expect(await usedOf()).toEqual({ configmaps: '0' })
  })

  test('of creates whose name was taken are taken back', async () => {
    await quota({ configmaps: '9' })
    await statusOf()
    await maps('a')
    await expect(make('configmaps', 'a')).rejects.toThrow('already exists')
    expect(await usedOf()).toEqual({ configmaps: '2' })
    context.clock.advance(60_000)
    expect(await usedOf()).toEqual({ configmaps: '1' })
  })
})

test('what somebody takes from the status comes back', async () => {
  await quota({ configmaps: '9' })
  await maps('a', 'b')
  expect(await usedOf()).toEqual({ configmaps: '2' })
  await charge({ configmaps: '0' })
  expect(await usedOf()).toEqual({ configmaps: '2' })
  await context.hand.patch(
    at('resourcequotas', 'q'),
    { status: { hard: { configmaps: '99' }, used: null } },
    'status',
  )
  expect(await statusOf()).toEqual({ hard: { configmaps: '9' }, used: { configmaps: '2' } })
})

test('a quota that is deleted and made again counts anew', async () => {
  await maps('a')
  await quota({ configmaps: '9' })
  expect(await usedOf()).toEqual({ configmaps: '1' })
  await context.hand.delete(at('resourcequotas', 'q'))
  await maps('b')
  await quota({ configmaps: '9' })
  expect(await usedOf()).toEqual({ configmaps: '2' })
})

test('an unchanged quota is not written again, also after a restart', async () => {
  await maps('a')
  await quota({ configmaps: '9', 'example.com/unknown': '1' })
  await usedOf()
  const { revision } = context.api.cache
  await running.stop()
  start()
  await running.idle()
  context.clock.advance(5 * 60_000)
  await running.idle()
  expect(context.api.cache.revision).toBe(revision)
})

test('many objects of a namespace are counted without losing one that changes meanwhile', async () => {
  const names = Array.from({ length: 700 }, (_, i) => `m${i}`)
  await Promise.all(names.map((name) => make('configmaps', name)))
  await quota({ configmaps: '1000' })
  await Promise.all(names.slice(0, 100).map((name) => context.hand.delete(at('configmaps', name))))
  expect(await usedOf()).toEqual({ configmaps: '600' })
})
