/** Definitions that claim a place which another one has, by their status: what is served, and what becomes of the rest. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { definition, DEFINITIONS, type Json } from './definitions.fixture.ts'

const GROUP = '/apis/stable.example.com/v1/namespaces/default'
const at = (plural: string) => `${GROUP}/${plural}`

describe('of two definitions', () => {
  let server: RunningServer
  let client: Client
  beforeAll(async () => {
    // Nobody puts the status right.
    server = await startServer({ controllers: false })
    client = new Client(server)
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })

  const establish = async (plural: string, names: Json, group = 'stable.example.com') => {
    const condition = { type: 'Established', status: 'True', reason: 'x', message: '' }
    const status = { acceptedNames: names, conditions: [condition] }
    const { status: code, text } = await client.merge(`${DEFINITIONS}/${plural}.${group}/status`, {
      status,
    })
    expect(code, text).toBe(200)
  }
  const remove = async (name: string) => {
    await client.delete(`${DEFINITIONS}/${name}`)
    await client.merge(`${DEFINITIONS}/${name}`, { metadata: { finalizers: null } })
    expect((await client.get(`${DEFINITIONS}/${name}`)).status).toBe(404)
  }
  const make = (plural: string, kind: string, name: string) =>
    client.post(at(plural), { apiVersion: 'stable.example.com/v1', kind, metadata: { name } })

  for (const { name, second } of [
    { name: 'one resource', second: { plural: 'ones', kind: 'Two', listKind: 'TwoList' } },
    { name: 'one kind', second: { plural: 'twos', kind: 'One', listKind: 'TwoList' } },
  ])
    test(`that claim ${name} the first is served, and the second after it`, async () => {
      await client.post(DEFINITIONS, definition('ones', 'One'))
      await client.post(DEFINITIONS, definition('twos', 'Two'))
      await establish('ones', { plural: 'ones', kind: 'One', listKind: 'OneList' })
      expect((await make('ones', 'One', 'a')).status).toBe(201)
      await establish('twos', second)
      const { resources } = (await client.get('/apis/stable.example.com/v1')).body
      expect(resources.map((one: Json) => [one['name'], one['kind']])).toEqual([['ones', 'One']])
      expect((await client.get(`${at('ones')}/a`)).body.kind).toBe('One')
      // A change of the second takes nothing from the first either.
      await client.merge(`${DEFINITIONS}/twos.stable.example.com`, {
        spec: { names: { shortNames: ['t'] } },
      })
      expect((await client.get(`${at('ones')}/a`)).body.kind).toBe('One')
      await client.delete(`${at('ones')}/a`)
      await remove('ones.stable.example.com')
      expect((await make(second.plural, second.kind, 'b')).status).toBe(201)
      await client.delete(`${at(second.plural)}/b`)
      await remove('twos.stable.example.com')
      expect((await client.get(GROUP.replace('/namespaces/default', ''))).status).toBe(404)
    })

  test('one that claims a built-in resource is not served, and takes nothing with it', async () => {
    const LEASES = '/apis/coordination.orch.io/v1/namespaces/default/leases'
    await client.post(LEASES, { metadata: { name: 'kept' } })
    const own = definition('gates', 'Gate', {}, 'coordination.orch.io')
    const metadata = { ...own.metadata, annotations: { 'api-approved.orch.io': 'unapproved' } }
    expect((await client.post(DEFINITIONS, { ...own, metadata })).status).toBe(201)
    const names = { plural: 'leases', kind: 'Lease', listKind: 'LeaseList' }
    await establish('gates', names, 'coordination.orch.io')
    expect((await client.get(`${LEASES}/kept`)).body.kind).toBe('Lease')
    const { resources } = (await client.get('/apis/coordination.orch.io/v1')).body
    expect(resources).toHaveLength(1)
    await remove('gates.coordination.orch.io')
    expect((await client.get(`${LEASES}/kept`)).status).toBe(200)
    // Nor does the group lose what is built in.
    expect((await client.get('/apis/coordination.orch.io/v1')).body.resources).toHaveLength(1)
  })
})
