import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProvider, type RunningProvider } from '../../../test/oidc-provider.ts'
import { systemClock } from '../../base/clock.ts'
import { CredentialError } from '../authenticator.ts'
import { OidcAuthenticator, openOidc } from './oidc.ts'
import type { OidcOptions } from './options.ts'
import { foundLog } from './issuer.fixture.ts'

describe('a provider that is not ours', () => {
  let provider: RunningProvider
  beforeAll(async () => {
    provider = await startProvider({
      users: [
        {
          name: 'alice',
          email: 'alice@example.com',
          emailVerified: true,
          groups: ['developers', 'readers'],
        },
        { name: 'bob', email: 'bob@example.com', emailVerified: false },
      ],
    })
  })
  afterAll(() => provider.close())

  async function opened(options: Partial<OidcOptions>): Promise<OidcAuthenticator> {
    const { log, found } = foundLog()
    const { issuer: issuerUrl, clientId, ca } = provider
    const oidc = await openOidc(
      { issuerUrl, clientId, ca, ...options },
      { clock: systemClock, log },
    )
    await found
    return oidc
  }

  test('its tokens name the user and the groups', async () => {
    const oidc = await opened({
      usernameClaim: 'email',
      groupsClaim: 'groups',
      groupsPrefix: 'oidc:',
    })
    try {
      expect(await oidc.authenticateToken(await provider.idTokenFor('alice'))).toEqual({
        user: {
          name: 'alice@example.com',
          uid: '',
          groups: ['oidc:developers', 'oidc:readers'],
          extra: {},
        },
        audiences: null,
      })
      const unverified = oidc.authenticateToken(await provider.idTokenFor('bob'))
      await expect(unverified).rejects.toEqual(new CredentialError('oidc: email not verified'))
    } finally {
      oidc.close()
    }
  })

  test('its tokens for another client are refused', async () => {
    const oidc = await opened({ clientId: 'other' })
    try {
      const answer = oidc.authenticateToken(await provider.idTokenFor('bob'))
      await expect(answer).rejects.toEqual(
        new CredentialError('oidc: verify token: oidc: expected audience "other" got ["cluster"]'),
      )
    } finally {
      oidc.close()
    }
  })
})
