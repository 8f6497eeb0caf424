/** docs/admission.md is true: its plugin runs as it stands, configured by its file, and its table is what there is. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admissionPlugins } from '../../src/admission/index.ts'
import { refusalOf, startServer, type PluginFactory, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

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

test('the table names every plugin that is built', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| (on|off) \|/gm)]
  expect(rows.map(([, name, isOn]) => [name, isOn === 'on'])).toEqual(
    admissionPlugins.map(({ name, defaultOn }) => [name, defaultOn]),
  )
})
