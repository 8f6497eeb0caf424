/** A server with an authority that tests can sign with, and a way to see whom it takes a client for. */
import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AsnConvert } from '@peculiar/asn1-schema'
import { Certificate } from '@peculiar/asn1-x509'
import { expect } from 'vitest'
import {
  make,
  type IssuedCertificate,
  type MakeOptions,
} from '../../src/authn/certificates.fixture.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import type { ServerOptions } from '../../src/server/options/server-options.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client, type Ask, type Credential, type Reply } from '../client.ts'
import { manifests } from '../manifests.fixture.ts'

const v = vocabularies.orch
const request = manifests(v).find(({ kind }) => kind === 'CertificateSigningRequest')!.content
const HOUR_MS = 3_600_000

/** Paths of the resources that access is about. */
export const RBAC = '/apis/rbac.authorization.orch.io/v1'
export const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests'
export const REVIEWS = '/apis/authorization.orch.io/v1'
export const TOKEN_REVIEWS = '/apis/authentication.orch.io/v1/tokenreviews'
export const inNamespace = (namespace: string, resource: string) =>
  `/api/v1/namespaces/${namespace}/${resource}`

export type Headers = NonNullable<Ask['headers']>

/** A rule of a role, in short: `get,list pods,configmaps` of the core group, or of another with `group/`. */
export function rule(text: string, names?: readonly string[]): object {
  const [verbs = '', what = ''] = text.split(' ')
  if (what.startsWith('/') || what === '*') {
    return { verbs: verbs.split(','), nonResourceURLs: what.split(',') }
  }
  const [group, resources] = what.includes(':') ? what.split(':') : ['', what]
  return {
    verbs: verbs.split(','),
    apiGroups: [group],
    resources: resources!.split(','),
    ...(names ? { resourceNames: names } : {}),
  }
}

export interface Grantee {
  readonly user?: string
  readonly group?: string
  /** `namespace/name`. */
  readonly account?: string
}

const subjectsOf = ({ user, group, account }: Grantee): object[] => {
  const [namespace, name] = account?.split('/') ?? []
  return [
    ...(user === undefined ? [] : [{ kind: 'User', name: user }]),
    ...(group === undefined ? [] : [{ kind: 'Group', name: group }]),
    ...(account === undefined ? [] : [{ kind: 'ServiceAccount', namespace, name }]),
  ]
}

/** Somebody without a credential. */
export const ANONYMOUS = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/** The answer to a request that nobody is let in with. */
const UNAUTHORIZED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
}

/** A running server with what tests of access do to it. */
export class Realm {
  readonly server: RunningServer
  readonly admin: Client
  /** The authority of clients that the server made for itself. */
  readonly authority: IssuedCertificate
  readonly #dir: string
  readonly #clients: Client[] = []
  #bindings = 0

  private constructor(server: RunningServer, authority: IssuedCertificate, dir: string) {
    this.server = server
    this.authority = authority
    this.#dir = dir
    this.admin = this.as({})
  }

  /** Starts one in memory; `files` are written first, for options to name. Everybody may ask who they are. */
  static async start(
    options: (file: (name: string) => string) => ServerOptions = () => ({}),
    files: Readonly<Record<string, string>> = {},
  ): Promise<Realm> {
    const dir = await mkdtemp(join(tmpdir(), 'realm-'))
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
    const server = await startServer({
      dataDir: dir,
      store: 'memory',
      ...options((name) => join(dir, name)),
    })
    const realm = new Realm(server, await authorityIn(join(dir, 'pki')), dir)
    await server.settled()
    for (const group of ['system:authenticated', 'system:unauthenticated']) {
      await realm.allow({ group }, rule('create certificates.orch.io:certificatesigningrequests'))
    }
    return realm
  }

  /** A client that the end of the realm closes. */
  as(credential: Credential): Client {
    const client = new Client(this.server, credential)
    this.#clients.push(client)
    return client
  }

  /** A client with a certificate of the server's authority. */
  user(name: string, ...groups: string[]): Client {
    return this.as({ certificate: this.certificate({ subject: subject(name, groups) }) })
  }

  /** A certificate for clients that holds now, unless said otherwise. */
  certificate(options: MakeOptions): { cert: string; key: string } {
    const { pem, key } = certificate({ issuer: this.authority, ...options })
    return { cert: pem, key }
  }

  /** Binds a cluster role with these rules, everywhere or in one namespace; the path of the binding. */
  async allow(to: Grantee, rules: object | readonly object[], namespace?: string): Promise<string> {
    const name = `granted-${(this.#bindings += 1)}`
    const metadata = { name }
    await this.made(`${RBAC}/clusterroles`, { metadata, rules: [rules].flat() })
    const roleRef = { kind: 'ClusterRole', name }
    const place = namespace === undefined ? 'cluster' : `namespaces/${namespace}/`
    const path = `${RBAC}/${place}rolebindings`
    await this.made(path, { metadata, roleRef, subjects: subjectsOf(to) })
    return `${path}/${name}`
  }

  /** A file of the data directory. */
  file(name: string): Promise<string> {
    return readFile(join(this.#dir, name), 'utf8')
  }

  /** Creates as the administrator what must come to be. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read objects of every kind
  async made(path: string, object: object): Promise<any> {
    const { status, body, text } = await this.admin.post(path, object)
    if (status !== 201) throw new Error(`${path} answered with ${status}: ${text}`)
    return body
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
    await this.server.close()
    await rm(this.#dir, { recursive: true, force: true })
  }
}

/** Name and groups of a certificate. */
export const subject = (name: string, groups: readonly string[] = []): string[] => [
  ...groups.map((group) => `O=${group}`),
  `CN=${name}`,
]

/** A certificate that holds now and only for clients, unless said otherwise. */
export const certificate = (options: MakeOptions): IssuedCertificate =>
  make({
    authority: false,
    ...(options.authority === true ? {} : { uses: ['client'] }),
    notBeforeMs: Date.now() - HOUR_MS,
    notAfterMs: Date.now() + HOUR_MS,
    ...options,
  })

/** An authority that signs itself. */
export const newAuthority = (name: string): IssuedCertificate =>
  certificate({ subject: [`CN=${name}`], authority: true })

async function authorityIn(dir: string): Promise<IssuedCertificate> {
  const [pem, key] = await Promise.all(
    ['ca.crt', 'ca.key'].map((name) => readFile(join(dir, name), 'utf8')),
  )
  const certificate = new X509Certificate(pem!)
  const { tbsCertificate } = AsnConvert.parse(certificate.raw, Certificate)
  return { pem: pem!, key: key!, certificate, subject: tbsCertificate.subject }
}

/** Whom the server takes a client for: what it writes into a signing request, which is not kept. */
export async function who(client: Client, headers: Headers = {}): Promise<unknown> {
  const { status, body } = await client.post(
    `${REQUESTS}?dryRun=All`,
    { metadata: { name: 'who' }, ...request },
    { headers },
  )
  if (status !== 201) return status
  const { username: name, uid, groups, extra } = body.spec
  return { name, groups, ...(uid === undefined ? {} : { uid }), ...(extra ? { extra } : {}) }
}

/** Expects the answer to somebody who is not let in. */
export function expectUnauthorized({ status, headers, body }: Reply): void {
  expect([status, headers['www-authenticate'], body]).toEqual([401, 'Bearer', UNAUTHORIZED])
}

/** Status and text of an answer. */
export const said = ({ status, body, text }: Reply): [number, string] => [
  status,
  body?.message ?? text,
]

/** The answer to somebody who may not, with `what` as the text behind `cannot`. */
export const refused = (of: string, user: string, what: string): [number, string] => [
  403,
  `${of} is forbidden: User "${user}" cannot ${what}`,
]
