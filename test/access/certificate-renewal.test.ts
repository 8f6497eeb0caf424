/** A server that runs for years: its certificates are renewed in time, without a restart. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { main } from '../../src/cli/main.ts'
import type { RunningServer, ServerOptions } from '../../src/index.ts'
import { launchServer } from '../../src/server/start-server.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const YEAR = 365 * DAY
const SOON = { timeout: 30_000 }

const clock = new ManualClock(Date.now())
const lines: string[] = []
let folder = ''
let server: RunningServer

const note = (message: string, fields: object = {}) =>
  void lines.push(`${message} ${JSON.stringify(fields)}`)
const log = { ...silentLog, info: note, warn: note }

const launch = (more: ServerOptions = {}) =>
  launchServer(
    {
      ...{ clock, dataDir: join(folder, 'data'), controllers: false },
      log,
      ...more,
    },
    { certificateClock: clock, pkiClock: clock },
  )

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renewal-'))
  server = await launch()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** The certificate that a new connection is shown. TLS looks at the machine's clock, by which it is not good yet. */
async function presented(port: number): Promise<X509Certificate> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const made = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () =>
      resolve(made),
    )
    made.once('error', reject)
  })
  const { raw } = socket.getPeerCertificate()
  socket.destroy()
  return new X509Certificate(raw)
}

const embedded = (kubeconfig: string, name: string): string =>
  Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)![1]!, 'base64').toString()

/** What a client gets with the certificate of a kubeconfig, or without. */
function asked(path: string, kubeconfig?: string): Promise<{ status: number; text: string }> {
  const credentials = kubeconfig && {
    cert: embedded(kubeconfig, 'client-certificate-data'),
    key: embedded(kubeconfig, 'client-key-data'),
  }
  return new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, agent: false, ...credentials }
    request(`${server.url}${path}`, options, (response) => {
      let text = ''
      response.on('data', (data) => (text += data))
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
      .on('error', reject)
      .end()
  })
}

test('certificates are renewed for five years', { timeout: 120_000 }, async () => {
  const path = join(folder, 'data', 'admin.kubeconfig')
  const first = server.kubeconfig
  const serials = new Set([(await presented(server.port)).serialNumber])
  for (let days = 0; days < 5 * 365; days += 340) {
    clock.step(340 * DAY)
    clock.advance(HOUR)
    await vi.waitFor(async () => {
      const now = clock.now()
      const serving = await presented(server.port)
      expect(Date.parse(serving.validTo)).toBeGreaterThan(now + 300 * DAY)
      expect(serving.checkIP('127.0.0.1')).toBe('127.0.0.1')
      expect(serving.verify(new X509Certificate(server.ca).publicKey)).toBe(true)
      const admin = new X509Certificate(embedded(server.kubeconfig, 'client-certificate-data'))
      expect(Date.parse(admin.validTo)).toBeGreaterThan(now + 300 * DAY)
      expect(readFileSync(path, 'utf8')).toBe(server.kubeconfig)
    }, SOON)
    serials.add((await presented(server.port)).serialNumber)
    expect((await asked('/api/v1/namespaces', server.kubeconfig)).status).toBe(200)
  }
  expect(serials.size).toBe(7)
  expect((await asked('/api/v1/namespaces', first)).status).toBe(401)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(lines.filter((line) => line.startsWith('certificates renewed'))).toHaveLength(6)
  expect(lines.filter((line) => line.startsWith('a certificate ends'))).toEqual([])
})

test('what a restart finds is what was renewed', async () => {
  const before = (await presented(server.port)).serialNumber
  await server.close()
  server = await launch()
  expect((await presented(server.port)).serialNumber).toBe(before)
})

test('the time that is left shows in the metrics', async () => {
  const { text } = await asked('/metrics', server.kubeconfig)
  const left = Object.fromEntries(
    [...text.matchAll(/^orch_certificate_expiration_seconds\{certificate="(\w+)"\} (\S+)$/gm)].map(
      ([, name, value]) => [name, Math.round((Number(value) * 1000) / YEAR)],
    ),
  )
  expect(left).toEqual({ administrator: 1, authority: 4, serving: 1 })
})

test('the kubeconfig of a data directory is renewed by a command', async () => {
  const said: string[] = []
  const codes: number[] = []
  const terminal = {
    out: (text: string) => void said.push(text),
    err: (text: string) => void said.push(text),
    exit: (code: number) => void codes.push(code),
  }
  const run = (...args: string[]) =>
    main(['renew-kubeconfig', ...args], { version: '0', terminal: terminal as never })
  const path = join(folder, 'data', 'admin.kubeconfig')
  const before = readFileSync(path, 'utf8')
  await run(`--data-dir=${join(folder, 'data')}`, '--days=7')
  const after = readFileSync(path, 'utf8')
  const renewed = new X509Certificate(embedded(after, 'client-certificate-data'))
  expect(renewed.subject).toBe('O=system:masters\nCN=orch-admin')
  expect(renewed.verify(new X509Certificate(server.ca).publicKey)).toBe(true)
  expect(said).toEqual([`${path} is valid until ${new Date(renewed.validTo).toISOString()}\n`])
  const stripped = (text: string) => text.replaceAll(/(client-\S+-data): \S+/g, '$1')
  expect(stripped(after)).toBe(stripped(before))
  said.splice(0)
  const none = join(folder, 'none')
  await run(`--data-dir=${none}`)
  expect([said, codes.at(-1), existsSync(none)]).toEqual([
    [
      `orch renew-kubeconfig: ${join(none, 'admin.kubeconfig')} is missing; it is written when a server starts with this data directory\n`,
    ],
    1,
    false,
  ])
})

test('a pair in a directory of the options is renewed too, and one of others is not', async () => {
  await server.close()
  const certDir = join(folder, 'certs')
  server = await launch({ serving: { certDir } })
  const before = await presented(server.port)
  clock.step(340 * DAY)
  clock.advance(HOUR)
  await vi.waitFor(async () => {
    const now = await presented(server.port)
    expect(now.serialNumber).not.toBe(before.serialNumber)
    expect(Date.parse(now.validTo)).toBeGreaterThan(clock.now() + 300 * DAY)
  }, SOON)
  expect(readFileSync(join(certDir, 'apiserver.crt'), 'utf8')).toContain('BEGIN CERTIFICATE')
})
