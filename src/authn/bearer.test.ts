import type { TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { outcome, recordingContext, tokensOf, userOf } from './authentication.fixture.ts'
import { CredentialError } from './authenticator.ts'
import { bearer } from './bearer.ts'

const SPACE =
  'the provided Authorization header contains extra space before the bearer token, and is ignored'
const somebody = { user: userOf('u'), audiences: null }

for (const later of [false, true]) {
  describe(later ? 'looked up' : 'at once', () => {
    for (const { name, header, answer, warnings = [], asked } of [
      { name: 'none', header: undefined, answer: null, asked: [] },
      { name: 'empty', header: '', answer: null, asked: [] },
      { name: 'blank', header: '   ', answer: null, asked: [] },
      { name: 'a token', header: 'Bearer good', answer: somebody, asked: ['good'] },
      { name: 'any case', header: 'bEARER good', answer: somebody, asked: ['good'] },
      { name: 'space around', header: '  Bearer good ', answer: somebody, asked: ['good'] },
      { name: 'more behind it', header: 'Bearer good bad  x', answer: somebody, asked: ['good'] },
      { name: 'two spaces', header: 'Bearer  good', answer: null, warnings: [SPACE], asked: [] },
      { name: 'three spaces', header: 'Bearer   good', answer: null, warnings: [SPACE], asked: [] },
      { name: 'no token', header: 'Bearer', answer: null, asked: [] },
      { name: 'no token, space', header: 'Bearer ', answer: null, asked: [] },
      { name: 'tab for space', header: 'Bearer\tgood', answer: null, asked: [] },
      { name: 'another scheme', header: 'Basic dTpw', answer: null, asked: [] },
      { name: 'two spaces, another scheme', header: 'Basic  dTpw', answer: null, asked: [] },
      { name: 'scheme glued to the token', header: 'Bearergood', answer: null, asked: [] },
      { name: 'unknown', header: 'Bearer what', answer: 'invalid bearer token', asked: ['what'] },
      { name: 'with an error', header: 'Bearer bad', answer: 'expired', asked: ['bad'] },
      {
        name: 'beyond ASCII, as Node hands it over',
        header: `Bearer ${Buffer.from('ümlaut').toString('latin1')}`,
        answer: somebody,
        asked: ['ümlaut'],
      },
    ]) {
      test(name, async () => {
        const table = { good: somebody, ümlaut: somebody, bad: new CredentialError('expired') }
        const tokens = tokensOf(table, { later })
        const context = recordingContext()
        const headers = header === undefined ? {} : { authorization: header }
        const request = { headers, socket: null as unknown as TLSSocket }
        const found = await outcome(() => bearer(tokens).authenticateRequest(request, context))
        expect({ found, warnings: context.warnings, asked: tokens.calls }).toEqual({
          found: answer,
          warnings,
          asked,
        })
      })
    }
  })
}
