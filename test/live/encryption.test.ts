/** Encryption at rest of kinds that come after the server has read its configuration. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gadgets, otherWidgets, widget, widgets, WIDGETS } from './kinds.ts'
import { startLive, type LiveServer } from './server.ts'
import { stores, type StoreCase } from './stores.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const OTHERS = '/apis/other.org/v1/widgets'

let store: StoreCase
let dataDir: string
let live: LiveServer
beforeEach(async () => {
  store = await stores[0]!.open()
  dataDir = store.options.dataDir!
  await serve()
})
afterEach(async () => {
  await live.close()
  await store.close()
})

async function serve(): Promise<void> {
  const encryptionConfigFile = join(dataDir, 'encryption.yaml')
  await writeFile(
    encryptionConfigFile,
    `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [widgets.example.com]
  providers:
  - aesgcm: {keys: [{name: one, secret: ${KEY}}]}
  - identity: {}
`,
  )
  live = await startLive({ ...store.options, encryptionConfigFile })
}

/** Whether the files of the store have a text. */
async function has(text: string): Promise<boolean> {
  const folder = join(dataDir, 'store')
  const files = await readdir(folder)
  const bytes = await Promise.all(files.map((file) => readFile(join(folder, file))))
  return Buffer.concat(bytes).includes(text)
}

test('a late kind is stored by the provider of its resource, and read back', async () => {
  live.publish('one', widgets, gadgets)
  live.publish('two', otherWidgets)
  const spec = { color: 'secret-of-a-widget' }
  const made = await live.client.post(WIDGETS, { ...widget('a', 1), spec })
  expect(made.status).toBe(201)
  // Another group's resource of that name is another one.
  const metadata = { name: 'a', labels: { q: 'open-to-everybody' } }
  expect((await live.client.post(OTHERS, { metadata })).status).toBe(201)
  await live.close()
  expect([await has('secret-of-a-widget'), await has('open-to-everybody')]).toEqual([false, true])

  await serve()
  expect((await live.client.get(`${WIDGETS}/a`)).status).toBe(404)
  live.publish('one', widgets)
  expect((await live.client.get(`${WIDGETS}/a`)).body).toEqual(made.body)
})
