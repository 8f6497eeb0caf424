/** docs/admission.md is true: its plugin runs as it stands, configured by its file, and its table is what there is. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admissionPlugins } from '../../src/admission/index.ts'
import { refusalOf, startServer, type PluginFactory, type RunningServer } from '../../src/index.ts'
import { parseYaml } from '../../src/codec/yaml.ts'
import { issue } from '../../src/pki/issue.ts'
import { Client } from '../client.ts'
import { freePort, isListening } from '../ports.ts'

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'admission.md'), 'utf8')
const block = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE)?.[1] ?? ''
const MAPS = '/api/v1/namespaces/default/configmaps'

const dir = mkdtempSync(join(tmpdir(), 'admission-page-'))
let server: RunningServer
let client: Client
beforeAll(async () => {
  const code = block('js')
  const start = code.indexOf('const limits')
  const end = code.indexOf('const server')
  // oxlint-disable-next-line typescript/no-implied-eval -- the page is ours
  const made = new Function('refusalOf', `${code.slice(start, end)}; return limits`) as (
    refuse: typeof refusalOf,
  ) => PluginFactory
  const config = join(dir, 'admission.yaml')
  writeFileSync(
    config,
    block('yaml')
      .replace(/ {2}- name: Labels[^]*/, '')
      .replace('100', '1'),
  )
  server = await startServer({ admission: [made(refusalOf)], admissionConfigFile: config })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
  rmSync(dir, { recursive: true, force: true })
})

test('the plugin of the page changes, warns and refuses', async () => {
  const made = await client.post(MAPS, { metadata: { name: 'one' }, data: { a: '1' } })
  expect([made.status, made.headers['warning'], made.body.metadata.labels]).toEqual([
    201,
    '299 - "config maps are counted"',
    { checked: 'yes' },
  ])
  const refused = await client.post(MAPS, { metadata: { name: 'two' }, data: { a: '1', b: '2' } })
  expect(refused.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'configmaps "two" is forbidden: 2 entries, at most 1',
    reason: 'Forbidden',
    details: { name: 'two', kind: 'configmaps' },
    code: 403,
  })
})

test('the webhook of the page decides', async () => {
  const times = { notBeforeMs: Date.now() - 3_600_000, notAfterMs: Date.now() + 3_600_000 }
  const subject = { commonName: 'webhook' }
  const { cert, key } = issue({ ...times, subject, use: 'server', hosts: ['127.0.0.1'] })
  writeFileSync(join(dir, 'cert.pem'), cert)
  writeFileSync(join(dir, 'key.pem'), key)
  const port = await freePort()
  const code = block('javascript').replace('8443', String(port))
  const webhook = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: dir,
    env: {},
    stdio: 'inherit',
  })
  const [page] = [...PAGE.matchAll(/^```yaml\n(apiVersion: admissionreg[\s\S]*?)^```$/gm)]
  const configuration = (await parseYaml(page![1]!)) as { webhooks: { clientConfig: object }[] }
  configuration.webhooks[0]!.clientConfig = {
    url: `https://127.0.0.1:${port}/`,
    caBundle: Buffer.from(cert).toString('base64'),
  }
  while (!(await isListening(port))) await new Promise((resolve) => setTimeout(resolve, 20))
  const path = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations'
  expect((await client.post(path, configuration)).status).toBe(201)
  const denied =
    'admission webhook "config-maps.example.com" denied the request without explanation'
  const { status, body } = await client.post(MAPS, { metadata: { name: 'empty' } })
  expect([status, body.message]).toEqual([403, denied])
  const full = { metadata: { name: 'full' }, data: { a: '1' } }
  expect((await client.post(MAPS, full)).status).toBe(201)
  await client.delete(path)
  webhook.kill()
})

test('the table names every plugin that is built', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| (on|off) \|/gm)]
  expect(rows.map(([, name, isOn]) => [name, isOn === 'on'])).toEqual(
    admissionPlugins.map(({ name, defaultOn }) => [name, defaultOn]),
  )
})
