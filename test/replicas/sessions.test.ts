/** Stock clients over three servers behind a balancer, one of which is killed while they work. */
import {
  ApiException,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Kubectl } from '../clients/kubectl.ts'
import { collectionOf, manifests, objectOf } from '../manifests.fixture.ts'
import { hasEtcd } from '../store/etcd.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { startCluster, type Cluster } from './cluster.ts'

const SIZE = 3
const SOON = { timeout: 20_000, interval: 20 }

let cluster: Cluster
beforeAll(async () => {
  if (hasEtcd) cluster = await startCluster(SIZE)
})
afterAll(() => cluster?.close())

/** The replica that the only open connections are to. */
async function busy(): Promise<number> {
  return vi.waitFor(() => {
    const open = cluster.balancer.open()
    const target = open.findIndex((count) => count > 0)
    expect(open.filter((count) => count > 0)).toHaveLength(1)
    return target
  }, SOON)
}

// oxlint-disable-next-line typescript/no-explicit-any -- objects of every kind
type Json = any

/** What each server says is there, of some collections. */
async function told(paths: readonly string[]): Promise<Json[]> {
  return Promise.all(
    cluster.replicas.map(async (replica) => {
      const client = replica.client()
      const lists = await Promise.all(paths.map((path) => client.get(path)))
      client.close()
      return lists.map(({ status, body }) => [status, body.items])
    }),
  )
}

describe.skipIf(!hasEtcd)('kubectl', () => {
  const KINDS = [
    ...['configmaps', 'secrets', 'services', 'serviceaccounts', 'deployments', 'statefulsets'],
    ...['daemonsets', 'jobs', 'cronjobs', 'ingresses', 'networkpolicies', 'roles', 'rolebindings'],
    ...['persistentvolumeclaims', 'leases'],
  ]
  const NS = 'team'
  const set = manifests(vocabularies.kubernetes).filter(
    ({ apiVersion, resource }) => KINDS.includes(resource) && !/alpha|beta/.test(apiVersion),
  )
  const list = JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: set.map((manifest) => objectOf(manifest, manifest.name, NS)),
  })
  let kubectl: Kubectl
  beforeAll(async () => {
    kubectl = await Kubectl.for(cluster.kubeconfig)
  })
  afterAll(() => kubectl?.close())

  /** What an apply of the set did, in its words. */
  async function apply(): Promise<Set<string>> {
    const { code, stdout, stderr } = await kubectl.run(['apply', '-f', '-'], list)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(set.length)
    return new Set(lines.map((line) => line.slice(line.lastIndexOf(' ') + 1)))
  }

  /** A watch of the deployment: what happened, to which version. */
  function follow() {
    const child = kubectl.start([
      ...['get', 'deployments', '-n', NS, '-w', '--output-watch-events'],
      ...['-o', 'jsonpath={.type} {.object.metadata.resourceVersion}{"\\n"}'],
    ])
    const lines: string[] = []
    let stderr = ''
    createInterface(child.stdout!).on('line', (line) => lines.push(line))
    child.stderr!.on('data', (data: Buffer) => (stderr += data.toString()))
    const end = once(child, 'close').then(([code]) => ({ code: code as number, stderr }))
    return { lines, end, stop: () => void child.kill('SIGTERM') }
  }

  test('goes on while one is killed, as if there were one server', async () => {
    await kubectl.ok('create', 'namespace', NS)
    expect(await apply()).toEqual(new Set(['created']))

    const victim = 1
    cluster.balancer.lead(victim)
    const watch = follow()
    await vi.waitFor(() => expect(watch.lines).toHaveLength(1), SOON)
    expect(await busy()).toBe(victim)
    // It ends with its connection, without a word; whoever wants more runs it again.
    const second = watch.end.then(() => follow())
    cluster.balancer.lead(victim)
    const rollout = kubectl.run(['rollout', 'status', 'deployment/minimal', '-n', NS])
    await vi.waitFor(() => expect(cluster.balancer.open()[victim]).toBe(2), SOON)

    /** Runs a command, and again, as its user would, when it failed with its connection. */
    let failures = 0
    const run = async (...args: string[]): Promise<string> => {
      const first = await kubectl.run([...args, '-n', NS])
      if (first.code === 0) return first.stdout
      failures++
      return kubectl.ok(...args, '-n', NS)
    }
    const versions: string[] = []
    const patch = async (replicas: number) => {
      const change = ['-p', JSON.stringify({ spec: { replicas } })]
      const version = ['-o', 'jsonpath={.metadata.resourceVersion}']
      versions.push(await run('patch', 'deployment/minimal', ...change, ...version))
    }
    const last = 6
    for (let n = 2; n <= last; n++) {
      if (n === 4) cluster.balancer.lead(victim)
      const work = [
        patch(n),
        run('scale', 'statefulset/minimal', `--replicas=${n}`),
        run('label', 'configmap/minimal', '--overwrite', `round=r${n}`),
      ]
      if (n === 4) {
        // Not before one of the commands is on its way through it.
        await vi.waitFor(() => expect(cluster.balancer.open()[victim]).toBeGreaterThan(2), SOON)
        await cluster.replicas[victim]!.kill()
      }
      await Promise.all(work)
      // Only what was on its way then may fail.
      if (n === 4) expect(failures).toBeLessThanOrEqual(work.length)
      if (n === 4) failures = 0
    }
    expect(failures).toBe(0)

    // Everybody who watches has seen every version, in order.
    expect(await watch.end).toEqual({ code: 0, stderr: '' })
    const resumed = await second
    const final = versions.at(-1)!
    await vi.waitFor(() => expect(resumed.lines.at(-1)).toMatch(new RegExp(` ${final}$`)), SOON)
    resumed.stop()
    const [made, ...before] = watch.lines.map((line) => line.split(' '))
    expect(made![0]).toBe('ADDED')
    expect(before).toEqual(versions.slice(0, before.length).map((at) => ['MODIFIED', at]))
    const [present, ...after] = resumed.lines.map((line) => line.split(' '))
    const at = versions.indexOf(present![1]!)
    expect([present![0], at >= before.length - 1]).toEqual(['ADDED', true])
    expect(after).toEqual(versions.slice(at + 1).map((version) => ['MODIFIED', version]))

    // A client that keeps a list by watching goes on by itself.
    const status = {
      observedGeneration: last,
      replicas: last,
      updatedReplicas: last,
      readyReplicas: last,
      availableReplicas: last,
    }
    const report = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]
    await kubectl.ok('patch', 'deployment/minimal', '-n', NS, ...report)
    const rolledOut = await rollout
    expect([rolledOut.code, rolledOut.stdout.trim().split('\n').at(-1)]).toEqual([
      0,
      'deployment "minimal" successfully rolled out',
    ])

    await cluster.replicas[victim]!.start()
    const [first, ...others] = await told(set.map((manifest) => collectionOf(manifest, NS)))
    for (const other of others) expect(other).toEqual(first)
    const object = (resource: string): Json =>
      first[set.findIndex((manifest) => manifest.resource === resource)][1].find(
        ({ metadata }: Json) => metadata.name === 'minimal',
      )
    for (const scaled of [object('deployments'), object('statefulsets')]) {
      expect([scaled.spec.replicas, scaled.metadata.generation]).toEqual([last, last])
    }
    expect(object('deployments').status).toEqual(status)
    expect(object('configmaps').metadata.labels).toEqual({ round: `r${last}` })
    expect(await apply()).toEqual(new Set(['unchanged']))

    // The one that came back serves like the others.
    const alone = await Kubectl.for(cluster.kubeconfigOf(victim))
    expect(await alone.ok('create', 'configmap', 'back', '-n', NS)).toBe('configmap/back created\n')
    await alone.close()
    expect(await kubectl.ok('delete', 'configmap', 'back', '-n', NS)).toBe(
      'configmap "back" deleted\n',
    )
  })
})

describe.skipIf(!hasEtcd)('the client library', () => {
  const namespace = 'work'
  const WRITERS = 4
  const ROUNDS = 6
  const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)

  const api = (): CoreV1Api => config().makeApiClient(CoreV1Api)
  function config(): KubeConfig {
    const loaded = new KubeConfig()
    loaded.loadFromString(cluster.kubeconfig)
    return loaded
  }

  /** Tries again when the connection failed; what the server refused stays refused. */
  async function surely<T>(call: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await call()
      } catch (error) {
        if (error instanceof ApiException || tries === 3) throw error
      }
    }
  }

  /** For a second try of what the first one did already. */
  const unless =
    (code: number, otherwise: () => Promise<V1ConfigMap | null>) => (error: unknown) => {
      if (error instanceof ApiException && error.code === code) return otherwise()
      throw error
    }

  test('its informer goes on when the replica that it watches is killed, and misses nothing', async () => {
    const reader = api()
    await reader.createNamespace({ body: { metadata: { name: namespace } } })
    await reader.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'shared' } } })
    const mapsNow = async () => (await reader.listNamespacedConfigMap({ namespace })).items.length
    // Controllers add one with the certificate authority to each namespace.
    await expect.poll(mapsNow, { timeout: 30_000 }).toBe(2)
    const nobody = 2

    let lists = 0
    let connects = 0
    const shown = new Set<string>()
    const gone = new Set<string>()
    const informer = makeInformer<V1ConfigMap>(
      config(),
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => {
        lists++
        return reader.listNamespacedConfigMap({ namespace })
      },
    )
    const key = ({ metadata }: V1ConfigMap) => `${metadata?.name} ${metadata?.resourceVersion}`
    informer.on('connect', () => connects++)
    informer.on('add', (object) => shown.add(key(object)))
    informer.on('update', (object) => shown.add(key(object)))
    informer.on('delete', ({ metadata }) => gone.add(metadata!.name!))
    // As its documentation has it.
    informer.on('error', () => void informer.start())
    await informer.start()
    expect(informer.list()).toHaveLength(nobody)
    const victim = await busy()

    const acknowledged: string[] = []
    const deleted: string[] = []
    const killings: Promise<void>[] = []
    const total = WRITERS * ROUNDS * 4
    const note = (object: V1ConfigMap) => {
      acknowledged.push(key(object))
      // Writers whose connection is cut do not know whether they have written.
      if (acknowledged.length === total / 4) cluster.balancer.cut((victim + 1) % SIZE)
      if (acknowledged.length >= total / 2 && killings.length === 0)
        killings.push(cluster.replicas[victim]!.kill())
    }
    const write = async (writer: number) => {
      const client = api()
      const get = (name: string) => () => client.readNamespacedConfigMap({ name, namespace })
      for (let n = 0; n < ROUNDS; n++) {
        const name = `w${writer}-${n}`
        const body = { metadata: { name }, data: { made: 'yes' } }
        let tries = 0
        const made = await surely(() => {
          tries++
          return client.createNamespacedConfigMap({ namespace, body })
        }).catch((error: unknown) => {
          // The first try may have made it.
          if (tries > 1) return unless(409, get(name))(error)
          throw error
        })
        note(made!)
        note(
          await surely(() =>
            client.patchNamespacedConfigMap(
              { name, namespace, body: { data: { patched: 'yes' } } },
              MERGE,
            ),
          ),
        )
        const replaced = { ...body, data: { replaced: `${n}` } }
        note(
          await surely(() =>
            client.replaceNamespacedConfigMap({ name, namespace, body: replaced }),
          ),
        )
        const mine = { data: { [`w${writer}`]: `${n}` } }
        note(
          await surely(() =>
            client.patchNamespacedConfigMap({ name: 'shared', namespace, body: mine }, MERGE),
          ),
        )
        if (n % 3 > 0) continue
        await surely(() => client.deleteNamespacedConfigMap({ name, namespace })).catch(
          unless(404, () => Promise.resolve(null)),
        )
        deleted.push(name)
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    expect(killings).toHaveLength(1)
    await Promise.all(killings)

    const brief = (objects: readonly V1ConfigMap[]) =>
      Object.fromEntries(objects.map((one) => [one.metadata!.name, [key(one), one.data]]))
    const { items } = await reader.listNamespacedConfigMap({ namespace })
    const fresh = brief(items)
    await vi.waitFor(() => expect(brief(informer.list())).toEqual(fresh), SOON)
    expect(acknowledged.filter((one) => !shown.has(one))).toEqual([])
    expect([...gone].sort()).toEqual(deleted.sort())
    expect(acknowledged).toHaveLength(total)
    expect(items).toHaveLength(nobody + WRITERS * ROUNDS - deleted.length)
    // It went on from where it was, at another server.
    expect([lists, connects > 1]).toEqual([1, true])
    await informer.stop()

    await cluster.replicas[victim]!.start()
    const [first, ...others] = await told([`/api/v1/namespaces/${namespace}/configmaps`])
    for (const other of others) expect(other).toEqual(first)
  })
})
