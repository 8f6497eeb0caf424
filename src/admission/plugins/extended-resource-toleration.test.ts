import { afterAll, beforeAll, expect, test } from 'vitest'
import { pod, PODS, serverWith, type PluginServer } from '../../../test/plugin-server.fixture.ts'

let started: PluginServer
beforeAll(async () => {
  started = await serverWith(['ExtendedResourceToleration'])
})
afterAll(() => started.close())

const container = (name: string, limits: Record<string, string>) => ({
  name,
  image: 'i',
  resources: { limits },
})
const added = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' })
const own = { key: 'own', operator: 'Exists', effect: 'NoExecute' }

for (const { name, spec, tolerations } of [
  { name: 'none', spec: {}, tolerations: undefined },
  {
    name: 'no-extended',
    spec: { containers: [container('c', { cpu: '1', 'hugepages-2Mi': '2Mi' })] },
    tolerations: undefined,
  },
  {
    name: 'some-of-both-lists',
    spec: {
      tolerations: [own],
      initContainers: [container('i', { 'b.com/fpga': '1', 'c.com/x': '1' })],
      containers: [container('c', { 'a.com/gpu': '1', 'c.com/x': '2', cpu: '1' })],
    },
    tolerations: [own, added('a.com/gpu'), added('b.com/fpga'), added('c.com/x')],
  },
  {
    name: 'one-that-is-there',
    spec: {
      tolerations: [added('a.com/gpu'), own],
      containers: [container('c', { 'a.com/gpu': '1' })],
    },
    tolerations: [added('a.com/gpu'), own],
  },
]) {
  test(name, async () => {
    const { status, body } = await started.admin.post(PODS, pod(name, spec))
    expect([status, body.spec.tolerations]).toEqual([201, tolerations])
  })
}

test('on update too', async () => {
  const spec = { containers: [container('c', { 'a.com/gpu': '1' })] }
  await started.admin.post(PODS, pod('updated', spec))
  const changed = await started.admin.merge(`${PODS}/updated`, {
    spec: { tolerations: [added('a.com/gpu'), own] },
  })
  expect([changed.status, changed.body.spec.tolerations]).toEqual([200, [added('a.com/gpu'), own]])
})
