/** A stock kubectl approves and denies certificate requests. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { certificateRequest, signingRequest } from '../certificate-request.ts'
import { Client } from '../client.ts'
import { openssl } from '../openssl.ts'
import { Kubectl } from './kubectl.ts'

let server: RunningServer
let kubectl: Kubectl
beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes' })
  await server.settled()
  kubectl = await Kubectl.for(server.kubeconfig)
})
afterAll(async () => {
  await kubectl.close()
  await server.close()
})

test('kubectl certificate approve and deny', async () => {
  const made = await certificateRequest({ subject: '/O=team/CN=jane' })
  const spec = { signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] }
  for (const name of ['jane', 'eve']) {
    const object = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      ...signingRequest(name, made, spec),
    }
    const file = join(kubectl.home, `${name}.json`)
    await writeFile(file, JSON.stringify(object))
    await kubectl.ok('create', '-f', file)
  }
  await kubectl.ok('certificate', 'approve', 'jane')
  await kubectl.ok('certificate', 'deny', 'eve')
  await server.settled()
  const conditions = (await kubectl.ok('get', 'csr', '--no-headers'))
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/))
  expect(conditions.map((cells) => [cells[0], cells.at(-1)])).toEqual([
    ['eve', 'Denied'],
    ['jane', 'Approved,Issued'],
  ])
  const base64 = await kubectl.ok('get', 'csr', 'jane', '-o', 'jsonpath={.status.certificate}')
  const cert = Buffer.from(base64, 'base64').toString('utf8')
  expect(await openssl(['verify', '-CAfile', '{ca}', '{cert}'], { ca: server.ca, cert })).toMatch(
    /: OK\n$/,
  )
  const jane = new Client(server, { certificate: { cert, key: made.key } })
  const { status, body } = await jane.get('/api/v1/namespaces')
  expect([status, body.message]).toEqual([
    403,
    'namespaces is forbidden: User "jane" cannot list resource "namespaces" in API group "" at the cluster scope',
  ])
  jane.close()
})
