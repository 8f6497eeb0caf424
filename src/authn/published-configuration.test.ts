import { describe, expect, test } from 'vitest'
import { make, NOW } from './certificates.fixture.ts'
import { mergedConfiguration, publishedConfiguration } from './published-configuration.ts'

const names = {
  usernameHeaders: ['X-Remote-User'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
}
const a = make({ subject: ['CN=a'], authority: true }).pem
const b = make({ subject: ['CN=b'], authority: true }).pem
const expiredBy = (seconds: number) =>
  make({
    ...{ subject: ['CN=old'], authority: true },
    ...{ notBeforeMs: NOW - 9_000_000, notAfterMs: NOW - seconds * 1000 },
  }).pem
const justExpired = expiredBy(300)
const longExpired = expiredBy(301)
const published = (clientCa: string, ca: string, user: string) => ({
  'client-ca-file': clientCa,
  'requestheader-client-ca-file': ca,
  'requestheader-username-headers': user,
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  'requestheader-allowed-names': '[]',
})

describe('of one server', () => {
  for (const { name, options, data } of [
    { name: 'nothing', options: {}, data: {} },
    { name: 'clients', options: { clientCa: a }, data: { 'client-ca-file': a } },
    {
      name: 'clients and proxies',
      options: { clientCa: a, requestHeader: { ca: b, names, allowedNames: [] } },
      data: published(a, b, '["X-Remote-User"]'),
    },
  ]) {
    test(name, () => expect(publishedConfiguration(options)).toEqual(data))
  }
})

describe('of several servers', () => {
  const own = published(a, b, '["X-Remote-User"]')
  for (const { name, existing, mine = own, data } of [
    { name: 'the first', existing: {}, data: own },
    { name: 'the same again', existing: own, data: own },
    {
      name: 'authorities and names of both',
      existing: { ...published(b, b, '["X-User"]'), 'requestheader-allowed-names': '["p"]' },
      data: {
        ...published(b + a, b, '["X-User","X-Remote-User"]'),
        'requestheader-allowed-names': '["p"]',
      },
    },
    {
      name: 'settings that only other servers have',
      existing: own,
      mine: {},
      data: own,
    },
    {
      name: 'expired authorities',
      existing: { 'client-ca-file': justExpired + longExpired },
      mine: { 'client-ca-file': a },
      data: { 'client-ca-file': justExpired + a },
    },
    {
      name: 'nothing but expired ones',
      existing: { 'client-ca-file': longExpired },
      mine: {},
      data: {},
    },
    {
      name: 'unreadable values and unknown keys',
      existing: {
        ...{ 'client-ca-file': 'x', 'requestheader-username-headers': '{', other: 'y' },
        ...{ 'requestheader-group-headers': '[1,"X-Remote-Group"]' },
      },
      data: own,
    },
  ]) {
    test(name, () => expect(mergedConfiguration(existing, mine, NOW)).toEqual(data))
  }
})
