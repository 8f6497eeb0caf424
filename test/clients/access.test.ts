/** Who kubectl is and what it may do: credentials in its configuration, impersonation, questions about access. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issue } from '../../src/pki/issue.ts'
import type { Kubectl } from './kubectl.ts'
import { forbidden, lines, People } from './people.fixture.ts'

const HOUR_MS = 3_600_000

let people: People
let kubectl: Kubectl
beforeAll(async () => {
  people = await People.start()
  kubectl = people.kubectl
})
afterAll(() => people.close())

const as = (name: string, ...args: string[]) => people.as(name, ...args)
const limited = (...args: string[]) => as('limited', ...args)

describe('credentials in the configuration', () => {
  test('a certificate', async () => {
    const [cert, key] = await Promise.all(
      ['ca.crt', 'ca.key'].map((name) => readFile(join(people.dir, 'pki', name), 'utf8')),
    )
    const made = issue({
      subject: { commonName: 'carol', organization: 'readers' },
      use: 'client',
      notBeforeMs: Date.now() - HOUR_MS,
      notAfterMs: Date.now() + HOUR_MS,
      issuer: { cert: cert!, key: key! },
    })
    await writeFile(join(people.dir, 'carol.crt'), made.cert)
    await writeFile(join(people.dir, 'carol.key'), made.key)
    const files = [
      `--client-certificate=${join(people.dir, 'carol.crt')}`,
      `--client-key=${join(people.dir, 'carol.key')}`,
    ]
    expect(await people.add('carol', ...files)).toBe('User "carol" set.\n')
    await people.add('inside', '--embed-certs', ...files)
    for (const user of ['carol', 'inside']) {
      expect(lines(await as(user, 'get', 'pods'))).toEqual([
        1,
        'Error from server (Forbidden): pods is forbidden: User "carol" cannot list resource "pods" in API group "" in the namespace "default"',
      ])
    }
    await kubectl.ok(
      'create',
      'clusterrolebinding',
      'readers',
      '--clusterrole=view',
      '--group=readers',
    )
    expect(lines(await as('carol', 'get', 'pods'))).toEqual([
      0,
      'No resources found in default namespace.',
    ])
  })

  test('a token', async () => {
    expect(lines(await limited('get', 'pods', '-n', 'own'))).toEqual([
      0,
      'No resources found in own namespace.',
    ])
  })

  test('a token that nobody has', async () => {
    await people.add('nobody', '--token=nope')
    expect(lines(await as('nobody', 'get', 'pods'))).toEqual([
      1,
      'error: You must be logged in to the server (Unauthorized)',
    ])
  })

  test('none', async () => {
    await people.add('empty', '--username=x', '--password=y')
    expect(lines(await as('empty', 'get', '--raw=/api/v1/nodes'))).toEqual(
      forbidden('list resource "nodes"', 'system:anonymous'),
    )
    expect(lines(await as('empty', 'get', '--raw=/healthz'))).toEqual([0, 'ok'])
  })
})

describe('auth can-i', () => {
  for (const { args, code = 0, out } of [
    { args: ['create', 'pods'], out: 'yes' },
    { args: ['*', '*', '-A'], out: 'yes' },
    { args: ['create', 'pods', '--as=limited', '-n', 'own'], out: 'yes' },
    { args: ['create', 'pods', '--as=limited', '-n', 'other'], code: 1, out: 'no' },
    { args: ['create', 'pods', '--as=limited', '-A'], code: 1, out: 'no' },
    { args: ['get', 'pods/log', '--as=limited', '-n', 'own'], out: 'yes' },
    { args: ['get', 'pods', '--subresource=log', '--as=limited', '-n', 'own'], out: 'yes' },
    {
      args: ['create', 'roles.rbac.authorization.k8s.io', '--as=limited', '-n', 'own'],
      code: 1,
      out: 'no',
    },
    { args: ['get', '/healthz', '--as=limited'], out: 'yes' },
    { args: ['get', '/metrics', '--as=limited'], code: 1, out: 'no' },
    { args: ['list', 'secrets', '--as=x', '--as-group=system:masters'], out: 'yes' },
    {
      args: ['list', 'secrets', '--as=system:serviceaccount:own:default', '-n', 'own'],
      code: 1,
      out: 'no',
    },
    { args: ['get', 'nodes', '--as=limited', '-n', 'own'], code: 1, out: 'no' },
  ]) {
    test(args.join(' '), async () => {
      const answer = await kubectl.run(['auth', 'can-i', ...args])
      // Behind it stands why, where there is something to say.
      expect([answer.code, answer.stdout.split(' - ')[0]!.trim()]).toEqual([code, out])
    })
  }

  test('--list', async () => {
    const { code, stdout } = await limited('auth', 'can-i', '--list', '-n', 'own')
    const rows = stdout.split('\n').map((row) => row.trim().split(/ {2,}/))
    expect(code).toBe(0)
    expect(rows[0]).toEqual(['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs'])
    expect(rows).toContainEqual([
      'selfsubjectaccessreviews.authorization.k8s.io',
      '[]',
      '[]',
      '[create]',
    ])
    expect(rows).toContainEqual(['[/healthz]', '[]', '[get]'])
    expect(rows.find(([name]) => name === 'configmaps')?.at(-1)).toBe(
      '[create delete deletecollection patch update get list watch]',
    )
    const elsewhere = await limited('auth', 'can-i', '--list', '-n', 'other')
    expect(elsewhere.stdout).not.toContain('configmaps')
  })
})

describe('in the name of somebody else', () => {
  for (const { name, args, expected } of [
    {
      name: '--as',
      args: ['get', 'pods', '-n', 'other', '--as=limited'],
      expected: forbidden('list resource "pods" in API group "" in the namespace "other"'),
    },
    {
      name: '--as with a group that may',
      args: [
        'get',
        'configmap/m',
        '-n',
        'other',
        '-o',
        'name',
        '--as=limited',
        '--as-group=readers',
      ],
      expected: [0, 'configmap/m'],
    },
    {
      name: 'several groups',
      args: [
        'get',
        'configmap/m',
        '-n',
        'other',
        '-o',
        'name',
        '--as=x',
        '--as-group=y',
        '--as-group=readers',
      ],
      expected: [0, 'configmap/m'],
    },
    {
      name: 'an id',
      args: [
        'get',
        'configmap/m',
        '-n',
        'other',
        '-o',
        'name',
        '--as=x',
        '--as-uid=1',
        '--as-group=readers',
      ],
      expected: [0, 'configmap/m'],
    },
    {
      name: 'without the right to do so',
      args: ['--context=limited', 'get', 'pods', '--as=carol'],
      expected: [
        1,
        'Error from server (Forbidden): users "carol" is forbidden: User "limited" cannot impersonate resource "users" in API group "" at the cluster scope',
      ],
    },
    {
      name: 'a group without a user is refused before it is sent',
      args: ['get', 'pods', '--as-group=readers'],
      expected: [1, expect.stringMatching(/without impersonating a user/)],
    },
  ]) {
    test(name, async () => expect(lines(await kubectl.run(args))).toEqual(expected))
  }
})

describe('tokens of service accounts', () => {
  test('create token, and its use', async () => {
    await kubectl.ok('create', 'serviceaccount', 'robot', '-n', 'own')
    const token = (
      await kubectl.ok('create', 'token', 'robot', '-n', 'own', '--duration=10m')
    ).trim()
    await people.add('robot', `--token=${token}`)
    const name = 'system:serviceaccount:own:robot'
    expect(lines(await as('robot', 'get', 'configmaps', '-n', 'own'))).toEqual(
      forbidden('list resource "configmaps"', name),
    )
    await kubectl.ok(
      'create',
      'rolebinding',
      'robot',
      '--clusterrole=view',
      '--serviceaccount=own:robot',
      '-n',
      'own',
    )
    expect((await as('robot', 'get', 'configmaps', '-n', 'own')).code).toBe(0)
    expect(lines(await as('robot', 'get', 'configmaps', '-n', 'other'))).toEqual(
      forbidden('list resource "configmaps"', name),
    )
  })

  test('for others, for too short, for nobody', async () => {
    const token = await kubectl.ok('create', 'token', 'robot', '-n', 'own', '--audience=vault')
    await people.add('vault', `--token=${token.trim()}`)
    expect(lines(await as('vault', 'get', 'pods'))).toEqual([
      1,
      'error: You must be logged in to the server (Unauthorized)',
    ])
    const short = await kubectl.run(['create', 'token', 'robot', '-n', 'own', '--duration=1m'])
    expect(lines(short)).toEqual([
      1,
      expect.stringContaining('may not specify a duration less than 10 minutes'),
    ])
    expect(lines(await kubectl.run(['create', 'token', 'none', '-n', 'own']))).toEqual([
      1,
      'error: failed to create token: serviceaccounts "none" not found',
    ])
  })

  test('bound to a secret', async () => {
    await kubectl.ok('create', 'secret', 'generic', 'bond', '-n', 'own')
    const args = ['--bound-object-kind=Secret', '--bound-object-name=bond', '-o', 'json']
    const made = JSON.parse(await kubectl.ok('create', 'token', 'robot', '-n', 'own', ...args))
    expect([made.kind, made.spec.boundObjectRef.name, typeof made.status.token]).toEqual([
      'TokenRequest',
      'bond',
      'string',
    ])
  })
})

describe('auth reconcile', () => {
  const manifest = (verbs: string[], subjects: string[]) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'reconciled', namespace: 'own' },
          rules: [{ verbs, apiGroups: [''], resources: ['pods'] }],
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: 'reconciled', namespace: 'own' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reconciled' },
          subjects: subjects.map((name) => ({
            apiGroup: 'rbac.authorization.k8s.io',
            kind: 'User',
            name,
          })),
        },
      ],
    })
  const reconcile = (input: string, ...args: string[]) =>
    kubectl.run(['auth', 'reconcile', '-f', '-', ...args], input)
  const state = async () => {
    const get = async (kind: string) =>
      JSON.parse(await kubectl.ok('get', kind, 'reconciled', '-n', 'own', '-o', 'json'))
    const [role, binding] = [await get('role'), await get('rolebinding')]
    return [
      role.rules.flatMap(({ verbs }: { verbs: string[] }) => verbs),
      binding.subjects.map(({ name }: { name: string }) => name),
    ]
  }

  for (const { name, input, args = [], expected } of [
    { name: 'makes what is missing', input: manifest(['get'], ['a']), expected: [['get'], ['a']] },
    {
      name: 'adds, and takes nothing away',
      input: manifest(['list'], ['b']),
      expected: [
        ['get', 'list'],
        ['a', 'b'],
      ],
    },
    {
      name: 'takes away when told to',
      input: manifest(['watch'], ['c']),
      args: ['--remove-extra-permissions', '--remove-extra-subjects'],
      expected: [['watch'], ['c']],
    },
    {
      name: 'changes nothing in a dry run',
      input: manifest(['get'], ['d']),
      args: ['--dry-run=client'],
      expected: [['watch'], ['c']],
    },
  ]) {
    test(name, async () => {
      const { code, stdout } = await reconcile(input, ...args)
      expect([code, stdout.split('\n').slice(0, 2)]).toEqual([
        0,
        ['role', 'rolebinding'].map((kind) =>
          expect.stringContaining(`${kind}.rbac.authorization.k8s.io/reconciled reconciled`),
        ),
      ])
      expect(await state()).toEqual(expected)
    })
  }

  test('gives nobody what they do not hold', async () => {
    await kubectl.ok(
      'create',
      'rolebinding',
      'gives',
      '--clusterrole=admin',
      '--user=giver',
      '-n',
      'own',
    )
    const input = manifest(['get'], ['x']).replaceAll('"pods"', '"nodes"')
    const { code, stderr } = await reconcile(input, '--as=giver')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        'user "giver" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}',
      ),
    ])
  })
})
