import { describe, expect, test } from 'vitest'
import { checkOptions, inOptions, optionPaths } from './option-checks.ts'

describe('options that are refused', () => {
  for (const { options, message } of [
    { options: { prot: 1 }, message: 'unknown option prot (did you mean port?)' },
    { options: { dataDIR: 'x' }, message: 'unknown option dataDIR (did you mean dataDir?)' },
    { options: { securePort: 1 }, message: 'unknown option securePort (did you mean port?)' },
    { options: { 'secure-port': 1 }, message: 'unknown option secure-port (did you mean port?)' },
    {
      options: { anonymous: true },
      message: 'unknown option anonymous (did you mean authentication.anonymous?)',
    },
    {
      options: { authentification: {} },
      message: 'unknown option authentification (did you mean authentication?)',
    },
    {
      options: { authorization: { mods: [] } },
      message: 'unknown option authorization.mods (did you mean authorization.modes?)',
    },
    { options: { constructor: 1 }, message: 'unknown option constructor' },
    { options: JSON.parse('{"__proto__": 1}'), message: 'unknown option __proto__' },
    {
      options: { dataDir: 5 },
      message: 'dataDir must be a text, not 5',
    },
    { options: { dataDir: '' }, message: 'dataDir must not be empty' },
    { options: { store: 'disk' }, message: 'store must be one of lmdb, memory, etcd, not "disk"' },
    {
      options: { vocabulary: 'english' },
      message: 'vocabulary must be one of orch, kubernetes, not "english"',
    },
    {
      options: { port: '6443' },
      message: 'port must be a whole number from 0 to 65535, not "6443"',
    },
    {
      options: { port: 65_536 },
      message: 'port must be a whole number from 0 to 65535, not 65536',
    },
    { options: { port: 1.5 }, message: 'port must be a whole number from 0 to 65535, not 1.5' },
    { options: { port: null }, message: 'port must be a whole number from 0 to 65535, not null' },
    {
      options: { bindAddress: 'localhost' },
      message: 'bindAddress must be an IP address, not "localhost"',
    },
    { options: { verify: 'yes' }, message: 'verify must be true or false, not "yes"' },
    {
      options: { servingHosts: 'api' },
      message: 'servingHosts must be a list of texts, not "api"',
    },
    {
      options: { servingHosts: ['a_b'] },
      message: 'servingHosts "a_b" is neither a name nor an address',
    },
    {
      options: { historyMs: '5m' },
      message: 'historyMs must be a number of milliseconds, 1 or more, not "5m"',
    },
    {
      options: { eventTtlMs: -1 },
      message: 'eventTtlMs must be a number of milliseconds, 0 or more, not -1',
    },
    {
      options: { featureGates: { A: 'true' } },
      message: 'featureGates must be an object of names with true or false, not an object',
    },
    {
      options: { authentication: true },
      message: 'authentication must be an object of options, not true',
    },
    {
      options: { authentication: { webhook: {} } },
      message: 'authentication.webhook.configFile must be given',
    },
    {
      options: { authentication: { oidc: { issuerUrl: 'https://a', requiredClaims: {} } } },
      message:
        'authentication.oidc.requiredClaims must be a Map of texts, not an object; authentication.oidc.clientId must be given',
    },
    {
      options: { etcd: { servers: ['a'], prefix: '/a', ca: 'text' } },
      message: 'etcd.ca must be a Buffer, not "text"',
    },
    {
      options: { log: console },
      message:
        'log must be an object with the functions error, warn, info, debug, v, child, not an object',
    },
    {
      options: { clock: () => 0 },
      message: 'clock must be an object with the functions now, after, not a function',
    },
    { options: { onDeprecated: 1 }, message: 'onDeprecated must be a function, not 1' },
    { options: { stages: 1 }, message: 'stages must be a list of objects, not 1' },
    {
      options: { port: 'a', stroe: 'lmdb' },
      message:
        'port must be a whole number from 0 to 65535, not "a"; unknown option stroe (did you mean store?)',
    },
    {
      options: 'memory',
      message: 'the options of a server must be an object of options, not "memory"',
    },
    { options: null, message: 'the options of a server must be an object of options, not null' },
    {
      options: Promise.resolve({}),
      message: 'the options of a server must be an object of options, not a promise',
    },
  ]) {
    test(message, () => expect(() => checkOptions(options)).toThrow(new Error(message)))
  }
})

test('options of every group are taken, and absent ones', () => {
  const options = {
    dataDir: undefined,
    port: 0,
    etcd: { servers: ['http://a:1'], prefix: '/a', ca: Buffer.from('x') },
    serverLease: { ttlMs: 1, renewMs: 1 },
    agentTls: { ca: 'x' },
    authentication: { serviceAccounts: { keyFiles: [] }, oidc: undefined },
    authorization: { modes: ['RBAC'] },
    runtimeConfig: { 'api/all': true },
  }
  expect(() => checkOptions(options)).not.toThrow()
})

test('every option has one path', () => {
  expect(new Set(optionPaths).size).toBe(optionPaths.length)
})

describe('errors that name flags', () => {
  for (const [flags, options] of [
    ['choose another with --data-dir', 'choose another with dataDir'],
    ['--etcd-cafile: x', 'etcd.ca: x'],
    ['a --colour, --', 'a --colour, --'],
    ['raise --max-request-bytes of it', 'raise --max-request-bytes of it'],
  ] as const) {
    test(flags, () => {
      const error = new Error(flags)
      expect(inOptions(error)).toBe(error)
      expect(error.message).toBe(options)
      expect(error.stack?.split('\n')[0]).toBe(`Error: ${options}`)
    })
  }

  test('other values stay as they are', () => expect(inOptions('--data-dir')).toBe('--data-dir'))
})
