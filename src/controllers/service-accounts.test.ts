import { afterEach, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { alwaysAllow } from '../authz/always.ts'
import { silentLog } from '../base/log.ts'
import { managerContext } from '../server/controller-dependencies.ts'
import type { Controller, Running } from './controller.ts'
import { rootCaPublisher } from './root-ca.ts'
import { serviceAccountSecrets } from './service-account-secrets.ts'
import { serviceAccountTokens } from './service-account-tokens.ts'
import { exposition } from '../metrics/exposition.ts'
import { Registry } from '../metrics/registry.ts'
import { serviceAccounts } from './service-accounts.ts'

type Plain = Record<string, any>

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Setting {
  readonly gate?: (name: string) => boolean
  /** Changes made before the controllers start. */
  readonly before?: (hands: Hands) => Promise<void>
}

/** Controllers over a store of their own, and functions that change objects. */
async function bench(
  controllers: readonly Controller[],
  { gate = () => true, before = async () => {} }: Setting = {},
) {
  const server = await inProcess()
  closers.push(() => server.close())
  const api = { ...server.api, gate: (name: string) => gate(name) && server.api.gate(name) }
  const served = (resource: string) => api.catalogue.find('', 'v1', resource)!
  const hands = {
    create: (resource: string, namespace: string, object: object): Promise<Plain> =>
      server.hand.create(['v1', resource, namespace], object),
    patch: (resource: string, namespace: string, name: string, change: object): Promise<Plain> =>
      server.hand.patch(['v1', resource, namespace, name], change),
    remove: (resource: string, namespace: string, name: string) =>
      server.hand.delete(['v1', resource, namespace, name]),
    get: (resource: string, namespace: string, name: string): Promise<Plain | null> =>
      server.source.get({ group: '', resource }, namespace, name),
    names: async (resource: string, namespace: string): Promise<string[]> => {
      const { keyPrefix } = served(resource).storage
      const { items } = await api.cache.list(keyPrefix, `${keyPrefix}${namespace}/`, {})
      return [...items].map(({ key }) => key.slice(key.lastIndexOf('/') + 1))
    },
  }
  await before(hands)
  const metrics = new Registry({ v: api.v, log: silentLog })
  const context = managerContext({ api, authorizer: alwaysAllow, log: silentLog, metrics })
  closers.push(() => context.informers.stop())
  const running: Running[] = []
  for (const controller of controllers) {
    running.push(await controller.start({ ...context, signal: new AbortController().signal }))
  }
  closers.push(async () => {
    for (const one of running) await one.stop()
  })
  return {
    ...hands,
    metrics: async () => exposition(await metrics.collect(), 'text').toString(),
    settled: async () => {
      for (let revision = -1; revision !== api.cache.revision;) {
        revision = api.cache.revision
        for (const one of running) await one.idle()
      }
    },
  }
}
interface Hands {
  create(resource: string, namespace: string, object: object): Promise<Plain>
}

const SYSTEM = ['default', 'orch-node-lease', 'orch-public', 'orch-system']

test('every namespace has an account for pods without one', async () => {
  const { create, remove, get, names, settled } = await bench([serviceAccounts])
  await settled()
  for (const name of SYSTEM) expect(await names('serviceaccounts', name)).toEqual(['default'])
  await create('namespaces', '', { metadata: { name: 'new' } })
  await create('serviceaccounts', 'new', { metadata: { name: 'robot' } })
  await settled()
  const first = await get('serviceaccounts', 'new', 'default')
  await remove('serviceaccounts', 'new', 'robot')
  await remove('serviceaccounts', 'new', 'default')
  await settled()
  const second = await get('serviceaccounts', 'new', 'default')
  expect(await names('serviceaccounts', 'new')).toEqual(['default'])
  expect(second!['metadata'].uid).not.toBe(first!['metadata'].uid)
})

test('a namespace that ends gets neither account nor authority any more', async () => {
  const { create, remove, names, settled } = await bench([serviceAccounts, rootCaPublisher('pem')])
  await create('namespaces', '', { metadata: { name: 'old' } })
  await settled()
  await remove('namespaces', '', 'old')
  await remove('serviceaccounts', 'old', 'default')
  await remove('configmaps', 'old', 'orch-root-ca.crt')
  await settled()
  expect([await names('serviceaccounts', 'old'), await names('configmaps', 'old')]).toEqual([
    [],
    [],
  ])
})

test('the authority is published in every namespace, and changes are reverted', async () => {
  const NAME = 'orch-root-ca.crt'
  const { metrics, ...hand } = await bench([rootCaPublisher('pem')], {
    before: async (hands) => {
      await hands.create('configmaps', 'default', {
        metadata: { name: NAME, annotations: { mine: 'x' } },
        data: { 'ca.crt': 'other' },
      })
    },
  })
  const { create, patch, remove, get, names, settled } = hand
  await settled()
  for (const name of SYSTEM) expect(await names('configmaps', name)).toEqual([NAME])
  expect(await metrics()).toMatch(/^root_ca_cert_publisher_sync_total\{code="200"\} [1-9]\d*$/m)
  const content = async (namespace: string) => {
    const { data, metadata } = (await get('configmaps', namespace, NAME))!
    return { data, annotations: metadata.annotations }
  }
  const expected = {
    data: { 'ca.crt': 'pem' },
    annotations: { 'orch.io/description': expect.stringMatching(/^Holds the certificates/) },
  }
  expect(await content('default')).toEqual({
    ...expected,
    annotations: { ...expected.annotations, mine: 'x' },
  })
  await create('namespaces', '', { metadata: { name: 'new' } })
  await settled()
  for (const spoil of [
    () => remove('configmaps', 'new', NAME),
    () => patch('configmaps', 'new', NAME, { data: { 'ca.crt': 'x' } }),
    () => patch('configmaps', 'new', NAME, { data: { more: 'x' } }),
    () => patch('configmaps', 'new', NAME, { metadata: { annotations: null } }),
  ]) {
    expect(await content('new')).toEqual(expected)
    await spoil()
    await settled()
  }
  expect(await content('new')).toEqual(expected)
})

test('correct objects are not written again', async () => {
  const { create, get, settled } = await bench([rootCaPublisher('pem'), serviceAccounts])
  await settled()
  const before = await get('configmaps', 'default', 'orch-root-ca.crt')
  await create('configmaps', 'default', { metadata: { name: 'other' } })
  await settled()
  expect(await get('configmaps', 'default', 'orch-root-ca.crt')).toEqual(before)
})

const tokens = serviceAccountTokens({
  ca: 'pem',
  issue: async ({ namespace, name, uid }, secret) => `${namespace} ${name} ${uid} ${secret}`,
})
const token = (name: string, annotations: object, rest: object = {}) => ({
  metadata: { name, annotations },
  type: 'orch.io/service-account-token',
  ...rest,
})
const ROBOT = { 'orch.io/service-account.name': 'robot' }
const account = { metadata: { name: 'robot' } }
const texts = (secret: Plain | null) =>
  Object.fromEntries(
    Object.entries((secret?.['data'] ?? {}) as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  )

test('a secret that requests a token gets it', async () => {
  const { create, patch, get, settled } = await bench([tokens])
  const { metadata } = await create('serviceaccounts', 'default', account)
  const { uid } = metadata
  await create('secrets', 'default', token('mine', { ...ROBOT, other: 'x' }))
  await settled()
  const whole = {
    'ca.crt': 'pem',
    namespace: 'default',
    token: `default robot ${uid} mine`,
  }
  const found = await get('secrets', 'default', 'mine')
  expect(texts(found)).toEqual(whole)
  expect(found!['metadata'].annotations).toEqual({
    ...ROBOT,
    'orch.io/service-account.uid': uid,
    other: 'x',
  })
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  await patch('secrets', 'default', 'mine', {
    data: { token: null, 'ca.crt': base64('y'), more: base64('z'), namespace: base64('kept') },
  })
  await settled()
  expect(texts(await get('secrets', 'default', 'mine'))).toEqual({
    ...whole,
    more: 'z',
    namespace: 'kept',
  })
})

test('objects that exist at the start count as well', async () => {
  const { get, settled } = await bench([tokens], {
    before: async ({ create }) => {
      await create('serviceaccounts', 'default', account)
      await create('secrets', 'default', token('mine', ROBOT))
    },
  })
  await settled()
  expect(Object.keys(texts(await get('secrets', 'default', 'mine')))).toEqual([
    'ca.crt',
    'namespace',
    'token',
  ])
})

for (const { name, secret, left } of [
  {
    name: 'of no account',
    secret: token('x', { 'orch.io/service-account.name': 'nobody' }),
    left: [],
  },
  {
    name: 'of a namesake',
    secret: token('x', { ...ROBOT, 'orch.io/service-account.uid': 'u0' }),
    left: [],
  },
  {
    name: 'of another type',
    secret: { metadata: { name: 'x', annotations: { 'orch.io/service-account.name': 'nobody' } } },
    left: ['x'],
  },
  { name: 'that may not change', secret: token('x', ROBOT, { immutable: true }), left: ['x'] },
]) {
  test(`a secret ${name} is ${left.length > 0 ? 'left as it is' : 'deleted'}`, async () => {
    const { create, get, names, settled } = await bench([tokens])
    await create('serviceaccounts', 'default', account)
    await create('secrets', 'default', secret)
    await settled()
    expect(await names('secrets', 'default')).toEqual(left)
    expect(texts(await get('secrets', 'default', 'x'))).toEqual({})
  })
}

test('tokens go with their account', async () => {
  const { create, remove, names, settled } = await bench([tokens])
  await create('serviceaccounts', 'default', account)
  await create('serviceaccounts', 'default', { metadata: { name: 'boss' } })
  await create('secrets', 'default', token('a', ROBOT))
  await create('secrets', 'default', token('b', ROBOT))
  await create('secrets', 'default', token('c', { 'orch.io/service-account.name': 'boss' }))
  await settled()
  await remove('serviceaccounts', 'default', 'robot')
  await settled()
  expect(await names('secrets', 'default')).toEqual(['c'])
})

test('a deleted secret is no longer listed', async () => {
  const { create, remove, get, settled } = await bench([tokens])
  await create('serviceaccounts', 'default', {
    ...account,
    secrets: [{ name: 'keep' }, { name: 'a' }],
  })
  await create('secrets', 'default', token('a', ROBOT))
  await settled()
  await remove('secrets', 'default', 'a')
  await settled()
  expect((await get('serviceaccounts', 'default', 'robot'))!['secrets']).toEqual([{ name: 'keep' }])
})

test('accounts get no secret by themselves', async () => {
  const { create, names, settled } = await bench([tokens, serviceAccountSecrets])
  await create('serviceaccounts', 'default', account)
  await settled()
  expect(await names('secrets', 'default')).toEqual([])
})

test('unless a feature gate enables it', async () => {
  const { create, remove, get, names, settled } = await bench([tokens, serviceAccountSecrets], {
    gate: (name) => name !== 'LegacyServiceAccountTokenNoAutoGeneration',
  })
  const { metadata } = await create('serviceaccounts', 'default', account)
  await settled()
  const [name = ''] = await names('secrets', 'default')
  expect(name).toMatch(/^robot-token-[a-z0-9]{5}$/)
  expect(texts(await get('secrets', 'default', name))).toEqual({
    'ca.crt': 'pem',
    namespace: 'default',
    token: `default robot ${metadata.uid} ${name}`,
  })
  expect((await get('serviceaccounts', 'default', 'robot'))!['secrets']).toEqual([{ name }])
  await remove('secrets', 'default', name)
  await settled()
  const [next = ''] = await names('secrets', 'default')
  expect([next === name, (await get('serviceaccounts', 'default', 'robot'))!['secrets']]).toEqual([
    false,
    [{ name: next }],
  ])
})
