import { describe, expect, test } from 'vitest'
import { checkEncryptionConfig, EncryptionConfigError, readEncryptionConfig } from './config.ts'

const resolve = (template: string) => template.replaceAll('{api}', '.k8s.io')
const key16 = Buffer.alloc(16, 1).toString('base64')
const key32 = Buffer.alloc(32, 2).toString('base64')
const HEAD = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' }
const withProviders = (...providers: unknown[]) => ({
  ...HEAD,
  resources: [{ resources: ['secrets'], providers }],
})
const withKey = (kind: string, key: unknown) => withProviders({ [kind]: { keys: [key] } })
const P = 'resources[0].providers[0]'
const kms = (members: object) =>
  withProviders({ kms: { name: 'a', endpoint: 'unix:///s', ...members } })
const NO_KMS = `${P}.kms: Forbidden: this server has no KMS providers; use aescbc, aesgcm, secretbox or identity`

function faultOf(document: unknown): string {
  try {
    checkEncryptionConfig(document, resolve)
  } catch (error) {
    if (error instanceof EncryptionConfigError) return error.message
    throw error
  }
  return ''
}

describe('faults of an encryption configuration', () => {
  const other = 'expected an EncryptionConfiguration of apiVersion apiserver.config.k8s.io/v1'
  for (const [title, document, want] of [
    ['nothing', null, other],
    ['a list', [], other],
    ['another version', { ...HEAD, apiVersion: 'v1' }, other],
    ['another kind', { ...HEAD, kind: 'Secret' }, other],
    ['no resources', HEAD, 'resources: Required value: at least one resources is required'],
    [
      'an empty list',
      { ...HEAD, resources: [] },
      'resources: Required value: at least one resources is required',
    ],
    [
      'a list that is none',
      { ...HEAD, resources: 'secrets' },
      'resources: Invalid value: "REDACTED": must be a list',
    ],
    [
      'an element without anything: all faults at once',
      { ...HEAD, resources: [{}] },
      '[resources[0].resources: Required value: at least one resources[0].resources is required, resources[0].providers: Required value: at least one resources[0].providers is required]',
    ],
    [
      'an empty provider',
      withProviders({}),
      `${P}: Required value: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity`,
    ],
    [
      'a name that every object has',
      withProviders({ constructor: {} }),
      `${P}: Required value: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity`,
    ],
    [
      'two in one element',
      withProviders({ identity: {}, aescbc: { keys: [{ name: 'a', secret: key16 }] } }),
      `${P}: Invalid value: "REDACTED": more than one provider specified in a single element, should split into different list elements`,
    ],
    [
      'a provider that is no object',
      withProviders({ aescbc: key16 }),
      `${P}.aescbc: Invalid value: "REDACTED": must be an object`,
    ],
    [
      'no keys',
      withProviders({ aescbc: { keys: [] } }),
      `${P}.aescbc.keys: Required value: at least one keys is required`,
    ],
    [
      'no name',
      withKey('aesgcm', { secret: key16 }),
      `${P}.aesgcm.keys[0].name: Required value: name is a mandatory field for a key`,
    ],
    [
      'no secret',
      withKey('secretbox', { name: 'a' }),
      `${P}.secretbox.keys[0].secret: Required value: secret is a mandatory field for a key`,
    ],
    [
      'a secret that is a number',
      withKey('aescbc', { name: 'a', secret: 1234 }),
      `${P}.aescbc.keys[0].secret: Invalid value: "REDACTED": must be a string`,
    ],
    [
      'a secret that is not base64',
      withKey('aescbc', { name: 'a', secret: 'pass-word' }),
      `${P}.aescbc.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      'base64 without its padding',
      withKey('aescbc', { name: 'a', secret: key16.replaceAll('=', '') }),
      `${P}.aescbc.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      'an AES key of another length',
      withKey('aescbc', { name: 'a', secret: 'MTIz' }),
      `${P}.aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 3, expected one of [16 24 32]`,
    ],
    [
      'a secretbox key of another length',
      withKey('secretbox', { name: 'a', secret: key16 }),
      `${P}.secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]`,
    ],
    ['an outside key service', kms({}), NO_KMS],
    [
      'its faults',
      kms({
        name: 'a:b',
        endpoint: 'http://here',
        timeout: '0s',
        cachesize: 0,
        apiVersion: 'v3',
      }),
      `[${P}.kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':', ${P}.kms.timeout: Invalid value: "0s": timeout should be a positive value, ${P}.kms.cachesize: Invalid value: 0: cachesize should be a positive value, or negative to disable, ${P}.kms.apiVersion: Invalid value: "v3": unsupported apiVersion v3 for KMS provider, only v1 and v2 are supported, ${P}.kms.endpoint: Invalid value: "http://here": unsupported scheme "http" for KMS provider, only unix is supported, ${NO_KMS}]`,
    ],
    [
      'what it lacks',
      withProviders({ kms: {} }),
      `[${P}.kms.name: Required value: name is a mandatory field for a provider, ${P}.kms.endpoint: Required value: endpoint is a mandatory field for a provider, ${NO_KMS}]`,
    ],
  ] as const) {
    test(title, () => expect(faultOf(document)).toBe(want))
  }
})

test('resources, groups, providers and keys are read in their order', () => {
  const rules = checkEncryptionConfig(
    {
      ...HEAD,
      resources: [
        {
          resources: ['secrets', 'widgets.example.com'],
          providers: [
            {
              aescbc: {
                keys: [
                  { name: 'new', secret: key32 },
                  { name: 'old', secret: `${key16}\n` },
                ],
              },
            },
            { secretbox: { keys: [{ name: 'box', secret: key32 }] } },
            { identity: {} },
          ],
        },
      ],
    },
    resolve,
  )
  expect(
    rules.map(({ resources, providers }) => ({
      resources,
      providers: providers.map((p) =>
        p.is === 'identity'
          ? [p.is]
          : [p.is, ...p.keys.map((k) => `${k.name} ${k.secret.symmetricKeySize}`)],
      ),
    })),
  ).toEqual([
    {
      resources: [
        { resource: 'secrets', group: '' },
        { resource: 'widgets', group: 'example.com' },
      ],
      providers: [['aescbc', 'new 32', 'old 16'], ['secretbox', 'box 32'], ['identity']],
    },
  ])
  expect(JSON.stringify(rules)).not.toContain(key32.slice(0, 8))
})

describe('the file', () => {
  for (const [title, parse, want] of [
    [
      'is neither',
      () => {
        throw new Error(`yaml: line 3: strange ${key16}`)
      },
      'encryption provider config file "/etc/e.yaml" is neither YAML nor JSON: line 3',
    ],
    [
      'has faults',
      () => HEAD,
      'encryption provider config file "/etc/e.yaml": resources: Required value: at least one resources is required',
    ],
  ] as const) {
    test(title, async () => {
      const read = readEncryptionConfig({ path: '/etc/e.yaml', text: '', resolve, parse })
      await expect(read).rejects.toThrow(new EncryptionConfigError(want))
    })
  }

  test('is good', async () => {
    const text = JSON.stringify(withProviders({ identity: {} }))
    expect(
      await readEncryptionConfig({ path: '/e', text, resolve, parse: async (t) => JSON.parse(t) }),
    ).toEqual([
      { resources: [{ resource: 'secrets', group: '' }], providers: [{ is: 'identity' }] },
    ])
  })
})
