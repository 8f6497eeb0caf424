import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import {
  ImpersonationError,
  impersonationOf,
  removeImpersonation,
  type ImpersonationCheck,
} from './impersonation.ts'

const v = vocabularies.kubernetes
const CHECK = {
  isResource: true,
  verb: 'impersonate',
  path: '',
  group: '',
  version: '',
  subresource: '',
  namespace: '',
} as const
const OWN = { group: 'authentication.k8s.io', version: 'v1' }
const check = (
  resource: ImpersonationCheck['resource'],
  name: string,
  more: Partial<ImpersonationCheck> = {},
): ImpersonationCheck => ({ ...CHECK, resource, name, ...more })

type Headers = readonly (readonly [string, string])[]

function read(headers: Headers) {
  const joined = new Map<string, string>()
  for (const [name, value] of headers) {
    const before = joined.get(name.toLowerCase())
    joined.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`)
  }
  return impersonationOf({ headers: Object.fromEntries(joined), rawHeaders: headers.flat() }, v)
}

const user = (
  name: string,
  groups: readonly string[],
  more: { uid?: string; extra?: Record<string, string[]> } = {},
) => ({ name, uid: '', extra: {}, groups, ...more })

interface Row {
  readonly name: string
  readonly headers: Headers
  readonly answer: object | null
}

const rows: readonly Row[] = [
  { name: 'nothing', headers: [['accept', '*/*']], answer: null },
  { name: 'an empty user', headers: [['Impersonate-User', '']], answer: null },
  { name: 'a header of no meaning', headers: [['Impersonate-Shoe', 'x']], answer: null },
  {
    name: 'a user',
    headers: [['Impersonate-User', 'a']],
    answer: { checks: [check('users', 'a')], user: user('a', ['system:authenticated']) },
  },
  {
    name: 'the first of two users',
    headers: [
      ['Impersonate-User', 'a'],
      ['Impersonate-User', 'system:admin'],
    ],
    answer: { checks: [check('users', 'a')], user: user('a', ['system:authenticated']) },
  },
  {
    name: 'everything, in the order of checks',
    headers: [
      ['Impersonate-Uid', '7'],
      ['Impersonate-Extra-Scopes', 'x'],
      ['Impersonate-Extra-Scopes', 'y, z'],
      ['Impersonate-Extra-Acme.com%2FProject', 'p'],
      ['Impersonate-Group', 'g2'],
      ['Impersonate-Group', 'g1, system:masters'],
      ['Impersonate-User', 'a'],
    ],
    answer: {
      checks: [
        check('users', 'a'),
        check('groups', 'g2'),
        check('groups', 'g1, system:masters'),
        check('userextras', 'x', { ...OWN, subresource: 'scopes' }),
        check('userextras', 'y, z', { ...OWN, subresource: 'scopes' }),
        check('userextras', 'p', { ...OWN, subresource: 'acme.com/project' }),
        check('uids', '7', OWN),
      ],
      user: user('a', ['g2', 'g1, system:masters', 'system:authenticated'], {
        uid: '7',
        extra: { scopes: ['x', 'y, z'], 'acme.com/project': ['p'] },
      }),
    },
  },
  {
    name: 'a service account',
    headers: [['Impersonate-User', 'system:serviceaccount:ns:sa.x']],
    answer: {
      checks: [check('serviceaccounts', 'sa.x', { namespace: 'ns' })],
      user: user('system:serviceaccount:ns:sa.x', [
        ...['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      ]),
    },
  },
  {
    name: 'a service account with a group',
    headers: [
      ['Impersonate-User', 'system:serviceaccount:ns:sa'],
      ['Impersonate-Group', 'g'],
    ],
    answer: {
      checks: [check('serviceaccounts', 'sa', { namespace: 'ns' }), check('groups', 'g')],
      user: user('system:serviceaccount:ns:sa', ['g', 'system:authenticated']),
    },
  },
  ...[
    'system:serviceaccount:ns',
    'system:serviceaccount:ns:a:b',
    'system:serviceaccount::a',
    'system:serviceaccount:NS:a',
  ].map((name) => ({
    name: `no service account: ${name}`,
    headers: [['Impersonate-User', name]] as const,
    answer: { checks: [check('users', name)], user: user(name, ['system:authenticated']) },
  })),
  {
    name: 'anonymous',
    headers: [['Impersonate-User', 'system:anonymous']],
    answer: {
      checks: [check('users', 'system:anonymous')],
      user: user('system:anonymous', ['system:unauthenticated']),
    },
  },
  {
    name: 'anonymous with its group',
    headers: [
      ['Impersonate-User', 'system:anonymous'],
      ['Impersonate-Group', 'system:unauthenticated'],
    ],
    answer: {
      checks: [check('users', 'system:anonymous'), check('groups', 'system:unauthenticated')],
      user: user('system:anonymous', ['system:unauthenticated']),
    },
  },
  ...['system:authenticated', 'system:unauthenticated'].map((group) => ({
    name: `group ${group} completes nothing`,
    headers: [
      ['Impersonate-User', 'a'],
      ['Impersonate-Group', group],
    ] as const,
    answer: {
      checks: [check('users', 'a'), check('groups', group)],
      user: user('a', [group]),
    },
  })),
  {
    name: 'an extra with the name of a member of every object',
    headers: [
      ['Impersonate-User', 'a'],
      ['Impersonate-Extra-__proto__', 'x'],
    ],
    answer: {
      checks: [check('users', 'a'), check('userextras', 'x', { ...OWN, subresource: '__proto__' })],
      user: user('a', ['system:authenticated'], {
        extra: JSON.parse('{"__proto__":["x"]}') as Record<string, string[]>,
      }),
    },
  },
]

describe('requested users', () => {
  for (const { name, headers, answer } of rows) {
    test(name, () => expect(read(headers)).toEqual(answer))
  }
})

describe('parts without a user', () => {
  for (const { name, headers, list } of [
    { name: 'group', headers: [['Impersonate-Group', 'g']], list: '{Group  g    }' },
    {
      name: 'groups and uid',
      headers: [
        ['Impersonate-Group', 'g'],
        ['Impersonate-Group', 'h'],
        ['Impersonate-Uid', '7'],
      ],
      list: '{Group  g    } {Group  h    } {UID  7  authentication.k8s.io/v1  }',
    },
    {
      name: 'extra',
      headers: [['Impersonate-Extra-Key', 'x']],
      list: '{UserExtra  x  authentication.k8s.io/v1  key}',
    },
    {
      name: 'with an empty user',
      headers: [
        ['Impersonate-User', ''],
        ['Impersonate-Group', ''],
      ],
      list: '{Group      }',
    },
  ] as const) {
    test(name, () => {
      const error = new ImpersonationError(`requested [${list}] without impersonating a user`)
      expect(() => read(headers)).toThrow(error)
    })
  }
})

test('nothing of it stays', () => {
  const headers = {
    ...{ 'impersonate-user': 'a', 'impersonate-group': 'b', 'impersonate-uid': 'c' },
    ...{ 'impersonate-extra-x': 'd', 'impersonate-shoe': 'e', accept: 'f' },
  }
  removeImpersonation(headers)
  expect(headers).toEqual({ 'impersonate-shoe': 'e', accept: 'f' })
})
