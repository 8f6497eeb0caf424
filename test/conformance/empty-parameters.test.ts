/** Parameters that are there with an empty value, at every verb; and the same in the options of a deletion. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Ask, type Reply } from '../client.ts'

const NS = '/api/v1/namespaces/default'
const MAPS = `${NS}/configmaps`
const META = 'meta.orch.io'
let server: RunningServer
let client: Client
let serial = 0

beforeAll(async () => {
  server = await startServer({ controllers: false, disableAdmissionPlugins: ['ServiceAccount'] })
  client = new Client(server)
  await client.post(MAPS, { metadata: { name: 'standing' } })
  await client.post(`/apis/apps/v1/namespaces/default/deployments`, deployment('scaled'))
  await client.post(`${NS}/serviceaccounts`, { metadata: { name: 'robot' } })
})
afterAll(async () => {
  client.close()
  await server.close()
})

function deployment(name: string) {
  const labels = { app: 'web' }
  const spec = { containers: [{ name: 'a', image: 'i' }] }
  return {
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

const pod = (name: string) => ({
  metadata: { name },
  spec: { containers: [{ name: 'a', image: 'i' }] },
})

const type = (name: string): Ask => ({ headers: { 'content-type': `application/${name}` } })
const SCALED = '/apis/apps/v1/namespaces/default/deployments/scaled'

/** Each verb with a query; makes what it needs first. */
const VERBS: Readonly<Record<string, (query: string, name: string) => Promise<Reply>>> = {
  get: (query) => client.get(`${MAPS}/standing?${query}`),
  list: (query) => client.get(`${MAPS}?${query}`),
  watch: (query) => client.get(`${MAPS}?watch=1&${query}`),
  create: (query, name) => client.post(`${MAPS}?${query}`, { metadata: { name } }),
  update: async (query, name) => {
    await client.post(MAPS, { metadata: { name } })
    return client.put(`${MAPS}/${name}?${query}`, { metadata: { name }, data: { a: '1' } })
  },
  patch: async (query, name) => {
    await client.post(MAPS, { metadata: { name } })
    return client.merge(`${MAPS}/${name}?${query}`, { data: { a: '1' } })
  },
  apply: (query, name) =>
    client.ask('PATCH', `${MAPS}/${name}?${query}`, {
      body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { a: '1' } },
      ...type('apply-patch+yaml'),
    }),
  delete: async (query, name) => {
    await client.post(MAPS, { metadata: { name } })
    return client.delete(`${MAPS}/${name}?${query}`)
  },
  deletecollection: async (query, name) => {
    await client.post(MAPS, { metadata: { name, labels: { only: name } } })
    return client.delete(`${MAPS}?labelSelector=only%3D${name}&${query}`)
  },
  'a status': (query) => client.merge(`${SCALED}/status?${query}`, { status: { replicas: 0 } }),
  'a scale': (query) =>
    client.put(`${SCALED}/scale?${query}`, {
      metadata: { name: 'scaled' },
      spec: { replicas: serial },
    }),
  'a binding': async (query, name) => {
    await client.post(`${NS}/pods`, pod(name))
    return client.post(`${NS}/pods/${name}/binding?${query}`, {
      metadata: { name },
      target: { kind: 'Node', name: 'n' },
    })
  },
  'an eviction': async (query, name) => {
    await client.post(`${NS}/pods`, pod(name))
    return client.post(`${NS}/pods/${name}/eviction?${query}`, { metadata: { name } })
  },
  'a token': (query) => client.post(`${NS}/serviceaccounts/robot/token?${query}`, {}),
  'a review': (query) =>
    client.post(`/apis/authorization.orch.io/v1/selfsubjectaccessreviews?${query}`, {
      spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
    }),
}

const CREATED = ['create', 'apply', 'a binding', 'an eviction', 'a token', 'a review']
const DELETES = ['delete', 'deletecollection']
const READS = ['list', 'watch', 'deletecollection']

const bad = (message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason: 'BadRequest',
  code: 400,
})
const NO_NUMBER = bad('strconv.ParseInt: parsing "": invalid syntax')

const invalid = (kind: string, field: string, reason: string, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `${kind}.${META} "" is invalid: ${field}: ${message}`,
  reason: 'Invalid',
  details: { group: META, kind, causes: [{ reason, message, field }] },
  code: 422,
})
const NO_POLICY = invalid(
  'DeleteOptions',
  'propagationPolicy',
  'FieldValueNotSupported',
  'Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"',
)
const NO_MANAGER = invalid(
  'PatchOptions',
  'fieldManager',
  'FieldValueRequired',
  'Required value: is required for apply patch',
)
const NOT_FORCED = invalid(
  'PatchOptions',
  'force',
  'FieldValueForbidden',
  'Forbidden: may not be specified for non-apply patch',
)
const EXPORTED = bad('the export parameter, deprecated since v1.14, is no longer supported')

type Failure = { readonly code: number } | null

/** What a parameter with an empty value means to a verb; null: nothing, the request succeeds. */
const MEANINGS: Readonly<Record<string, (verb: string) => Failure>> = {
  dryRun: () => null,
  fieldManager: () => null,
  fieldValidation: () => null,
  force: (verb) => (verb === 'patch' || verb === 'a status' ? NOT_FORCED : null),
  limit: (verb) => (READS.includes(verb) ? NO_NUMBER : null),
  timeoutSeconds: (verb) => (READS.includes(verb) ? NO_NUMBER : null),
  gracePeriodSeconds: (verb) => (DELETES.includes(verb) ? NO_NUMBER : null),
  propagationPolicy: (verb) => (DELETES.includes(verb) ? NO_POLICY : null),
  orphanDependents: () => null,
  continue: () => null,
  resourceVersion: () => null,
  resourceVersionMatch: () => null,
  labelSelector: () => null,
  fieldSelector: () => null,
  allowWatchBookmarks: () => null,
  pretty: () => null,
  timeout: () => null,
  export: (verb) => (verb === 'get' ? EXPORTED : null),
  includeObject: () => null,
}

for (const [parameter, meaning] of Object.entries(MEANINGS)) {
  describe(parameter, () => {
    for (const [verb, run] of Object.entries(VERBS)) {
      for (const form of [`${parameter}=`, parameter]) {
        test(`${verb} ?${form}`, async () => {
          const more = verb === 'watch' && parameter !== 'timeoutSeconds' ? '&timeoutSeconds=1' : ''
          const manager = verb === 'apply' && parameter !== 'fieldManager' ? '&fieldManager=m' : ''
          const failure =
            verb === 'apply' && parameter === 'fieldManager' ? NO_MANAGER : meaning(verb)
          const reply = await run(`${form}${more}${manager}`, `e${++serial}`)
          if (failure) {
            expect([reply.status, reply.body]).toEqual([failure.code, failure])
            return
          }
          expect(reply.status, reply.text).toBe(CREATED.includes(verb) ? 201 : 200)
          if (verb === 'watch') expect(reply.text).toMatch(/^\{"type":"ADDED"/)
        })
      }
    }
  })
}

describe('what an empty value does', () => {
  test('writes are done', async () => {
    for (const verb of ['create', 'update', 'patch', 'apply']) {
      const name = `e${++serial}`
      await VERBS[verb]!('dryRun=&fieldManager=m', name)
      expect([verb, (await client.get(`${MAPS}/${name}`)).status]).toEqual([verb, 200])
    }
    for (const verb of ['delete', 'deletecollection']) {
      const name = `e${++serial}`
      await VERBS[verb]!('dryRun', name)
      expect([verb, (await client.get(`${MAPS}/${name}`)).status]).toEqual([verb, 404])
    }
  })

  test('a word beside an empty one counts', async () => {
    for (const query of ['dryRun=&dryRun=All', 'dryRun=All&dryRun=']) {
      const name = `e${++serial}`
      expect((await VERBS['create']!(query, name)).status).toBe(201)
      expect((await client.get(`${MAPS}/${name}`)).status).toBe(404)
    }
  })

  test('watch, bookmarks, force and orphans: yes', async () => {
    const watch = await client.watch(`${MAPS}?watch=&resourceVersion=0`)
    expect((await watch.next())?.type).toBe('ADDED')
    watch.close()
    const marks = await client.get(
      `${MAPS}?watch&allowWatchBookmarks=&timeoutSeconds=3&fieldSelector=metadata.name%3Dnone`,
    )
    expect(JSON.parse(marks.text).type).toBe('BOOKMARK')

    const name = `e${++serial}`
    await VERBS['apply']!('fieldManager=a', name)
    const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { a: '2' } }
    const apply = (query: string) =>
      client.ask('PATCH', `${MAPS}/${name}?fieldManager=b${query}`, {
        body,
        ...type('apply-patch+yaml'),
      })
    expect([(await apply('')).status, (await apply('&force=')).status]).toEqual([409, 200])

    await client.delete(`${MAPS}/${name}?orphanDependents=`)
    const { body: orphaned } = await client.get(`${MAPS}/${name}`)
    expect(orphaned.metadata.finalizers).toEqual(['orphan'])
  })

  test('export=false is no wish', async () => {
    expect((await client.get(`${MAPS}/standing?export=false`)).status).toBe(200)
  })
})

describe('numbers', () => {
  for (const [value, why] of [
    ['x', 'invalid syntax'],
    ['1.0', 'invalid syntax'],
    ['1e2', 'invalid syntax'],
    ['0x1', 'invalid syntax'],
    ['1_000', 'invalid syntax'],
    [' 1', 'invalid syntax'],
    ['9223372036854775808', 'value out of range'],
    ['-9223372036854775809', 'value out of range'],
    ['9223372036854775807', null],
    ['-0', null],
    ['+3', null],
    [`${'0'.repeat(400)}1`, null],
  ] as const) {
    test(value.slice(-24), async () => {
      const { status, body } = await client.get(`${MAPS}?limit=${encodeURIComponent(value)}`)
      if (why === null) expect(status).toBe(200)
      else
        expect([status, body]).toEqual([
          400,
          bad(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${why}`),
        ])
    })
  }
})

describe('the options in the body of a deletion', () => {
  const conflict = (name: string, why: string) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Operation cannot be fulfilled on ConfigMap "${name}": ${why}`,
    reason: 'Conflict',
    details: { name, kind: 'ConfigMap' },
    code: 409,
  })
  for (const [name, options, answer] of [
    ['no dry run', { dryRun: [''] }, null],
    ['no dry runs', { dryRun: [] }, null],
    ['no kind', { kind: '', apiVersion: '' }, null],
    ['nothing at all', {}, null],
    ['null', { gracePeriodSeconds: null, propagationPolicy: null, dryRun: null }, null],
    ['no conditions', { preconditions: {} }, null],
    ['an empty policy', { propagationPolicy: '' }, () => NO_POLICY],
    [
      'an empty uid',
      { preconditions: { uid: '' } },
      ({ name, uid }: { name: string; uid: string }) =>
        conflict(
          name,
          `the UID in the precondition () does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
        ),
    ],
    [
      'an empty version',
      { preconditions: { resourceVersion: '' } },
      ({ name, resourceVersion }: { name: string; resourceVersion: string }) =>
        conflict(
          name,
          `the ResourceVersion in the precondition () does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
        ),
    ],
    [
      'a policy beside the older word',
      { propagationPolicy: 'Sideways', orphanDependents: true, dryRun: ['Some'] },
      () => {
        const causes = [
          [
            'propagationPolicy',
            'FieldValueInvalid',
            'Invalid value: "Sideways": orphanDependents and deletionPropagation cannot be both set',
          ],
          [
            'propagationPolicy',
            'FieldValueNotSupported',
            'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
          ],
          [
            'dryRun',
            'FieldValueNotSupported',
            'Unsupported value: "Some": supported values: "All"',
          ],
        ].map(([field, reason, message]) => ({ reason, message, field }))
        const all = causes.map(({ field, message }) => `${field}: ${message}`).join(', ')
        return {
          ...NO_POLICY,
          message: `DeleteOptions.${META} "" is invalid: [${all}]`,
          details: { group: META, kind: 'DeleteOptions', causes },
        }
      },
    ],
  ] as const) {
    test(name, async () => {
      const { body: made } = await client.post(MAPS, { metadata: { name: `e${++serial}` } })
      const path = `${MAPS}/${made.metadata.name}`
      const reply = await client.delete(path, { body: options })
      const failure = answer?.(made.metadata) ?? null
      if (failure === null) expect(reply.status, reply.text).toBe(200)
      else expect([reply.status, reply.body]).toEqual([failure.code, failure])
      expect((await client.get(path)).status).toBe(failure === null ? 404 : 200)
    })
  }

  test('of an eviction', async () => {
    const name = `e${++serial}`
    await client.post(`${NS}/pods`, pod(name))
    const body = { metadata: { name }, deleteOptions: { dryRun: [''] } }
    for (const query of ['?dryRun=All', '?dryRun=', ''])
      expect([
        query,
        (await client.post(`${NS}/pods/${name}/eviction${query}`, body)).status,
      ]).toEqual([query, query === '' ? 404 : 201])
    expect((await client.get(`${NS}/pods/${name}`)).status).toBe(404)
  })
})
