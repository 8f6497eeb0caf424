/** Connections to egress proxies. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP, type NetConnectOpts } from 'node:net'
import { createSecureContext, type ConnectionOptions } from 'node:tls'
import { SERVER_TRUST } from '../base/server-trust.ts'
import { openConnection } from '../outgoing/tunnel.ts'
import type { Duplex } from 'node:stream'
import type { ProxyPlace, TlsFiles } from './configuration.ts'

/** A proxy, as connections to it need it. */
export interface Proxy {
  /** For errors and logs: a URL without credentials, or the path of a socket. */
  readonly name: string
  /** Host of its URL; empty without. */
  readonly host: string
  readonly transport: 'tcp' | 'uds'
  /** Connects to it. Rejects with an error of the platform. */
  connect(signal: AbortSignal): Promise<Duplex>
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

/** Reads the certificates for a proxy. Throws an Error that names the file. */
export function proxyAt(place: ProxyPlace): Proxy {
  if ('udsName' in place) {
    const { udsName: path } = place
    const connect = (signal: AbortSignal) => openConnection({ path }, null, signal)
    return { name: `unix ${path}`, host: '', transport: 'uds', connect }
  }
  const { url, tls: files } = place
  const host = bare(url.hostname)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const to: NetConnectOpts = { host, port, noDelay: true, keepAlive: true }
  const tls = files && tlsOptions(host, files)
  return {
    name: `${url.protocol}//${url.host}`,
    host,
    transport: 'tcp',
    connect: (signal) => openConnection(to, tls, signal),
  }
}

function tlsOptions(host: string, files: TlsFiles): ConnectionOptions {
  const ca = files.caBundle === '' ? undefined : authorities(files.caBundle)
  const { allowPartialTrustChain, checkServerIdentity: checkIdentity } = SERVER_TRUST
  const cert = read(files.clientCert)
  const key = read(files.clientKey)
  return {
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    checkServerIdentity: checkIdentity,
    secureContext: usable(`${files.clientCert} with ${files.clientKey}`, () =>
      createSecureContext({ ca, cert, key, allowPartialTrustChain }),
    ),
  }
}

function authorities(path: string): string {
  const pem = read(path).toString('latin1')
  const blocks = pem.match(BLOCK) ?? []
  if (blocks.length === 0) throw new Error(`${path} holds no certificate`)
  // The platform passes over those that it cannot read.
  for (const block of blocks) usable(path, () => new X509Certificate(block))
  return pem
}

function usable<T>(what: string, use: () => T): T {
  try {
    return use()
  } catch (cause) {
    throw new Error(`${what} cannot be used`, { cause })
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new Error(`${path} cannot be read`, { cause })
  }
}
