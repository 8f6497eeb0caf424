/** Encryption at rest through the whole server: what is in the files, and how keys are changed. */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { startServer } from '../../src/index.ts'
import { openLmdb } from '../../src/engine/lmdb/engine.ts'
import { Client, type Reply } from '../client.ts'

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
- resources: [secrets, pods]
  providers:
${providers.join('\n')}
`,
  )
  const server = await startServer({
    disableAdmissionPlugins: CHANGING_PLUGINS,
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

test('values that are encrypted and decrypted are counted, by provider', async () => {
  const providers = [provider('aescbc', 1), IDENTITY]
  await serving('counted', providers, made)
  const { text } = await serving('counted', providers, async (client) => {
    await client.get(SECRETS)
    return client.ask('GET', '/metrics')
  })
  const labels =
    'status="OK",transformation_type="from_storage",transformer_prefix="orch:enc:aescbc:v1:"'
  const name = 'apiserver_storage_transformation'
  const [, values] = /_operations_total\{([^}]*)\} [1-9]\d*$/m.exec(text.slice(text.indexOf(name)))!
  expect(values).toBe(labels)
  expect(text).toMatch(
    new RegExp(`^${name}_duration_seconds_count{transformation_type="from_storage"} [1-9]`, 'm'),
  )
})

const made = (client: Client) =>
  client.post(SECRETS, { metadata: { name: 'a', labels: { q: LABEL } }, data: { x: TEXT } })

interface Named {
  readonly metadata: { readonly name: string }
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.orch.io'

const exact = (at: string) => `${SECRETS}?resourceVersion=${at}&resourceVersionMatch=Exact`

/** Applies an object of the kind that the path tells, as one manager. */
function apply(client: Client, at: string, object: object): Promise<Reply> {
  const [kind, name] = at.includes('/pods/')
    ? ['Pod', at.split('/pods/')[1]!.split('/')[0]!]
    : ['Secret', at.split('/').at(-1)!]
  const body = { apiVersion: 'v1', kind, ...object, metadata: { name } }
  return client.ask('PATCH', `${at}?fieldManager=test`, {
    body,
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })
}

/** What the values under a prefix start with in a store that no server has. */
async function stored(folder: string, prefix: string): Promise<ReadonlyMap<string, string>> {
  const dir = join(home, folder, 'store')
  const engine = await openLmdb({ dir, clock: systemClock, format: { vocabulary: 'orch' } })
  const { items } = await engine.range(prefix)
  await engine.close()
  return new Map(
    items.map(({ key, value }) => [
      key,
      Buffer.from(value).toString('latin1').split(':', 5).slice(0, 5).join(':').concat(':'),
    ]),
  )
}

async function command(args: readonly string[]) {
  const said = { code: -1, stderr: '' }
  await main([...args], {
    version: '1',
    terminal: {
      out: () => {},
      err: (text) => void (said.stderr += text),
      onSignal: () => {},
      exit: (code) => void (said.code = code),
    },
  })
  return said
}

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

describe('objects whose key is lost', () => {
  const ALL = '/api/v1/secrets'
  const OTHER = '/api/v1/namespaces/other/secrets'
  const WHY = 'no matching key was found for the provided AES transformer'
  const one = `Internal error occurred: ${WHY}`
  const many = `Internal error occurred: unable to transform key "/registry/core/secrets/default/lost": ${WHY}`
  const secret = (name: string) => ({ metadata: { name }, stringData: { x: name } })

  test('only they, and lists with them, cannot be read; nothing of them is lost', async () => {
    await serving('lost', [provider('aesgcm', 1)], async (client) => {
      const made = [
        await client.post(SECRETS, secret('lost')),
        await client.post('/api/v1/namespaces', { metadata: { name: 'other' } }),
      ]
      expect(made.map(({ status }) => status)).toEqual([201, 201])
    })
    await serving('lost', [provider('aesgcm', 2)], async (client) => {
      const from = (await client.get(OTHER)).body.metadata.resourceVersion as string
      const watches = await Promise.all(
        [SECRETS, OTHER, ALL].map((path) =>
          client.watch(`${path}?watch=1&resourceVersion=${from}&timeoutSeconds=30`),
        ),
      )
      const at = `${SECRETS}/lost`
      const metadata = { resourceVersion: '', labels: { a: 'b' } }
      for (const [title, ask, status, message] of [
        ['create beside it', () => client.post(SECRETS, secret('kept')), 201],
        ['create elsewhere', () => client.post(OTHER, secret('far')), 201],
        ['get', () => client.get(at), 500, one],
        ['get of any version', () => client.get(`${at}?resourceVersion=0`), 500, one],
        ['as a table', () => client.get(at, { headers: { accept: TABLE } }), 500, one],
        ['update', () => client.put(at, { ...secret('lost'), type: 'Opaque' }), 500, one],
        ['patch', () => client.merge(at, { metadata }), 500, one],
        ['apply', () => apply(client, at, secret('lost')), 500, one],
        ['delete', () => client.delete(at), 500, one],
        ['create over it', () => client.post(SECRETS, secret('lost')), 409],
        ['list', () => client.get(SECRETS), 500, many],
        ['list everywhere', () => client.get(ALL), 500, many],
        ['list by label', () => client.get(`${SECRETS}?labelSelector=a%3Db`), 500, many],
        ['list of an exact version', () => client.get(exact(from)), 500, many],
        [
          'list of it alone',
          () => client.get(`${SECRETS}?fieldSelector=metadata.name%3Dlost`),
          500,
          many,
        ],
        ['list of another', () => client.get(`${SECRETS}?fieldSelector=metadata.name%3Dkept`), 200],
        ['a chunk before it', () => client.get(`${SECRETS}?limit=1`), 200],
        ['list elsewhere', () => client.get(OTHER), 200],
        ['delete all', () => client.delete(SECRETS), 500, many],
        ['get beside it', () => client.get(`${SECRETS}/kept`), 200],
        ['update beside it', () => client.put(`${SECRETS}/kept`, secret('kept')), 200],
        ['ready', () => client.get('/readyz'), 200],
      ] as const) {
        const answer: Reply = await ask()
        const { reason, message: found } = (answer.body ?? {}) as Record<string, unknown>
        const told = message === undefined ? {} : { reason, found }
        expect([title, { status: answer.status, ...told }]).toEqual([
          title,
          { status, ...(message === undefined ? {} : { reason: 'InternalError', found: message }) },
        ])
        expect(answer.text.includes(key(1)) || answer.text.includes(key(2))).toBe(false)
      }
      const [here, there, everywhere] = watches
      expect([
        await here!.names(1),
        await there!.names(1),
        (await everywhere!.names(2)).toSorted(),
      ]).toEqual([['ADDED kept'], ['ADDED far'], ['ADDED far', 'ADDED kept']])
      for (const watch of watches) watch.close()
      // A watch that begins with what is there ends with what is wrong.
      const whole = await client.watch(`${SECRETS}?watch=1`)
      const event = await whole.next()
      expect([event?.type, event?.object.message, event?.object.code]).toEqual(['ERROR', many, 500])
      expect(await whole.next()).toBe(null)
    })
    // With no configuration at all, the same: of the first object that was encrypted.
    const server = await startServer({ dataDir: join(home, 'lost'), controllers: false })
    const client = new Client(server)
    expect((await client.get(`${SECRETS}/lost`)).body).toMatchObject({ code: 500 })
    expect((await client.get('/api/v1/namespaces')).status).toBe(200)
    client.close()
    await server.close()
    await serving('lost', [provider('aesgcm', 2), provider('aesgcm', 1)], async (client) => {
      const { body } = await client.get(ALL)
      expect(body.items.map((item: Named) => item.metadata.name)).toEqual(['kept', 'lost', 'far'])
      expect((await client.delete(`${SECRETS}/lost`)).status).toBe(200)
    })
  })
})

describe('every way to write an object as it is stores it anew under the first key', () => {
  const PODS = '/api/v1/namespaces/default/pods'
  const spec = { containers: [{ name: 'c', image: 'i' }] }
  const ways: Record<string, (client: Client, at: string) => Promise<Reply>> = {
    replace: async (client, at) => client.put(at, (await client.get(at)).body),
    'replace without a version': async (client, at) => {
      const { body } = await client.get(at)
      delete body.metadata.resourceVersion
      return client.put(at, body)
    },
    'merge patch': (client, at) => client.merge(at, {}),
    'JSON patch': (client, at) => client.json(at, []),
    'strategic merge patch': (client, at) =>
      client.merge(
        at,
        {},
        { headers: { 'content-type': 'application/strategic-merge-patch+json' } },
      ),
    apply: (client, at) => apply(client, at, { spec }),
    'replace of the status': async (client, at) =>
      client.put(`${at}/status`, (await client.get(at)).body),
    'merge patch of the status': (client, at) => client.merge(`${at}/status`, {}),
    'apply of the status': (client, at) => apply(client, `${at}/status`, {}),
  }
  const names = Object.keys(ways).map((_, i) => `p${i}`)
  let before: ReadonlyMap<string, string>
  let after: ReadonlyMap<string, string>

  beforeAll(async () => {
    await serving('ways', [provider('aescbc', 1)], async (client) => {
      for (const name of names) {
        const at = `${PODS}/${name}`
        expect((await apply(client, at, { spec })).status).toBe(201)
        expect((await apply(client, `${at}/status`, {})).status).toBe(200)
      }
    })
    before = await stored('ways', '/registry/core/pods/default/')
    await serving('ways', [provider('aesgcm', 2), provider('aescbc', 1)], async (client) => {
      for (const [i, way] of Object.values(ways).entries()) {
        const at = `${PODS}/${names[i]!}`
        const { body: old } = await client.get(at)
        // Asked for in vain, a write that is none for good must stay none.
        expect((await client.merge(`${at}?dryRun=All`, {})).status).toBe(200)
        expect((await client.get(at)).body.metadata.resourceVersion).toBe(
          old.metadata.resourceVersion,
        )
        const { body, status } = await way(client, at)
        expect([names[i], status, body.metadata.generation]).toEqual([
          names[i],
          200,
          old.metadata.generation,
        ])
        const again = await way(client, at)
        expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
      }
    })
    after = await stored('ways', '/registry/core/pods/default/')
  })

  test.each(Object.keys(ways).map((name, i) => [name, names[i]!]))('%s', (_, name) => {
    const key = `/registry/core/pods/default/${name}`
    expect([before.get(key), after.get(key)]).toEqual([
      'orch:enc:aescbc:v1:k1:',
      'orch:enc:aesgcm:v1:k2:',
    ])
  })
})

test('a backup and a restore leave behind what was stored in the open, and need the same keys', async () => {
  await serving('open', [IDENTITY], async (client) => {
    expect((await made(client)).status).toBe(201)
  })
  await serving('open', [provider('aesgcm', 1), IDENTITY], async (client) => {
    expect(await rewritten(client)).toBe(true)
  })
  expect((await raw('open')).includes(TEXT)).toBe(true)
  const file = join(home, 'open.backup')
  for (const args of [
    ['backup', '--data-dir', join(home, 'open'), '--file', file],
    ['restore', '--data-dir', join(home, 'closed'), '--file', file],
  ])
    expect(await command(args)).toEqual({ code: 0, stderr: '' })
  const bytes = Buffer.concat([await raw('closed'), await readFile(file)])
  expect([bytes.includes(TEXT), bytes.includes(LABEL)]).toEqual([false, false])
  await serving('closed', [provider('aesgcm', 2)], async (client) => {
    expect((await client.get(`${SECRETS}/a`)).status).toBe(500)
  })
  await serving('closed', [provider('aesgcm', 1)], async (client) => {
    expect((await client.get(`${SECRETS}/a`)).body.data).toEqual({ x: TEXT })
  })
})
