import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasEtcd, NO_ETCD, startEtcd, type Etcd } from '../../../test/store/etcd.ts'
import type { Address } from '../../base/dial.ts'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { openEtcd, type EtcdOptions } from './engine.ts'

describe.skipIf(!hasEtcd)(`a real etcd over TLS${hasEtcd ? '' : ` (${NO_ETCD})`}`, () => {
  let etcd: Etcd
  let dir: string
  const at = (name: string) => join(dir, name)
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'etcd-tls-'))
    for (const name of ['good', 'other']) {
      execFileSync(
        'openssl',
        [
          ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
          ...['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`), '-subj', `/CN=${name}`],
          ...['-addext', 'subjectAltName=IP:127.0.0.1'],
        ],
        { stdio: 'ignore' },
      )
    }
    etcd = await startEtcd({
      scheme: 'https',
      args: [
        ...['--client-cert-auth', `--trusted-ca-file=${at('good.crt')}`],
        ...[`--cert-file=${at('good.crt')}`, `--key-file=${at('good.key')}`],
      ],
    })
  })
  afterAll(async () => {
    await etcd.close()
    await rm(dir, { recursive: true, force: true })
  })

  const open = (options: Partial<EtcdOptions>, server = etcd.url) =>
    openEtcd({
      servers: [server],
      prefix: '/registry',
      dialTimeoutMs: 3_000,
      requestTimeoutMs: 2_000,
      log: silentLog,
      clock: systemClock,
      ...options,
    })
  const pair = (name: string) => ({
    cert: readFileSync(at(`${name}.crt`)),
    key: readFileSync(at(`${name}.key`)),
  })

  test('a certificate that is trusted opens it', async () => {
    const engine = await open({ ca: readFileSync(at('good.crt')), ...pair('good') })
    expect((await engine.commit([{ key: '/registry/a', value: Buffer.from('1') }])).done).toBe(true)
    await engine.close()
  })

  test('and a connection that something else opens', async () => {
    const seen: Address[] = []
    const dial = (address: Address) => {
      seen.push(address)
      return Promise.resolve(connect(Number(new URL(etcd.url).port), '127.0.0.1'))
    }
    const trust = { ca: readFileSync(at('good.crt')), ...pair('good') }
    const engine = await open({ ...trust, dial }, 'https://127.0.0.1:1')
    expect((await engine.commit([{ key: '/registry/b', value: Buffer.from('1') }])).done).toBe(true)
    await engine.close()
    expect(seen[0]).toEqual({ host: '127.0.0.1', port: 1 })
    const refused = open({
      ...{ dial: () => Promise.reject(new Error('the proxy is closed')) },
      ...{ dialTimeoutMs: 300, requestTimeoutMs: 200 },
    })
    await expect(refused).rejects.toThrow('cannot be reached: the proxy is closed')
  })

  test('more concurrent requests than the server accepts, some of them large, all succeed', async () => {
    const engine = await open({
      ...{ ca: readFileSync(at('good.crt')), ...pair('good') },
      requestTimeoutMs: 30_000,
    })
    const sizes = Array.from({ length: 400 }, (_, i) => (i % 100 === 0 ? 1_000_000 : i * 50))
    const values = sizes.map((size, i) => Buffer.alloc(size, `${i} `))
    const from = engine.revision()
    const commits = await Promise.all(
      values.map((value, i) => engine.commit([{ key: `/registry/many/${i}`, value }])),
    )
    expect(commits.every(({ done }) => done)).toBe(true)
    const read = await Promise.all(values.map((_, i) => engine.get(`/registry/many/${i}`)))
    expect(read.map((item, i) => item && values[i]!.equals(item.value))).toEqual(
      values.map(() => true),
    )
    const told = new Map<string, Uint8Array>()
    for await (const events of engine.changes('/registry/many/', from, engine.revision()))
      for (const { key, value } of events) told.set(key, value ?? Buffer.alloc(0))
    expect(values.map((value, i) => value.equals(told.get(`/registry/many/${i}`)!))).toEqual(
      values.map(() => true),
    )
    await engine.close()
  })

  test.each([
    {
      title: 'a server that nobody vouches for',
      options: () => ({ ca: readFileSync(at('other.crt')), ...pair('good'), dialTimeoutMs: 400 }),
      want: /cannot be reached: .*self-signed certificate/,
    },
    {
      title: 'a client without a certificate',
      options: () => ({ ca: readFileSync(at('good.crt')), dialTimeoutMs: 400 }),
      want: /^etcd at https:\S+ (cannot|did not)/,
    },
  ])('$title is told of', async ({ options, want }) => {
    await expect(open(options())).rejects.toThrow(want)
  })
})
