/** A second server behind the first: it trusts the first as proxy, and asks it about tokens and permissions. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { Kubectl } from '../clients/kubectl.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  localService,
  publishedOf,
} from './extension-server.fixture.ts'

const GV = 'stable.example.com/v1'
const CRONS = `/apis/${GV}/namespaces/default/crontabs`
const RBAC = '/apis/rbac.authorization.k8s.io/v1'

let front: RunningServer
let back: RunningServer
let client: Client
let behind: Client
let dir: string
let kubectl: Kubectl

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', kind: 'CronTab', shortNames: ['ct'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'What runs when.',
            properties: { spec: { type: 'object', properties: { cron: { type: 'string' } } } },
          },
        },
      },
    ],
  },
}
const cron = (name: string, spec: object = { cron: '* *' }) => ({
  apiVersion: GV,
  kind: 'CronTab',
  metadata: { name },
  spec,
})

/** The configuration of a webhook of the first server. */
const reviewing = (path: string) =>
  front.kubeconfig.replace(/server: \S+/, `server: ${front.url}${path}`)

async function startBehind(): Promise<RunningServer> {
  const published = await publishedOf(client)
  const files = {
    proxies: published['requestheader-client-ca-file']!,
    clients: published['client-ca-file']!,
    tokens: reviewing('/apis/authentication.k8s.io/v1/tokenreviews'),
    access: reviewing('/apis/authorization.k8s.io/v1/subjectaccessreviews'),
  }
  const at = (name: keyof typeof files) => join(dir, name)
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
  const listed = (name: string) => JSON.parse(published[`requestheader-${name}`]!) as string[]
  return startServer({
    vocabulary: 'kubernetes',
    // The owners of its objects are known in front only.
    controllers: ['*', '-garbagecollector'],
    servingHosts: ['crons.default.svc'],
    authentication: {
      clientCaFile: at('clients'),
      webhook: { configFile: at('tokens'), version: 'v1' },
      requestHeader: {
        clientCaFile: at('proxies'),
        allowedNames: listed('allowed-names'),
        usernameHeaders: listed('username-headers'),
        groupHeaders: listed('group-headers'),
        extraHeaderPrefixes: listed('extra-headers-prefix'),
      },
    },
    authorization: { modes: ['Webhook'], webhook: { configFile: at('access'), version: 'v1' } },
  })
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'delegating-'))
  front = await startServer({ vocabulary: 'kubernetes', proxiesToLoopback: true })
  await front.settled()
  client = new Client(front)
  back = await startBehind()
  behind = new Client(back)
  await behind.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  await back.settled()
  await client.post('/api/v1/namespaces/default/services', localService('crons'))
  await client.post(
    APISERVICES,
    apiService(GV, {
      service: { namespace: 'default', name: 'crons', port: back.port },
      caBundle: Buffer.from(back.ca).toString('base64'),
    }),
  )
  await conditionOf(client, 'v1.stable.example.com', ({ status }) => status === 'True')
  kubectl = await Kubectl.for(front.kubeconfig)
})
afterAll(async () => {
  client?.close()
  behind?.close()
  await kubectl?.close()
  await front?.close()
  await back?.close()
  await rm(dir, { recursive: true, force: true })
})

test('objects are created, watched, patched and deleted through the first server', async () => {
  const watch = await client.watch(`${CRONS}?watch=true`)
  expect((await client.post(CRONS, cron('a'))).status).toBe(201)
  expect((await client.merge(`${CRONS}/a`, { spec: { cron: '1 1' } })).body.spec).toEqual({
    cron: '1 1',
  })
  expect((await behind.get(`${CRONS}/a`)).body.spec).toEqual({ cron: '1 1' })
  expect((await client.get(CRONS)).body.items.length).toBe(1)
  expect((await client.delete(`${CRONS}/a`)).status).toBe(200)
  expect(await watch.names(3)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
  watch.close()
  const { status, body } = await client.post(CRONS, cron('b', { cron: 1 }))
  expect([status, body.message]).toEqual([
    422,
    'CronTab.stable.example.com "b" is invalid: spec.cron: Invalid value: "integer": spec.cron in body must be of type string: "integer"',
  ])
})

describe('a user with a role', () => {
  let token = ''
  beforeAll(async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    await client.post(accounts, { metadata: { name: 'reader' } })
    await client.post(`${RBAC}/namespaces/default/roles`, {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: ['stable.example.com'], resources: ['crontabs'], verbs: ['list'] }],
    })
    await client.post(`${RBAC}/namespaces/default/rolebindings`, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
    })
    token = (await client.post(`${accounts}/reader/token`, {})).body.status.token
  })
  const who = 'system:serviceaccount:default:reader'

  test('may do the same through the first server and at the second', async () => {
    for (const server of [front, back]) {
      const reader = new Client(server, { token })
      try {
        expect((await reader.get(CRONS)).status).toBe(200)
        const { status, body } = await reader.post(CRONS, cron('x'))
        expect([status, body.message]).toEqual([
          403,
          expect.stringContaining(
            `crontabs.stable.example.com is forbidden: User "${who}" cannot create resource "crontabs" in API group "stable.example.com" in the namespace "default"`,
          ),
        ])
      } finally {
        reader.close()
      }
    }
  })
  test('is nobody else by headers of a proxy', async () => {
    for (const server of [front, back]) {
      const reader = new Client(server, { token })
      try {
        const headers = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }
        expect((await reader.post(CRONS, cron('x'), { headers })).status).toBe(403)
      } finally {
        reader.close()
      }
    }
  })
})

describe('the documents of the first server', () => {
  test('list the group by its priority', async () => {
    const { body } = await client.get('/apis')
    expect(body.groups.at(-1)).toEqual({
      name: 'stable.example.com',
      versions: [{ groupVersion: GV, version: 'v1' }],
      preferredVersion: { groupVersion: GV, version: 'v1' },
    })
    const { body: group } = await client.get('/apis/stable.example.com')
    expect(group).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...body.groups.at(-1) })
    const { body: list } = await client.get(`/apis/${GV}`)
    expect(list.resources.map(({ name }: { name: string }) => name)).toEqual(['crontabs'])
    expect((await client.get('/')).body.paths).toContain('/apis/stable.example.com')
  })
  test('describe the kinds, in both versions of OpenAPI', async () => {
    const path = `/apis/${GV}/namespaces/{namespace}/crontabs`
    const found = await eventually(async () => {
      const { body } = await client.get('/openapi/v2')
      return body.paths[path] === undefined ? null : body
    })
    const own = await behind.get('/openapi/v2')
    expect(found.paths[path]).toEqual(own.body.paths[path])
    expect(found.definitions['com.example.stable.v1.CronTab']).toEqual(
      own.body.definitions['com.example.stable.v1.CronTab'],
    )
    expect(found.paths['/api/v1/pods']).toBeDefined()
    const index = (await client.get('/openapi/v3')).body.paths
    const url: string = index[`apis/${GV}`].serverRelativeURL
    expect(url).toBe((await behind.get('/openapi/v3')).body.paths[`apis/${GV}`].serverRelativeURL)
    const document = await client.get(url)
    expect([document.status, document.body]).toEqual([200, (await behind.get(url)).body])
    expect(document.headers['cache-control']).toBe('public, immutable')
    const binary = await client.get('/openapi/v2', {
      headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
    })
    expect([binary.status, binary.text.includes('com.example.stable.v1.CronTab')]).toEqual([
      200,
      true,
    ])
    const etag = String((await client.get('/openapi/v2')).headers.etag)
    expect((await client.get('/openapi/v2', { headers: { 'if-none-match': etag } })).status).toBe(
      304,
    )
  })
})

describe('kubectl', () => {
  test('lists the resources', async () => {
    const stdout = await kubectl.ok('api-resources', '--api-group=stable.example.com')
    expect(stdout.trim().split('\n').at(-1)!.split(/\s+/)).toEqual([
      'crontabs',
      'ct',
      GV,
      'true',
      'CronTab',
    ])
  })
  test('lists the APIServices', async () => {
    const stdout = await kubectl.ok('get', 'apiservices', 'v1.stable.example.com', 'v1.apps')
    expect(stdout.split('\n').map((line) => line.split(/\s+/).slice(0, 3))).toEqual([
      ['NAME', 'SERVICE', 'AVAILABLE'],
      ['v1.stable.example.com', 'default/crons', 'True'],
      ['v1.apps', 'Local', 'True'],
      [''],
    ])
  })
  test('applies, gets, explains and deletes', async () => {
    const applied = await kubectl.run(['apply', '-f', '-'], JSON.stringify(cron('k')))
    expect(applied).toEqual({
      code: 0,
      stdout: 'crontab.stable.example.com/k created\n',
      stderr: '',
    })
    expect(await kubectl.ok('get', 'ct', 'k', '-o', 'jsonpath={.spec.cron}')).toBe('* *')
    expect(await kubectl.ok('explain', 'crontabs')).toContain('What runs when.')
    expect(await kubectl.ok('delete', 'ct', 'k')).toContain('"k" deleted')
  })
})

/** Asks until there is an answer; documents are fetched in the background. */
async function eventually<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await ask()
    if (found !== null) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('controllers of the first server see its objects', () => {
  const CONFIG = '/api/v1/namespaces/default/configmaps'
  interface Owner {
    readonly apiVersion: string
    readonly kind: string
    readonly metadata: { readonly name: string; readonly uid: string }
  }
  const ownedBy = ({ apiVersion, kind, metadata: { name, uid } }: Owner) => ({
    ownerReferences: [{ apiVersion, kind, name, uid }],
  })
  /** Resolves when the object is gone. */
  const gone = async (path: string, name: string, work: () => Promise<unknown>) => {
    const watch = await client.watch(`${path}?watch=true&fieldSelector=metadata.name%3D${name}`)
    try {
      await work()
      while ((await watch.next())?.type !== 'DELETED');
    } finally {
      watch.close()
    }
  }

  test('those whose owner is deleted here are deleted there', async () => {
    const owner = await client.post(CONFIG, { metadata: { name: 'owner' } })
    const object = cron('owned')
    const { status } = await client.post(CRONS, {
      ...object,
      metadata: { ...object.metadata, ...ownedBy(owner.body) },
    })
    expect(status).toBe(201)
    await gone(CRONS, 'owned', () => client.delete(`${CONFIG}/owner`))
    expect((await behind.get(`${CRONS}/owned`)).status).toBe(404)
  })

  test('those whose owner is deleted there are deleted here', async () => {
    const owner = await client.post(CRONS, cron('owning'))
    await client.post(CONFIG, { metadata: { name: 'owned', ...ownedBy(owner.body) } })
    await gone(CONFIG, 'owned', () => client.delete(`${CRONS}/owning`))
    expect((await client.get(`${CONFIG}/owned`)).status).toBe(404)
  })

  test('quotas count them', async () => {
    const quotas = '/api/v1/namespaces/default/resourcequotas'
    const counted = 'count/crontabs.stable.example.com'
    const before = (await client.get(CRONS)).body.items.length
    const watch = await client.watch(`${quotas}?watch=true`)
    await client.post(quotas, { metadata: { name: 'crons' }, spec: { hard: { [counted]: '9' } } })
    await client.post(CRONS, cron('counted'))
    for (;;) {
      const event = await watch.next()
      if (event?.object.status?.used?.[counted] === String(before + 1)) break
    }
    watch.close()
  })
})
