/** Checks that src/client/kinds.ts is current: `npx vitest run src/client/kinds.test.ts -u` regenerates it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kindTypes } from '../../tools/kind-types.mjs'
import { resources } from '../kinds/index.ts'
import type { BuiltInKinds } from './kinds.ts'

test('the types of the built-in kinds are those of their declarations', async () => {
  const text = kindTypes(resources)
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'kinds.ts'))
})

test('a resource of either vocabulary is of its type', () => {
  const deployment: BuiltInKinds['apps/v1']['deployments'] = {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: { spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }
  const lease: BuiltInKinds['coordination.k8s.io/v1']['leases'] = { spec: { leaseTransitions: 1 } }
  const same: BuiltInKinds['coordination.orch.io/v1']['leases'] = lease
  const node: BuiltInKinds['v1']['nodes'] = {
    status: { daemonEndpoints: { nodeagentEndpoint: { Port: 1 } } },
  }
  // @ts-expect-error no such member
  const wrong: BuiltInKinds['v1']['configmaps'] = { dada: {} }
  // @ts-expect-error no such resource
  type Absent = BuiltInKinds['v1']['deployments']
  expect([deployment, lease, same, node, wrong, null as Absent | null]).toHaveLength(6)
})
