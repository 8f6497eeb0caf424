/** `/metrics` of a running server: its forms, who may read it, and what requests are counted as. */
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { parseExposition, type ParsedFamily } from '../../src/metrics/exposition.fixture.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

let server: RunningServer
let admin: Client
const clock = new ManualClock()
beforeAll(async () => {
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    disableAdmissionPlugins: ['ServiceAccount'],
    clock,
    bodyMemoryBytes: 2 << 20,
  })
  await server.settled()
  admin = new Client(server)
})
afterAll(async () => {
  admin.close()
  await server.close()
})

const scrape = async () => parseExposition((await admin.ask('GET', '/metrics')).text)

/** Values of a family's samples that have these labels, summed. */
function valueOf(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.get(name) ?? families.get(name.replace(/_(count|sum)$/, ''))
  let sum = 0
  for (const sample of family?.samples ?? []) {
    const isIt = Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
    if (sample.name === name && isIt) sum += sample.value
  }
  return sum
}

const MAPS = '/api/v1/namespaces/default/configmaps'
const core = { group: '', version: 'v1', resource: 'configmaps', subresource: '' }

test('forms: text, OpenMetrics, gzip', async () => {
  const text = await admin.ask('GET', '/metrics')
  expect(text.status).toBe(200)
  expect(text.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(text.headers['cache-control']).toBe('no-cache, private')
  parseExposition(text.text)
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5'
  const open = await admin.ask('GET', '/metrics', { headers: { accept } })
  expect(open.headers['content-type']).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  )
  parseExposition(open.text, 'openmetrics')
  const packed = await admin.open('GET', '/metrics', { headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers['content-encoding']).toBe('gzip')
  parseExposition(gunzipSync(Buffer.concat(await packed.toArray())).toString())
})

test.each([
  { who: 'nobody', path: '/metrics', status: 403 },
  { who: 'admin', path: '/metrics', status: 200 },
  // Not at this release.
  { who: 'admin', path: '/metrics/slis', status: 404 },
] as const)('$who gets $status for $path', async ({ who, path, status }) => {
  const client = who === 'admin' ? admin : new Client(server, { anonymous: true })
  expect((await client.ask('GET', path)).status).toBe(status)
  if (client !== admin) client.close()
})

test.each([
  {
    does: 'a get',
    request: ['GET', '/api/v1/namespaces/default/configmaps/kube-root-ca.crt'],
    labels: { ...core, verb: 'GET', scope: 'resource', code: '404', dry_run: '' },
  },
  {
    does: 'a list of a namespace',
    request: ['GET', MAPS],
    labels: { ...core, verb: 'LIST', scope: 'namespace', code: '200', dry_run: '' },
  },
  {
    does: 'a list of all',
    request: ['GET', '/api/v1/configmaps'],
    labels: { ...core, verb: 'LIST', scope: 'cluster', code: '200', dry_run: '' },
  },
  {
    does: 'a watch',
    request: ['GET', `${MAPS}?watch=1&timeoutSeconds=0&resourceVersion=banana`],
    labels: { ...core, verb: 'WATCH', scope: 'namespace', code: '400', dry_run: '' },
  },
  {
    does: 'a dry create',
    request: ['POST', `${MAPS}?dryRun=All`, { metadata: { name: 'dry' } }],
    labels: { ...core, verb: 'POST', scope: 'resource', code: '201', dry_run: 'All' },
  },
  {
    does: 'a create',
    request: ['POST', MAPS, { metadata: { name: 'm' } }],
    labels: { ...core, verb: 'POST', scope: 'resource', code: '201', dry_run: '' },
  },
  {
    does: 'an invalid dry run',
    request: ['PUT', `${MAPS}/m?dryRun=Some`, { metadata: { name: 'm' } }],
    labels: { ...core, verb: 'PUT', scope: 'resource', code: '422', dry_run: 'invalid' },
  },
  {
    does: 'an apply',
    request: ['PATCH', `${MAPS}/m?fieldManager=f`, { apiVersion: 'v1', kind: 'ConfigMap' }],
    type: 'application/apply-patch+yaml',
    labels: { ...core, verb: 'APPLY', scope: 'resource', code: '200', dry_run: '' },
  },
  {
    does: 'a patch',
    request: ['PATCH', `${MAPS}/m`, {}],
    type: 'application/merge-patch+json',
    labels: { ...core, verb: 'PATCH', scope: 'resource', code: '200', dry_run: '' },
  },
  {
    does: 'a delete of a collection',
    request: ['DELETE', MAPS],
    labels: { ...core, verb: 'DELETE', scope: 'namespace', code: '200', dry_run: '' },
  },
  {
    does: 'a log',
    request: ['GET', '/api/v1/namespaces/default/pods/p/log'],
    labels: {
      ...core,
      resource: 'pods',
      subresource: 'log',
      verb: 'CONNECT',
      code: '404',
      scope: 'resource',
      dry_run: '',
    },
  },
  {
    does: 'a status',
    request: ['GET', '/apis/apps/v1/namespaces/default/deployments/d/status'],
    labels: {
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      subresource: 'status',
      verb: 'GET',
      code: '404',
      scope: 'resource',
      dry_run: '',
    },
  },
  {
    does: 'health',
    request: ['GET', '/readyz'],
    labels: {
      group: '',
      version: '',
      resource: '',
      subresource: '/readyz',
      verb: 'GET',
      scope: '',
      code: '200',
      component: 'apiserver',
      dry_run: '',
    },
  },
])('$does counts once', async ({ request, type, labels }) => {
  const before = await scrape()
  const [method, path, body] = request as [string, string, unknown]
  const { code, ...others } = labels
  const reply = await admin.ask(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  })
  expect(String(reply.status)).toBe(code)
  const after = await scrape()
  const grown = (name: string, by: Readonly<Record<string, string>>) =>
    valueOf(after, name, by) - valueOf(before, name, by)
  expect(grown('apiserver_request_total', labels)).toBe(1)
  expect(grown('apiserver_request_total', {})).toBe(1)
  expect(grown('apiserver_request_duration_seconds_count', others)).toBe(1)
  const { dry_run: _, ...rest } = others
  expect(grown('apiserver_request_slo_duration_seconds_count', rest)).toBe(1)
  const hasSize = ['GET', 'LIST'].includes(labels.verb)
  expect(grown('apiserver_response_sizes_count', rest)).toBe(hasSize ? 1 : 0)
  if (hasSize)
    expect(grown('apiserver_response_sizes_sum', rest)).toBe(Buffer.byteLength(reply.text))
})

test.each([
  ['an unknown resource', '/api/v1/namespaces/default/nonsense'],
  ['an unknown subresource', `${MAPS}/m/nonsense`],
  ['an unknown group', '/apis/nonsense/v1/things'],
  ['an unknown path', '/nonsense'],
  ['discovery', '/apis'],
])('%s makes no label', async (_, path) => {
  const before = await scrape()
  await admin.ask('GET', path)
  const after = await scrape()
  const series = (families: Awaited<ReturnType<typeof scrape>>) =>
    families.get('apiserver_request_total')?.samples
  expect(series(after)).toEqual(series(before))
})

test('what others have from their start on is there before it happens', async () => {
  const other = await startServer({ vocabulary: 'kubernetes', controllers: false })
  const client = new Client(other)
  try {
    const families = parseExposition((await client.get('/metrics')).text)
    const watches = families.get('apiserver_longrunning_requests')!
    expect(watches.type).toBe('gauge')
    expect(watches.samples).toHaveLength(25)
    expect(watches.samples.map(({ value }) => value)).toEqual(Array(25).fill(0))
    const all = { subresource: '', scope: 'cluster', verb: 'WATCH', component: 'apiserver' }
    for (const labels of [
      { group: '', version: 'v1', resource: 'pods' },
      { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' },
    ]) {
      const labelled = expect.objectContaining({ labels: { ...all, ...labels } })
      expect(watches.samples).toContainEqual(labelled)
    }
    for (const name of ['apiserver_audit_event_total', 'apiserver_audit_requests_rejected_total'])
      expect([name, families.get(name)?.samples.map(({ value }) => value)]).toEqual([name, [0]])
  } finally {
    client.close()
    await other.close()
  }
})

test('requests under way are counted while they are', async () => {
  const watching = { ...core, verb: 'WATCH', scope: 'cluster', component: 'apiserver' }
  const stream = await admin.open('GET', '/api/v1/configmaps?watch=1')
  expect(valueOf(await scrape(), 'apiserver_longrunning_requests', watching)).toBe(1)
  stream.destroy()
  await expect
    .poll(async () => valueOf(await scrape(), 'apiserver_longrunning_requests', watching))
    .toBe(0)
  const inflight = await scrape()
  // The scrape itself.
  expect(
    valueOf(inflight, 'apiserver_current_inflight_requests', { request_kind: 'readOnly' }),
  ).toBeGreaterThan(0)
})

test('deprecated versions in use', async () => {
  const path = '/apis/autoscaling/v2beta2/horizontalpodautoscalers'
  for (let i = 0; i < 2; i++) await admin.ask('GET', path)
  expect((await scrape()).get('apiserver_requested_deprecated_apis')?.samples).toEqual([
    {
      name: 'apiserver_requested_deprecated_apis',
      labels: {
        group: 'autoscaling',
        removed_release: '1.26',
        resource: 'horizontalpodautoscalers',
        subresource: '',
        version: 'v2beta2',
      },
      value: 1,
    },
  ])
})

test('lists: objects that were looked at, with an index and without', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
  const made = Array.from({ length: 600 }, (_, i) =>
    admin.ask('POST', leases, {
      body: { metadata: { name: `l${i}`, labels: { i: `${i % 300}` } } },
    }),
  )
  await Promise.all(made)
  const counts = async (index: string) => {
    const families = await scrape()
    const labels = { resource_prefix: '/coordination.k8s.io/leases', index }
    return ['total', 'fetched_objects_total'].map(
      (name) => valueOf(families, `apiserver_cache_list_${name}`, labels) ?? 0,
    )
  }
  const [lists = 0, fetched = 0] = await counts('')
  await admin.ask('GET', `${leases}?labelSelector=i%3D7`)
  await admin.ask('GET', `${leases}?limit=5`)
  expect(await counts('')).toEqual([lists + 2, fetched + 605])
  // Whoever asks again and again gets an index.
  for (let i = 0; i < 20 && (await counts('selector'))[0] === 0; i++)
    await admin.ask('GET', `${leases}?labelSelector=i%3D7`)
  expect(await counts('selector')).toEqual([1, 2])
})

test('the rest: objects, watches, admission, users, process', async () => {
  const watch = await admin.open('GET', `${MAPS}?watch=1&resourceVersion=0`)
  await admin.ask('POST', MAPS, { body: { metadata: { name: 'watched' } } })
  await expect
    .poll(async () =>
      valueOf(await scrape(), 'apiserver_watch_events_total', { kind: 'ConfigMap', version: 'v1' }),
    )
    .toBeGreaterThan(0)
  watch.destroy()
  const families = await scrape()
  const { body } = await admin.ask('GET', '/api/v1/configmaps')
  expect(valueOf(families, 'apiserver_storage_objects', { resource: 'configmaps' })).toBe(
    (body as { items: unknown[] }).items.length,
  )
  expect(
    valueOf(families, 'apiserver_storage_objects', {
      resource: 'clusterroles.rbac.authorization.k8s.io',
    }),
  ).toBeGreaterThan(10)
  expect(families.has('etcd_object_counts')).toBe(false)
  for (const [name, labels] of [
    ['apiserver_watch_events_sizes_sum', { kind: 'ConfigMap' }],
    ['apiserver_cache_list_total', { resource_prefix: '/configmaps', index: '' }],
    ['apiserver_cache_list_returned_objects_total', { resource_prefix: '/configmaps' }],
    ['apiserver_cache_list_fetched_objects_total', { resource_prefix: '/configmaps', index: '' }],
    ['apiserver_init_events_total', { resource: 'configmaps' }],
    ['apiserver_watch_cache_events_dispatched_total', { resource: 'configmaps' }],
    ['apiserver_watch_cache_initializations_total', { resource: 'configmaps' }],
    [
      'apiserver_admission_step_admission_duration_seconds_count',
      { type: 'admit', operation: 'CREATE', rejected: 'false' },
    ],
    [
      'apiserver_admission_controller_admission_duration_seconds_count',
      { name: 'NamespaceLifecycle', operation: 'CREATE' },
    ],
    ['authentication_attempts', { result: 'success' }],
    ['authentication_duration_seconds_count', { result: 'success' }],
    ['authenticated_user_requests', { username: 'other' }],
    ['apiserver_client_certificate_expiration_seconds_count', {}],
    ['apiserver_request_filter_duration_seconds_count', { filter: 'authorization' }],
    ['process_resident_memory_bytes', {}],
    ['process_cpu_seconds_total', {}],
    ['nodejs_heap_size_bytes', { kind: 'used' }],
    ['kubernetes_build_info', { major: '1', minor: '25' }],
  ] as const)
    expect([name, valueOf(families, name, labels)]).not.toEqual([name, 0])
  for (const { help } of families.values()) expect(help).toMatch(/^\[(STABLE|ALPHA)\] /)
})

test('invalid credentials are errors', async () => {
  const nobody = new Client(server, { token: 'nonsense' })
  const before = valueOf(await scrape(), 'authentication_attempts', { result: 'error' })
  expect((await nobody.ask('GET', MAPS)).status).toBe(401)
  nobody.close()
  expect(valueOf(await scrape(), 'authentication_attempts', { result: 'error' })).toBe(before + 1)
})

test('hidden, disabled and bounded metrics', async () => {
  const other = await startServer({
    vocabulary: 'orch',
    controllers: false,
    metrics: {
      showHiddenForVersion: '1.24',
      disabled: ['apiserver_request_total'],
      allowLabels: new Map([['apiserver_request_duration_seconds,verb', 'GET,LIST']]),
    },
  })
  const client = new Client(other)
  await client.ask('POST', MAPS, { body: { metadata: { name: 'm' } } })
  const families = parseExposition((await client.ask('GET', '/metrics')).text)
  client.close()
  await other.close()
  expect(families.get('etcd_object_counts')?.help).toBe(
    '[ALPHA] (Deprecated since 1.22.0) Stored objects by resource. Use apiserver_storage_objects.',
  )
  expect(families.has('apiserver_request_total')).toBe(false)
  expect(
    valueOf(families, 'apiserver_request_duration_seconds_count', { verb: 'unexpected' }),
  ).toBe(1)
  expect(families.has('orch_build_info')).toBe(true)
})

test('services, logs and pod security', async () => {
  const before = await scrape()
  const SERVICES = '/api/v1/namespaces/default/services'
  const service = (name: string, spec: object) => ({
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...spec },
  })
  await admin.post(SERVICES, service('picked', {}))
  await admin.post(SERVICES, service('named', { clusterIP: '10.0.0.200' }))
  await admin.post(SERVICES, service('taken', { clusterIP: '10.0.0.200' }))
  await admin.post('/api/v1/namespaces', {
    metadata: {
      name: 'strict',
      labels: {
        'pod-security.kubernetes.io/enforce': 'baseline',
        'pod-security.kubernetes.io/warn': 'restricted',
      },
    },
  })
  const pod = (name: string, more: object = {}) => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }], ...more },
  })
  await admin.post('/api/v1/namespaces/strict/pods', pod('good'))
  await admin.post('/api/v1/namespaces/strict/pods', pod('bad', { hostNetwork: true }))
  await admin.ask('GET', '/api/v1/namespaces/strict/pods/good/log')
  await admin.ask(
    'GET',
    '/api/v1/namespaces/strict/pods/good/log?insecureSkipTLSVerifyBackend=true',
  )
  const families = await scrape()
  const grown = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    valueOf(families, name, labels) - valueOf(before, name, labels)
  const ips = 'kube_apiserver_clusterip_allocator'
  const cidr = '10.0.0.0/16'
  expect(grown(`${ips}_allocation_total`, { cidr, scope: 'dynamic' })).toBe(1)
  expect(grown(`${ips}_allocation_total`, { cidr, scope: 'static' })).toBe(1)
  expect(grown(`${ips}_allocation_errors_total`, { cidr, scope: 'static' })).toBe(1)
  expect(grown(`${ips}_allocated_ips`, { cidr })).toBe(2)
  expect(grown(`${ips}_available_ips`, { cidr })).toBe(-2)
  const evaluated = (decision: string, mode: string, level: string) =>
    grown('pod_security_evaluations_total', {
      ...{ decision, mode, policy_level: level, policy_version: 'latest' },
      ...{ request_operation: 'create', resource: 'pod', subresource: '' },
    })
  expect(evaluated('allow', 'enforce', 'baseline')).toBe(1)
  expect(evaluated('deny', 'enforce', 'baseline')).toBe(1)
  expect(evaluated('deny', 'warn', 'restricted')).toBe(1)
  const logs = 'kube_apiserver_pod_logs_pods_logs_insecure_backend_total'
  expect(grown(logs, { usage: 'enforce_tls' })).toBe(1)
  expect(grown(logs, { usage: 'skip_tls_allowed' })).toBe(1)
  expect(grown('watch_cache_capacity', { resource: 'services' })).toBeGreaterThan(0)
  expect(valueOf(families, 'apiserver_storage_list_total', { resource: 'services' })).toBe(1)
})

test('how levels and kinds of requests are used adds up', async () => {
  const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
  await admin.post(ACCOUNTS, { metadata: { name: 'robot' } })
  const { body } = await admin.post(`${ACCOUNTS}/robot/token`, { spec: {} })
  const robot = new Client(server, { token: body.status.token as string })
  await robot.ask('GET', MAPS)
  robot.close()
  clock.advance(1000)
  const families = await scrape()
  const level = { priority_level: 'workload-low' }
  const flow = 'apiserver_flowcontrol'
  for (const [name, labels] of [
    [`${flow}_priority_level_request_utilization_count`, { ...level, phase: 'executing' }],
    [`${flow}_priority_level_request_utilization_count`, { ...level, phase: 'waiting' }],
    [`${flow}_priority_level_seat_utilization_count`, { ...level, phase: 'executing' }],
    [
      `${flow}_read_vs_write_current_requests_count`,
      { phase: 'executing', request_kind: 'readOnly' },
    ],
  ] as const)
    expect([name, valueOf(families, name, labels) > 0]).toEqual([name, true])
  expect(valueOf(families, 'apiserver_current_inqueue_requests')).toBe(0)
})
