import { describe, expect, test } from 'vitest'
import {
  c,
  cells,
  duplicate,
  invalid,
  notSupported,
  problems,
  read,
  required,
} from '../meta/hooks.fixture.ts'
import { mutatingWebhookConfigurations as mutating } from './mutating-webhook-configuration.ts'
import { validatingWebhookConfigurations as validating } from './validating-webhook-configuration.ts'

const rule = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
}
const base = {
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}
const of = (...webhooks: object[]) =>
  read(validating, { webhooks: webhooks.map((one) => ({ ...base, ...one })) })
const ruled = (given: object) => of({ rules: [{ ...rule, ...given }] })
const client = (clientConfig: object) => of({ clientConfig })
const service = (given: object) => client({ service: { namespace: 'n', name: 's', ...given } })

const W = 'webhooks[0]'
const R = `${W}.rules[0]`
const C = `${W}.clientConfig`
const FORM = 'the form is https://host[/path]'

test('what is left out is filled', () => {
  const webhook = {
    ...base,
    rules: [rule],
    clientConfig: { service: { namespace: 'n', name: 's' } },
  }
  const filled = {
    ...webhook,
    clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
    rules: [{ ...rule, scope: '*' }],
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  }
  expect(read(validating, { webhooks: [webhook] }).webhooks).toEqual([filled])
  expect(read(mutating, { webhooks: [webhook] }).webhooks).toEqual([
    { ...filled, reinvocationPolicy: 'Never' },
  ])
})

describe('rules', () => {
  for (const [name, object, wanted] of [
    ['a whole one', of({ rules: [rule] }), []],
    ['none at all', read(validating, {}), []],
    ['no name', of({ name: '' }), [required(`${W}.name`)]],
    [
      'a short name',
      of({ name: 'a.b' }),
      [
        invalid(
          `${W}.name`,
          'a.b',
          'should be a domain with at least three segments separated by dots',
        ),
      ],
    ],
    ['a name twice', of({}, {}), [duplicate('webhooks[1].name', 'a.example.com')]],
    ['no operation', ruled({ operations: [] }), [required(`${R}.operations`)]],
    [
      'all operations and one',
      ruled({ operations: ['*', 'CREATE'] }),
      [
        invalid(
          `${R}.operations`,
          ['*', 'CREATE'],
          "if '*' is present, must not specify other operations",
        ),
      ],
    ],
    [
      'an unknown operation',
      ruled({ operations: ['GET'] }),
      [notSupported(`${R}.operations[0]`, 'GET', '*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE')],
    ],
    [
      'no groups, an empty version',
      ruled({ apiGroups: [], apiVersions: [''] }),
      [required(`${R}.apiGroups`), required(`${R}.apiVersions[0]`)],
    ],
    ['no resources', ruled({ resources: [] }), [required(`${R}.resources`)]],
    [
      'everything and more',
      ruled({ resources: ['*/*', 'a'] }),
      [
        invalid(
          `${R}.resources`,
          ['*/*', 'a'],
          "if '*/*' is present, must not specify other resources",
        ),
      ],
    ],
    [
      'all resources and one',
      ruled({ resources: ['*', 'a', 'a/b'] }),
      [
        invalid(
          `${R}.resources`,
          ['*', 'a', 'a/b'],
          "if '*' is present, must not specify other resources without subresources",
        ),
      ],
    ],
    [
      'all sub-resources and one',
      ruled({ resources: ['a/*', 'a/b', '*/c', 'd/c', ''] }),
      [
        invalid(`${R}.resources[1]`, 'a/b', "if 'a/*' is present, must not specify a/b"),
        invalid(`${R}.resources[3]`, 'd/c', "if '*/c' is present, must not specify d/c"),
        required(`${R}.resources[4]`),
      ],
    ],
    [
      'an unknown scope',
      ruled({ scope: 'x' }),
      [notSupported(`${R}.scope`, 'x', '*', 'Cluster', 'Namespaced')],
    ],
    [
      'unknown policies',
      of({ failurePolicy: 'x', matchPolicy: 'y' }),
      [
        notSupported(`${W}.failurePolicy`, 'x', 'Fail', 'Ignore'),
        notSupported(`${W}.matchPolicy`, 'y', 'Equivalent', 'Exact'),
      ],
    ],
    [
      'no side effects told',
      of({ sideEffects: undefined }),
      [required(`${W}.sideEffects`, 'must specify one of None, NoneOnDryRun')],
    ],
    [
      'empty words',
      of({ sideEffects: '', failurePolicy: '', matchPolicy: '' }),
      [
        notSupported(`${W}.failurePolicy`, '', 'Fail', 'Ignore'),
        notSupported(`${W}.matchPolicy`, '', 'Equivalent', 'Exact'),
        notSupported(`${W}.sideEffects`, '', 'None', 'NoneOnDryRun'),
      ],
    ],
    [
      'side effects',
      of({ sideEffects: 'Some' }),
      [notSupported(`${W}.sideEffects`, 'Some', 'None', 'NoneOnDryRun')],
    ],
    [
      'a long timeout',
      of({ timeoutSeconds: 31 }),
      [invalid(`${W}.timeoutSeconds`, 31, 'the timeout value must be between 1 and 30 seconds')],
    ],
    [
      'a selector that is none',
      of({ objectSelector: { matchExpressions: [{ key: 'a', operator: 'x' }] } }),
      [
        invalid(
          `${W}.objectSelector.matchExpressions[0].operator`,
          'x',
          'not a valid selector operator',
        ),
      ],
    ],
    ['no client', client({}), [required(C, 'exactly one of url or service is required')]],
    [
      'a URL that is none',
      client({ url: 'https://a b' }),
      [required(`${C}.url`, `this is no URL; ${FORM}`)],
    ],
    [
      'a URL with too much',
      client({ url: 'http://u@h/p?q#f' }),
      [
        invalid(`${C}.url`, 'http', `the scheme has to be https; ${FORM}`),
        invalid(`${C}.url`, 'u', 'a user has no place in the URL'),
        invalid(`${C}.url`, 'f', 'a fragment has no place in the URL'),
        invalid(`${C}.url`, 'q', 'a query has no place in the URL'),
      ],
    ],
    [
      'a URL without host',
      client({ url: 'https:///p' }),
      [invalid(`${C}.url`, '', `the host is missing; ${FORM}`)],
    ],
    [
      'a service without name',
      service({ name: '', port: 0 }),
      [
        required(`${C}.service.namespace`, 'service namespace is required'),
        invalid(
          `${C}.service.port`,
          0,
          'port is not valid: must be between 1 and 65535, inclusive',
        ),
      ],
    ],
    [
      'a path of empty segments',
      service({ path: '/a//b/' }),
      [invalid(`${C}.service.path`, '/a//b/', 'segment[1] is empty')],
    ],
    ['a root path', service({ path: '/' }), []],
    [
      'a path without slash',
      service({ path: 'ab' }),
      [invalid(`${C}.service.path`, 'ab', 'has to begin with /')],
    ],
    [
      'no reviews',
      of({ admissionReviewVersions: [] }),
      [required(`${W}.admissionReviewVersions`, 'must specify one of v1, v1beta1')],
    ],
    [
      'reviews that are not known',
      of({ admissionReviewVersions: ['v2', 'v2'] }),
      [
        invalid(`${W}.admissionReviewVersions[1]`, 'v2', 'duplicate version'),
        invalid(
          `${W}.admissionReviewVersions`,
          ['v2', 'v2'],
          'must include at least one of v1, v1beta1',
        ),
      ],
    ],
  ] as const) {
    test(name, () => expect(problems(validating, object)).toEqual(wanted))
  }
})

test('what is stored may stay', () => {
  const old = of({}, { sideEffects: 'Some', admissionReviewVersions: ['v2'] })
  expect(problems(validating, structuredClone(old), old)).toEqual([])
})

test('only Never and IfNeeded are known', () => {
  const object = read(mutating, { webhooks: [{ ...base, reinvocationPolicy: 'x' }] })
  expect(problems(mutating, object)).toEqual([
    notSupported(`${W}.reinvocationPolicy`, 'x', 'IfNeeded', 'Never'),
  ])
})

test('the generation counts changes of webhooks', () => {
  const made = of({})
  validating.prepareForCreate!(made, c)
  expect(made.metadata.generation).toBe(1)
  const same = structuredClone(made)
  validating.prepareForUpdate!(same, made, c)
  expect(same.metadata.generation).toBe(1)
  const next = { ...structuredClone(made), webhooks: [] }
  validating.prepareForUpdate!(next, made, c)
  expect(next.metadata.generation).toBe(2)
  expect(cells(validating, made)).toEqual(['x', 1, '<unknown>'])
})
