// The webhook behind a server of its own. Run by node:test; the certificate is made by openssl.
import { startServer } from 'orch'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { webhookServer } from './webhook.mjs'

const dir = mkdtempSync(join(tmpdir(), 'webhook-'))
const MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const CONFIGURATIONS = {
  group: 'admissionregistration.orch.io',
  version: 'v1',
  resource: 'mutatingwebhookconfigurations',
}

/** A certificate for this machine that is its own authority. */
function certificate() {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(dir, name))
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert]
  const names = ['-subj', '/CN=webhook', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', ...made, ...names], { stdio: 'pipe' })
  return { key: readFileSync(key), cert: readFileSync(cert) }
}

let server
let webhook
let maps
before(async () => {
  const tls = certificate()
  webhook = webhookServer(tls)
  webhook.listen(0, '127.0.0.1')
  await once(webhook, 'listening')
  server = await startServer()
  const client = await server.client({ user: { name: 'ada', groups: ['system:masters'] } })
  maps = client.resource(MAPS).in('default')
  await client.resource(CONFIGURATIONS).create({
    metadata: { name: 'config-maps' },
    webhooks: [
      {
        name: 'config-maps.example.com',
        clientConfig: {
          url: `https://127.0.0.1:${webhook.address().port}/`,
          caBundle: tls.cert.toString('base64'),
        },
        rules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['configmaps'],
          },
        ],
        namespaceSelector: {
          matchExpressions: [
            {
              key: 'orch.io/metadata.name',
              operator: 'NotIn',
              values: ['orch-system'],
            },
          ],
        },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 5,
      },
    ],
  })
})
after(async () => {
  await server.close()
  webhook.close()
  webhook.closeAllConnections()
  rmSync(dir, { recursive: true, force: true })
})

test('a config map gets the label of its writer', async () => {
  const made = await maps.create({ metadata: { name: 'greeting' }, data: { text: 'hello' } })
  assert.deepEqual(made.metadata.labels, { writer: 'ada' })
})

test('a config map without data is refused', async () => {
  await assert.rejects(maps.create({ metadata: { name: 'empty' } }), {
    code: 403,
    message:
      'admission webhook "config-maps.example.com" denied the request: a config map needs data',
  })
})
