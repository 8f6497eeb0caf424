import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  forbidden,
  pod,
  PODS,
  serverWith,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'

let started: PluginServer
beforeAll(async () => {
  started = await serverWith(['LimitPodHardAntiAffinityTopology'])
})
afterAll(() => started.close())

const term = (topologyKey: string) => ({
  labelSelector: { matchLabels: { app: 'a' } },
  topologyKey,
})
const HOST = 'kubernetes.io/hostname'
const ZONE = 'topology.kubernetes.io/zone'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

for (const { name, affinity, refused } of [
  { name: 'no-affinity', affinity: {}, refused: null },
  {
    name: 'other-affinity',
    affinity: { podAffinity: { [REQUIRED]: [term(ZONE)] } },
    refused: null,
  },
  {
    name: 'preferred',
    affinity: {
      podAntiAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm: term(ZONE) }] },
    },
    refused: null,
  },
  { name: 'of-a-node', affinity: { podAntiAffinity: { [REQUIRED]: [term(HOST)] } }, refused: null },
  {
    name: 'of-a-zone',
    affinity: { podAntiAffinity: { [REQUIRED]: [term(HOST), term(ZONE)] } },
    refused: ZONE,
  },
]) {
  test(name, async () => {
    const { status, body } = await started.admin.post(PODS, pod(name, { affinity }))
    if (refused === null) return expect(status).toBe(201)
    expect(body).toEqual(
      forbidden(
        'pods',
        name,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${refused} but only key ${HOST} is allowed`,
      ),
    )
  })
}
