import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  forbidden,
  pod,
  serverConfigured,
  serverWith,
  startFault,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector'
const CONFIG = {
  podNodeSelectorPluginConfig: {
    clusterDefaultNodeSelector: 'pool=shared',
    strict: 'pool=shared, disk = ssd',
    annotated: 'env=test,pool=own',
    free: '',
  },
}
const ANNOTATIONS: Readonly<Record<string, string>> = {
  annotated: 'env=test',
  cleared: '',
  several: 'a=b, c=d',
  broken: 'a',
  odd: 'a!=b',
  wrong: 'a=b c',
}

let started: PluginServer
beforeAll(async () => {
  started = await serverConfigured('PodNodeSelector', CONFIG)
  for (const name of ['strict', 'free', ...Object.keys(ANNOTATIONS)]) {
    const annotations = name in ANNOTATIONS ? { [ANNOTATION]: ANNOTATIONS[name] } : {}
    await started.admin.post('/api/v1/namespaces', { metadata: { name, annotations } })
  }
})
afterAll(() => started.close())

const CONFLICT = 'pod node label selector conflicts with its namespace node label selector'
const NOT_LISTED = 'pod node label selector labels conflict with its namespace whitelist'

let count = 0
for (const { namespace, own, found } of [
  { namespace: 'default', own: undefined, found: { pool: 'shared' } },
  { namespace: 'default', own: { a: 'b' }, found: { a: 'b', pool: 'shared' } },
  { namespace: 'default', own: { pool: 'shared' }, found: { pool: 'shared' } },
  { namespace: 'default', own: { pool: 'own' }, found: CONFLICT },
  { namespace: 'free', own: { a: 'b' }, found: { a: 'b', pool: 'shared' } },
  { namespace: 'strict', own: undefined, found: { pool: 'shared' } },
  { namespace: 'strict', own: { disk: 'ssd' }, found: { disk: 'ssd', pool: 'shared' } },
  { namespace: 'strict', own: { disk: 'hdd' }, found: NOT_LISTED },
  { namespace: 'strict', own: { a: 'b' }, found: NOT_LISTED },
  { namespace: 'annotated', own: undefined, found: { env: 'test' } },
  { namespace: 'annotated', own: { pool: 'own' }, found: { env: 'test', pool: 'own' } },
  { namespace: 'annotated', own: { pool: 'shared' }, found: NOT_LISTED },
  { namespace: 'annotated', own: { env: 'live' }, found: CONFLICT },
  { namespace: 'cleared', own: undefined, found: undefined },
  { namespace: 'several', own: undefined, found: { a: 'b', c: 'd' } },
] as const) {
  test(`${namespace} with ${JSON.stringify(own)}`, async () => {
    const name = `p${count++}`
    const { status, body } = await started.admin.post(
      `/api/v1/namespaces/${namespace}/pods`,
      pod(name, own ? { nodeSelector: own } : {}),
    )
    if (typeof found === 'string') expect(body).toEqual(forbidden('pods', name, found))
    else expect([status, body.spec.nodeSelector]).toEqual([201, found])
  })
}

describe('an annotation that is no selector', () => {
  for (const { namespace, message } of [
    { namespace: 'broken', message: 'invalid selector: [a]' },
    {
      namespace: 'odd',
      message:
        "<nil>: Invalid value: \"a!\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    },
    {
      namespace: 'wrong',
      message:
        "[a]: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    },
  ]) {
    test(namespace, async () => {
      const { body } = await started.admin.post(`/api/v1/namespaces/${namespace}/pods`, pod('p'))
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        code: 500,
      })
    })
  }
})

test('updates are left alone', async () => {
  const path = '/api/v1/namespaces/strict/pods'
  await started.admin.post(path, pod('updated'))
  const { status } = await started.admin.merge(`${path}/updated`, {
    metadata: { labels: { a: 'b' } },
  })
  expect(status).toBe(200)
})

test('without a configuration annotations alone count', async () => {
  const bare = await serverWith(['PodNodeSelector'])
  const { body } = await bare.admin.post('/api/v1/namespaces/default/pods', pod('p'))
  expect(body.spec.nodeSelector).toBeUndefined()
  await bare.close()
})

describe('configuration', () => {
  const at = 'plugins[0].configuration: '
  const selectors = (podNodeSelectorPluginConfig: unknown) => ({ podNodeSelectorPluginConfig })
  for (const { name, given, why } of [
    { name: 'no object', given: [], why: 'the document: must be an object' },
    { name: 'unknown', given: { a: 1 }, why: 'strict decoding error: unknown field "a"' },
    {
      name: 'no map',
      given: selectors('a=b'),
      why: 'podNodeSelectorPluginConfig: must be an object',
    },
    {
      name: 'no text',
      given: selectors({ ns: 1 }),
      why: 'podNodeSelectorPluginConfig[ns]: must be a string',
    },
    {
      name: 'no selector',
      given: selectors({ ns: 'a=b=c' }),
      why: 'podNodeSelectorPluginConfig[ns]: invalid selector: [a b c]',
    },
  ]) {
    test(name, async () => {
      expect(await startFault('PodNodeSelector', given)).toBe(at + why)
    })
  }

  test('may be the whole file', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'node-selector-'))
    const path = join(dir, 'config.yaml')
    writeFileSync(path, JSON.stringify(CONFIG))
    const whole = await serverWith(['PodNodeSelector'], { admissionConfigFile: path })
    const { body } = await whole.admin.post('/api/v1/namespaces/default/pods', pod('p'))
    expect(body.spec.nodeSelector).toEqual({ pool: 'shared' })
    await whole.close()
    rmSync(dir, { recursive: true })
  })
})
