import { createSecretKey } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { by, encryptionOf, identity, key, keyedKinds, resolve } from './encryption.fixture.ts'
import { openEncryption, type Encryption } from './transformer.ts'
import { TransformError } from './unreadable.ts'

const KEY = '/registry/core/secrets/ns/a'
const PLAIN = Buffer.from('the plain value')
const UNAUTHENTICATED = 'cipher: message authentication failed'

function outcome(encryption: Encryption, at: string, stored: Uint8Array): string {
  try {
    const { bytes, isStale } = encryption.decrypt(at, stored)
    return `${Buffer.from(bytes).toString()}${isStale ? ', stale' : ''}`
  } catch (error) {
    if (error instanceof TransformError) return `${error.key}: ${error.message}`
    throw error
  }
}

for (const kind of keyedKinds) {
  const unknown = `no matching key was found for the provided ${kind === 'secretbox' ? 'Secretbox' : 'AES'} transformer`
  describe(kind, () => {
    test('any value is decrypted to itself, and encrypted differently each time', async () => {
      const encryption = await encryptionOf([by(kind, key('k', 1))])
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
          const stored = Buffer.from(encryption.encrypt(KEY, bytes))
          const mark = `k8s:enc:${kind}:v1:k:`
          expect(stored.toString('latin1', 0, mark.length)).toBe(mark)
          expect(stored.equals(encryption.encrypt(KEY, bytes))).toBe(false)
          const opened = encryption.decrypt(KEY, stored)
          expect([Buffer.from(opened.bytes), opened.isStale]).toEqual([Buffer.from(bytes), false])
        }),
        { numRuns: 100 },
      )
    })

    test('values encrypted by another configuration', async () => {
      const stored = (await encryptionOf([by(kind, key('k', 1))])).encrypt(KEY, PLAIN)
      const read = async (...providers: Parameters<typeof encryptionOf>[0]) =>
        outcome(await encryptionOf(providers), KEY, stored)
      const plain = PLAIN.toString()
      expect({
        same: await read(by(kind, key('k', 1))),
        'the key is the second now': await read(by(kind, key('n', 2), key('k', 1))),
        'the provider is the second now': await read(identity, by(kind, key('k', 1))),
        'its kind twice, with a key each': await read(by(kind, key('n', 2)), by(kind, key('k', 1))),
        'two keys of its name': await read(by(kind, key('k', 1), key('k', 2))),
        'a name that its own begins with': await read(by(kind, key('k', 1), key('k:', 2))),
        'another name': await read(by(kind, key('n', 1))),
        'twice another name': await read(by(kind, key('n', 1)), by(kind, key('m', 1))),
        'nothing but identity': await read(identity),
        'another kind': await read(by(kind === 'aesgcm' ? 'aescbc' : 'aesgcm', key('k', 1))),
      }).toEqual({
        same: plain,
        'the key is the second now': `${plain}, stale`,
        'the provider is the second now': `${plain}, stale`,
        'its kind twice, with a key each': `${plain}, stale`,
        'two keys of its name': plain,
        'a name that its own begins with': plain,
        'another name': `${KEY}: ${unknown}`,
        'twice another name': `${KEY}: ${unknown}`,
        'nothing but identity': `${KEY}: no matching prefix found`,
        'another kind': `${KEY}: no matching prefix found`,
      })
    })
  })
}

for (const kind of keyedKinds.filter((kind) => kind !== 'aescbc')) {
  test(`${kind}: a wrong key, and any byte that was changed or cut off, is noticed`, async () => {
    const encryption = await encryptionOf([by(kind, key('k', 1))])
    const stored = Buffer.from(encryption.encrypt(KEY, PLAIN))
    const wrong = await encryptionOf([by(kind, key('k', 2))])
    expect(outcome(wrong, KEY, stored)).toBe(`${KEY}: ${UNAUTHENTICATED}`)
    const from = `k8s:enc:${kind}:v1:k:`.length
    for (let i = from; i < stored.length; i++) {
      const changed = Buffer.from(stored)
      changed[i]! ^= 1
      expect(outcome(encryption, KEY, changed)).toBe(`${KEY}: ${UNAUTHENTICATED}`)
    }
    for (let end = from; end < stored.length; end++) {
      expect(outcome(encryption, KEY, stored.subarray(0, end))).toMatch(
        /^\/registry\/core\/secrets\/ns\/a: (cipher: message authentication failed|the stored data was shorter than the required size)$/,
      )
    }
  })
}

test('aescbc: values without complete blocks and padding are rejected', async () => {
  const encryption = await encryptionOf([by('aescbc', key('k', 1))])
  const stored = Buffer.from(encryption.encrypt(KEY, PLAIN))
  const mark = 'k8s:enc:aescbc:v1:k:'.length
  const badPadding = Buffer.from(stored)
  // The last byte of the vector in front of the only block changes the length of the padding to 129.
  badPadding[mark + 15]! ^= 0x80
  expect([
    outcome(encryption, KEY, badPadding),
    outcome(encryption, KEY, stored.subarray(0, -1)),
    outcome(encryption, KEY, Buffer.concat([stored, Buffer.from('x')])),
    outcome(encryption, KEY, stored.subarray(0, mark)),
  ]).toEqual([
    `${KEY}: invalid padding on input`,
    `${KEY}: the stored data was shorter than the required size`,
    `${KEY}: invalid padding on input`,
    `${KEY}: the stored data was shorter than the required size`,
  ])
})

test('aesgcm: a value that was moved to another key is refused', async () => {
  const encryption = await encryptionOf([by('aesgcm', key('k', 1))])
  const stored = encryption.encrypt(KEY, PLAIN)
  expect(outcome(encryption, '/registry/core/secrets/ns/b', stored)).toBe(
    `/registry/core/secrets/ns/b: ${UNAUTHENTICATED}`,
  )
})

test('identity stores values unchanged, and its values are stale behind another provider', async () => {
  const encryption = await encryptionOf([identity])
  expect(encryption.encrypt(KEY, PLAIN)).toBe(PLAIN)
  expect(outcome(encryption, KEY, PLAIN)).toBe(PLAIN.toString())
  const later = await encryptionOf([by('aescbc', key('k', 1)), identity])
  expect(outcome(later, KEY, PLAIN)).toBe(`${PLAIN.toString()}, stale`)
  const strict = await encryptionOf([by('aescbc', key('k', 1))])
  expect(outcome(strict, KEY, PLAIN)).toBe(`${KEY}: no matching prefix found`)
})

test('values of other resources are not encrypted, and encrypted values among them are rejected', async () => {
  const encryption = await encryptionOf([by('aescbc', key('k', 1))])
  expect([encryption.covers(KEY), encryption.covers('/registry/core/configmaps/ns/a')]).toEqual([
    true,
    false,
  ])
  expect(encryption.encrypt('/registry/core/configmaps/ns/a', PLAIN)).toBe(PLAIN)
  expect(outcome(encryption, '/registry/core/configmaps/ns/a', PLAIN)).toBe(PLAIN.toString())
  const none = await openEncryption([], { resolve, keyPrefixOf: () => null })
  const stored = encryption.encrypt(KEY, PLAIN)
  expect(outcome(none, KEY, stored)).toBe(`${KEY}: no matching prefix found`)
})

test('providers of a resource in several rules come one after the other', async () => {
  const resources = [{ resource: 'secrets', group: '' }]
  const encryption = await openEncryption(
    [
      {
        resources: [...resources, { resource: 'never', group: 'stored' }],
        providers: [by('aesgcm', key('g', 1))],
      },
      { resources, providers: [identity] },
    ],
    {
      resolve,
      keyPrefixOf: ({ resource }) => (resource === 'never' ? null : `/registry/core/${resource}/`),
    },
  )
  expect([
    outcome(encryption, KEY, PLAIN),
    outcome(encryption, KEY, encryption.encrypt(KEY, PLAIN)),
  ]).toEqual([`${PLAIN.toString()}, stale`, PLAIN.toString()])
})

// The vectors of NIST SP 800-38A (CBC), of the GCM specification and of the paper that defines the box.
const KNOWN = [
  {
    kind: 'aescbc' as const,
    secret: '2b7e151628aed2a6abf7158809cf4f3c',
    nonce: '000102030405060708090a0b0c0d0e0f',
    plain: '6bc1bee22e409f96e93d7e117393172a',
    starts: '7649abac8119b246cee98e9b12e9197d',
  },
  {
    kind: 'aesgcm' as const,
    secret: '00'.repeat(32),
    nonce: '00'.repeat(12),
    plain: '00'.repeat(16),
    starts: 'cea7403d4d606b6e074ec5d3baf39d18',
  },
  {
    kind: 'secretbox' as const,
    secret: '1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389',
    nonce: '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37',
    plain:
      'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
    starts: 'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce',
  },
]
for (const { kind, secret, nonce, plain, starts } of KNOWN) {
  test(`${kind} is the published cipher`, async () => {
    const encryption = await openEncryption(
      [
        {
          resources: [{ resource: 'secrets', group: '' }],
          providers: [by(kind, { name: 'k', secret: createSecretKey(Buffer.from(secret, 'hex')) })],
        },
      ],
      {
        resolve,
        keyPrefixOf: () => '/registry/core/secrets/',
        random: (bytes) => Buffer.from(nonce, 'hex').subarray(0, bytes),
      },
    )
    const stored = Buffer.from(encryption.encrypt(KEY, Buffer.from(plain, 'hex')))
    const from = `k8s:enc:${kind}:v1:k:`.length
    expect(stored.toString('hex', from, from + (nonce + starts).length / 2)).toBe(nonce + starts)
  })
}
