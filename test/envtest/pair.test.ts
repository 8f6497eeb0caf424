/** The built programs, started and stopped as the Go test environment does. Skipped where nothing is built. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../ports.ts'
import { hasEtcd, NO_ETCD, startEtcd } from '../store/etcd.ts'
import { Environment, isBuilt, makeAssets } from './environment.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

describe.skipIf(!isBuilt)('a control plane of built programs', () => {
  let assets = ''
  let env: Environment | null = null
  beforeAll(async () => void (assets = await makeAssets()))
  afterEach(async () => {
    await env?.close()
    env = null
  })
  afterAll(() => rm(assets, { recursive: true, force: true }))

  const prepared = async (
    variables: Record<string, string> = {},
    etcdPort: number | null = null,
  ): Promise<Environment> => {
    const ports = { port: await freePort(), etcdPort: etcdPort ?? (await freePort()) }
    return (env = await new Environment(assets, ports, variables).prepare())
  }

  test('knows the flags that the help is asked for, and no port without TLS', () => {
    const help = (program: string) =>
      execFileSync(join(assets, program), ['--help'], { encoding: 'utf8' })
    const line = (flag: string) => new RegExp(`^\\s*--${flag}\\b`, 'm')
    expect(help('etcd')).toMatch(line('unsafe-no-fsync'))
    const apiserver = help('kube-apiserver')
    expect(apiserver).not.toMatch(line('insecure-port'))
    for (const flag of ['cert-dir', 'etcd-servers', 'kubelet-timeout', 'max-requests-inflight'])
      expect(apiserver).toMatch(line(flag))
  })

  test('objects outlive the server, also one that is killed', async () => {
    const plane = await prepared()
    await plane.startEtcd()
    await plane.startApiserver(['--apiserver-count=1', '--storage-backend', 'etcd3'])
    const metadata = { name: 'a' }
    expect(await plane.ask('POST', MAPS, { metadata })).toMatchObject({ status: 201 })
    await plane.watch(`${MAPS}?watch=true`)
    await plane.beginWrite(MAPS)
    const first = plane.apiserver!
    expect(await first.stop()).toMatchObject({ code: 0 })
    expect(first.stderr.split('\n')[0]).toBe(
      'kube-apiserver: accepted without effect: --apiserver-count, --storage-backend',
    )
    await plane.startApiserver()
    const found = await plane.ask('GET', `${MAPS}/a`)
    expect(found).toMatchObject({ status: 200, body: { metadata } })

    expect(await plane.ask('POST', MAPS, { metadata: { name: 'b' } })).toMatchObject({
      status: 201,
    })
    expect(await plane.apiserver!.stop('SIGKILL')).toMatchObject({ code: null })
    await plane.startApiserver()
    const { body } = await plane.ask('GET', MAPS)
    expect((body as { items: { metadata: object }[] }).items).toMatchObject([
      { metadata: { name: 'a' } },
      { metadata: { name: 'b' } },
    ])
    // What belongs to the environment is as it was.
    expect(readdirSync(plane.certDir)).toHaveLength(5)
    const folders = [plane.certDir, plane.dataDir]
    expect((await plane.close()).map(({ code }) => code)).toEqual([0, 0])
    expect(folders.filter((folder) => existsSync(folder))).toEqual([])
  })

  const deletedNamespace = async (plane: Environment) => {
    const body = { metadata: { name: 'n' } }
    expect(await plane.ask('POST', '/api/v1/namespaces', body)).toMatchObject({ status: 201 })
    expect(await plane.ask('DELETE', '/api/v1/namespaces/n')).toMatchObject({ status: 200 })
  }
  const namespace = (plane: Environment) => plane.ask('GET', '/api/v1/namespaces/n')
  const account = (plane: Environment) =>
    plane.ask('GET', '/api/v1/namespaces/default/serviceaccounts/default')

  test('without controllers namespaces stay and there are no accounts; a real etcd', async (context) => {
    if (!hasEtcd) context.skip(NO_ETCD)
    const etcd = await startEtcd()
    try {
      const plane = await prepared({}, Number(new URL(etcd.url).port))
      await plane.startApiserver()
      await deletedNamespace(plane)
      expect(await plane.apiserver!.stop()).toMatchObject({ code: 0 })
      await plane.startApiserver()
      expect(await namespace(plane)).toMatchObject({ body: { status: { phase: 'Terminating' } } })
      expect(await account(plane)).toMatchObject({ status: 404 })
    } finally {
      await etcd.close()
    }
  })

  test('a variable turns the controllers on', async () => {
    const plane = await prepared({ ORCH_ENVTEST_CONTROLLERS: 'true' })
    await plane.startEtcd()
    await plane.startApiserver()
    await deletedNamespace(plane)
    await expect.poll(() => namespace(plane), { timeout: 20_000 }).toMatchObject({ status: 404 })
    await expect.poll(() => account(plane), { timeout: 20_000 }).toMatchObject({ status: 200 })
  })
})
