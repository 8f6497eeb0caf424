import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { allContainers } from '../../kinds/core/pod/containers.ts'
import type { PluginFactory } from '../plugin.ts'
import { podOf, PODS as RESOURCES } from '../pods.ts'
import {
  forbidden,
  pod,
  PODS,
  serverWith,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'

/** Undoes the work of the plugin, as a webhook might. */
const undo: PluginFactory = {
  name: 'Undo',
  defaultOn: true,
  create: () => ({
    handles: (operation) => operation === 'CREATE',
    resources: RESOURCES,
    mutate(attributes) {
      if (!attributes.name.startsWith('undone')) return
      for (const { container } of allContainers(podOf(attributes).spec)) {
        container.imagePullPolicy = 'Never'
      }
    },
  }),
}

let started: PluginServer
beforeAll(async () => {
  started = await serverWith(['AlwaysPullImages'], { admission: [undo] })
})
afterAll(() => started.close())

const policies = ({ spec }: Pod) =>
  allContainers(spec).map(({ list, container }) => `${list} ${container.imagePullPolicy}`)

const two = {
  initContainers: [{ name: 'i', image: 'a:1', imagePullPolicy: 'IfNotPresent' }],
  containers: [{ name: 'c', image: 'b:1', imagePullPolicy: 'Never' }],
}

test('every container of a new pod is pulled', async () => {
  const { status, body } = await started.admin.post(PODS, pod('new', two))
  expect([status, policies(body)]).toEqual([201, ['initContainers Always', 'containers Always']])
})

test('another image is pulled too; what changes no image is left alone', async () => {
  await started.admin.post(PODS, pod('changed', two))
  const path = `${PODS}/changed`
  const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'b:2' }]
  const updated = await started.admin.json(path, image)
  expect([updated.status, policies(updated.body)]).toEqual([
    200,
    ['initContainers Always', 'containers Always'],
  ])
  const label = await started.admin.merge(path, { metadata: { labels: { a: 'b' } } })
  expect(label.status).toBe(200)
})

describe('a later plugin does not undo it', () => {
  for (const { name, spec, why } of [
    {
      name: 'undone-one',
      spec: {},
      why: 'spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
    },
    {
      name: 'undone-two',
      spec: two,
      why: '[spec.initContainers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always", spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"]',
    },
  ]) {
    test(name, async () => {
      const { body } = await started.admin.post(PODS, pod(name, spec))
      expect(body).toEqual(forbidden('pods', name, why))
    })
  }
})
