import { describe, expect, test } from 'vitest'
import { kubernetes } from '../../../vocabulary/kubernetes.ts'
import { box, podFrom } from './checks.fixture.ts'
import { needsEvaluation } from './pod-change.ts'

const KEY = 'container.seccomp.security.alpha.kubernetes.io/'
const SPEC = {
  initContainers: [box('i')],
  containers: [box('a'), box('b')],
  ephemeralContainers: [box('e')],
}
const image = (name: string) => box(name, undefined, { image: 'other' })

describe('updates that need evaluation', () => {
  for (const { name, spec = {}, annotations = {}, needs } of [
    { name: 'nothing', needs: false },
    {
      name: 'other fields and annotations',
      spec: { tolerations: [] },
      annotations: { a: 'b' },
      needs: false,
    },
    { name: 'an image', spec: { containers: [box('a'), image('b')] }, needs: true },
    { name: 'an image of an init container', spec: { initContainers: [image('i')] }, needs: true },
    { name: 'a container less', spec: { containers: [box('a')] }, needs: true },
    { name: 'an init container more', spec: { initContainers: [box('i'), box('j')] }, needs: true },
    {
      name: 'a new ephemeral container',
      spec: { ephemeralContainers: [box('e'), box('f')] },
      needs: true,
    },
    { name: 'an ephemeral container less', spec: { ephemeralContainers: [] }, needs: false },
    {
      name: 'an image of an ephemeral container',
      spec: { ephemeralContainers: [image('e')] },
      needs: true,
    },
    { name: 'a seccomp annotation', annotations: { [`${KEY}a`]: 'unconfined' }, needs: true },
    { name: 'one of an ephemeral container', annotations: { [`${KEY}e`]: 'x' }, needs: true },
    { name: 'one of no container', annotations: { [`${KEY}x`]: 'x' }, needs: false },
  ] as { name: string; spec?: object; annotations?: Record<string, string>; needs: boolean }[]) {
    test(name, () =>
      expect(
        needsEvaluation(podFrom({ ...SPEC, ...spec }, annotations), podFrom(SPEC), kubernetes),
      ).toBe(needs),
    )
  }
})
