/** Nobody reaches through the server what listens on its own machine alone: every connect sub-resource, by any address. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default'
const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1' }

/** Ways to say this machine; those at the end are names, which a look-up turns into its address. */
const ADDRESSES = [
  '127.0.0.1',
  '127.8.9.10',
  '0.0.0.0',
  '169.254.169.254',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  'fe80::1%lo',
  'localhost',
  'LOCALHOST',
  '127.1',
  '2130706433',
  '0x7f000001',
]

let server: RunningServer
let client: Client
let agent: Server
let port: number
let connections = 0
beforeAll(async () => {
  const { cert, key } = issue({
    subject: { commonName: 'agent' },
    notBeforeMs: Date.now() - 60_000,
    notAfterMs: Date.now() + 3_600_000,
    use: 'authority',
  })
  agent = createServer({ cert, key }, (_request, response) => response.end('reached'))
  agent.on('connection', () => connections++)
  agent.listen(0, '127.0.0.1')
  await once(agent, 'listening')
  port = (agent.address() as AddressInfo).port
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    disableAdmissionPlugins: ['ServiceAccount'],
  })
  client = new Client(server)
  for (const [i, address] of ADDRESSES.entries()) await addNode(client, `n${i}`, address)
})
afterAll(async () => {
  client.close()
  await server.close()
  agent.closeAllConnections()
  agent.close()
})

async function addNode(to: Client, name: string, address: string): Promise<void> {
  const type = /^[a-zA-Z]/.test(address) ? 'Hostname' : 'InternalIP'
  const status = {
    addresses: [{ type, address }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  }
  const spec = { nodeName: name, containers: [{ name: 'c', image: 'i' }] }
  const made = [
    await to.post('/api/v1/nodes', { metadata: { name } }),
    await to.merge(`/api/v1/nodes/${name}/status`, { status }),
    await to.post(`${NS}/pods`, { metadata: { name }, spec }),
    await to.merge(`${NS}/pods/${name}/status`, {
      status: /[a-z]/i.test(address[0]!)
        ? {}
        : { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] },
    }),
  ]
  for (const { status: code, text } of made) expect(code, text).toBeLessThan(300)
}

const paths = (name: string) => [
  `/api/v1/nodes/${name}/proxy/`,
  `/api/v1/nodes/${name}:${port}/proxy/`,
  `/api/v1/nodes/https:${name}:${port}/proxy/`,
  `/api/v1/nodes/https:${name}:443/proxy/`,
  `${NS}/pods/${name}:${port}/proxy/`,
  `${NS}/pods/${name}/log`,
  `${NS}/pods/${name}/log?insecureSkipTLSVerifyBackend=true`,
  `${NS}/pods/${name}/exec?command=ls`,
  `${NS}/pods/${name}/attach`,
  `${NS}/pods/${name}/portforward?ports=1`,
]

describe('refuses', () => {
  for (const [i, address] of ADDRESSES.entries()) {
    test(address, async () => {
      for (const path of paths(`n${i}`)) {
        const answers = [await client.get(path, { headers: upgrade })]
        if (path.includes('/proxy')) {
          answers.push(await client.get(path), await client.post(path, { a: 1 }))
        }
        for (const { status, body } of answers) {
          expect([path, status, body]).toEqual([
            path,
            400,
            {
              kind: 'Status',
              apiVersion: 'v1',
              metadata: {},
              status: 'Failure',
              message: 'address not allowed',
              reason: 'BadRequest',
              code: 400,
            },
          ])
        }
      }
      expect(connections).toBe(0)
    })
  }
})

test('reaches it where an embedding program lets it', async () => {
  const other = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    disableAdmissionPlugins: ['ServiceAccount'],
    proxiesToLoopback: true,
  })
  const another = new Client(other)
  try {
    for (const address of ['127.0.0.1', 'localhost']) {
      const name = address.replaceAll('.', '-')
      await addNode(another, name, address)
      for (const path of [`/api/v1/nodes/${name}/proxy/`, `${NS}/pods/${name}/log`]) {
        const { status, text } = await another.get(path)
        expect([path, status, text]).toEqual([path, 200, 'reached'])
      }
    }
  } finally {
    another.close()
    await other.close()
  }
})
