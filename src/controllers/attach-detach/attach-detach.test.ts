import { afterEach, describe, expect, test } from 'vitest'
import { alwaysAllow } from '../../authz/always.ts'
import { SharedInformers } from '../../client/shared-informers.ts'
import type { Transport } from '../../client/transport.ts'
import { localClient } from '../../loopback/local-client.ts'
import { inProcess } from '../../server/in-process.fixture.ts'
import type { ControllerContext } from '../controller.ts'
import { startControllers, type RunningControllers } from '../index.ts'
import { defaultSettings, type ControllerSettings } from '../settings.ts'
import { attachDetach } from './attach-detach.ts'
import { attachmentName } from './csi-volumes.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  await running.stop()
  for (const end of ends.splice(0)) await end()
  await context.close()
})
const open = async () => {
  context = await inProcess()
}
const start = async (over: Partial<ControllerContext> = {}) => {
  running = startControllers({ ...context.controllerContext, ...over }, [attachDetach])
  await running.ready
  await running.idle()
}

const NODES = ['v1', 'nodes', ''] as const
const PODS = ['v1', 'pods'] as const
const VOLUMES = ['v1', 'persistentvolumes', ''] as const
const CLAIMS = ['v1', 'persistentvolumeclaims'] as const
const ATTACHMENTS = ['storage{api}/v1', 'volumeattachments', ''] as const
const DRIVERS = ['storage{api}/v1', 'csidrivers', ''] as const
const MANAGED = 'volumes.orch.io/controller-managed-attach-detach'
const DRIVER = 'disks.example.com'
const idOf = (volume: string) => `orch.io/csi/${DRIVER}^h-${volume}`
const named = (volume: string, node: string) =>
  attachmentName({ driver: DRIVER, handle: `h-${volume}` }, node)
const attachment = (volume: string, node: string) =>
  context.hand.get([...ATTACHMENTS, named(volume, node)])

const ready = { type: 'Ready', status: 'True' }
const node = async (
  name: string,
  status: object = {},
  annotations: object = { [MANAGED]: 'x' },
) => {
  await context.hand.create(NODES, { metadata: { name, annotations } })
  await nodeStatus(name, { conditions: [ready], ...status })
}
const nodeStatus = (name: string, status: object) =>
  context.hand.patch([...NODES, name], { status }, 'status')
/** A volume and a claim that are bound to each other. */
const disk = async (
  name: string,
  { modes = ['ReadWriteOnce'], namespace = 'default', isBound = true, source = {} } = {},
) => {
  const requests = { storage: '1Gi' }
  const { metadata } = await context.hand.create([...CLAIMS, namespace], {
    metadata: { name },
    spec: { accessModes: modes, resources: { requests }, volumeName: name },
  })
  await context.hand.create(VOLUMES, {
    metadata: { name },
    spec: {
      ...{ accessModes: modes, capacity: requests },
      csi: { driver: DRIVER, volumeHandle: `h-${name}` },
      claimRef: { namespace, name, uid: metadata.uid },
      ...source,
    },
  })
  if (isBound) await bound(name, namespace)
}
const bound = (name: string, namespace = 'default') =>
  context.hand.patch([...CLAIMS, namespace, name], { status: { phase: 'Bound' } }, 'status')
const pod = async (
  name: string,
  nodeName: string,
  claims: readonly string[],
  namespace = 'default',
) =>
  context.hand.create([...PODS, namespace], {
    metadata: { name },
    spec: {
      ...(nodeName === '' ? {} : { nodeName }),
      containers: [{ name: 'c', image: 'x' }],
      volumes: claims.map((claimName) => ({
        name: claimName,
        persistentVolumeClaim: { claimName },
      })),
    },
  })
const podGone = (name: string, namespace = 'default') =>
  context.hand
    .patch([...PODS, namespace, name], { status: { phase: 'Succeeded' } }, 'status')
    .then(() => context.hand.delete([...PODS, namespace, name]))
/** What the attacher of the driver reports. */
const attacherSays = (volume: string, on: string, status: object) =>
  context.hand.patch([...ATTACHMENTS, named(volume, on)], { status }, 'status')
const attached = (volume: string, on: string) => attacherSays(volume, on, { attached: true })
const attachments = async () => {
  await running.idle()
  const all = await Promise.all(
    (await context.hand.names(ATTACHMENTS)).map((one) => context.hand.get([...ATTACHMENTS, one])),
  )
  return all.map(({ spec }) => `${spec.source.persistentVolumeName} on ${spec.nodeName}`).sort()
}
const told = async (name: string) => {
  await running.idle()
  return (await context.hand.get([...NODES, name])).status.volumesAttached
}
const reported = (...volumes: readonly string[]) =>
  volumes.map((one) => ({ name: idOf(one), devicePath: '' }))
const events = async () => {
  await running.idle()
  const names = await context.hand.names(['v1', 'events'])
  const all = await Promise.all(
    ['default', 'other'].flatMap((namespace) =>
      names.map((one) => context.hand.get(['v1', 'events', namespace, one])),
    ),
  )
  return all
    .flatMap((one) =>
      one
        ? [`${one.involvedObject.name} ${one.type} ${one.reason} ${one.count}: ${one.message}`]
        : [],
    )
    .sort()
}
/** A server with the controller, and nodes. */
const begin = async (...nodes: readonly string[]) => {
  await open()
  await start()
  for (const one of nodes) await node(one)
}
/** A disk, and a pod with its claim. */
const claimed = async (nodeName: string, options: Parameters<typeof disk>[1] = {}) => {
  await disk('v', options)
  await pod('p', nodeName, ['v'])
}
/** The attacher does what it was asked for. */
const carriedOut = async (volume: string, on: string) => {
  await running.idle()
  await attached(volume, on)
  await running.idle()
}
const pass = async (ms: number) => {
  await running.idle()
  context.clock.advance(ms)
  await running.idle()
}
/** Reads again until it is what is wanted. */
const until = async (read: () => Promise<unknown>, wanted: unknown) => {
  for (let tries = 0; tries < 500; tries++) {
    if (JSON.stringify(await read()) === JSON.stringify(wanted)) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await read()).toEqual(wanted)
}

/** The same objects as another process sees them: listed and watched. */
const asElsewhere = (): Partial<ControllerContext> => {
  const client = localClient({
    api: context.api,
    authorizer: alwaysAllow,
    user: { name: 'manager', uid: '', groups: ['system:authenticated'], extra: {} },
    userAgent: 'manager',
    wrap: (inner): Transport => ({
      send: (request) => inner.send(request),
      watch: (request, sink) => inner.watch(request, sink),
      discover: (signal) => inner.discover(signal),
      close: () => inner.close(),
    }),
  })
  const informers = new SharedInformers(client)
  ends.push(async () => {
    await informers.stop()
    client.close()
  })
  return { informers }
}

for (const transport of ['in the process of the server', 'from elsewhere'] as const)
  test(`a volume follows its pod from node to node, ${transport}`, async () => {
    await open()
    await start(transport === 'from elsewhere' ? asElsewhere() : {})
    await node('a')
    await node('b')
    await disk('v')
    await pod('p', 'a', ['v'])
    await until(attachments, ['v on a'])
    expect((await attachment('v', 'a')).spec).toEqual({
      attacher: DRIVER,
      nodeName: 'a',
      source: { persistentVolumeName: 'v' },
    })
    await attached('v', 'a')
    await until(() => told('a'), reported('v'))
    const succeeded = `Normal SuccessfulAttachVolume 1: AttachVolume.Attach succeeded for volume "v" `
    await until(events, [`p ${succeeded}`])
    // The agent of the node has mounted it.
    await nodeStatus('a', { volumesInUse: [idOf('v')] })
    await pod('q', 'b', ['v'])
    const refused = `q Warning FailedAttachVolume 1: Multi-Attach error for volume "v" Volume is already used by pod(s) p`
    await until(events, [`p ${succeeded}`, refused])
    await podGone('p')
    expect([await attachments(), await told('a')]).toEqual([['v on a'], reported('v')])
    await nodeStatus('a', { volumesInUse: null })
    await until(attachments, ['v on b'])
    expect(await told('a')).toBeUndefined()
    await attached('v', 'b')
    await until(() => told('b'), reported('v'))
    await until(events, [`p ${succeeded}`, `q ${succeeded}`, refused])
  })

describe('what is attached', () => {
  for (const [what, make, wanted] of [
    ['the claim of a pod with a node', () => claimed('a'), ['v on a']],
    ['nothing of a pod without a node', () => claimed(''), []],
    ['nothing on a node whose agent attaches', () => claimed('own'), []],
    ['nothing on a node that is not there', () => claimed('x'), []],
    ['nothing before the claim is bound', () => claimed('a', { isBound: false }), []],
    [
      'the claim, once it is bound',
      async () => {
        await claimed('a', { isBound: false })
        await running.idle()
        await bound('v')
      },
      ['v on a'],
    ],
    [
      'the claims of the pods of a node, once that is managed',
      async () => {
        await claimed('own')
        await context.hand.patch([...NODES, 'own'], {
          metadata: { annotations: { [MANAGED]: '' } },
        })
      },
      ['v on own'],
    ],
    [
      'nothing of a driver that does not attach',
      async () => {
        await context.hand.create(DRIVERS, {
          metadata: { name: DRIVER },
          spec: { attachRequired: false },
        })
        await claimed('a')
      },
      [],
    ],
    [
      'nothing of another kind than CSI',
      () => claimed('a', { source: { csi: null, nfs: { server: 's', path: '/' } } }),
      [],
    ],
    [
      'nothing of a volume that is bound to another claim of this name',
      () =>
        claimed('a', { source: { claimRef: { namespace: 'default', name: 'v', uid: 'other' } } }),
      [],
    ],
    [
      'nothing of a pod that has ended',
      async () => {
        await disk('v')
        await pod('p', 'a', ['none'])
        await context.hand.patch(
          [...PODS, 'default', 'p'],
          { status: { phase: 'Failed' } },
          'status',
        )
      },
      [],
    ],
    [
      'a volume for many nodes on each',
      async () => {
        await claimed('a', { modes: ['ReadWriteMany'] })
        await pod('q', 'b', ['v'])
      },
      ['v on a', 'v on b'],
    ],
    [
      'the volumes of one pod, each once',
      async () => {
        await disk('v')
        await disk('w')
        await pod('p', 'a', ['v', 'w'])
        await pod('q', 'a', ['v'])
      },
      ['v on a', 'w on a'],
    ],
  ] as readonly (readonly [string, () => Promise<unknown>, readonly string[]])[])
    test(what, async () => {
      await begin('a', 'b')
      await node('own', {}, {})
      await make()
      expect(await attachments()).toEqual(wanted)
    })
})

describe('a volume of a kind that is older than CSI', () => {
  const EBS = 'orch.io/aws-ebs'
  const PLUGINS = 'storage.alpha.orch.io/migrated-plugins'
  const source = { awsElasticBlockStore: { volumeID: 'aws://z/vol-1' } }
  const agent = (annotations: object) =>
    context.hand.create(['storage{api}/v1', 'csinodes', ''], {
      metadata: { name: 'a', annotations },
      spec: { drivers: [] },
    })
  const withInline = () =>
    context.hand.create([...PODS, 'default'], {
      metadata: { name: 'p' },
      spec: {
        nodeName: 'a',
        containers: [{ name: 'c', image: 'x' }],
        volumes: [{ name: 'data', ...source }],
      },
    })
  const requests = async () => {
    await running.idle()
    const names = await context.hand.names(ATTACHMENTS)
    const all = await Promise.all(names.map((one) => context.hand.get([...ATTACHMENTS, one])))
    return all.map(({ metadata, spec }) => [metadata.name, spec])
  }
  const name = attachmentName({ driver: 'ebs.csi.aws.com', handle: 'vol-1' }, 'a')
  const asked = (of: object) => [[name, { attacher: 'ebs.csi.aws.com', nodeName: 'a', source: of }]]
  const inline = {
    inlineVolumeSpec: {
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' },
    },
  }
  for (const [what, annotations, gates, make, wanted] of [
    ['of a claim', { [PLUGINS]: `a,${EBS}` }, {}, 'claim', asked({ persistentVolumeName: 'v' })],
    ['of a pod', { [PLUGINS]: EBS }, {}, 'pod', asked(inline)],
    ['on a node without the driver', {}, {}, 'claim', []],
    ['of a pod on such a node', { [PLUGINS]: 'orch.io/gce-pd' }, {}, 'pod', []],
    ['without its feature gate', { [PLUGINS]: EBS }, { CSIMigrationAWS: false }, 'pod', []],
  ] as const)
    test(what, async () => {
      await open()
      const { gate } = context.controllerContext
      const set: Readonly<Record<string, boolean>> = gates
      await start({ gate: (one) => set[one] ?? gate(one) })
      await node('a')
      if (make === 'claim') await claimed('a', { source: { csi: null, ...source } })
      else await withInline()
      expect(await requests()).toEqual([])
      await agent(annotations)
      expect(await requests()).toEqual(wanted)
      if (wanted.length === 0) return
      await context.hand.patch([...ATTACHMENTS, name], { status: { attached: true } }, 'status')
      const id = 'orch.io/csi/ebs.csi.aws.com^vol-1'
      await until(() => told('a'), [{ name: id, devicePath: '' }])
      await podGone('p')
      await until(requests, [])
    })
})

describe('an ephemeral volume', () => {
  for (const [whose, isOwn] of [
    ['of the pod', true],
    ['of somebody else', false],
  ] as const)
    test(`with a claim ${whose}`, async () => {
      await begin('a')
      await disk('p-data')
      const template = {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }
      const { metadata } = await context.hand.create([...PODS, 'default'], {
        metadata: { name: 'p' },
        spec: {
          nodeName: 'a',
          containers: [{ name: 'c', image: 'x' }],
          volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate: template } }],
        },
      })
      const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', controller: true }
      const ownerReferences = [{ ...owner, uid: isOwn ? metadata.uid : 'other' }]
      await context.hand.patch([...CLAIMS, 'default', 'p-data'], { metadata: { ownerReferences } })
      expect(await attachments()).toEqual(isOwn ? ['p-data on a'] : [])
    })
})

describe('a volume of one node that another has', () => {
  const failed = 'Warning FailedAttachVolume 1: Multi-Attach error for volume "v" Volume is already'
  for (const [who, users, others, message] of [
    ['pods here', ['p', 'r'], [], 'used by pod(s) p, r'],
    [
      'pods here and elsewhere',
      ['p'],
      ['s'],
      'used by pod(s) p and 1 pod(s) in different namespaces',
    ],
    [
      'nobody any more',
      [],
      [],
      "exclusively attached to one node and can't be attached to another",
    ],
  ] as const)
    test(`used by ${who}`, async () => {
      await open()
      await context.hand.create(['v1', 'namespaces', ''], { metadata: { name: 'other' } })
      await disk('v')
      await node('a', {
        volumesAttached: reported('v'),
        volumesInUse: [idOf('v')],
      })
      await node('b')
      await start()
      for (const one of users) await pod(one, 'a', ['v'])
      // A claim of another namespace to the same storage.
      if (others.length > 0) {
        await disk('v2', {
          namespace: 'other',
          source: { csi: { driver: DRIVER, volumeHandle: 'h-v' } },
        })
        for (const one of others) await pod(one, 'a', ['v2'], 'other')
      }
      await running.idle()
      await pod('q', 'b', ['v'])
      await pass(1000)
      expect(await events()).toEqual([`q ${failed} ${message}`])
      expect(await attachments()).toEqual([])
    })
})

describe('an attacher', () => {
  const failure = (why: string, count = 1) =>
    `p Warning FailedAttachVolume ${count}: AttachVolume.Attach failed for volume "v" : ${why}`
  const asked = async () => {
    await begin('a')
    await claimed('a')
    await running.idle()
  }
  test('that fails is asked again, each time later', async () => {
    await asked()
    await attacherSays('v', 'a', { attached: false, attachError: { message: 'no disk' } })
    expect(await events()).toEqual([failure('no disk')])
    await pass(499)
    expect(await events()).toEqual([failure('no disk')])
    await pass(1)
    expect(await events()).toEqual([failure('no disk', 2)])
    await pass(999)
    expect(await events()).toEqual([failure('no disk', 2)])
    // Then it succeeds.
    await attacherSays('v', 'a', { attached: true, attachError: null })
    await pass(1)
    expect(await told('a')).toEqual(reported('v'))
  })
  test('that does not answer in two minutes has failed', async () => {
    await asked()
    await pass(119_999)
    expect(await events()).toEqual([])
    await pass(1)
    expect(await events()).toEqual([
      failure(
        `timed out waiting for external-attacher of ${DRIVER} CSI driver to attach volume h-v`,
      ),
    ])
  })
  test('whose request is deleted gets another', async () => {
    await asked()
    const before = await attachment('v', 'a')
    await context.hand.delete([...ATTACHMENTS, named('v', 'a')])
    expect(await events()).toEqual([failure('volume attachment has been deleted')])
    await pass(500)
    expect((await attachment('v', 'a')).metadata.uid).not.toBe(before.metadata.uid)
  })
  test('that loses a volume is asked again at the next check', async () => {
    await asked()
    await attached('v', 'a')
    expect(await told('a')).toEqual(reported('v'))
    await context.hand.delete([...ATTACHMENTS, named('v', 'a')])
    expect(await attachments()).toEqual([])
    await pass(60_000)
    expect([await attachments(), await told('a')]).toEqual([['v on a'], undefined])
  })
  test('that may not be asked', async () => {
    await asked()
    await podGone('p')
    expect(await attachments()).toEqual(['v on a'])
    // The attempt ends first.
    await pass(120_000)
    expect(await attachments()).toEqual(['v on a'])
    await pass(500)
    expect(await attachments()).toEqual([])
  })
})

describe('a volume that no pod needs any more', () => {
  const OUT_OF_SERVICE = { key: 'node.orch.io/out-of-service', effect: 'NoExecute' }
  const inUse = { volumesInUse: [idOf('v')] }
  const unready = { conditions: [{ type: 'Ready', status: 'Unknown' }] }
  for (const [state, change, gates, ms, isLeft] of [
    ['is detached at once when the node does not use it', null, {}, 0, true],
    ['waits for the node', () => nodeStatus('a', inUse), {}, 720_000, false],
    [
      'waits six minutes for a node that is not ready',
      () => nodeStatus('a', { ...inUse, ...unready }),
      {},
      359_999,
      false,
    ],
    ['leaves such a node then', () => nodeStatus('a', { ...inUse, ...unready }), {}, 360_000, true],
    [
      'waits for a node that is gone, which was in use',
      () => nodeStatus('a', inUse).then(() => context.hand.delete([...NODES, 'a'])),
      {},
      359_999,
      false,
    ],
    [
      'leaves it then',
      () => nodeStatus('a', inUse).then(() => context.hand.delete([...NODES, 'a'])),
      {},
      360_000,
      true,
    ],
    [
      'waits for a node out of service',
      () =>
        nodeStatus('a', inUse).then(() =>
          context.hand.patch([...NODES, 'a'], { spec: { taints: [OUT_OF_SERVICE] } }),
        ),
      {},
      1000,
      false,
    ],
    [
      'leaves a node out of service with that feature gate',
      () =>
        nodeStatus('a', inUse).then(() =>
          context.hand.patch([...NODES, 'a'], { spec: { taints: [OUT_OF_SERVICE] } }),
        ),
      { NodeOutOfServiceVolumeDetach: true },
      0,
      true,
    ],
  ] as readonly (readonly [
    string,
    (() => Promise<unknown>) | null,
    Readonly<Record<string, boolean>>,
    number,
    boolean,
  ])[])
    test(state, async () => {
      await open()
      const { gate } = context.controllerContext
      await start({ gate: (name) => gates[name] ?? gate(name) })
      await node('a')
      await claimed('a')
      await carriedOut('v', 'a')
      await change?.()
      await running.idle()
      await podGone('p')
      await running.idle()
      if (ms > 0) await pass(ms)
      expect(await attachments()).toEqual(isLeft ? [] : ['v on a'])
    })

  test('stays until it is detached, and is reported as attached when that fails', async () => {
    await begin('a')
    await claimed('a')
    await carriedOut('v', 'a')
    const place = [...ATTACHMENTS, named('v', 'a')] as const
    await context.hand.patch(place, { metadata: { finalizers: ['example.com/attacher'] } })
    await podGone('p')
    expect([await attachments(), await told('a')]).toEqual([['v on a'], undefined])
    await attacherSays('v', 'a', { attached: true, detachError: { message: 'busy' } })
    expect(await told('a')).toEqual(reported('v'))
    await attacherSays('v', 'a', { attached: true, detachError: null })
    await pass(500)
    expect(await told('a')).toBeUndefined()
    // The pod comes back: first it is detached, then attached again.
    await pod('p', 'a', ['v'])
    expect((await attachment('v', 'a')).metadata.deletionTimestamp).toBeDefined()
    await context.hand.patch(place, { metadata: { finalizers: null } })
    await running.idle()
    expect((await attachment('v', 'a')).metadata.deletionTimestamp).toBeUndefined()
  })

  test('stays for pods that have ended, if the node asks for that', async () => {
    await open()
    await start()
    const keep = { 'volumes.orch.io/keep-terminated-pod-volumes': 'true' }
    await node('a', {}, { [MANAGED]: 'x', ...keep })
    await node('b')
    for (const [name, on] of [
      ['v', 'a'],
      ['w', 'b'],
    ] as const) {
      await disk(name)
      await pod(name, on, [name])
      await carriedOut(name, on)
      const place = [...PODS, 'default', name] as const
      await context.hand.patch(place, { status: { phase: 'Succeeded' } }, 'status')
    }
    expect(await attachments()).toEqual(['v on a'])
  })
})

describe('at the start', () => {
  const FOREIGN = { name: 'orch.io/fc/x', devicePath: '/dev/x' }
  const asked = (name: string, on: string, source: object = { persistentVolumeName: name }) =>
    context.hand.create(ATTACHMENTS, {
      metadata: { name: named(name, on) },
      spec: { attacher: DRIVER, nodeName: on, source },
    })
  test('what nodes and requests say is taken up', async () => {
    await open()
    for (const name of ['v', 'w', 'x', 'y', 'z']) await disk(name)
    await node('a', { volumesAttached: [FOREIGN, ...reported('v', 'w')] })
    await node('own', {}, {})
    // Attached and needed; attached and not needed; asked for and needed; asked for and not needed.
    for (const name of ['v', 'w', 'x', 'y']) await asked(name, 'a')
    await asked('z', 'own')
    await asked('v', 'gone')
    for (const name of ['v', 'w']) await attached(name, 'a')
    for (const name of ['v', 'x']) await pod(name, 'a', [name])
    await start()
    expect(await attachments()).toEqual(['v on a', 'x on a', 'z on own'])
    expect(await told('a')).toEqual([FOREIGN, ...reported('v')])
    await attached('x', 'a')
    expect(await told('a')).toEqual([FOREIGN, ...reported('v', 'x')])
  })
  for (const [whether, settings, wanted] of [
    ['is noticed', {}, ['v on a']],
    ['is not noticed without the check', { skipsAttachVerification: true }, []],
    ['is noticed at the time that is set', { attachVerifyMs: 61_000 }, []],
  ] as readonly (readonly [string, Partial<ControllerSettings>, readonly string[]])[])
    test(`what only the node says ${whether}`, async () => {
      await open()
      await disk('v')
      await node('a', { volumesAttached: reported('v') })
      await pod('p', 'a', ['v'])
      await start({ settings: { ...defaultSettings, ...settings } })
      expect(await attachments()).toEqual([])
      await pass(60_000)
      expect(await attachments()).toEqual(wanted)
    })
})
