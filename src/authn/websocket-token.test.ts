import type { IncomingHttpHeaders } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { outcome, recordingContext, tokensOf, userOf } from './authentication.fixture.ts'
import { removeWebsocketToken, websocketToken } from './websocket-token.ts'

const somebody = { user: userOf('u'), audiences: null }
const PREFIX = 'base64url.bearer.authorization.k8s.io.'
const encoded = (token: string | Buffer) => PREFIX + Buffer.from(token).toString('base64url')
const UPGRADE = { upgrade: 'WebSocket', connection: 'keep-alive, Upgrade' }
const ENCODING = 'invalid base64.bearer.authorization token encoding'

describe('tokens among subprotocols', () => {
  for (const { name, protocols, upgrade = UPGRADE, answer } of [
    { name: 'none', protocols: undefined, answer: null },
    { name: 'no token', protocols: 'a, b', answer: null },
    { name: 'a token first', protocols: `${encoded('good')}, a`, answer: somebody },
    { name: 'a token last, no space', protocols: `a,${encoded('good')}`, answer: somebody },
    { name: 'unknown', protocols: `${encoded('what')}, a`, answer: 'invalid bearer token' },
    { name: 'empty', protocols: `${PREFIX}, a`, answer: null },
    {
      name: 'two',
      protocols: `${encoded('good')}, ${encoded('good')}, a`,
      answer: 'multiple base64.bearer.authorization tokens specified',
    },
    { name: 'with padding', protocols: `${PREFIX}Z29vZA==, a`, answer: ENCODING },
    { name: 'other alphabet', protocols: `${PREFIX}Z2+v, a`, answer: ENCODING },
    { name: 'cut off', protocols: `${PREFIX}Z29vZ, a`, answer: ENCODING },
    {
      name: 'no text',
      protocols: `${encoded(Buffer.of(0xff, 0xfe))}, a`,
      answer: 'invalid base64.bearer.authorization token',
    },
    {
      name: 'nothing else offered',
      protocols: encoded('good'),
      answer: 'missing additional subprotocol',
    },
    {
      name: 'another brand',
      protocols: `${encoded('good').replace('k8s.io', 'orch.io')}, a`,
      answer: null,
    },
    { name: 'no upgrade', protocols: `${encoded('good')}, a`, upgrade: {}, answer: null },
    {
      name: 'upgrade to something else',
      protocols: `${encoded('good')}, a`,
      upgrade: { ...UPGRADE, upgrade: 'SPDY/3.1' },
      answer: null,
    },
    {
      name: 'upgrade that is not of the connection',
      protocols: `${encoded('good')}, a`,
      upgrade: { ...UPGRADE, connection: 'x-upgrade' },
      answer: null,
    },
  ]) {
    test(name, async () => {
      const headers: IncomingHttpHeaders = {
        ...upgrade,
        ...(protocols === undefined ? {} : { 'sec-websocket-protocol': protocols }),
      }
      const request = { headers, socket: null as unknown as TLSSocket }
      const it = websocketToken(tokensOf({ good: somebody }), vocabularies.kubernetes)
      expect(await outcome(() => it.authenticateRequest(request, recordingContext()))).toEqual(
        answer,
      )
    })
  }
})

describe('removed', () => {
  for (const { name, before, left } of [
    { name: 'none', before: undefined, left: undefined },
    { name: 'no token', before: 'a, b', left: 'a, b' },
    { name: 'a token', before: `a, ${encoded('x')}, b`, left: 'a,b' },
    { name: 'only a token', before: encoded('x'), left: undefined },
  ]) {
    test(name, () => {
      const headers: IncomingHttpHeaders = before ? { 'sec-websocket-protocol': before } : {}
      removeWebsocketToken(headers, vocabularies.kubernetes)
      expect(headers['sec-websocket-protocol']).toBe(left)
    })
  }
})
