/** What one server made is there for the other when it is asked for something else: places, definitions, who may. */
import { createPublicKey } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Client } from '../client.ts'
import { hasEtcd } from '../store/etcd.ts'
import { REPEATS, startPair, tally, type Clients, type Pair } from './pair.ts'

const NAMESPACES = '/api/v1/namespaces'
const DEFAULT = `${NAMESPACES}/default`
const RBAC = '/apis/rbac.authorization.orch.io/v1/namespaces/default'
const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions'
const GROUP = 'rbac.authorization.orch.io'
const ANNOTATION = 'orch.io/service-account.name'

// Longer than a token takes to be made.
const LATE_MS = 50
const SOON = { timeout: 10_000, interval: 10 }
// Tokens that were good a moment ago are not looked at again.
const FORGOTTEN = { timeout: 20_000, interval: 250 }

let pair: Pair
let nobody: Clients
beforeAll(async () => {
  if (!hasEtcd) return
  pair = await startPair({}, LATE_MS)
  nobody = pair.as({ anonymous: true })
})
afterAll(() => pair?.close())

let serial = 0
const fresh = () => `n${serial++}`

interface Row {
  readonly name: string
  run(prompt: Client, late: Client): Promise<string>
  readonly ends: string
}

const map = { metadata: { name: 'x' } }
const pod = (serviceAccountName: string) => ({
  metadata: { name: fresh() },
  spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }] },
})

const both = (name: string) => `${name}, ${name}`

/** What is right at once. */
const AT_ONCE: readonly Row[] = [
  {
    name: 'an object in a namespace that another made',
    async run(prompt, late) {
      const name = fresh()
      await prompt.post(NAMESPACES, { metadata: { name } })
      return `${(await late.post(`${NAMESPACES}/${name}/configmaps`, map)).status}`
    },
    ends: '201',
  },
  {
    name: 'an apply in a namespace that another made',
    async run(prompt, late) {
      const name = fresh()
      await prompt.post(NAMESPACES, { metadata: { name } })
      const body = { apiVersion: 'v1', kind: 'ConfigMap', ...map }
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      const path = `${NAMESPACES}/${name}/configmaps/x?fieldManager=f`
      return `${(await late.ask('PATCH', path, { body, headers })).status}`
    },
    ends: '201',
  },
  {
    name: 'a token for a service account that another made, good at both',
    async run(prompt, late) {
      const name = fresh()
      await prompt.post(`${DEFAULT}/serviceaccounts`, { metadata: { name } })
      const made = await late.post(`${DEFAULT}/serviceaccounts/${name}/token`, { spec: {} })
      return `${made.status} ${await whoIs(made.body.status?.token)}`.replaceAll(name, 'ACCOUNT')
    },
    ends: `201 ${both('system:serviceaccount:default:ACCOUNT')}`,
  },
  {
    name: 'a token of another for a service account, good at once',
    async run(prompt, late) {
      const name = fresh()
      await prompt.post(`${DEFAULT}/serviceaccounts`, { metadata: { name } })
      const { body } = await prompt.post(`${DEFAULT}/serviceaccounts/${name}/token`, { spec: {} })
      const review = await late.post('/apis/authentication.orch.io/v1/tokenreviews', {
        spec: { token: body.status.token },
      })
      return String(review.body.status.user?.username).replaceAll(name, 'ACCOUNT')
    },
    ends: 'system:serviceaccount:default:ACCOUNT',
  },
  {
    name: 'a token of another, shown at once',
    async run(prompt) {
      const name = fresh()
      await prompt.post(`${DEFAULT}/serviceaccounts`, { metadata: { name } })
      const { body } = await prompt.post(`${DEFAULT}/serviceaccounts/${name}/token`, { spec: {} })
      return (await whoIs(body.status.token)).replaceAll(name, 'ACCOUNT')
    },
    ends: both('system:serviceaccount:default:ACCOUNT'),
  },
  {
    name: 'a token bound to a pod that another made',
    async run(prompt, late) {
      const { metadata } = (await prompt.post(`${DEFAULT}/pods`, pod('default'))).body
      const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: metadata.name }
      const { status } = await late.post(`${DEFAULT}/serviceaccounts/default/token`, {
        spec: { boundObjectRef },
      })
      return `${status}`
    },
    ends: '201',
  },
  {
    name: 'a pod of a service account that another made',
    async run(prompt, late) {
      const name = fresh()
      await prompt.post(`${DEFAULT}/serviceaccounts`, { metadata: { name } })
      return `${(await late.post(`${DEFAULT}/pods`, pod(name))).status}`
    },
    ends: '201',
  },
  {
    name: 'a binding to a role that another made',
    async run(prompt, late) {
      const name = fresh()
      await prompt.post(`${RBAC}/roles`, role(name))
      return `${(await late.post(`${RBAC}/rolebindings`, binding(name))).status}`
    },
    ends: '201',
  },
]

const role = (name: string) => ({
  metadata: { name },
  rules: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }],
})
const binding = (name: string) => ({
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind: 'Role', name },
  subjects: [{ apiGroup: GROUP, kind: 'User', name }],
})

/** Whom each server takes the bearer of a token for. */
async function whoIs(token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const names = await Promise.all(
    [nobody.prompt, nobody.late].map(async (client) => {
      const { status, body } = await client.get(`${DEFAULT}/configmaps/none`, { headers })
      return status === 401 ? '401' : /User "([^"]+)"/.exec(body.message)?.[1]
    }),
  )
  return names.join(', ')
}

describe.skipIf(!hasEtcd)('at once', () => {
  for (const { name, run, ends } of AT_ONCE) {
    test(name, async () => {
      expect(await tally(() => run(pair.prompt, pair.late))).toEqual({ [ends]: REPEATS })
    })
  }

  test('both sign with one key, and one authority', async () => {
    const [one, other] = await Promise.all(
      [pair.prompt, pair.late].map((client) => client.get('/openid/v1/jwks')),
    )
    expect(one!.body).toEqual(other!.body)
    for (const key of one!.body.keys)
      expect(() => createPublicKey({ key, format: 'jwk' })).not.toThrow()
  })
})

/** What the servers hear of in their own time. */
describe.skipIf(!hasEtcd)('soon', () => {
  const asked = (client: Client, user: string) =>
    client.get(`${DEFAULT}/configmaps/none`, { headers: { 'impersonate-user': user } })
  const eventually = (client: Client, user: string, status: number) =>
    vi.waitFor(async () => expect((await asked(client, user)).status).toBe(status), SOON)

  test('a namespace that another deletes takes nothing more, and nothing is left in it', async () => {
    const left: string[] = []
    const rounds = async () => {
      for (let i = 0; i < 2; i++) {
        const name = fresh()
        const path = `${NAMESPACES}/${name}`
        await pair.prompt.post(NAMESPACES, { metadata: { name } })
        let status = 201
        const fill = async () => {
          for (let n = 0; status === 201; n++) {
            const object = { metadata: { name: `n${n}` } }
            ;({ status } = await pair.late.post(`${path}/configmaps`, object))
          }
        }
        await Promise.all([fill(), pair.prompt.delete(path)])
        expect([403, 404]).toContain(status)
        await vi.waitFor(async () => expect((await pair.late.get(path)).status).toBe(404), SOON)
        const { items } = (await pair.late.get(`${path}/configmaps`)).body
        left.push(...items.map(({ metadata }: { metadata: { name: string } }) => metadata.name))
      }
    }
    await Promise.all(Array.from({ length: 5 }, rounds))
    expect(left).toEqual([])
  })

  test('a binding of another gives, and gives no more when it is gone', async () => {
    for (const [writer, reader] of [
      [pair.prompt, pair.late],
      [pair.late, pair.prompt],
    ] as const) {
      const name = fresh()
      expect((await asked(reader, name)).status).toBe(403)
      await writer.post(`${RBAC}/roles`, role(name))
      await writer.post(`${RBAC}/rolebindings`, binding(name))
      // 404: it may look, and there is nothing.
      await eventually(reader, name, 404)
      await writer.merge(`${RBAC}/roles/${name}`, { rules: [] })
      await eventually(reader, name, 403)
      await writer.put(`${RBAC}/roles/${name}`, role(name))
      await eventually(reader, name, 404)
      await writer.delete(`${RBAC}/rolebindings/${name}`)
      await eventually(reader, name, 403)
    }
  })

  test('a token of an account that another deleted is refused', async () => {
    const name = fresh()
    await pair.late.post(`${DEFAULT}/serviceaccounts`, { metadata: { name } })
    const made = await pair.late.post(`${DEFAULT}/serviceaccounts/${name}/token`, { spec: {} })
    const { token } = made.body.status
    expect(await whoIs(token)).toBe(both(`system:serviceaccount:default:${name}`))
    await pair.prompt.delete(`${DEFAULT}/serviceaccounts/${name}`)
    await vi.waitFor(async () => expect(await whoIs(token)).toBe(both('401')), FORGOTTEN)
  })

  test('a secret for a token gets one that is good at both', async () => {
    const name = fresh()
    await pair.prompt.post(`${DEFAULT}/serviceaccounts`, { metadata: { name } })
    await pair.late.post(`${DEFAULT}/secrets`, {
      type: 'orch.io/service-account-token',
      metadata: { name, annotations: { [ANNOTATION]: name } },
    })
    const token = await vi.waitFor(async () => {
      const { body } = await pair.prompt.get(`${DEFAULT}/secrets/${name}`)
      expect(body.data?.token).toEqual(expect.any(String))
      return body.data.token as string
    }, SOON)
    const text = Buffer.from(token, 'base64').toString()
    expect(await whoIs(text)).toBe(both(`system:serviceaccount:default:${name}`))
  })

  test('objects of a definition that another accepted can be made at once', async () => {
    const names = { plural: 'gears', singular: 'gear', kind: 'Gear', listKind: 'GearList' }
    const schema = { openAPIV3Schema: { type: 'object' } }
    const made = await pair.prompt.post(DEFINITIONS, {
      metadata: { name: 'gears.example.com' },
      spec: {
        ...{ group: 'example.com', scope: 'Namespaced', names },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    })
    expect(made.status).toBe(201)
    await vi.waitFor(async () => {
      const { body } = await pair.prompt.get(`${DEFINITIONS}/gears.example.com`)
      const conditions: { type: string; status: string }[] = body.status?.conditions ?? []
      expect(conditions.find(({ type }) => type === 'Established')?.status).toBe('True')
    }, SOON)
    const gears = '/apis/example.com/v1/namespaces/default/gears'
    const gear = (name: string) => ({
      apiVersion: 'example.com/v1',
      kind: 'Gear',
      metadata: { name },
    })
    expect((await pair.late.post(gears, gear('g'))).status).toBe(201)
  })
})
