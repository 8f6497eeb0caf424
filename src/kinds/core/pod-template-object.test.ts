import { describe, expect, test } from 'vitest'
import { c, context, filledTemplate, kit, template } from '../apps/apps.fixture.ts'
import { podTemplates } from './pod-template-object.ts'

const { of, problems, created, updated, cells } = kit(podTemplates, {
  metadata: { name: 't', namespace: 'n' },
  template: template(),
})

test('what is left out is filled', () => {
  expect(of()).toEqual({ metadata: { name: 't', namespace: 'n' }, template: filledTemplate })
})

describe('violations', () => {
  for (const [name, change, expected] of [
    ['none', {}, []],
    ['pods that end', { spec: { restartPolicy: 'Never', activeDeadlineSeconds: 3 } }, []],
    [
      'no containers',
      { spec: { containers: [] } },
      ['Required template.spec.containers: Required value'],
    ],
    [
      'ephemeral containers',
      { spec: { ephemeralContainers: [{ name: 'e', image: 'e' }] } },
      [
        'Forbidden template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
      ],
    ],
    [
      'labels',
      { metadata: { labels: { a: '' }, annotations: { 'a/b/c': '' } } },
      [
        "Invalid template.metadata.annotations: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
      ],
    ],
  ] as const) {
    test(name, () => {
      expect(problems(of({ template: change }))).toEqual(expected)
    })
  }
})

test('the generation follows the template', () => {
  expect(created(of({ metadata: { generation: 7 } })).metadata.generation).toBe(1)
  const old = of({ metadata: { generation: 4 } })
  const next = (change: object) => updated(of({ metadata: { generation: 4 } }, change), old)
  expect(next({ template: { spec: { hostNetwork: true } } }).metadata.generation).toBe(5)
  expect(next({ metadata: { labels: { a: 'b' } } }).metadata.generation).toBe(4)
})

test('fields whose gate is off are dropped, unless they are stored', () => {
  const hidden = { template: { spec: { hostUsers: false } } }
  const gate = context('UserNamespacesStatelessPodsSupport')
  expect(created(of(hidden)).template.spec.hostUsers).toBe(undefined)
  expect(created(of(hidden), gate).template.spec.hostUsers).toBe(false)
  expect(updated(of(hidden), of()).template.spec.hostUsers).toBe(undefined)
  expect(updated(of(hidden), of(hidden)).template.spec.hostUsers).toBe(false)
})

test('warnings', () => {
  const next = of({
    metadata: { generation: 2 },
    template: { spec: { imagePullSecrets: [{}] } },
  })
  const text = 'template.spec.imagePullSecrets[0].name: invalid empty name ""'
  expect(podTemplates.warn!(next, null, c)).toEqual([text])
  expect(podTemplates.warn!(next, of({ metadata: { generation: 1 } }), c)).toEqual([text])
  expect(podTemplates.warn!(next, next, c)).toEqual([])
})

test('cells', () => {
  expect(cells(of())).toEqual(['t', 'web', 'web:1', 'app=web'])
  const bare = of({ template: { metadata: { labels: undefined } } })
  expect(cells(bare)).toEqual(['t', 'web', 'web:1', '<none>'])
})
