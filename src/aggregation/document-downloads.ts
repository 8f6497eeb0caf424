/** Keeps the OpenAPI documents of extension servers. */
import { createHash } from 'node:crypto'
import type { ServiceResolver } from '../client/service-address.ts'
import { WorkQueue } from '../client/work-queue.ts'
import type { APIService } from '../kinds/apiregistration/api-service.ts'
import type { CompressedDocument } from '../openapi/compressed-document.ts'
import type { RemoteDocuments, RemotePart, RemoteV3 } from '../openapi/remote-documents.ts'
import { isAvailable, type ApiServices } from './api-services.ts'
import { askServer, type AskingParts, type Reply } from './ask-server.ts'
import { serverTls } from './server-tls.ts'
import { servicePort } from './service-port.ts'

/** What downloads need. */
export interface DownloadParts extends AskingParts {
  readonly services: ApiServices
  readonly resolve: ServiceResolver
  /** Called with the name of the APIService, once for failures in a row. */
  readonly onError: (name: string, error: unknown) => void
}

const WORKERS = 2
const TIMEOUT_MS = 60_000
const MAX_BYTES = 10 << 20
const MAX_INDEX_BYTES = 1 << 20
const AGAIN_MS = 60_000
const LEAST_MS = 1_000
const MOST_MS = 3_600_000

/** What is known of one group version. */
interface Known {
  readonly etag: string
  readonly part: RemotePart
  readonly v3: RemoteV3
  readonly toV3: () => Promise<CompressedDocument>
}

/** Downloads the documents of available extension servers, and asks for changes from time to time. */
export class DocumentDownloads implements RemoteDocuments {
  readonly #parts: DownloadParts
  readonly #ending = new AbortController()
  readonly #queue: WorkQueue
  readonly #known = new Map<string, Known>()
  #ends: (() => void)[] = []
  #generation = 0
  #v2: readonly RemotePart[] | null = null
  #v3: ReadonlyMap<string, RemoteV3> | null = null

  constructor(parts: DownloadParts) {
    this.#parts = parts
    this.#queue = new WorkQueue({
      clock: parts.clock,
      work: (name) => this.#download(name),
      workers: WORKERS,
      leastMs: LEAST_MS,
      mostMs: MOST_MS,
      onError: (error, name, failures) => {
        if (failures === 1) parts.onError(name, error)
      },
    })
  }

  get generation(): number {
    return this.#generation
  }

  get v2(): readonly RemotePart[] {
    return (this.#v2 ??= this.#sorted().map(({ part }) => part))
  }

  get v3(): ReadonlyMap<string, RemoteV3> {
    return (this.#v3 ??= new Map(this.#sorted().map(({ part, v3 }) => [part.path, v3])))
  }

  /** Begins to download. */
  start(): void {
    const { services } = this.#parts
    const add = (name: string) => this.#queue.add(name)
    this.#ends = [services.subscribe(add), services.onAvailability(add)]
    for (const name of services.remote.keys()) add(name)
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    for (const end of this.#ends.splice(0)) end()
    await this.#queue.stop()
  }

  #sorted(): Known[] {
    return [...this.#known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, known]) => known)
  }

  async #download(name: string): Promise<number | void> {
    const service = this.#parts.services.remote.get(name)
    if (!service) {
      if (this.#known.delete(name)) this.#changed()
      return
    }
    // The next change of that is reported.
    if (!isAvailable(service)) return
    await this.#renew(name, service)
    return AGAIN_MS
  }

  async #renew(name: string, service: APIService): Promise<void> {
    const { group = '', version = '' } = service.spec
    const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
    const before = this.#known.get(name)
    const etag = before?.etag ?? ''
    const reply = await this.#ask(service, '/openapi/v2', MAX_BYTES, {
      ...(etag === '' ? {} : { 'if-none-match': etag }),
    })
    const isSame = reply.status === 304 && before !== undefined
    if (!isSame && reply.status !== 200)
      throw new Error(`the server answered ${reply.status} for /openapi/v2`)
    const read = isSame ? before : await readDocument(reply, path)
    const v3 = await this.#v3Of(service, read, isSame ? before.v3 : null)
    if (this.#parts.services.remote.get(name)?.spec.service === undefined) return
    if (isSame && v3.hash === before.v3.hash) return
    this.#known.set(name, { ...read, v3 })
    this.#changed()
  }

  /** Servers of earlier releases have no documents of version 3. */
  async #v3Of(
    service: APIService,
    { part, toV3 }: Omit<Known, 'v3'>,
    before: RemoteV3 | null,
  ): Promise<RemoteV3> {
    const hash = hashIn(await this.#ask(service, '/openapi/v3', MAX_INDEX_BYTES), part.path)
    if (hash !== null) return { hash, kept: null }
    if (before?.kept) return before
    const kept = await toV3()
    return { hash: kept.hash, kept }
  }

  async #ask(
    service: APIService,
    path: string,
    maxBytes: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const address = await this.#parts.resolve(servicePort(service.spec.service!))
    const tls = serverTls(service)
    const { signal } = this.#ending
    return askServer(this.#parts, {
      ...{ address, path, headers, tls, maxBytes, signal },
      timeoutMs: TIMEOUT_MS,
    })
  }

  #changed(): void {
    this.#generation++
    this.#v2 = null
    this.#v3 = null
  }
}

async function readDocument({ headers, body }: Reply, path: string): Promise<Omit<Known, 'v3'>> {
  const { readRemote } = await import('../openapi/build-merged.ts')
  const { parseJson } = await import('../codec/json-text.ts')
  const { part, v3 } = readRemote(parseJson(body), path)
  return { etag: String(headers['etag'] ?? ''), part, toV3: v3 }
}

/** The hash of a document in the index of a server; null where it has none. */
function hashIn({ status, body }: Reply, path: string): string | null {
  if (status !== 200) return null
  try {
    const { paths } = JSON.parse(body.toString('utf8')) as {
      readonly paths: Readonly<Record<string, { readonly serverRelativeURL?: unknown }>>
    }
    if (!Object.hasOwn(paths, path)) return null
    const url = String(paths[path]!.serverRelativeURL)
    const hash = new URL(url, 'https://server').searchParams.get('hash')
    return hash ?? createHash('sha512').update(url).digest('hex').toUpperCase()
  } catch {
    return null
  }
}
