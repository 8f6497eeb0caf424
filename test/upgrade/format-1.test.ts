/** Data directories as a server of format 1 left them, moved to today's format by the program and served. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const DATA = join(import.meta.dirname, 'format-1')
const CONFIG = join(DATA, 'encryption.yaml')
const everything = { 'api/all': true }

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'format-1-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** Unpacks a data directory of the repository. */
const unpack = async (name: string) => {
  await mkdir(dataDir, { recursive: true })
  execFileSync('tar', ['xzf', join(DATA, `${name}.tar.gz`), '-C', dataDir])
}

const expectedOf = (name: string) =>
  JSON.parse(readFileSync(join(DATA, `${name}.json`), 'utf8')) as Record<string, unknown>

/** Runs the command on the directory. */
const migrate = (...flags: string[]) =>
  run('migrate', '--in-place', '--data-dir', dataDir, '--vocabulary', 'kubernetes', ...flags)

/** Runs a command of the program. */
async function run(...args: string[]) {
  const said = { out: '', err: '', code: -1 }
  await main(args, {
    version: '0',
    terminal: {
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      exit: (code) => void (said.code = code),
      onSignal: () => {},
    },
  })
  return said
}

async function readAll(server: RunningServer, expected: Readonly<Record<string, unknown>>) {
  const client = new Client(server)
  const found: Record<string, unknown> = {}
  for (const path of Object.keys(expected)) found[path] = (await client.get(path)).body
  return found
}

const start = (options: object = {}) =>
  startServer({
    dataDir,
    vocabulary: 'kubernetes',
    runtimeConfig: everything,
    controllers: false,
    // It writes the status of flow schemas.
    priorityAndFairness: false,
    ...options,
  })

const refusal = () =>
  start().then(
    async (server) => {
      await server.close()
      return 'it started'
    },
    (error: Error) => error.message,
  )

describe('a directory of format 1', () => {
  test('is refused with the way to move it, and left as it is', async () => {
    await unpack('plain')
    const before = readFileSync(join(dataDir, 'store/data.mdb'))
    expect(await refusal()).toBe(
      `data directory ${join(dataDir, 'store')} has format 1, this program reads format 2; move it with the command "migrate --in-place" (docs/store.md)`,
    )
    expect(readFileSync(join(dataDir, 'store/data.mdb')).equals(before)).toBe(true)
  })

  test('is moved: every object of every kind is served as it was', async () => {
    await unpack('plain')
    const expected = expectedOf('plain')
    expect(await migrate()).toMatchObject({ code: 0, err: '' })
    const server = await start()
    try {
      expect(await readAll(server, expected)).toEqual(expected)
    } finally {
      await server.close()
    }
    expect((await readdir(join(dataDir, 'store'))).filter((name) => /partial/.test(name))).toEqual(
      [],
    )
    expect(existsSync(join(dataDir, 'store/data.format-1.mdb'))).toBe(true)
  })

  test('keeps what its services hold: nobody else gets it', async () => {
    await unpack('plain')
    await migrate()
    const server = await start()
    try {
      const client = new Client(server)
      const path = '/api/v1/namespaces/kept/services'
      const { clusterIP } = (await client.get(`${path}/minimal`)).body.spec
      const { status, body } = await client.post(path, {
        metadata: { name: 'second' },
        spec: { clusterIP, ports: [{ port: 80 }] },
      })
      expect([status, body.message]).toEqual([
        422,
        `Service "second" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
      ])
    } finally {
      await server.close()
    }
  })

  test('that is moved twice is refused the second time', async () => {
    await unpack('plain')
    await migrate()
    expect(await migrate()).toMatchObject({
      code: 1,
      err: `orch migrate: data directory ${join(dataDir, 'store')} has format 2, this program reads format 1\n`,
    })
  })
})

test('a backup of such a directory is restored', async () => {
  const file = join(dataDir, 'plain.backup')
  await writeFile(file, gunzipSync(readFileSync(join(DATA, 'plain.backup.gz'))))
  const target = join(dataDir, 'restored')
  expect(await run('restore', '--file', file, '--data-dir', target)).toMatchObject({
    code: 0,
    err: '',
  })
  const server = await start({ dataDir: target })
  try {
    expect(await readAll(server, expectedOf('plain'))).toEqual(expectedOf('plain'))
  } finally {
    await server.close()
  }
})

describe('one with encrypted values', () => {
  test('needs their keys, and nothing changes without', async () => {
    await unpack('encrypted')
    const before = readFileSync(join(dataDir, 'store/data.mdb'))
    expect(await migrate()).toMatchObject({
      code: 1,
      err: 'orch migrate: /configmaps/kept/minimal is in no known form; if it is encrypted, name the configuration with --encryption-provider-config\n',
    })
    expect(readFileSync(join(dataDir, 'store/data.mdb')).equals(before)).toBe(true)
    expect(await readdir(join(dataDir, 'store'))).not.toContain('upgrade.partial')
  })

  test('is moved with them: values stay encrypted, and are read', async () => {
    await unpack('encrypted')
    const expected = expectedOf('encrypted')
    expect(await migrate('--encryption-provider-config', CONFIG)).toMatchObject({
      code: 0,
      err: '',
    })
    const server = await start({ encryptionConfigFile: CONFIG })
    try {
      expect(await readAll(server, expected)).toEqual(expected)
    } finally {
      await server.close()
    }
    const file = readFileSync(join(dataDir, 'store/data.mdb'))
    expect(file.includes('k8s:enc:aesgcm:v1:key1:')).toBe(true)
  })
})
