/** Servers over one etcd have one authority and one key for tokens. */
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog, type Log } from '../../src/base/log.ts'
import { AUTHORITIES_KEY } from '../../src/server/bootstrap/authorities.ts'
import { startServer } from '../../src/index.ts'
import { openEtcd } from '../../src/engine/etcd/engine.ts'
import { hasEtcd, NO_ETCD } from '../store/etcd.ts'
import { startServers, type Servers } from './servers.ts'

const COMMON = ['ca.crt', 'ca.key', 'sa.key', 'sa.pub']
const OWN = ['admin.crt', 'admin.key', 'apiserver.crt', 'apiserver.key']

describe.skipIf(!hasEtcd)(`common keys${hasEtcd ? '' : `: ${NO_ETCD}`}`, () => {
  let servers: Servers
  beforeAll(async () => {
    servers = await startServers()
  })
  afterAll(() => servers.close())

  const pki = (name: string) => join(servers.dir, name, 'pki')
  const files = async (name: string, of: readonly string[]) =>
    Object.fromEntries(
      await Promise.all(
        of.map(async (file) => [file, await readFile(join(pki(name), file), 'utf8')] as const),
      ),
    )
  /** What stands in etcd under the prefix, as the store's bytes. */
  const stored = async (prefix = '/registry', value?: Buffer | null) => {
    const engine = await openEtcd({
      servers: [servers.etcd.url],
      prefix,
      clock: systemClock,
      log: silentLog,
      dialTimeoutMs: 20_000,
      requestTimeoutMs: 10_000,
    })
    try {
      if (value !== undefined) await engine.commit([{ key: AUTHORITIES_KEY, value }])
      return Buffer.from((await engine.get(AUTHORITIES_KEY))?.value ?? '').toString('latin1')
    } finally {
      await engine.close()
    }
  }

  test('first starts at once agree, and each has certificates of its own', async () => {
    const names = ['a', 'b', 'c']
    const place = { etcd: { servers: [servers.etcd.url], prefix: '/race' } }
    const lines: string[] = []
    const write = (text: string, fields = {}) =>
      void lines.push(`${text} ${JSON.stringify(fields)}`)
    const log: Log = {
      ...silentLog,
      error: write,
      warn: write,
      info: write,
      debug: (_, text, fields) => write(text, fields),
      child: () => log,
    }
    const running = await Promise.all(
      names.map((name, i) =>
        servers.start(name, { ...place, log, bindAddress: `127.0.0.${i + 1}` }),
      ),
    )
    const [first, ...others] = await Promise.all(names.map((name) => files(name, COMMON)))
    expect(others).toEqual([first, first])
    const own = await Promise.all(names.map((name) => files(name, OWN)))
    for (const file of OWN) expect(new Set(own.map((one) => one[file])).size).toBe(3)
    const covered = own.map((one, i) =>
      new X509Certificate(one['apiserver.crt']!).checkIP(`127.0.0.${i + 1}`),
    )
    expect(covered).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.3'])
    // The administrator of each is that of all.
    for (const { kubeconfig } of running) {
      const answers = running.map(({ url, ca }) =>
        servers.client({ ...running[0]!, url, ca, kubeconfig }).get('/api/v1/namespaces/default'),
      )
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
    }
    const secrets = await Promise.all(names.map((name) => files(name, ['ca.key', 'sa.key'])))
    const bodies = secrets.flatMap((one) => Object.values(one).map((pem) => pem.split('\n')[1]!))
    expect(lines.filter((line) => bodies.some((body) => line.includes(body)))).toEqual([])
  })

  test('a token that one gives out is good at the other', async () => {
    const one = servers.client(await servers.start('one'))
    const two = await servers.start('two')
    const order = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    await one.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
    const { body } = await one.post('/api/v1/namespaces/default/serviceaccounts/robot/token', {
      ...order,
      apiVersion: 'authentication.orch.io/v1',
    })
    const robot = servers.client(two, { token: body.status.token })
    expect((await robot.get('/api')).status).toBe(200)
    expect((await robot.get('/api/v1/secrets')).body.message).toBe(
      'secrets is forbidden: User "system:serviceaccount:default:robot" cannot list resource "secrets" in API group "" at the cluster scope',
    )
  })

  test('no request reaches them', async () => {
    const server = await servers.start('reach')
    const client = servers.client(server)
    for (const path of ['/authorities', '/api/v1/authorities', '/apis/authorities/cluster'])
      expect((await client.get(path)).status).toBe(404)
    await client.delete('/api/v1/namespaces/default/secrets')
    expect(await stored()).toContain('PRIVATE KEY')
  })

  test('without a data directory they are taken too', async () => {
    const one = await servers.start('dir')
    const { etcd } = servers
    const server = await startServer({ etcd: { servers: [etcd.url], prefix: '/registry' } })
    expect(server.ca).toBe(one.ca)
    await server.close()
  })

  test('what a data directory had before is published', async () => {
    const old = await startServer({ dataDir: join(servers.dir, 'before') })
    await old.close()
    await rm(join(servers.dir, 'before', 'store'), { recursive: true })
    const place = { etcd: { servers: [servers.etcd.url], prefix: '/before' } }
    const [kept, joining] = [
      await servers.start('before', place),
      await servers.start('later', place),
    ]
    expect([kept.ca, joining.ca]).toEqual([old.ca, old.ca])
  })

  test('two that differ: refused, with both ways out', async () => {
    await servers.start('ours')
    const other = await startServer({ dataDir: join(servers.dir, 'theirs') })
    await other.close()
    const theirs = await files('theirs', [...COMMON, ...OWN])
    await expect(servers.start('theirs')).rejects.toThrow(
      `${join(pki('theirs'), 'ca.crt')} is not the certificate authority of the cluster, which is kept as the key /registry/servers/authorities/cluster in etcd; move ${pki('theirs')} away for this server to take what the cluster has, or, for the cluster to take what this server has, stop all its servers, move their other pki folders away and delete that key`,
    )
    expect(await files('theirs', [...COMMON, ...OWN])).toEqual(theirs)
    // Not shared, anybody's will do.
    const apart = await servers.start('theirs', { shareAuthorities: false })
    expect(apart.ca).toBe(other.ca)
    await apart.close()
    // The one way.
    await rename(pki('theirs'), `${pki('theirs')}.away`)
    const taken = await servers.start('theirs')
    expect(await files('theirs', COMMON)).toEqual(await files('ours', COMMON))
    await taken.close()
    // The other.
    await rm(pki('theirs'), { recursive: true })
    await rename(`${pki('theirs')}.away`, pki('theirs'))
    await cp(pki('theirs'), pki('their-other'), { recursive: true })
    await stored('/registry', null)
    expect((await servers.start('theirs')).ca).toBe(other.ca)
    expect((await servers.start('their-other')).ca).toBe(other.ca)
  })

  test('keys for tokens that differ are refused too', async () => {
    const place = { etcd: { servers: [servers.etcd.url], prefix: '/tokens' } }
    await servers.start('token-a', place)
    const other = await startServer({ dataDir: join(servers.dir, 'token-b') })
    await other.close()
    await cp(join(pki('token-a'), 'ca.crt'), join(pki('token-b'), 'ca.crt'))
    await cp(join(pki('token-a'), 'ca.key'), join(pki('token-b'), 'ca.key'))
    await expect(servers.start('token-b', place)).rejects.toThrow(
      /sa\.key is not the key for tokens of service accounts of the cluster/,
    )
  })

  test('they are encrypted with what secrets are encrypted with', async () => {
    const place = { etcd: { servers: [servers.etcd.url], prefix: '/sealed' } }
    const first = await servers.start('plain', place)
    expect(await stored('/sealed')).toContain('PRIVATE KEY')
    const encryptionConfigFile = join(servers.dir, 'encryption.yaml')
    const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64')
    const config = (...keys: readonly string[]) =>
      writeFile(
        encryptionConfigFile,
        [
          'apiVersion: apiserver.config.orch.io/v1',
          'kind: EncryptionConfiguration',
          'resources:',
          '- resources: [secrets]',
          '  providers:',
          '  - aesgcm:',
          '      keys:',
          ...keys.map((key) => `      - {name: ${key}, secret: ${secret(key.charCodeAt(1))}}`),
          '  - identity: {}',
        ].join('\n'),
      )
    await config('k1')
    const server = await servers.start('sealed', { ...place, encryptionConfigFile })
    expect(server.ca).toBe(first.ca)
    expect(await stored('/sealed')).toMatch(/^orch:enc:aesgcm:v1:k1:/)
    // A newer key takes over, and the older is not needed any more.
    await config('k2', 'k1')
    await servers.start('rotated', { ...place, encryptionConfigFile })
    expect(await stored('/sealed')).toMatch(/^orch:enc:aesgcm:v1:k2:/)
  })

  test('keys of files win, and are not published', async () => {
    const place = { etcd: { servers: [servers.etcd.url], prefix: '/files' } }
    const signingKeyFile = join(servers.dir, 'signing.key')
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    await writeFile(signingKeyFile, privateKey)
    const authentication = { serviceAccounts: { signingKeyFile } }
    const server = await servers.start('files', { ...place, authentication })
    const text = await stored('/files')
    expect(text).not.toContain(privateKey.split('\n')[1])
    const { body } = await servers.client(server).get('/openid/v1/jwks')
    const { x, y } = createPublicKey(privateKey).export({ format: 'jwk' })
    expect(body.keys.map((key: { x: string; y: string }) => [key.x, key.y])).toEqual([[x, y]])
  })

  test('a store that comes from etcd brings them along', async () => {
    const dataDir = join(servers.dir, 'moved')
    const first = await servers.start('stays', {
      etcd: { servers: [servers.etcd.url], prefix: '/move' },
    })
    await first.close()
    const { main } = await import('../../src/cli/main.ts')
    const said: string[] = []
    const terminal = {
      out: (text: string) => void said.push(text),
      err: (text: string) => void said.push(text),
      onSignal: () => {},
      exit: () => {},
    }
    const args = ['migrate', '--to=lmdb', `--data-dir=${dataDir}`]
    const etcd = [`--etcd-servers=${servers.etcd.url}`, '--etcd-prefix=/move']
    await main([...args, ...etcd], { version: '1', terminal: terminal })
    expect(said.join('')).toMatch(/^copied \d+ objects with their versions to /)
    const server = await startServer({ dataDir })
    expect(server.ca).toBe(first.ca)
    await server.close()
    expect((await readdir(pki('moved'))).sort()).toEqual([...OWN, ...COMMON].sort())
    expect(await files('moved', COMMON)).toEqual(await files('stays', COMMON))
  })
})
