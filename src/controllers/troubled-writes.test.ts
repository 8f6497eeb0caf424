/** All controllers together, while many of their writes fail and they are started again in between. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { alwaysAllow } from '../authz/always.ts'
import { CallError } from '../client/call-error.ts'
import { KnownResources } from '../client/known-resources.ts'
import { SharedInformers } from '../client/shared-informers.ts'
import type { ApiRequest, Transport } from '../client/transport.ts'
import { localClient } from '../loopback/local-client.ts'
import { StatusError } from '../meta/errors.ts'
import { inProcess, type InProcess, type Made } from '../server/in-process.fixture.ts'
import { podMaker } from './endpoints/pods.fixture.ts'
import { managedControllers, startControllers, type RunningControllers } from './index.ts'

const READS: readonly string[] = ['get', 'list']
/** What becomes of one write after the other; those that are lost have arrived. */
const FATES = ['done', 'conflict', 'done', 'lost', 'refused', 'done', 'done'] as const

/** Has writes fail in turn. */
function troubled(inner: Transport): Transport {
  const send = async (request: ApiRequest): Promise<unknown> => {
    if (isCalm) return inner.send(await slowed(request))
    if (READS.includes(request.verb) || request.of.resource === 'events') return inner.send(request)
    const fate = FATES[writes++ % FATES.length]
    if (fate === 'conflict') throw new StatusError(409, 'Conflict', 'another write was faster')
    if (fate === 'refused') throw new StatusError(500, 'InternalError', 'etcd is not there')
    const response = await inner.send(request)
    if (fate === 'lost') throw new CallError('the connection was closed', { isRetryable: true })
    return response
  }
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'send') return send
      // Objects are listed and watched, as from another machine.
      if (isRemote && ['follow', 'presence'].includes(String(name))) return undefined
      const member = Reflect.get(target, name) as unknown
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}
/** Lists come in many pieces, those of secrets last. */
async function slowed(request: ApiRequest): Promise<ApiRequest> {
  if (request.verb !== 'list') return request
  for (let i = request.of.resource === 'secrets' ? 200 : 2; i > 0; i--)
    await new Promise((resolve) => setImmediate(resolve))
  const pieces = (value: string) => String(Math.min(Number(value), 20))
  const query = request.query.map(
    ([name, value]) => [name, name === 'limit' ? pieces(value) : value] as const,
  )
  return { ...request, query }
}
let isCalm = false
let writes = 0
let isRemote = false

let context: InProcess
let running: RunningControllers
let informers: SharedInformers
/** Starts all of them as a program of its own would. */
const start = () => {
  const { api, controllerContext } = context
  const userAgent = 'kube-controller-manager'
  const as = (name: string) =>
    localClient({
      ...{ api, userAgent, authorizer: alwaysAllow, wrap: troubled },
      user: { name, uid: '', groups: ['system:authenticated'], extra: {} },
    })
  const manager = () => as('system:kube-controller-manager')
  informers = new SharedInformers(manager())
  const tokens = { ca: 'ca', issue: () => Promise.resolve('t') }
  running = startControllers(
    {
      ...controllerContext,
      ...{ informers, managerClient: manager, resources: new KnownResources(manager()) },
      clientFor: (account) => as(`system:serviceaccount:kube-system:${account}`),
    },
    managedControllers({ tokens, signing: { authorities: {}, durationMs: 1 } }),
  )
}
const stop = async () => {
  await running.stop()
  await informers.stop()
}
beforeEach(async () => {
  isCalm = false
  context = await inProcess({ vocabulary: 'kubernetes' })
})
afterEach(async () => {
  await stop()
  await context.close()
})

const at = (resource: string, name = '') => ['v1', resource, 'default', name] as const
const SLICES = ['discovery{api}/v1', 'endpointslices', 'default'] as const
const all = (place: readonly [string, string, string, string?]): Promise<Made[]> =>
  context.hand
    .names(place)
    .then((names) =>
      Promise.all(names.map((name) => context.hand.get([place[0], place[1], place[2], name]))),
    )
/** Lets time pass until a condition holds. */
const until = async (holds: () => Promise<boolean>) => {
  for (let seconds = 0; seconds < 300; seconds++) {
    await turns()
    if (await holds()) return
    context.clock.advance(1_000)
  }
  throw new Error('it does not come about')
}
/** Watches deliver events in turns of the event loop. */
const turns = async () => {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    await running.idle()
  }
}

async function make(): Promise<void> {
  const { hand } = context
  await hand.create(at('resourcequotas'), {
    metadata: { name: 'q' },
    spec: { hard: { pods: '20', persistentvolumeclaims: '20' } },
  })
  await hand.create(at('services'), {
    metadata: { name: 's' },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
  })
  await hand.create(at('services'), { metadata: { name: 'm' }, spec: { ports: [{ port: 80 }] } })
  await hand.create(at('endpoints'), {
    metadata: { name: 'm' },
    subsets: [{ addresses: [{ ip: '10.9.0.1' }], ports: [{ port: 80 }] }],
  })
  const pod = podMaker({ ...context, hand })
  for (let i = 0; i < 5; i++) await pod({ name: `p${i}`, node: '', ips: [`10.1.0.${i}`] })
  for (let i = 0; i < 6; i++) {
    const accessModes = ['ReadWriteOnce']
    await hand.create(at('persistentvolumeclaims'), {
      metadata: { name: `c${i}` },
      spec: { accessModes, resources: { requests: { storage: '1Gi' } } },
    })
    await hand.create(['v1', 'persistentvolumes', ''], {
      metadata: { name: `v${i}` },
      spec: { accessModes, capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
    })
  }
}

/** What the controllers have brought about. */
async function outcome() {
  const claims = await all(at('persistentvolumeclaims'))
  const volumes = await all(['v1', 'persistentvolumes', ''])
  const slices = await all(SLICES)
  const { subsets } = (await context.hand.get(at('endpoints', 's'))) ?? {}
  return {
    bound: new Set(
      claims.flatMap(({ spec, status }) => (status.phase === 'Bound' ? [spec.volumeName] : [])),
    ).size,
    phases: volumes.map(({ status }) => status.phase).sort(),
    addresses: subsets?.[0].addresses.length ?? 0,
    slices: slices
      .map(({ metadata, endpoints }) => `${metadata.ownerReferences[0].name} ${endpoints.length}`)
      .sort(),
    used: (await context.hand.get(at('resourcequotas', 'q'))).status.used,
  }
}

for (const transport of ['in the process', 'from elsewhere'])
  describe(`writes that fail, ${transport}`, () => {
    test('are made up for, also by those that start later', async () => {
      isRemote = transport === 'from elsewhere'
      // That of the pods.
      await context.hand.create(at('serviceaccounts'), { metadata: { name: 'default' } })
      start()
      await running.ready
      await make()
      await turns()
      await stop()
      start()
      const expected = {
        bound: 6,
        phases: Array.from({ length: 6 }, () => 'Bound'),
        addresses: 5,
        slices: ['m 1', 's 5'],
        used: { persistentvolumeclaims: '6', pods: '5' },
      }
      await until(async () => JSON.stringify(await outcome()) === JSON.stringify(expected)).catch(
        async () => expect(await outcome()).toEqual(expected),
      )
      // Less of each.
      await context.hand.delete(at('pods', 'p0'))
      await context.hand.delete(at('persistentvolumeclaims', 'c0'))
      await context.hand.delete(at('services', 'm'))
      const less = {
        bound: 5,
        phases: [...Array.from({ length: 5 }, () => 'Bound'), 'Released'],
        addresses: 4,
        slices: ['s 4'],
        used: { persistentvolumeclaims: '5', pods: '4' },
      }
      await until(async () => JSON.stringify(await outcome()) === JSON.stringify(less)).catch(
        async () => expect(await outcome()).toEqual(less),
      )
    })
  })

test('nothing changes at a start that has nothing to do, however slow it is', async () => {
  isRemote = isCalm = true
  const { hand } = context
  await hand.create(at('serviceaccounts'), { metadata: { name: 'default' } })
  await make()
  for (let i = 0; i < 101; i++) await hand.create(['v1', 'nodes'], { metadata: { name: `n${i}` } })
  await hand.create(['v1', 'configmaps', 'kube-public'], {
    metadata: { name: 'cluster-info' },
    data: { kubeconfig: 'text' },
  })
  const token = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' }
  await hand.create(['v1', 'secrets', 'kube-system'], {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { ...token, 'usage-bootstrap-signing': 'true' },
  })
  const role = (name: string, rest: object) =>
    hand.create(['rbac.authorization{api}/v1', 'clusterroles', ''], {
      metadata: { name, labels: { part: 'all' } },
      ...rest,
    })
  await role('all', {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'all' } }] },
  })
  for (let i = 0; i < 25; i++)
    await role(`r${i}`, { rules: [{ apiGroups: [''], resources: [`x${i}`], verbs: ['get'] }] })
  start()
  await running.ready
  const before = await settledRevisions()
  expect(before.get('nodes n7')).toEqual([
    { 'node.alpha.kubernetes.io/ttl': '15' },
    expect.any(String),
  ])
  await stop()
  start()
  await running.ready
  const after = await settledRevisions()
  expect([...after].filter(([key, at]) => String(before.get(key)) !== String(at))).toEqual([])
})

/** What is there when nothing changes any more. */
async function settledRevisions(): Promise<Map<string, unknown>> {
  for (let before = ''; ;) {
    await turns()
    const found = await revisions()
    const text = JSON.stringify([...found])
    if (text === before) return found
    before = text
  }
}

/** Annotations and versions of what controllers write, by resource and name. */
async function revisions(): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  for (const place of [
    ...[at('endpoints'), at('resourcequotas'), at('persistentvolumeclaims'), SLICES],
    ...[['v1', 'persistentvolumes', ''] as const, ['v1', 'nodes', ''] as const],
    ...[['v1', 'configmaps', 'kube-public'] as const],
    ['rbac.authorization{api}/v1', 'clusterroles', ''] as const,
  ])
    for (const { metadata } of await all(place))
      found.set(`${place[1]} ${metadata.name}`, [metadata.annotations, metadata.resourceVersion])
  return found
}
