import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transportProblem } from '../outgoing/transport-problem.ts'
import { issue } from '../pki/issue.ts'
import type { TlsFiles } from './configuration.ts'
import { proxyAt } from './proxy-place.ts'

const dir = mkdtempSync(join(tmpdir(), 'proxy-place-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}
const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 }
const made = () => issue({ ...times, subject: { commonName: 'x' }, use: 'client' })
const own = made()
const cert = file('cert', own.cert)
const key = file('key', own.key)
const otherKey = file('other-key', made().key)
const words = file('words', 'words')
const bad = file('bad', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
const url = new URL('https://user:secret@[fd00::1]')

test('the name of a proxy has no credentials', () => {
  const tls = { caBundle: cert, clientCert: cert, clientKey: key }
  expect(proxyAt({ url, tls })).toMatchObject({
    name: 'https://[fd00::1]',
    host: 'fd00::1',
    transport: 'tcp',
  })
  expect(proxyAt({ udsName: '/a' })).toMatchObject({ name: 'unix /a', transport: 'uds' })
})

for (const [name, files, message] of [
  ['authorities that are none', { caBundle: words }, `${words} holds no certificate`],
  ['authorities that cannot be read', { caBundle: bad }, `${bad} cannot be used`],
  ['a certificate that is none', { clientCert: words }, `${words} with ${key} cannot be used`],
  ['the key of another', { clientKey: otherKey }, `${cert} with ${otherKey} cannot be used`],
  ['a folder', { clientKey: dir }, `${dir} cannot be read`],
] as const) {
  test(name, () => {
    const tls = { caBundle: '', clientCert: cert, clientKey: key, ...files }
    expect(() => proxyAt({ url, tls })).toThrow(message)
  })
}

describe('TLS with a proxy', () => {
  const authority = issue({ ...times, subject: { commonName: 'ca' }, use: 'authority' })
  const caBundle = file('ca', authority.cert)
  const signed = (use: 'client' | 'server') =>
    issue({
      ...{ ...times, use, subject: { commonName: use }, issuer: authority },
      ...(use === 'server' ? { hosts: ['127.0.0.1'] } : {}),
    })
  const client = signed('client')
  const files = {
    caBundle,
    clientCert: file('client', client.cert),
    clientKey: file('client-key', client.key),
  }
  const proxy = createServer({ ...signed('server'), ca: authority.cert, requestCert: true })
  const silent = createTcp(() => {})
  beforeAll(async () => {
    for (const one of [proxy, silent]) {
      one.listen(0, '127.0.0.1')
      await once(one, 'listening')
    }
  })
  afterAll(() => {
    proxy.close()
    silent.close()
  })
  const at = (server: Server, tls: TlsFiles) => {
    const { port } = server.address() as AddressInfo
    return proxyAt({ url: new URL(`https://127.0.0.1:${port}`), tls })
  }
  const { signal } = new AbortController()

  test('both sides show certificates', async () => {
    const shown = once(proxy, 'secureConnection')
    const socket = await at(proxy, files).connect(signal)
    const [seen] = (await shown) as [TLSSocket]
    expect([seen.authorized, seen.getPeerCertificate().subject.CN]).toEqual([true, 'client'])
    const closed = once(seen, 'close')
    socket.destroy()
    await closed
  })

  test('a proxy of another authority is not connected to', async () => {
    const connecting = at(proxy, { ...files, caBundle: cert }).connect(signal)
    const problem = await connecting.then(
      () => 'none',
      (error: unknown) => transportProblem(error, ''),
    )
    expect(problem).toBe('x509: certificate signed by unknown authority')
  })

  test('one that never answers is given up', async () => {
    const late = new AbortController()
    const accepted = once(silent, 'connection') as Promise<[Socket]>
    const connecting = at(silent, files).connect(late.signal)
    const [seen] = await accepted
    const closed = once(seen.resume(), 'close')
    late.abort(new Error('too late'))
    await expect(connecting).rejects.toThrow('too late')
    await closed
  })
})
