import { describe, expect, test } from 'vitest'
import {
  c,
  cells,
  invalid,
  notSupported,
  problems,
  read,
  required,
  statusProblems,
} from '../meta/hooks.fixture.ts'
import { apiServices } from './api-service.ts'

const of = (spec: object = {}, name = 'v1.example.com', rest: object = {}) =>
  read(apiServices, {
    metadata: { name },
    spec: {
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1000,
      ...spec,
    },
    ...rest,
  })
const service = { namespace: 'n', name: 's' }

describe('rules', () => {
  for (const [name, object, wanted] of [
    ['a local one', of(), []],
    ['the core group', of({ group: '' }, 'v1.'), []],
    [
      'another name',
      of({}, 'x'),
      [invalid('metadata.name', 'x', 'must be `spec.version+"."+spec.group`: "v1.example.com"')],
    ],
    [
      'another version of the core group',
      of({ group: '', version: 'v2' }, 'v2.'),
      [required('spec.group', 'only v1 may have an empty group')],
    ],
    [
      'priorities',
      of({ groupPriorityMinimum: 20_001, versionPriority: 0 }),
      [
        invalid('spec.groupPriorityMinimum', 20_001, 'must be positive and less than 20000'),
        invalid('spec.versionPriority', 0, 'must be positive and less than 1000'),
      ],
    ],
    [
      'certificates of a local one',
      of({ caBundle: 'YQ==', insecureSkipTLSVerify: true }),
      [
        invalid('spec.caBundle', 'YQ==', 'local APIServices may not have a caBundle'),
        invalid(
          'spec.insecureSkipTLSVerify',
          true,
          'local APIServices may not have insecureSkipTLSVerify',
        ),
      ],
    ],
    [
      'an empty service',
      of({ service: { port: 65_536 } }),
      [
        required('spec.service.namespace'),
        required('spec.service.name'),
        invalid(
          'spec.service.port',
          65_536,
          'port is not valid: must be between 1 and 65535, inclusive',
        ),
      ],
    ],
    [
      'certificates that go unchecked',
      of({ service, caBundle: 'YQ==', insecureSkipTLSVerify: true }),
      [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')],
    ],
  ] as const) {
    test(name, () => expect(problems(apiServices, object)).toEqual(wanted))
  }
})

test('a new one starts without status, and a local one is available', () => {
  const remote = of({ service }, undefined, {
    status: { conditions: [{ type: 'Available', status: 'True' }] },
  })
  apiServices.prepareForCreate!(remote, c)
  expect([remote.status, remote.spec.service]).toEqual([{}, { ...service, port: 443 }])
  const local = of()
  apiServices.prepareForCreate!(local, c)
  expect(local.status.conditions).toEqual([
    {
      type: 'Available',
      status: 'True',
      lastTransitionTime: '2030-01-01T01:00:00Z',
      reason: 'Local',
      message: 'Local APIServices are always available',
    },
  ])
  expect(cells(apiServices, local)).toEqual(['v1.example.com', 'Local', 'True', '<unknown>'])
  expect(cells(apiServices, remote)).toEqual(['v1.example.com', 'n/s', 'Unknown', '<unknown>'])
})

test('the status keeps to its fields', () => {
  const conditions = [{ type: 'Available', status: 'x', reason: 'R' }]
  const next = of({ service }, undefined, { status: { conditions } })
  expect(statusProblems(apiServices, next)).toEqual([
    notSupported('status.conditions[0].status', 'x', 'False', 'True', 'Unknown'),
  ])
  expect(cells(apiServices, next)[2]).toBe('x (R)')
  const part = apiServices.subresources!['status']!
  next.metadata.labels = { a: 'b' }
  if (part.serves === 'part') part.prepareForUpdate!(next, of(), c)
  expect(next.metadata).toEqual({ name: 'v1.example.com' })
})
