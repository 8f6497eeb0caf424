/** A node gets its certificate: it asks with a credential of the bootstrap, and renews it by itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificateRequest, signingRequest, type MadeRequest } from '../certificate-request.ts'
import type { Client } from '../client.ts'
import { Realm, RBAC, REQUESTS, rule } from './realm.fixture.ts'

const SIGNER = {
  signerName: 'orch.io/orch-apiserver-client-nodeagent',
  usages: ['client auth', 'digital signature', 'key encipherment'],
}
const PERMISSION = 'system:certificates.orch.io:certificatesigningrequests'

let realm: Realm
let joining: Client
beforeAll(async () => {
  realm = await Realm.start(() => ({ enableAdmissionPlugins: ['NodeRestriction'] }))
  joining = realm.user('system:bootstrap:abcdef', 'system:bootstrappers')
  await realm.allow({ group: 'system:bootstrappers' }, [
    rule('create,get,list,watch certificates.orch.io:certificatesigningrequests'),
  ])
})
afterAll(() => realm.close())

/** Lets a group have requests of a kind approved. */
const permit = (group: string, kind: string) =>
  realm.made(`${RBAC}/clusterrolebindings`, {
    metadata: { name: `approve-${kind}` },
    roleRef: {
      apiGroup: 'rbac.authorization.orch.io',
      kind: 'ClusterRole',
      name: `${PERMISSION}:${kind}`,
    },
    subjects: [{ apiGroup: 'rbac.authorization.orch.io', kind: 'Group', name: group }],
  })

const request = async (client: Client, name: string): Promise<MadeRequest> => {
  const made = await certificateRequest({ subject: '/O=system:nodes/CN=system:node:n1' })
  const { status, text } = await client.post(REQUESTS, signingRequest(name, made, SIGNER))
  expect([status, text]).toEqual([201, text])
  return made
}

/** The status of a request when it has its certificate. */
async function issued(client: Client, name: string) {
  const watch = await client.watch(`${REQUESTS}?watch=true&fieldSelector=metadata.name=${name}`)
  for (;;) {
    const event = await watch.next()
    if (!event) throw new Error('the watch has ended')
    if (event.object.status?.certificate === undefined) continue
    watch.close()
    const { certificate, conditions } = event.object.status
    return { cert: Buffer.from(certificate, 'base64').toString('utf8'), conditions }
  }
}

let node: Client

test('a request waits for the permission to have it approved', async () => {
  const { key } = await request(joining, 'first')
  await realm.server.settled()
  expect((await joining.get(`${REQUESTS}/first`)).body.status).toEqual({})
  await permit('system:bootstrappers', 'nodeclient')
  const { cert, conditions } = await issued(joining, 'first')
  expect(conditions).toMatchObject([
    {
      type: 'Approved',
      status: 'True',
      reason: 'AutoApproved',
      message: 'Auto approving nodeagent client certificate after SubjectAccessReview.',
    },
  ])
  node = realm.as({ certificate: { cert, key } })
})

test('the certificate makes its holder the node, and no other', async () => {
  expect((await node.post('/api/v1/nodes', { metadata: { name: 'n1' } })).status).toBe(201)
  expect((await node.post('/api/v1/nodes', { metadata: { name: 'n2' } })).body.message).toBe(
    'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  )
})

test('the node renews its certificate', async () => {
  await permit('system:nodes', 'selfnodeclient')
  const { key } = await request(node, 'second')
  const { cert, conditions } = await issued(node, 'second')
  expect(conditions[0].message).toBe(
    'Auto approving self nodeagent client certificate after SubjectAccessReview.',
  )
  const renewed = realm.as({ certificate: { cert, key } })
  expect((await renewed.get('/api/v1/nodes/n1')).status).toBe(200)
})

test('nobody gets the certificate of another node in this way', async () => {
  const made = await certificateRequest({ subject: '/O=system:nodes/CN=system:node:n2' })
  await node.post(REQUESTS, signingRequest('third', made, SIGNER))
  await realm.server.settled()
  expect((await node.get(`${REQUESTS}/third`)).body.status).toEqual({})
})
