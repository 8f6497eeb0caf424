/** Local APIServices: which there are, and what happens to them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { Client } from '../client.ts'
import { apiService, APISERVICES } from './extension-server.fixture.ts'

const LABEL = 'kube-aggregator.kubernetes.io/automanaged'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

let dataDir: string
let server: RunningServer | null = null
let client: Client
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'registration-'))
})
afterEach(async () => {
  await stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function start(options: ServerOptions = {}): Promise<void> {
  await stop()
  server = await startServer({
    vocabulary: 'kubernetes',
    dataDir,
    controllers: 'server',
    ...options,
  })
  client = new Client(server)
  await server.settled()
}
async function stop(): Promise<void> {
  if (!server) return
  client.close()
  await server.close()
  server = null
}

// oxlint-disable-next-line typescript/no-explicit-any -- objects of every shape
type Json = any

const rowsOf = async (): Promise<string[]> =>
  ((await client.get(APISERVICES)).body.items as Json[]).map(
    ({ metadata, spec }) =>
      `${metadata.name} ${metadata.labels?.[LABEL]} ${spec.groupPriorityMinimum}/${spec.versionPriority}`,
  )

const one = async (name: string): Promise<Json> => (await client.get(`${APISERVICES}/${name}`)).body

const groupNames = async (): Promise<string[]> =>
  ((await client.get('/apis')).body.groups as Json[]).map(({ name }) => name)

/** The next event of an APIService that fits. */
async function seen(
  name: string,
  fits: (type: string, object: Json) => boolean,
  act: () => Promise<unknown>,
) {
  const { body } = await client.get(APISERVICES)
  const watch = await client.watch(
    `${APISERVICES}?watch=true&resourceVersion=${body.metadata.resourceVersion}`,
  )
  try {
    await act()
    for (;;) {
      const event = await watch.next()
      if (!event) throw new Error('the watch has ended')
      if (event.object.metadata.name === name && fits(event.type, event.object)) return event.object
    }
  } finally {
    watch.close()
  }
}

const definition = (group: string, versions: string[]) => ({
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: versions.map((name, i) => ({
      name,
      served: true,
      storage: i === 0,
      schema: { openAPIV3Schema: { type: 'object' } },
    })),
  },
})

test('what is built in is registered with its priorities', async () => {
  await start()
  expect(await rowsOf()).toEqual([
    'v1. onstart 18000/1',
    'v1.admissionregistration.k8s.io onstart 16700/15',
    'v1.apiextensions.k8s.io onstart 16700/15',
    'v1.apps onstart 17800/15',
    'v1.authentication.k8s.io onstart 17700/15',
    'v1.authorization.k8s.io onstart 17600/15',
    'v1.autoscaling onstart 17500/15',
    'v1.batch onstart 17400/15',
    'v1.certificates.k8s.io onstart 17300/15',
    'v1.coordination.k8s.io onstart 16500/15',
    'v1.discovery.k8s.io onstart 16200/15',
    'v1.events.k8s.io onstart 17750/15',
    'v1.networking.k8s.io onstart 17200/15',
    'v1.node.k8s.io onstart 16300/15',
    'v1.policy onstart 17100/15',
    'v1.rbac.authorization.k8s.io onstart 17000/15',
    'v1.scheduling.k8s.io onstart 16600/15',
    'v1.storage.k8s.io onstart 16800/15',
    'v1beta1.flowcontrol.apiserver.k8s.io onstart 16100/9',
    'v1beta1.storage.k8s.io onstart 16800/9',
    'v1beta2.flowcontrol.apiserver.k8s.io onstart 16100/12',
    'v2.autoscaling onstart 17500/30',
    'v2beta2.autoscaling onstart 17500/1',
  ])
  expect((await one('v1.apps')).status.conditions).toMatchObject([
    { type: 'Available', status: 'True', reason: 'Local' },
  ])
})

describe('an object of a built-in group version', () => {
  test('is restored at the next start, not before', async () => {
    await start()
    await client.merge(`${APISERVICES}/v1.batch`, { spec: { groupPriorityMinimum: 19_000 } })
    expect((await groupNames())[1]).toBe('batch')
    await client.delete(`${APISERVICES}/v1.policy`)
    await server!.settled()
    expect((await one('v1.policy')).reason).toBe('NotFound')
    expect(await groupNames()).not.toContain('policy')
    // It is served as before.
    expect((await client.get('/apis/policy')).status).toBe(200)
    expect((await client.get('/apis/policy/v1/poddisruptionbudgets')).status).toBe(200)
    await start()
    expect((await one('v1.batch')).spec.groupPriorityMinimum).toBe(17_400)
    expect((await one('v1.policy')).spec.groupPriorityMinimum).toBe(17_100)
  })
  test('is left alone without its label', async () => {
    await start()
    await client.merge(`${APISERVICES}/v1.batch`, {
      metadata: { labels: { [LABEL]: null } },
      spec: { groupPriorityMinimum: 19_000 },
    })
    await start()
    expect((await one('v1.batch')).spec.groupPriorityMinimum).toBe(19_000)
  })
  test('goes with a version that is no longer served', async () => {
    const alpha = { runtimeConfig: { 'networking.k8s.io/v1alpha1': true } }
    await start(alpha)
    expect((await one('v1alpha1.networking.k8s.io')).metadata.labels[LABEL]).toBe('onstart')
    await start()
    expect((await one('v1alpha1.networking.k8s.io')).reason).toBe('NotFound')
  })
})

describe('an object of a definition', () => {
  test('comes and goes with its version, and is restored when it is changed', async () => {
    await start()
    const group = 'own.example.com'
    const name = `v1.${group}`
    const made = await seen(
      name,
      (type) => type === 'ADDED',
      () => client.post(DEFINITIONS, definition(group, ['v1', 'v1beta1'])),
    )
    expect([made.metadata.labels, made.spec]).toEqual([
      { [LABEL]: 'true' },
      { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
    ])
    expect((await client.get('/apis')).body.groups.at(-1)).toEqual({
      name: group,
      versions: [
        { groupVersion: `${group}/v1`, version: 'v1' },
        { groupVersion: `${group}/v1beta1`, version: 'v1beta1' },
      ],
      preferredVersion: { groupVersion: `${group}/v1`, version: 'v1' },
    })
    await seen(
      name,
      (_, { spec }) => spec.groupPriorityMinimum === 1000,
      () => client.merge(`${APISERVICES}/${name}`, { spec: { groupPriorityMinimum: 5 } }),
    )
    await seen(
      name,
      (type) => type === 'ADDED',
      () => client.delete(`${APISERVICES}/${name}`),
    )
    await seen(
      `v1beta1.${group}`,
      (type) => type === 'DELETED',
      () =>
        client.merge(`${DEFINITIONS}/things.${group}`, {
          spec: definition(group, ['v1']).spec,
        }),
    )
    await seen(
      name,
      (type) => type === 'DELETED',
      () => client.delete(`${DEFINITIONS}/things.${group}`),
    )
    expect(await groupNames()).not.toContain(group)
  })
  test('is the one that users made before', async () => {
    await start()
    const gv = 'taken.example.com/v1'
    await client.post(APISERVICES, apiService(gv, { groupPriorityMinimum: 17_900 }))
    await client.post(DEFINITIONS, definition('taken.example.com', ['v1']))
    await server!.settled()
    const { metadata, spec } = await one('v1.taken.example.com')
    expect([metadata.labels, spec.groupPriorityMinimum]).toEqual([undefined, 17_900])
    expect((await groupNames())[1]).toBe('taken.example.com')
  })
})

test('versions of a group are listed by their priority', async () => {
  await start()
  for (const [version, versionPriority] of [
    ['v1', 10],
    ['v2beta1', 10],
    ['v3alpha1', 20],
    ['v2', 10],
  ] as const)
    await client.post(APISERVICES, apiService(`many.example.com/${version}`, { versionPriority }))
  const { body } = await client.get('/apis/many.example.com')
  expect(body.versions.map(({ version }: Json) => version)).toEqual([
    'v3alpha1',
    'v2',
    'v1',
    'v2beta1',
  ])
})
