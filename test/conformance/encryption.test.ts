/** Encryption at rest through the whole server: what is in the files, and how keys are changed. */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const SECRETS = '/api/v1/namespaces/default/secrets'
const TEXT = 'cGxhaW50ZXh0LW9mLXNlY3JldA=='
const LABEL = 'label-nobody-may-read'
const key = (n: number) => Buffer.alloc(32, n).toString('base64')
const provider = (kind: string, n: number) =>
  `  - ${kind}: {keys: [{name: k${n}, secret: ${key(n)}}]}`
const IDENTITY = '  - identity: {}'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'encryption-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** Runs a server over the folder with these providers, the first of which writes. */
async function serving<T>(
  folder: string,
  providers: readonly string[],
  act: (client: Client) => Promise<T>,
): Promise<T> {
  const file = join(home, `${folder}.yaml`)
  await writeFile(
    file,
    `apiVersion: apiserver.config.orch.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
${providers.join('\n')}
`,
  )
  const server = await startServer({
    dataDir: join(home, folder),
    encryptionConfigFile: file,
    controllers: false,
  })
  const client = new Client(server)
  try {
    return await act(client)
  } finally {
    client.close()
    await server.close()
  }
}

async function raw(folder: string): Promise<Buffer> {
  const store = join(home, folder, 'store')
  const files = await readdir(store)
  return Buffer.concat(await Promise.all(files.map((file) => readFile(join(store, file)))))
}

const made = (client: Client) =>
  client.post(SECRETS, { metadata: { name: 'a', labels: { q: LABEL } }, data: { x: TEXT } })

/** Writes the object as it is; whether that moved its version. */
async function rewritten(client: Client): Promise<boolean> {
  const { body } = await client.get(`${SECRETS}/a`)
  const again = await client.put(`${SECRETS}/a`, body)
  expect(again.status).toBe(200)
  return again.body.metadata.resourceVersion !== body.metadata.resourceVersion
}

describe.each(['aescbc', 'aesgcm', 'secretbox'])('%s', (kind) => {
  test('nothing of an encrypted object is in the files, and it is read back', async () => {
    await serving(kind, [provider(kind, 1), IDENTITY], async (client) => {
      expect((await made(client)).status).toBe(201)
    })
    const bytes = await raw(kind)
    expect([bytes.includes(TEXT), bytes.includes(LABEL)]).toEqual([false, false])
    await serving(kind, [provider(kind, 1)], async (client) => {
      const { body } = await client.get(`${SECRETS}?labelSelector=q%3D${LABEL}`)
      expect(body.items.map((item: { data: object }) => item.data)).toEqual([{ x: TEXT }])
    })
  })

  test('a write under a new first key writes anew once, and then the old key may go', async () => {
    await serving(kind, [provider(kind, 2), provider(kind, 1)], async (client) => {
      expect([await rewritten(client), await rewritten(client)]).toEqual([true, false])
    })
    await serving(kind, [provider(kind, 2)], async (client) => {
      expect((await client.get(`${SECRETS}/a`)).body.data).toEqual({ x: TEXT })
    })
  })

  test('without its key an object cannot be read, and the answer tells no secret', async () => {
    await serving(kind, [provider(kind, 3)], async (client) => {
      const { status, body, text } = await client.get(`${SECRETS}/a`)
      expect([status, body.reason]).toEqual([500, 'InternalError'])
      expect([text.includes(key(2)), text.includes(key(3)), text.includes(TEXT)]).toEqual([
        false,
        false,
        false,
      ])
    })
  })
})

test('a configuration that makes no sense stops the start', async () => {
  await expect(
    serving('bad', ['  - aescbc: {keys: [{name: k, secret: c2hvcnQ=}]}'], async () => {}),
  ).rejects.toThrow(/resources\[0\]\.providers\[0\]\.aescbc\.keys\[0\]\.secret/)
})
