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
  started = await serverWith(['SecurityContextDeny'])
})
afterAll(() => started.close())

const ofPod = (securityContext: object) => ({ securityContext })
const one = (name: string, securityContext: object) => ({ name, image: 'i', securityContext })

for (const { name, spec, why } of [
  { name: 'none', spec: {}, why: null },
  { name: 'pod-others', spec: ofPod({ runAsNonRoot: true, runAsGroup: 3 }), why: null },
  {
    name: 'pod-groups',
    spec: ofPod({ supplementalGroups: [1] }),
    why: 'pod.Spec.SecurityContext.SupplementalGroups is forbidden',
  },
  {
    name: 'pod-labels',
    spec: ofPod({ seLinuxOptions: { level: 's0' }, fsGroup: 1 }),
    why: 'pod.Spec.SecurityContext.SELinuxOptions is forbidden',
  },
  {
    name: 'pod-user',
    spec: ofPod({ runAsUser: 0 }),
    why: 'pod.Spec.SecurityContext.RunAsUser is forbidden',
  },
  {
    name: 'pod-fs-group',
    spec: ofPod({ fsGroup: 1 }),
    why: 'pod.Spec.SecurityContext.FSGroup is forbidden',
  },
  {
    name: 'container-others',
    spec: { containers: [one('c', { runAsNonRoot: true, runAsGroup: 3 })] },
    why: null,
  },
  {
    name: 'container-labels',
    spec: { containers: [one('c', { seLinuxOptions: {} })] },
    why: 'SecurityContext.SELinuxOptions is forbidden',
  },
  {
    name: 'container-user',
    spec: { containers: [one('a', {}), one('c', { runAsUser: 7 })] },
    why: 'SecurityContext.RunAsUser is forbidden',
  },
  {
    name: 'init-container-user',
    spec: { initContainers: [one('i', { runAsUser: 7 })] },
    why: 'SecurityContext.RunAsUser is forbidden',
  },
]) {
  test(name, async () => {
    const { status, body } = await started.admin.post(PODS, pod(name, spec))
    if (why === null) expect(status).toBe(201)
    else expect(body).toEqual(forbidden('pods', name, why))
  })
}
