import { describe, expect, test } from 'vitest'
import { ingressClasses } from './ingress-class.ts'
import { c, cells, problems, read } from './networking.fixture.ts'

const of = (spec: object) => read(ingressClasses, { spec })
const ref = { apiGroup: 'a.b', kind: 'K', name: 'n' }
const withRef = (parameters: object) => ({
  controller: 'a.b/c',
  parameters: { ...ref, ...parameters },
})
const at = 'spec.parameters'

test('parameters live in the cluster unless said otherwise', () =>
  expect(of(withRef({})).spec.parameters).toEqual({ ...ref, scope: 'Cluster' }))

describe('a class by itself', () => {
  for (const [name, spec, want] of [
    ['good', { controller: 'a.b/c' }, []],
    ['no controller', {}, ['spec.controller: Required value']],
    [
      'no path',
      { controller: 'a.b' },
      [
        'spec.controller: Invalid value: "a.b": must be a domain-prefixed path (such as "acme.io/foo")',
      ],
    ],
    [
      'too long',
      { controller: `a.b/${'c'.repeat(247)}` },
      ['spec.controller: Too long: must have at most 250 bytes'],
    ],
    ['parameters in a namespace', withRef({ scope: 'Namespace', namespace: 'n' }), []],
    [
      'no namespace',
      withRef({ scope: 'Namespace' }),
      [`${at}.namespace: Required value: \`parameters.scope\` is set to 'Namespace'`],
    ],
    [
      'a namespace in the cluster',
      withRef({ namespace: 'n' }),
      [`${at}.namespace: Forbidden: \`parameters.scope\` is set to 'Cluster'`],
    ],
    [
      'unknown scope, no name, no kind',
      withRef({ scope: 'X', kind: '', name: '' }),
      [
        `${at}.kind: Required value: kind is required`,
        `${at}.name: Required value: name is required`,
        `${at}.scope: Unsupported value: "X": supported values: "Cluster", "Namespace"`,
      ],
    ],
  ] as [string, object, string[]][]) {
    test(name, () => expect(problems(ingressClasses, of(spec))).toEqual(want))
  }
})

test('the controller is fixed', () =>
  expect(
    problems(ingressClasses, of({ controller: 'a.b/d' }), of({ controller: 'a.b/c' })),
  ).toEqual(['spec.controller: Invalid value: "a.b/d": field is immutable']))

test('generation counts changes', () => {
  const first = of(withRef({}))
  ingressClasses.prepareForCreate!(first, c)
  const next = of(withRef({ name: 'm' }))
  next.metadata.generation = 1
  ingressClasses.prepareForUpdate!(next, first, c)
  expect([first.metadata.generation, next.metadata.generation]).toEqual([1, 2])
})

describe('columns', () => {
  for (const [spec, want] of [
    [{ controller: 'a.b/c' }, ['a.b/c', '<none>']],
    [withRef({}), ['a.b/c', 'K.a.b/n']],
    [withRef({ apiGroup: null }), ['a.b/c', 'K/n']],
  ] as [object, string[]][]) {
    test(want.join(' '), () =>
      expect(cells(ingressClasses, of(spec))).toEqual(['x', ...want, '<unknown>']),
    )
  }
})
