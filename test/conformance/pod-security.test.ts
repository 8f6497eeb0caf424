/** Pod security through a server: modes, exemptions, templates, namespaces with pods, and what is recorded. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { startServer, type ObservedRequest, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'

const LABEL = 'pod-security.kubernetes.io'
const MUST = 'must set securityContext'
const DETAILS = `allowPrivilegeEscalation != false (container "main" ${MUST}.allowPrivilegeEscalation=false), unrestricted capabilities (container "main" ${MUST}.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "main" ${MUST}.runAsNonRoot=true), seccompProfile (pod or container "main" ${MUST}.seccompProfile.type to "RuntimeDefault" or "Localhost")`
const REASONS =
  'allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile'
const RESTRICTED = `PodSecurity "restricted:latest": ${DETAILS}`
const HOST = 'PodSecurity "baseline:latest": host namespaces (hostPID=true)'

const dir = mkdtempSync(join(tmpdir(), 'pod-security-'))
const clock = new ManualClock()
let server: RunningServer
let client: Client
let jane: Client
/** Pod security annotations of writes, by method and path. */
let recorded: Map<string, Record<string, string>>

function record({ method, target, annotations }: ObservedRequest): void {
  const own = [...annotations].filter(([key]) => key.startsWith(`${LABEL}/`))
  recorded.set(
    `${method} ${target.split('?')[0]}`,
    Object.fromEntries(own.map(([key, { value }]) => [key.slice(LABEL.length + 1), value])),
  )
}

beforeAll(async () => {
  const config = join(dir, 'admission.yaml')
  const exemptions = {
    usernames: ['jane'],
    namespaces: ['exempt'],
    runtimeClasses: ['exempt-class'],
  }
  const configuration = {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    exemptions,
  }
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [{ name: 'PodSecurity', configuration }],
    }),
  )
  const tokens = join(dir, 'tokens.csv')
  writeFileSync(tokens, 'jane-token,jane,jane,"system:masters"\n')
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    clock,
    admissionConfigFile: config,
    authentication: { tokenAuthFile: tokens },
    allowPrivileged: true,
    disableAdmissionPlugins: ['RuntimeClass', 'ServiceAccount'],
    stages: [{ name: 'test', responseComplete: record }],
  })
  await server.settled()
  client = new Client(server)
  jane = new Client(server, { token: 'jane-token' })
})
beforeEach(() => {
  recorded = new Map()
})
afterAll(async () => {
  client.close()
  jane.close()
  await server.close()
  rmSync(dir, { recursive: true, force: true })
})

let count = 0
/** A namespace with labels of pod security. */
async function space(labels: Record<string, string> = {}, name = `space-${++count}`) {
  const prefixed = Object.entries(labels).map(([key, value]) => [`${LABEL}/${key}`, value])
  const made = await client.post('/api/v1/namespaces', {
    metadata: { name, labels: Object.fromEntries(prefixed) },
  })
  expect(made.status, made.text).toBe(201)
  return `/api/v1/namespaces/${name}`
}
const relabel = (path: string, labels: Record<string, string | null>) =>
  client.merge(path, {
    metadata: {
      labels: Object.fromEntries(
        Object.entries(labels).map(([key, value]) => [`${LABEL}/${key}`, value]),
      ),
    },
  })
const podSpec = (more: object = {}) => ({ containers: [{ name: 'main', image: 'i' }], ...more })
const pod = (name: string, more: object = {}) => ({ metadata: { name }, spec: podSpec(more) })

/** The `Warning` headers of a response without their quotes. */
const warnings = ({ headers }: Reply): string[] => {
  const text = headers['warning'] ?? ''
  return [...String(text).matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, found]) =>
    found!.replaceAll(/\\(.)/g, '$1'),
  )
}
const forbidden = (name: string, why: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `pods "${name}" is forbidden: violates ${why}`,
  reason: 'Forbidden',
  details: { name, kind: 'pods' },
  code: 403,
})

describe('pods', () => {
  interface Row {
    readonly name: string
    readonly labels?: Record<string, string>
    readonly spec?: object
    readonly refused?: string
    readonly warns?: readonly string[]
    readonly records: Record<string, string>
  }
  const rows: readonly Row[] = [
    { name: 'no labels', records: { 'enforce-policy': 'privileged:latest' } },
    {
      name: 'enforced',
      labels: { enforce: 'restricted' },
      refused: RESTRICTED,
      records: { 'enforce-policy': 'restricted:latest' },
    },
    {
      name: 'an older version',
      labels: { enforce: 'restricted', 'enforce-version': 'v1.7' },
      refused: `PodSecurity "restricted:v1.7": runAsNonRoot != true (pod or container "main" ${MUST}.runAsNonRoot=true)`,
      records: { 'enforce-policy': 'restricted:v1.7' },
    },
    {
      name: 'a future version',
      labels: { enforce: 'baseline', 'enforce-version': 'v1.99' },
      spec: { hostPID: true },
      refused: HOST.replace('latest', 'v1.99'),
      records: { 'enforce-policy': 'baseline:v1.99' },
    },
    {
      name: 'allowed',
      labels: { enforce: 'baseline' },
      records: { 'enforce-policy': 'baseline:latest' },
    },
    {
      name: 'audited',
      labels: { audit: 'restricted' },
      records: {
        'enforce-policy': 'privileged:latest',
        'audit-violations': `would violate ${RESTRICTED}`,
      },
    },
    {
      name: 'warned',
      labels: { warn: 'restricted' },
      warns: [`would violate ${RESTRICTED}`],
      records: { 'enforce-policy': 'privileged:latest' },
    },
    {
      name: 'refused: audited, not warned',
      labels: { enforce: 'baseline', audit: 'baseline', warn: 'baseline' },
      spec: { hostPID: true },
      refused: HOST,
      records: { 'enforce-policy': 'baseline:latest', 'audit-violations': `would violate ${HOST}` },
    },
    {
      name: 'an exempt runtime class',
      labels: { enforce: 'restricted', warn: 'restricted' },
      spec: { runtimeClassName: 'exempt-class' },
      records: { exempt: 'runtimeClass' },
    },
    {
      name: 'on Windows',
      labels: { enforce: 'restricted' },
      spec: { os: { name: 'windows' }, securityContext: { runAsNonRoot: true } },
      records: { 'enforce-policy': 'restricted:latest' },
    },
  ]
  for (const { name, labels, spec, refused, warns = [], records } of rows) {
    test(name, async () => {
      const path = `${await space(labels)}/pods`
      const made = await client.post(path, pod('one', spec))
      if (refused === undefined) expect(made.status, made.text).toBe(201)
      else expect(made.body).toEqual(forbidden('one', refused))
      expect(warnings(made)).toEqual(warns)
      expect(recorded.get(`POST ${path}`)).toEqual(records)
    })
  }

  test('an exempt user and an exempt namespace', async () => {
    const path = `${await space({ enforce: 'restricted' })}/pods`
    const { body } = await jane.post(path, pod('one'))
    expect(body.metadata.name).toBe('one')
    expect(recorded.get(`POST ${path}`)).toEqual({ exempt: 'user' })
    const exempt = `${await space({ enforce: 'restricted' }, 'exempt')}/pods`
    expect((await client.post(exempt, pod('one'))).status).toBe(201)
    expect(recorded.get(`POST ${exempt}`)).toEqual({ exempt: 'namespace' })
  })

  test('a refusal of a generated name, and a dry run', async () => {
    const path = `${await space({ enforce: 'restricted' })}/pods`
    const made = await client.post(`${path}?dryRun=All`, {
      metadata: { generateName: 'web-' },
      spec: podSpec(),
    })
    const name = made.body.details.name as string
    expect(name).toMatch(/^web-.{5}$/)
    expect(made.body).toEqual(forbidden(name, RESTRICTED))
  })

  test('updates are evaluated where they change images or containers', async () => {
    const path = await space()
    expect((await client.post(`${path}/pods`, pod('one'))).status).toBe(201)
    expect(warnings(await relabel(path, { enforce: 'restricted' }))).toEqual([
      `existing pods in namespace "${path.split('/').at(-1)}" violate the new PodSecurity enforce level "restricted:latest"`,
      `one: ${REASONS}`,
    ])
    const one = `${path}/pods/one`
    const binding = { metadata: { name: 'one' }, target: { kind: 'Node', name: 'n' } }
    const strategic = (at: string, body: object) =>
      client.merge(at, body, {
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
      })
    expect((await client.merge(one, { metadata: { labels: { a: 'b' } } })).status).toBe(200)
    expect(recorded.get(`PATCH ${one}`)).toEqual({})
    expect((await client.merge(`${one}/status`, { status: { message: 'm' } })).status).toBe(200)
    expect((await client.post(`${one}/binding`, binding)).status).toBe(201)
    const image = await strategic(one, {
      spec: { containers: [{ name: 'main', image: 'j' }] },
    })
    expect(image.body).toEqual(forbidden('one', RESTRICTED))
    const ephemeral = await strategic(`${one}/ephemeralcontainers`, {
      spec: { ephemeralContainers: [{ name: 'debug', image: 'j' }] },
    })
    expect(ephemeral.body.message).toContain('containers "main", "debug" must set')
    expect((await client.delete(one)).status).toBe(200)
  })
})

describe('templates', () => {
  const template = (spec: object = podSpec()) => ({
    metadata: { labels: { app: 'x' } },
    spec,
  })
  const selector = { matchLabels: { app: 'x' } }
  const once = (spec?: object) => template({ restartPolicy: 'Never', ...podSpec(), ...spec })
  for (const { resource, body } of [
    { resource: 'v1/podtemplates', body: { template: template() } },
    {
      resource: 'v1/replicationcontrollers',
      body: { spec: { selector: { app: 'x' }, template: template() } },
    },
    { resource: 'apps/v1/replicasets', body: { spec: { selector, template: template() } } },
    { resource: 'apps/v1/deployments', body: { spec: { selector, template: template() } } },
    {
      resource: 'apps/v1/statefulsets',
      body: { spec: { serviceName: 's', selector, template: template() } },
    },
    { resource: 'apps/v1/daemonsets', body: { spec: { selector, template: template() } } },
    { resource: 'batch/v1/jobs', body: { spec: { template: once() } } },
    {
      resource: 'batch/v1/cronjobs',
      body: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: once() } } } },
    },
  ]) {
    test(resource, async () => {
      const at = await space({ enforce: 'restricted', audit: 'restricted', warn: 'restricted' })
      const [version, name] = [
        resource.slice(0, resource.lastIndexOf('/')),
        resource.split('/').at(-1),
      ]
      const root = version === 'v1' ? '/api/v1' : `/apis/${version}`
      const path = `${root}/${at.split('/').slice(3).join('/')}/${name}`
      const made = await client.post(path, { metadata: { name: 'one' }, ...body })
      expect(made.status, made.text).toBe(201)
      expect(warnings(made)).toEqual([`would violate ${RESTRICTED}`])
      expect(recorded.get(`POST ${path}`)).toEqual({
        'audit-violations': `would violate ${RESTRICTED}`,
      })
      const changed = await client.merge(`${path}/one`, { metadata: { labels: { a: 'b' } } })
      expect(warnings(changed)).toEqual([`would violate ${RESTRICTED}`])
    })
  }
  test('sub-resources and privileged modes are not evaluated', async () => {
    const at = await space({ enforce: 'restricted' })
    const path = `/apis/apps/v1/namespaces/${at.split('/').at(-1)}/deployments`
    const made = await client.post(path, {
      metadata: { name: 'one' },
      spec: { selector, template: template() },
    })
    expect([made.status, warnings(made)]).toEqual([201, []])
    expect(recorded.get(`POST ${path}`)).toEqual({})
    await relabel(at, { warn: 'restricted' })
    const scaled = await client.merge(`${path}/one/scale`, { spec: { replicas: 2 } })
    expect([scaled.status, warnings(scaled)]).toEqual([200, []])
  })
  test('a controller without a template', async () => {
    const at = await space({ warn: 'restricted' })
    const path = `${at}/replicationcontrollers`
    const made = await client.post(path, { metadata: { name: 'one' }, spec: {} })
    expect([made.status, warnings(made)]).toEqual([422, []])
  })
})

describe('namespaces', () => {
  const invalid = (name: string, ...faults: readonly [string, string, string][]) => {
    const causes = faults.map(([label, value, why]) => ({
      reason: 'FieldValueInvalid',
      message: `Invalid value: "${value}": ${why}`,
      field: `metadata.labels[${LABEL}/${label}]`,
    }))
    const texts = causes.map(({ field, message }) => `${field}: ${message}`)
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `Namespace "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
      reason: 'Invalid',
      details: { name, kind: 'Namespace', causes },
      code: 422,
    }
  }
  const LEVEL = 'must be one of privileged, baseline, restricted'
  const VERSION = 'must be "latest" or "v1.x"'

  test('labels are checked on create and update', async () => {
    const made = await client.post('/api/v1/namespaces', {
      metadata: {
        name: 'bad',
        labels: { [`${LABEL}/enforce`]: 'x', [`${LABEL}/warn-version`]: '1' },
      },
    })
    expect(made.body).toEqual(
      invalid('bad', ['enforce', 'x', LEVEL], ['warn-version', '1', VERSION]),
    )
    const path = await space()
    expect((await relabel(path, { audit: 'y' })).body).toEqual(
      invalid(path.split('/').at(-1)!, ['audit', 'y', LEVEL]),
    )
  })

  test('labels of pods that violate a new level', async () => {
    const path = await space()
    const name = path.split('/').at(-1)
    const owned = (uid: string) => ({
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid, controller: true },
      ],
    })
    for (const [pod, metadata, spec] of [
      ['b-0', owned('u1'), {}],
      ['b-1', owned('u1'), {}],
      ['b-2', owned('u2'), {}],
      ['a', {}, { hostPID: true }],
      ['c', {}, { hostPID: true }],
      ['exempt', {}, { runtimeClassName: 'exempt-class', hostPID: true }],
    ] as const) {
      const made = await client.post(`${path}/pods`, {
        metadata: { name: pod, ...metadata },
        spec: podSpec(spec),
      })
      expect(made.status, made.text).toBe(201)
    }
    const head = (level: string) =>
      `existing pods in namespace "${name}" violate the new PodSecurity enforce level "${level}"`
    expect(warnings(await relabel(path, { enforce: 'baseline' }))).toEqual([
      head('baseline:latest'),
      'a (and 1 other pod): host namespaces',
    ])
    const again = await relabel(path, { enforce: 'restricted' })
    expect(warnings(again)).toEqual([
      head('restricted:latest'),
      `a (and 1 other pod): host namespaces, ${REASONS}`,
      `b-0 (and 2 other pods): ${REASONS}`,
    ])
    for (const [what, labels] of [
      ['relaxed', { enforce: 'baseline' }],
      ['unchanged', { warn: 'restricted' }],
      ['privileged', { enforce: 'privileged', 'enforce-version': 'v1.3' }],
    ] as const) {
      expect([what, warnings(await relabel(path, labels))]).toEqual([what, []])
    }
    const versioned = await relabel(path, { enforce: 'baseline', 'enforce-version': 'v1.4' })
    expect(warnings(versioned)).toEqual([
      head('baseline:v1.4'),
      'a (and 1 other pod): host namespaces',
    ])
  })

  test('an exempt namespace', async () => {
    const path = await space({}, 'exempt').catch(() => '/api/v1/namespaces/exempt')
    expect(warnings(await relabel(path, { enforce: null }))).toEqual([])
    const changed = await relabel(path, { enforce: 'baseline', warn: 'restricted' })
    expect(warnings(changed)).toEqual([
      'namespace "exempt" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=restricted:latest) will be ignored',
    ])
  })
})

test('the vocabulary orch has labels of its own', async () => {
  const own = await startServer({
    vocabulary: 'orch',
    controllers: false,
    disableAdmissionPlugins: ['ServiceAccount'],
  })
  const admin = new Client(own)
  try {
    const label = (key: string) => ({ [`pod-security.${key}/enforce`]: 'restricted' })
    const labels = { ...label('orch.io'), ...label('kubernetes.io') }
    await admin.post('/api/v1/namespaces', { metadata: { name: 'x', labels } })
    const made = await admin.post('/api/v1/namespaces/x/pods', pod('one'))
    expect(made.body).toEqual(forbidden('one', RESTRICTED))
  } finally {
    admin.close()
    await own.close()
  }
})
