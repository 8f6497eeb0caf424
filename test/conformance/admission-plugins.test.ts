/** Plugins through a server: which are on, in which order, how they are configured, and what they can do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Attributes, MutableAttributes } from '../../src/admission/attributes.ts'
import type { AnyPluginFactory, Plugin, PluginFactory } from '../../src/admission/plugin.ts'
import { admissionPlugins } from '../../src/admission/index.ts'
import { refusalOf } from '../../src/admission/refusal.ts'
import { PLUGIN_ORDER } from '../../src/admission/plugin-order.ts'
import { selectPlugins } from '../../src/admission/selection.ts'
import { ManualClock } from '../../src/base/clock.ts'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import type { Typed } from '../../src/meta/object-meta.ts'
import { Client } from '../client.ts'

const dir = mkdtempSync(join(tmpdir(), 'admission-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

let server: RunningServer | null = null
let client: Client
const start = async (options: ServerOptions) => {
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    priorityAndFairness: false,
    ...options,
  })
  await server.settled()
  client = new Client(server)
}
afterEach(async () => {
  client?.close()
  await server?.close()
  server = null
})

const MAPS = '/api/v1/namespaces/default/configmaps'
const map = (name: string) => ({ metadata: { name }, data: { a: '1' } })

/** A plugin about the maps of a test alone. */
const plugin = (
  name: string,
  make: Partial<Plugin> = {},
  options: Partial<AnyPluginFactory> = {},
): AnyPluginFactory => ({
  name,
  defaultOn: true,
  create: () => ({ handles: () => true, ...make }),
  ...options,
})
const ofMaps = <A extends Attributes>(work: (attributes: A) => void | Promise<void>) => ({
  handles: () => true,
  mutate: (attributes: MutableAttributes) =>
    attributes.resource.resource === 'configmaps' && attributes.namespace === 'default'
      ? work(attributes as unknown as A)
      : undefined,
})
const forbidden = (message: string, name = 'x') => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `configmaps "${name}" is forbidden: ${message}`,
  reason: 'Forbidden',
  details: { name, kind: 'configmaps' },
  code: 403,
})

describe('which plugins are on', () => {
  const names = (...asked: Parameters<typeof selectPlugins>) =>
    selectPlugins(...asked).on.map(({ name }) => name)
  const standard = admissionPlugins.filter((one) => one.defaultOn).map(({ name }) => name)
  const own = (...places: string[]) =>
    standard.toSpliced(standard.indexOf('MutatingAdmissionWebhook'), 0, ...places)
  for (const { name, asked, on } of [
    { name: 'by default', asked: [{}], on: standard },
    {
      name: 'what is on may be enabled',
      asked: [{ enable: ['CertificateSigning'] }],
      on: standard,
    },
    {
      name: 'some are disabled, one of them twice',
      asked: [{ disable: ['CertificateApproval', 'CertificateApproval', 'ServiceAccount'] }],
      on: standard.filter((one) => one !== 'CertificateApproval' && one !== 'ServiceAccount'),
    },
    {
      name: 'those of the deprecated flag alone, beside own ones',
      asked: [{ only: ['ServiceAccount', 'NamespaceLifecycle', 'B'] }, [plugin('A'), plugin('B')]],
      on: ['NamespaceLifecycle', 'ServiceAccount', 'A', 'B'],
    },
    {
      name: 'own plugins run behind, in their order, if they are on',
      asked: [
        { enable: ['B'] },
        [plugin('C'), plugin('B', {}, { defaultOn: false }), plugin('A', {}, { defaultOn: false })],
      ],
      on: own('C', 'B'),
    },
  ] as { name: string; asked: Parameters<typeof selectPlugins>; on: string[] }[]) {
    test(name, () => expect(names(...asked)).toEqual(on))
  }

  test('own plugins have names of their own', async () => {
    await expect(
      startServer({ admission: [plugin('A'), plugin('A'), plugin('LimitRanger')] }),
    ).rejects.toThrow(
      new Error(
        'admission has two plugins "A"; admission has a plugin "LimitRanger", which is a name of the server\'s',
      ),
    )
  })

  test('what is built stands in the order of the release', () => {
    const places = admissionPlugins.map(({ name }) => PLUGIN_ORDER.indexOf(name))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('a plugin that is disabled is not asked', async () => {
    await start({ disableAdmissionPlugins: ['NamespaceLifecycle'] })
    const { status } = await client.post('/api/v1/namespaces/absent/configmaps', map('x'))
    expect(status).toBe(201)
    expect((await client.delete('/api/v1/namespaces/default')).status).toBe(200)
  })
})

describe('configuration', () => {
  const seen: unknown[] = []
  const configured = (name: string): PluginFactory<{ readonly size: number }> => ({
    name,
    defaultOn: true,
    decodeConfig(document) {
      const { size } = document as { size?: unknown }
      if (typeof size !== 'number') throw new Error('size: must be a number')
      return { size }
    },
    create(_, config) {
      seen.push([name, config])
      return { handles: () => false }
    },
  })
  const config = (plugins: string, version = 'v1') =>
    `kind: AdmissionConfiguration\napiVersion: apiserver.config.k8s.io/${version}\nplugins:\n${plugins}`

  test('inline, from a file beside it, and none; what is inline wins', async () => {
    file('own.yaml', 'size: 2')
    const path = file(
      'all.yaml',
      config(
        '- {name: A, configuration: {size: 1}}\n- {name: B, path: own.yaml}\n- {name: C}\n- {name: D, path: none.yaml, configuration: {size: 4}}\n- {name: NamespaceLifecycle}',
        'v1alpha1',
      ),
    )
    await start({
      admissionConfigFile: path,
      admission: ['A', 'B', 'C', 'D', 'E'].map(configured),
    })
    expect(seen.splice(0)).toEqual([
      ['A', { size: 1 }],
      ['B', { size: 2 }],
      ['C', undefined],
      ['D', { size: 4 }],
      ['E', undefined],
    ])
  })

  for (const { name, plugins, why } of [
    {
      name: 'inline',
      plugins: '- {name: A, configuration: {size: x}}',
      why: 'plugins[0].configuration: size: must be a number',
    },
    {
      name: 'in a file of its own',
      plugins: '- {name: A, path: bad.yaml}',
      why: `${join(dir, 'bad.yaml')}: size: must be a number`,
    },
  ]) {
    test(`what is wrong ${name} is told with its place`, async () => {
      file('bad.yaml', 'size: x')
      const path = file('wrong.yaml', config(plugins))
      await expect(
        startServer({
          vocabulary: 'kubernetes',
          admissionConfigFile: path,
          admission: [configured('A')],
        }),
      ).rejects.toThrow(new Error(`admissionConfigFile: ${path}: ${why}`))
    })
  }
})

describe('readiness', () => {
  test('the server says so, and requests wait until a plugin is ready', async () => {
    let open = () => {}
    let isOpen = false
    const opened = new Promise<void>((resolve) => {
      open = () => {
        isOpen = true
        resolve()
      }
    })
    let waiting = () => {}
    const asked = new Promise<void>((resolve) => (waiting = resolve))
    const slow = plugin('Slow', {
      handles: (operation) => operation === 'DELETE',
      mutate() {},
      ready() {
        waiting()
        return isOpen ? null : opened
      },
    })
    await start({ admission: [slow] })
    await client.post(MAPS, map('x'))
    const unready = await client.get('/readyz?verbose')
    expect([unready.status, unready.text.match(/^\[-\].*$/m)?.[0]]).toEqual([
      500,
      '[-]informer-sync failed: reason withheld',
    ])
    const deleted = client.delete(`${MAPS}/x`)
    await asked
    open()
    expect((await deleted).status).toBe(200)
    expect((await client.get('/readyz')).text).toBe('ok')
  })

  test('what is not ready in ten seconds, or fails to be, refuses', async () => {
    const clock = new ManualClock()
    let asked = () => {}
    const waits = () => new Promise<void>((resolve) => (asked = resolve))
    let ready: Promise<void> = new Promise(() => {})
    const never = plugin('Never', {
      handles: (operation) => operation === 'UPDATE',
      validate() {},
      ready() {
        asked()
        return ready
      },
    })
    // Priority and fairness would ask it too, by writing the status of flow schemas.
    await start({ admission: [never], clock, priorityAndFairness: false })
    await client.post(MAPS, map('x'))
    const isAsked = waits()
    const late = client.put(`${MAPS}/x`, map('x'))
    await isAsked
    clock.advance(10_000)
    expect((await late).body).toEqual(forbidden('not yet ready to handle request'))
    ready = Promise.reject(new Error('broken'))
    ready.catch(() => {})
    expect((await client.put(`${MAPS}/x`, map('x'))).body).toEqual(
      forbidden('not yet ready to handle request'),
    )
    expect((await client.get('/readyz')).status).toBe(500)
  })
})

describe('reinvocation', () => {
  test('the mutating plugins are asked once more, and no third time', async () => {
    const told: string[] = []
    const note = (name: string) =>
      plugin(
        name,
        ofMaps((attributes: MutableAttributes) => {
          const { reinvocation, object } = attributes
          told.push(`${name} ${reinvocation.isAgain} ${String(reinvocation.value('Late'))}`)
          if (name !== 'Late') return
          reinvocation.setValue('Late', object!.live.metadata.name)
          reinvocation.request()
        }),
      )
    await start({ admission: [note('Early'), note('Late')] })
    expect((await client.post(MAPS, map('x'))).status).toBe(201)
    expect(told.splice(0)).toEqual([
      'Early false undefined',
      'Late false undefined',
      'Early true x',
      'Late true x',
    ])
    // Each request begins anew.
    expect((await client.merge(`${MAPS}/x`, { data: { b: '2' } })).status).toBe(200)
    expect(told[0]).toBe('Early false undefined')
  })
})

describe('objects as JSON', () => {
  const SCALERS = 'autoscaling/v1'
  const scaler = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: 'Deployment', name: 'd' },
      targetCPUUtilizationPercentage: 50,
    },
  }
  const path = (version: string) =>
    `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`

  test('go out and come back in any version, defaulted', async () => {
    const seen: unknown[] = []
    const json = plugin('Json', {
      async mutate({ resource, requestKind, kind, object }) {
        if (resource.resource !== 'horizontalpodautoscalers') return
        seen.push([requestKind.version, kind.version])
        const old = (await object!.toJson(SCALERS)) as typeof scaler
        seen.push(old.spec)
        const { minReplicas: _, ...spec } = old.spec as typeof old.spec & { minReplicas?: number }
        await object!.replace({
          ...old,
          spec: { ...spec, targetCPUUtilizationPercentage: 60, none: 1 },
        })
        seen.push(((await object!.toJson()) as typeof scaler).apiVersion)
        await expect(object!.toJson('autoscaling/v9')).rejects.toThrow(
          'HorizontalPodAutoscaler has no version "autoscaling/v9"',
        )
      },
      async validate({ resource, object }) {
        if (resource.resource === 'horizontalpodautoscalers')
          seen.push(((await object!.toJson('autoscaling/v2')) as { spec: object }).spec)
      },
    })
    await start({ admission: [json] })
    const { status, body } = await client.post(path('v1'), scaler)
    expect(status).toBe(201)
    const spec = { ...scaler.spec, minReplicas: 1 }
    const metrics = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
      },
    ]
    const { scaleTargetRef } = scaler.spec
    expect(seen).toEqual([
      ['v1', 'v2'],
      spec,
      'autoscaling/v2',
      { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics },
    ])
    expect(body.spec).toEqual({ ...spec, targetCPUUtilizationPercentage: 60 })
    expect((await client.get(`${path('v2')}/h`)).body.spec.metrics).toEqual(metrics)
  })

  test('of bodies and of an update are what is stored or done then', async () => {
    const set = plugin('Set', {
      async mutate({ operation, resource, subresource, object }) {
        const isMap = resource.resource === 'configmaps' && operation === 'UPDATE'
        if (!isMap && subresource !== 'scale') return
        const document = await object!.toJson()
        const spec = { replicas: 7 }
        await object!.replace({ ...document, ...(isMap ? { data: { set: 'it' } } : { spec }) })
      },
    })
    await start({ admission: [set] })
    await client.post(MAPS, map('x'))
    expect((await client.merge(`${MAPS}/x`, { data: { a: '2' } })).body.data).toEqual({ set: 'it' })
    const labels = { app: 'x' }
    const deployments = '/apis/apps/v1/namespaces/default/deployments'
    await client.post(deployments, {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })
    const scaled = await client.merge(`${deployments}/d/scale`, { spec: { replicas: 2 } })
    expect(scaled.body.spec).toEqual({ replicas: 7 })
    expect((await client.get(`${deployments}/d`)).body.spec.replicas).toBe(7)
  })

  test('that are none of the kind are refused', async () => {
    const wrong = plugin(
      'Wrong',
      ofMaps(({ object }: MutableAttributes) =>
        object!.replace({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }),
      ),
    )
    await start({ admission: [wrong] })
    expect((await client.post(MAPS, map('x'))).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'expected a ConfigMap, found "Secret"',
      reason: 'BadRequest',
      code: 400,
    })
  })
})

describe('objects that a plugin reads and writes', () => {
  const NAMESPACES = { group: '', resource: 'namespaces' }
  const QUOTAS = { group: '', resource: 'resourcequotas' }

  test('are made in the name of the server', async () => {
    const provision: PluginFactory = {
      name: 'Provision',
      defaultOn: true,
      create: ({ objects, writer }) => ({
        handles: (operation) => operation === 'CREATE',
        async mutate({ namespace, resource }) {
          if (namespace === '' || resource.resource !== 'configmaps') return
          if (await objects.get(NAMESPACES, '', namespace)) return
          await writer.create(NAMESPACES, '', { metadata: { name: namespace } })
        },
      }),
    }
    await start({ admission: [provision], disableAdmissionPlugins: ['NamespaceLifecycle'] })
    expect((await client.post('/api/v1/namespaces/new/configmaps', map('x'))).status).toBe(201)
    const { body } = await client.get('/api/v1/namespaces/new')
    expect(body).toMatchObject({
      metadata: {
        labels: { 'kubernetes.io/metadata.name': 'new' },
        managedFields: [{ manager: 'kube-apiserver', operation: 'Update' }],
      },
      spec: { finalizers: ['kubernetes'] },
    })
    expect(
      (await client.post('/api/v1/namespaces/Not_One/configmaps', map('x'))).body,
    ).toMatchObject({ reason: 'Invalid', code: 422, details: { name: 'Not_One' } })
  })

  test('change one after the other, however many requests there are', async () => {
    type Quota = Typed & { status: { used?: Record<string, string> } }
    const spend: PluginFactory = {
      name: 'Spend',
      defaultOn: true,
      create: ({ writer }) => ({
        handles: (operation) => operation === 'CREATE',
        async validate(attributes) {
          const { namespace, resource } = attributes
          if (namespace !== 'default' || resource.resource !== 'configmaps') return
          const place = { namespace, name: 'q', subresource: 'status' }
          await writer.change<Quota>(QUOTAS, place, ({ status }) => {
            const used = Number(status.used?.['configmaps'] ?? 0)
            if (used === 15) throw refusalOf(attributes, 'exceeded quota: q')
            status.used = { configmaps: String(used + 1) }
          })
        },
      }),
    }
    await start({ admission: [spend] })
    const quotas = '/api/v1/namespaces/default/resourcequotas'
    await client.post(quotas, { metadata: { name: 'q' }, spec: { hard: { configmaps: '15' } } })
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => client.post(MAPS, map(`m${i}`))),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 15 }, () => 201),
      ...Array.from({ length: 5 }, () => 403),
    ])
    const refused = made.find(({ status }) => status === 403)!.body
    expect(refused).toEqual(forbidden('exceeded quota: q', refused.details.name))
    const { status, metadata } = (await client.get(`${quotas}/q`)).body
    expect(status.used).toEqual({ configmaps: '15' })
    expect(
      metadata.managedFields.map((entry: { subresource?: string }) => entry.subresource),
    ).toEqual(expect.arrayContaining(['status']))
  })
})

describe('what a plugin says', () => {
  test('goes with the answer, also of a refused request', async () => {
    const says = plugin(
      'Says',
      ofMaps((attributes: Attributes) => {
        attributes.warn('mind this')
        attributes.annotate('says.example.com/word', 'yes')
        attributes.annotate('says.example.com/word', 'no', 'Request')
      }),
      {},
    )
    await start({ admission: [says] })
    const made = await client.post(MAPS, map('x'))
    expect([made.status, made.headers['warning']]).toEqual([201, '299 - "mind this"'])
    const refused = await client.post(MAPS, { metadata: { name: 'X!' } })
    expect([refused.status, refused.headers['warning']]).toEqual([422, '299 - "mind this"'])
  })

  for (const key of ['word', 'a/b/c', '/word', 'example.com/', 'Example.com/word']) {
    test(`under ${JSON.stringify(key)} is a fault of the plugin`, async () => {
      const errors: unknown[] = []
      const says = plugin(
        'Says',
        ofMaps((attributes: Attributes) => {
          try {
            attributes.annotate(key, 'x')
          } catch (error) {
            errors.push(error)
          }
        }),
      )
      await start({ admission: [says] })
      await client.post(MAPS, map('x'))
      expect(errors).toEqual([
        new Error(
          `${JSON.stringify(key)} cannot be the key of an audit annotation; it must be a name with a prefix, such as "limits.example.com/applied"`,
        ),
      ])
    })
  }
})
