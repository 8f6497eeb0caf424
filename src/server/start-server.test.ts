import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'
import { serverGraph } from './start-server.ts'

test('a server is stopped in the reverse of this order: sockets before the store, the data directory last', async () => {
  const graph = serverGraph(await readSettings({}, {}))
  expect(graph.order).toEqual([
    'dataDir',
    'engine',
    'catalogue',
    'store',
    'pki',
    'audit',
    'cache',
    'api',
    'objects',
    'admission',
    'firstObjects',
    'definitions',
    'aggregation',
    'authorization',
    'systemPriorities',
    'tracing',
    'authentication',
    'health',
    'metrics',
    'flowControl',
    'endpoints',
    'requests',
    'listener',
    'kubeconfig',
    'certificateRenewal',
    'readiness',
    'serverLease',
    'serverService',
    'identityLease',
    'bootstrapPolicy',
    'flowControlObjects',
    'publishedAuthentication',
    'apiServices',
    'controllers',
  ])
})
