import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inProcess } from '../../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from '../index.ts'
import { defaultSettings, type ControllerSettings } from '../settings.ts'
import { nodeLifecycle } from './node-lifecycle.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
const start = async (settings: Partial<ControllerSettings> = {}) => {
  running = startControllers(
    { ...context.controllerContext, settings: { ...defaultSettings, ...settings } },
    [nodeLifecycle],
  )
  await running.idle()
}
beforeEach(async () => {
  context = await inProcess()
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const NODES = ['v1', 'nodes'] as const
const PODS = ['v1', 'pods', 'default'] as const
const LEASES = ['coordination{api}/v1', 'leases', 'orch-node-lease'] as const
const now = () => new Date(context.clock.now()).toISOString().replace('.000', '')
const get = (name: string) => context.hand.get([...NODES, '', name])
const report = (name: string, status: string, others: object[] = []) =>
  context.hand.patch(
    [...NODES, '', name],
    {
      status: {
        conditions: [
          { type: 'Ready', status, lastHeartbeatTime: now(), lastTransitionTime: now() },
          ...others,
        ],
      },
    },
    'status',
  )
/** A node that has reported. */
const node = async (name: string, status: string | null = 'True', metadata: object = {}) => {
  await context.hand.create(NODES, { metadata: { name, ...metadata } })
  if (status !== null) await report(name, status)
}
const pod = async (name: string, nodeName: string, spec: object = {}) => {
  await context.hand.create(PODS, {
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'x' }], nodeName, ...spec },
  })
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: now() }]
  await context.hand.patch([...PODS, name], { status: { phase: 'Running', conditions } }, 'status')
}
const pass = async (ms: number, reporting: readonly string[] = []) => {
  for (let passed = 0; passed < ms; passed += 5_000) {
    for (const name of reporting) await report(name, 'True')
    await running.idle()
    context.clock.advance(5_000)
    await running.idle()
  }
}
const taints = async (name: string) =>
  ((await get(name)).spec.taints ?? []).map(
    ({ key, effect }: { key: string; effect: string }) =>
      `${key.replace('node.orch.io/', '')}:${effect}`,
  )
/** Events in the order in which they were made, which their names end with. */
const events = async () => {
  const names = await context.hand.names(['v1', 'events', 'default'])
  const madeAt = (name: string) => name.slice(name.lastIndexOf('.'))
  names.sort((a, b) => (madeAt(a) < madeAt(b) ? -1 : 1))
  const all = await Promise.all(
    names.map((one) => context.hand.get(['v1', 'events', 'default', one])),
  )
  return all.map(({ type, reason, message, source }) => [source.component, type, reason, message])
}
const isLeaving = async (name: string) =>
  (await context.hand.get([...PODS, name])).metadata.deletionTimestamp !== undefined

describe('a node', () => {
  test('that stops to report is unknown, and its pods are not ready', async () => {
    await start()
    await node('n')
    await pod('p', 'n')
    await pass(40_000)
    expect((await get('n')).status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }])
    await pass(15_000)
    const unknown = (type: string) => ({
      ...{ type, status: 'Unknown', reason: 'NodeStatusNeverUpdated' },
      message: 'Nodeagent never posted node status.',
      lastHeartbeatTime: '2024-01-02T03:04:05Z',
      lastTransitionTime: '2024-01-02T03:04:55Z',
    })
    expect((await get('n')).status.conditions).toEqual([
      {
        ...{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' },
        message: 'Nodeagent stopped posting node status.',
        lastHeartbeatTime: '2024-01-02T03:04:05Z',
        lastTransitionTime: '2024-01-02T03:04:55Z',
      },
      ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map(unknown),
    ])
    expect((await context.hand.get([...PODS, 'p'])).status.conditions).toEqual([
      {
        ...{ type: 'Ready', status: 'False', lastProbeTime: null },
        lastTransitionTime: '2024-01-02T03:04:55Z',
      },
    ])
    // The only zone is wholly down: no pod leaves.
    expect(await taints('n')).toEqual(['unreachable:NoSchedule'])
    expect(await events()).toEqual([
      [
        'node-controller',
        'Normal',
        'RegisteredNode',
        'Node n event: Registered Node n in Controller',
      ],
      ['node-controller', 'Normal', 'NodeNotReady', 'Node n status is now: NodeNotReady'],
      ['node-controller', 'Warning', 'NodeNotReady', 'Node is not ready'],
    ])
    await report('n', 'True')
    await running.idle()
    expect(await taints('n')).toEqual([])
    await context.hand.delete([...NODES, '', 'n'])
    await pass(5_000)
    expect((await events()).at(-1)).toEqual([
      ...['node-controller', 'Normal', 'RemovingNode'],
      'Node n event: Removing Node n from Controller',
    ])
  })

  test('that renews its lease is as it says', async () => {
    await start()
    await node('n')
    await context.hand.create(LEASES, { metadata: { name: 'n' }, spec: {} })
    for (let i = 0; i < 6; i++) {
      const renewTime = new Date(context.clock.now()).toISOString().replace('Z', '000Z')
      await context.hand.patch([...LEASES, 'n'], { spec: { renewTime } })
      await pass(20_000)
    }
    expect((await get('n')).status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }])
  })

  test('that never reports is unknown after a minute', async () => {
    await start()
    await node('n', null)
    await pass(60_000)
    expect((await get('n')).status.conditions).toBe(undefined)
    await pass(5_000)
    expect((await get('n')).status.conditions).toMatchObject(
      ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
        ...{ type, status: 'Unknown', message: 'Nodeagent never posted node status.' },
      })),
    )
  })

  test('has the taints and labels of its state at once', async () => {
    await start()
    await node('n', 'True', { labels: { 'orch.io/os': 'linux' } })
    await context.hand.patch([...NODES, '', 'n'], { spec: { unschedulable: true } })
    await running.idle()
    expect(await taints('n')).toEqual(['unschedulable:NoSchedule'])
    expect((await get('n')).metadata.labels).toEqual({
      ...{ 'orch.io/os': 'linux', 'beta.orch.io/os': 'linux' },
    })
    await report('n', 'False', [{ type: 'DiskPressure', status: 'True' }])
    await running.idle()
    expect(await taints('n')).toEqual(
      ['unschedulable', 'not-ready', 'disk-pressure'].map((one) => `${one}:NoSchedule`),
    )
  })
})

describe('pods', () => {
  const stays = (tolerationSeconds?: number) => ({
    tolerations: ['not-ready', 'unreachable'].map((name) => ({
      ...{ key: `node.orch.io/${name}`, operator: 'Exists', effect: 'NoExecute' },
      ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
    })),
  })

  test('leave a lost node when they no longer tolerate it', async () => {
    await start()
    await node('well')
    await node('lost')
    await pod('brief', 'lost', stays(0))
    await pod('a-minute', 'lost', stays(60))
    await pod('for-ever', 'lost', stays())
    await pod('elsewhere', 'well')
    await pass(60_000, ['well'])
    expect(await taints('lost')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute'])
    expect(await isLeaving('brief')).toBe(true)
    expect(await isLeaving('a-minute')).toBe(false)
    await pass(60_000, ['well'])
    expect(await isLeaving('a-minute')).toBe(true)
    expect(await isLeaving('for-ever')).toBe(false)
    expect(await isLeaving('elsewhere')).toBe(false)
    const evictions = (await events()).filter(([, , reason]) => reason === 'TaintManagerEviction')
    expect(evictions).toEqual(
      ['brief', 'a-minute'].map((name) => [
        ...['taint-controller', 'Normal', 'TaintManagerEviction'],
        `Marking for deletion Pod default/${name}`,
      ]),
    )
  })

  test('stay when their node comes back', async () => {
    await start()
    await node('well')
    await node('lost')
    await pod('p', 'lost', stays(60))
    await pass(60_000, ['well'])
    expect(await taints('lost')).toContain('unreachable:NoExecute')
    await pass(5_000, ['well', 'lost'])
    expect(await taints('lost')).toEqual([])
    await pass(90_000, ['well', 'lost'])
    expect(await isLeaving('p')).toBe(false)
    expect((await events()).map(([, , , message]) => message)).toContain(
      'Cancelling deletion of Pod default/p',
    )
  })

  test('of taints that somebody sets leave at once', async () => {
    await start()
    await node('n')
    const spec = { taints: [{ key: 'mine', effect: 'NoExecute' }] }
    await pod('before', 'n')
    await context.hand.patch([...NODES, '', 'n'], { spec })
    await running.idle()
    expect(await isLeaving('before')).toBe(true)
    await pod('after', 'n')
    await running.idle()
    expect(await isLeaving('after')).toBe(true)
  })

  test('of nodes that fail together leave one node after the other', async () => {
    await start()
    for (const name of ['w1', 'w2', 'w3', 'l1', 'l2']) await node(name)
    await pass(55_000, ['w1', 'w2', 'w3'])
    const gone = async () =>
      (await Promise.all(['l1', 'l2'].map(taints))).filter((all) =>
        all.includes('unreachable:NoExecute'),
      ).length
    expect(await gone()).toBe(1)
    await pass(15_000, ['w1', 'w2', 'w3'])
    expect(await gone()).toBe(2)
    // Nobody is left that would be better off.
    await pass(60_000)
    expect(await gone()).toBe(0)
  })

  test('without taints those stay that a daemon set selects, whoever owns them', async () => {
    await start({ usesTaintManager: false })
    await node('well')
    await node('lost')
    const labels = { app: 'daemon' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } }
    await context.hand.create(['apps/v1', 'daemonsets', 'default'], {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: labels }, template },
    })
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'gone', uid: 'u' }
    for (const name of ['selected', 'owned']) {
      await pod(name, 'lost')
      const isSelected = name === 'selected'
      await context.hand.patch([...PODS, name], {
        metadata: isSelected ? { labels } : { ownerReferences: [{ ...owner, controller: true }] },
      })
    }
    await pass(315_000, ['well'])
    expect([await isLeaving('selected'), await isLeaving('owned')]).toEqual([false, true])
  })

  test('without taints are deleted after five minutes', async () => {
    await start({ usesTaintManager: false })
    await node('well')
    await node('lost')
    await pod('p', 'lost')
    await pass(300_000, ['well'])
    expect(await isLeaving('p')).toBe(false)
    await pass(15_000, ['well'])
    const { status, metadata } = await context.hand.get([...PODS, 'p'])
    expect(metadata.deletionTimestamp).toBeDefined()
    expect(status).toMatchObject({
      reason: 'NodeLost',
      message: 'Node lost which was running pod p is unresponsive',
    })
    expect(await taints('lost')).toEqual(['unreachable:NoSchedule'])
    expect((await events()).slice(-2)).toEqual([
      [
        ...['node-controller', 'Normal', 'DeletingAllPods'],
        'Node lost event: Deleting all Pods from Node lost.',
      ],
      [
        ...['node-controller', 'Normal', 'NodeControllerEviction'],
        'Marking for deletion Pod p from Node lost',
      ],
    ])
  })
})
