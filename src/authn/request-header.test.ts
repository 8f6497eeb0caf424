import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { outcome, recordingContext } from './authentication.fixture.ts'
import { CaBundle, fixedSource } from './ca-bundle.ts'
import { DAY_MS, make, NOW, socketWith } from './certificates.fixture.ts'
import { ConnectionCertificates } from './connection-certificate.ts'
import { checkHeaderNames, requestHeader } from './request-header.ts'

const root = make({ subject: ['CN=proxies'], authority: true })
const clients = make({ subject: ['CN=clients'], authority: true })
const proxy = make({ subject: ['CN=proxy'], issuer: root, uses: ['client'] })
const second = make({ subject: ['CN=second'], issuer: root, uses: ['client'] })
const nameless = make({ subject: ['O=proxy'], issuer: root, uses: ['client'] })
const stranger = make({ subject: ['CN=proxy'], issuer: clients, uses: ['client'] })
const webServer = make({ subject: ['CN=proxy'], issuer: root, uses: ['server'] })
const expired = make({
  ...{ subject: ['CN=proxy'], issuer: root, uses: ['client'] },
  ...{ notBeforeMs: NOW - 2 * DAY_MS, notAfterMs: NOW - DAY_MS },
})
const early = make({
  ...{ subject: ['CN=proxy'], issuer: root, uses: ['client'] },
  notBeforeMs: NOW + DAY_MS,
})

const names = {
  usernameHeaders: ['X-Remote-User', 'X-Other-User'],
  groupHeaders: ['X-Remote-Group', 'X-Other-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-', 'X-More-'],
}
const USER = { 'x-remote-user': 'u' }
const UNKNOWN = 'x509: certificate signed by unknown authority'

interface Row {
  readonly name: string
  readonly shown?: readonly (typeof proxy)[]
  readonly allowed?: readonly string[]
  /** Of headers; repeated where there are several values. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly answer: object | string | null
}

const user = (
  name: string,
  groups: readonly string[] = [],
  extra: Readonly<Record<string, readonly string[]>> = {},
) => ({ user: { name, uid: '', groups, extra }, audiences: null })

const rows: readonly Row[] = [
  { name: 'a proxy with a user', answer: user('u') },
  { name: 'forged headers without a certificate', shown: [], answer: null },
  {
    name: 'forged headers with a certificate of a mere client',
    shown: [stranger],
    answer: UNKNOWN,
  },
  {
    name: 'a certificate for servers',
    shown: [webServer],
    answer: 'x509: certificate specifies an incompatible key usage',
  },
  {
    name: 'an expired certificate',
    shown: [expired],
    answer:
      'x509: certificate has expired or is not yet valid: current time 2024-01-02T03:04:05Z is after 2024-01-01T03:04:05Z',
  },
  {
    name: 'a certificate for tomorrow',
    shown: [early],
    answer:
      'x509: certificate has expired or is not yet valid: current time 2024-01-02T03:04:05Z is before 2024-01-03T03:04:05Z',
  },
  { name: 'one of the allowed', allowed: ['a', 'proxy'], answer: user('u') },
  {
    name: 'none of the allowed',
    shown: [second],
    allowed: ['a', 'proxy'],
    answer: 'x509: subject with cn=second is not in the allowed list',
  },
  {
    name: 'without a name where some are allowed',
    shown: [nameless],
    allowed: ['proxy'],
    answer: 'x509: subject with cn= is not in the allowed list',
  },
  { name: 'without a name where all are', shown: [nameless], answer: user('u') },
  { name: 'no user', headers: { 'x-remote-group': 'g' }, answer: null },
  { name: 'empty user', headers: { 'x-remote-user': '' }, answer: null },
  {
    name: 'the second header when the first is empty',
    headers: { 'x-remote-user': '', 'x-other-user': 'v' },
    answer: user('v'),
  },
  {
    name: 'the first header if both are present',
    headers: { 'x-other-user': 'v', 'x-remote-user': ['u', 'w'] },
    answer: user('u'),
  },
  {
    name: 'groups of all headers, without empty ones',
    headers: { ...USER, 'x-other-group': 'c', 'x-remote-group': ['a', '', 'b, d'] },
    answer: user('u', ['a', 'b, d', 'c']),
  },
  {
    name: 'extras',
    headers: {
      ...USER,
      'x-remote-extra-scopes': ['a', 'b'],
      'x-more-scopes': 'c',
      'x-remote-extra-acme.com%2fproject': '',
      'x-remote-extra-50%': 'raw',
    },
    answer: user('u', [], { scopes: ['a', 'b', 'c'], 'acme.com/project': [''], '50%': ['raw'] }),
  },
  {
    name: 'an extra with the name of a member of every object',
    headers: { ...USER, 'x-remote-extra-__proto__': 'a' },
    answer: user('u', [], JSON.parse('{"__proto__":["a"]}') as Record<string, string[]>),
  },
  {
    name: 'a name beyond ASCII, as Node hands it over',
    headers: { 'x-remote-user': Buffer.from('zoë').toString('latin1') },
    answer: user('zoë'),
  },
]

describe('users of proxies', () => {
  for (const { name, shown = [proxy], allowed = [], headers = USER, answer } of rows) {
    test(name, async () => {
      const clock = new ManualClock(NOW)
      const bundle = await CaBundle.open({ source: fixedSource('ca', root.pem), clock })
      const it = requestHeader({
        bundle,
        certificates: new ConnectionCertificates(),
        clock,
        names,
        allowedNames: allowed,
      })
      const raw = Object.entries(headers).flatMap(([key, values]) =>
        [values].flat().flatMap((value) => [key.toUpperCase(), value]),
      )
      const joined = Object.entries(headers).map(([key, values]) => [
        key,
        [values].flat().join(', '),
      ])
      const request = {
        socket: socketWith(...shown),
        headers: Object.fromEntries(joined) as Record<string, string>,
        rawHeaders: raw,
      }
      expect(await outcome(() => it.authenticateRequest(request, recordingContext()))).toEqual(
        answer,
      )
    })
  }

  test('groups that Node joined are not split', async () => {
    const clock = new ManualClock(NOW)
    const bundle = await CaBundle.open({ source: fixedSource('ca', root.pem), clock })
    const it = requestHeader({
      bundle,
      certificates: new ConnectionCertificates(),
      clock,
      names,
      allowedNames: [],
    })
    const headers = { ...USER, 'x-remote-group': 'a, system:masters' }
    expect(
      it.authenticateRequest({ socket: socketWith(proxy), headers }, recordingContext()),
    ).toEqual(user('u', ['a, system:masters']))
  })
})

describe('flags', () => {
  for (const { name, names, error } of [
    { name: 'none', names: [], error: null },
    { name: 'some', names: ['X-A', 'X-B'], error: null },
    { name: 'an empty one', names: ['X-A', ' '], error: '--requestheader-x holds an empty name' },
  ]) {
    test(name, () => {
      const check = () => checkHeaderNames('requestheader-x', names)
      if (error === null) expect(check()).toBe(undefined)
      else expect(check).toThrow(new Error(error))
    })
  }
})
