import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { issuerCa } from './issuer.fixture.ts'
import { checkOidcOptions, claimRules, signingAlgorithms, type OidcOptions } from './options.ts'
import { trustedRoots } from './trusted-roots.ts'

const issuerUrl = 'https://issuer.example'
const clientId = 'a'

describe('options of the identity provider', () => {
  const rows: readonly {
    name: string
    options: Partial<OidcOptions>
    problems: readonly string[]
  }[] = [
    { name: 'none at all', options: {}, problems: [] },
    { name: 'empty ones are none', options: { issuerUrl: '', clientId: '' }, problems: [] },
    { name: 'an issuer and a client', options: { issuerUrl, clientId }, problems: [] },
    {
      name: 'an issuer alone',
      options: { issuerUrl },
      problems: ['--oidc-issuer-url and --oidc-client-id must be given together'],
    },
    {
      name: 'a client alone',
      options: { clientId },
      problems: ['--oidc-issuer-url and --oidc-client-id must be given together'],
    },
    {
      name: 'an issuer without TLS',
      options: { issuerUrl: 'http://issuer.example', clientId },
      problems: ['--oidc-issuer-url "http://issuer.example" must be an https URL'],
    },
    {
      name: 'an issuer without a scheme',
      options: { issuerUrl: 'issuer.example', clientId },
      problems: ['--oidc-issuer-url "issuer.example" must be an https URL'],
    },
    {
      name: 'an issuer that is no URL',
      options: { issuerUrl: 'https://', clientId },
      problems: ['--oidc-issuer-url "https://" must be an https URL'],
    },
    {
      name: 'no claim for the name',
      options: { issuerUrl, clientId, usernameClaim: '' },
      problems: ['--oidc-username-claim must not be empty'],
    },
    {
      name: 'every algorithm with a key pair',
      options: {
        issuerUrl,
        clientId,
        signingAlgs: [
          ...['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'],
          ...['PS256', 'PS384', 'PS512'],
        ],
      },
      problems: [],
    },
    {
      name: 'algorithms without a private key',
      options: { issuerUrl, clientId, signingAlgs: ['RS256', 'HS256', 'none', '', 'rs256'] },
      problems: ['HS256', 'none', '', 'rs256'].map(
        (x) =>
          `--oidc-signing-algs "${x}" is none of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512`,
      ),
    },
  ]
  for (const { name, options, problems } of rows) {
    test(name, () => expect(checkOidcOptions(options)).toEqual(problems))
  }

  test('defaults', () => {
    expect(claimRules({ issuerUrl, clientId })).toEqual({
      usernameClaim: 'sub',
      usernamePrefix: 'https://issuer.example#',
      groupsClaim: '',
      groupsPrefix: '',
      requiredClaims: new Map(),
    })
    expect(signingAlgorithms({ issuerUrl, clientId })).toEqual(['RS256'])
    expect(signingAlgorithms({ issuerUrl, clientId, signingAlgs: ['ES256'] })).toEqual(['ES256'])
  })
})

describe('authorities of the provider', () => {
  test('are read from a file', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'oidc-'))
    try {
      const caFile = join(dir, 'ca.crt')
      const missing = join(dir, 'missing')
      await writeFile(caFile, issuerCa)
      expect(await trustedRoots({ caFile })).toBe(issuerCa)
      await writeFile(caFile, 'nothing')
      await expect(trustedRoots({ caFile })).rejects.toEqual(
        new Error(`--oidc-ca-file: ${caFile} holds no certificate`),
      )
      await writeFile(caFile, issuerCa.replace(/\n.{8}/, '\nAAAAAAAA'))
      await expect(trustedRoots({ caFile })).rejects.toEqual(
        new Error(`--oidc-ca-file: ${caFile} holds a certificate that cannot be read`),
      )
      await expect(trustedRoots({ caFile: missing })).rejects.toEqual(
        new Error(`--oidc-ca-file: cannot read ${missing}: there is no such file`),
      )
    } finally {
      await rm(dir, { recursive: true })
    }
  })
  test('are the given ones, or else those of the host', async () => {
    expect(await trustedRoots({ ca: issuerCa })).toBe(issuerCa)
    await expect(trustedRoots({ ca: 'nothing' })).rejects.toEqual(
      new Error('oidc: authority holds no certificate'),
    )
    expect([...(await trustedRoots({}))].join('')).toContain('BEGIN CERTIFICATE')
  })
})
