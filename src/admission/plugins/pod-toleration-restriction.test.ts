import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  pod,
  serverConfigured,
  serverWith,
  startFault,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'

const APIVERSION = 'podtolerationrestriction.admission.k8s.io/v1alpha1'
const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations'
const ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'

const of = (key: string, more: object = {}) => ({
  key,
  operator: 'Exists',
  effect: 'NoSchedule',
  ...more,
})
const PRESSURE = of('node.kubernetes.io/memory-pressure')
const CONFIG = {
  apiVersion: APIVERSION,
  kind: 'Configuration',
  default: [of('cluster')],
  whitelist: [of('cluster'), of('extra'), PRESSURE],
}

const NAMESPACES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plain: {},
  own: {
    [DEFAULTS]: JSON.stringify([of('team')]),
    [ALLOWED]: JSON.stringify([of('team'), { key: 'wide', operator: 'Exists' }, PRESSURE]),
  },
  cleared: { [DEFAULTS]: '', [ALLOWED]: '' },
  listless: { [DEFAULTS]: 'null', [ALLOWED]: '[]' },
  timed: {
    [DEFAULTS]: '',
    [ALLOWED]: JSON.stringify([of('t', { effect: 'NoExecute', tolerationSeconds: 60 })]),
  },
  broken: { [DEFAULTS]: '[' },
  odd: { [ALLOWED]: '{}' },
}

let started: PluginServer
beforeAll(async () => {
  started = await serverConfigured('PodTolerationRestriction', CONFIG)
  for (const [name, annotations] of Object.entries(NAMESPACES)) {
    await started.admin.post('/api/v1/namespaces', { metadata: { name, annotations } })
  }
})
afterAll(() => started.close())

const failed = (message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  code: 500,
})
const conflict = (scope: string) =>
  `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`
const REQUESTS = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] }

let count = 0
for (const { namespace, spec, found } of [
  { namespace: 'plain', spec: {}, found: [of('cluster')] },
  { namespace: 'plain', spec: REQUESTS, found: [of('cluster'), PRESSURE] },
  {
    namespace: 'plain',
    spec: { tolerations: [of('extra', { operator: 'Equal', value: 'x' })] },
    found: [of('extra', { operator: 'Equal', value: 'x' }), of('cluster')],
  },
  {
    namespace: 'plain',
    spec: { tolerations: [of('cluster', { operator: 'Equal', value: 'x' })] },
    found: [of('cluster')],
  },
  {
    namespace: 'plain',
    spec: { tolerations: [of('extra', { effect: 'NoExecute' })] },
    found: conflict('cluster'),
  },
  { namespace: 'own', spec: {}, found: [of('team')] },
  {
    namespace: 'own',
    spec: { tolerations: [of('wide', { effect: 'NoExecute', tolerationSeconds: 7 })] },
    found: [of('wide', { effect: 'NoExecute', tolerationSeconds: 7 }), of('team')],
  },
  { namespace: 'own', spec: { tolerations: [of('cluster')] }, found: conflict('namespace') },
  {
    namespace: 'own',
    spec: { tolerations: [{ operator: 'Exists' }] },
    found: conflict('namespace'),
  },
  { namespace: 'cleared', spec: {}, found: undefined },
  { namespace: 'cleared', spec: { tolerations: [of('any')] }, found: [of('any')] },
  { namespace: 'listless', spec: { tolerations: [of('any')] }, found: [of('any')] },
  {
    namespace: 'timed',
    spec: { tolerations: [of('t', { effect: 'NoExecute', tolerationSeconds: 60 })] },
    found: [of('t', { effect: 'NoExecute', tolerationSeconds: 60 })],
  },
  {
    namespace: 'timed',
    spec: { tolerations: [of('t', { effect: 'NoExecute', tolerationSeconds: 61 })] },
    found: conflict('namespace'),
  },
  {
    namespace: 'timed',
    spec: { tolerations: [of('t', { effect: 'NoExecute' })] },
    found: conflict('namespace'),
  },
  {
    namespace: 'broken',
    spec: {},
    found: `annotation ${DEFAULTS} of namespace broken: unexpected end of JSON input`,
  },
  {
    namespace: 'odd',
    spec: {},
    found: `annotation ${ALLOWED} of namespace odd: ${ALLOWED}: must be a list`,
  },
]) {
  test(`${namespace} with ${JSON.stringify(spec)}`, async () => {
    const { status, body } = await started.admin.post(
      `/api/v1/namespaces/${namespace}/pods`,
      pod(`p${count++}`, spec),
    )
    if (typeof found === 'string') expect(body).toEqual(failed(found))
    else expect([status, body.spec.tolerations]).toEqual([201, found])
  })
}

test('an update is checked, and gets no defaults', async () => {
  const path = '/api/v1/namespaces/own/pods'
  await started.admin.post(path, pod('updated', REQUESTS))
  const patch = (tolerations: object[]) =>
    started.admin.merge(`${path}/updated`, { spec: { tolerations } })
  const present = [of('team'), PRESSURE]
  const wide = of('wide')
  expect((await patch([...present, wide])).body.spec.tolerations).toEqual([...present, wide])
  expect((await patch([...present, wide, of('x')])).body).toEqual(failed(conflict('namespace')))
})

test('tolerations that later plugins add must be on the list too', async () => {
  const other = await serverWith(['PodTolerationRestriction', 'ExtendedResourceToleration'])
  const annotations = { [ALLOWED]: JSON.stringify([PRESSURE]) }
  await other.admin.post('/api/v1/namespaces', { metadata: { name: 'n', annotations } })
  const resources = { limits: { 'a.com/gpu': '1' } }
  const { body } = await other.admin.post(
    '/api/v1/namespaces/n/pods',
    pod('p', { containers: [{ name: 'c', image: 'i', resources }] }),
  )
  expect(body).toEqual(failed(conflict('namespace')))
  await other.close()
})

describe('configuration', () => {
  const at = 'plugins[0].configuration: '
  for (const { name, given, why } of [
    {
      name: 'another version',
      given: { ...CONFIG, apiVersion: 'v2' },
      why: 'no kind "Configuration" is registered for version "v2"',
    },
    {
      name: 'unknown members',
      given: { ...CONFIG, defaults: [], whitelist: [{ ...of('a'), for: 3 }] },
      why: 'strict decoding error: unknown field "defaults", unknown field "whitelist[0].for"',
    },
    {
      name: 'no list',
      given: { ...CONFIG, default: {} },
      why: 'default: must be a list',
    },
    {
      name: 'a broken number',
      given: { ...CONFIG, default: [of('a', { tolerationSeconds: 1.5 })] },
      why: 'default[0].tolerationSeconds: must be a whole number',
    },
    {
      name: 'what is no toleration',
      given: {
        ...CONFIG,
        default: [of('a', { tolerationSeconds: 1 })],
        whitelist: [{ value: 'x' }, of('a', { value: 'x' })],
      },
      why: '[default[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set, whitelist[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys", whitelist[1].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\']',
    },
  ]) {
    test(name, async () => {
      expect(await startFault('PodTolerationRestriction', given)).toBe(at + why)
    })
  }
})
