import { describe, expect, test } from 'vitest'
import { c, cells, duplicate, invalid, problems, read, required } from '../meta/hooks.fixture.ts'
import { storageVersions } from './storage-version.ts'

const server = (apiServerID: string, encodingVersion = 'v1') => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
})
const of = (status: object) => read(storageVersions, { status })

const S = 'status.storageVersions[0]'

describe('rules', () => {
  for (const [name, object, wanted] of [
    ['nothing', of({}), []],
    [
      'servers that agree',
      of({ storageVersions: [server('a'), server('b')], commonEncodingVersion: 'v1' }),
      [],
    ],
    ['servers that do not', of({ storageVersions: [server('a'), server('b', 'g.io/v2')] }), []],
    [
      'a common version without servers',
      of({ commonEncodingVersion: 'v1' }),
      [invalid('status.commonEncodingVersion', 'v1', 'must not be set unless all servers agree')],
    ],
    [
      'another common version, one server twice',
      of({ storageVersions: [server('a'), server('a')], commonEncodingVersion: 'v2' }),
      [
        duplicate('status.storageVersions[1].apiServerID', 'a'),
        invalid('status.commonEncodingVersion', 'v2', 'all servers store in v1'),
      ],
    ],
    [
      'a version that is not read, and none',
      of({
        storageVersions: [{ ...server('a', 'a/b/c'), decodableVersions: [] }],
        commonEncodingVersion: 'a/b/c',
      }),
      [
        invalid(
          `${S}.encodingVersion`,
          'a/b/c',
          'must be a version, or a group, a slash and a version',
        ),
        invalid(`${S}.decodableVersions`, [], 'must include the encodingVersion a/b/c'),
      ],
    ],
    [
      'conditions',
      of({
        conditions: [
          { type: 'A', status: 'True', reason: '' },
          { type: 'A', status: 'True', reason: 'R' },
        ],
      }),
      [
        required('status.conditions[0].reason', 'a condition needs a reason'),
        invalid('status.conditions[1].type', 'A', 'conditions[0] has the same type'),
      ],
    ],
  ] as const) {
    test(name, () => expect(problems(storageVersions, object)).toEqual(wanted))
  }
})

test('names are those of resources', () => {
  expect(storageVersions.nameRule!('apps.deployments')).toEqual([])
  expect(storageVersions.nameRule!('deployments')).toEqual([
    'must be a group, a dot and a resource',
  ])
})

test('cells, and a create without status', () => {
  const object = of({ storageVersions: ['a', 'b', 'c', 'd'].map((id) => server(id)) })
  expect(cells(storageVersions, object)).toEqual([
    'x',
    '<unset>',
    'a=v1,b=v1,c=v1 + 1 more...',
    '<unknown>',
  ])
  storageVersions.prepareForCreate!(object, c)
  expect(object.status).toEqual({})
  expect(cells(storageVersions, object)[2]).toBe('<unset>')
})
