/** `/openapi/v2` and `/openapi/v3` with the documents of other servers. */
import { createHash } from 'node:crypto'
import { choose, OFFERS } from './accept.ts'
import {
  respond,
  matches,
  type OpenApiResponse,
  type OpenApiEndpoints,
  type OpenApiRequest,
} from './endpoints.ts'
import { documentUrl, type OpenApiV3Index } from './index-v3.ts'
import type { CompressedDocument } from './compressed-document.ts'
import type { RemoteDocuments } from './remote-documents.ts'

const NOTHING = Buffer.alloc(0)

/** The endpoints, and which documents are with other servers. */
export interface MergedEndpoints extends OpenApiEndpoints {
  /** Whether the document at a path of version 3 is to be asked of the server of its group version. */
  isElsewhere(path: string): boolean
}

/**
 * Adds what is known of other servers to the local documents, which are the same without them. `onError` learns of
 * documents that cannot be merged; the local ones are served then.
 */
export function mergedEndpoints(
  local: OpenApiEndpoints,
  remote: RemoteDocuments,
  onError: (error: unknown) => void,
): MergedEndpoints {
  const whole = new MergedDocument(local, remote, onError)
  return {
    async v2(request) {
      if (remote.v2.length === 0) return local.v2(request)
      const offer = choose(request.accept, OFFERS.v2)
      const kept = offer && (await whole.document())
      return kept ? respond(kept, offer, request, []) : local.v2(request)
    },
    async v3Index(request) {
      if (remote.v3.size === 0) return local.v3Index(request)
      const { body } = await local.v3Index({})
      return index(JSON.parse(body.toString('utf8')) as OpenApiV3Index, remote, request)
    },
    async v3(path, hash, request) {
      const found = remote.v3.get(path)
      if (!found?.kept) return local.v3(path, hash, request)
      const offer = choose(request.accept, OFFERS.v3)
      if (!offer) return { status: 406, headers: [], body: NOTHING }
      if (hash === null || hash === '' || hash === found.hash)
        return respond(found.kept, offer, request, [])
      return { status: 301, headers: ['location', documentUrl(path, found.hash)], body: NOTHING }
    },
    isElsewhere: (path) => remote.v3.get(path)?.kept === null,
  }
}

function index(
  { paths }: OpenApiV3Index,
  { v3 }: RemoteDocuments,
  request: OpenApiRequest,
): OpenApiResponse {
  const all = new Map(Object.entries(paths))
  for (const [path, { hash }] of v3) all.set(path, { serverRelativeURL: documentUrl(path, hash) })
  const sortedPaths = [...all].sort(([a], [b]) => (a < b ? -1 : 1))
  const body = Buffer.from(JSON.stringify({ paths: Object.fromEntries(sortedPaths) }))
  const etag = `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`
  const headers = ['etag', etag]
  if (matches(request.ifNoneMatch, etag)) return { status: 304, headers, body: NOTHING }
  return { status: 200, headers: ['content-type', 'application/json', ...headers], body }
}

/** The document of version 2, merged anew when one of its parts has changed. */
class MergedDocument {
  readonly #local: OpenApiEndpoints
  readonly #remote: RemoteDocuments
  readonly #onError: (error: unknown) => void
  #key = ''
  #made: Promise<CompressedDocument | null> = Promise.resolve(null)

  constructor(local: OpenApiEndpoints, remote: RemoteDocuments, onError: (error: unknown) => void) {
    this.#local = local
    this.#remote = remote
    this.#onError = onError
  }

  /** Null when it cannot be made. */
  async document(): Promise<CompressedDocument | null> {
    const { headers, body } = await this.#local.v2({ accept: 'application/json', gzip: true })
    const { generation, v2: parts } = this.#remote
    const key = `${headers[headers.indexOf('etag') + 1]} ${generation}`
    if (this.#key === key) return this.#made
    this.#key = key
    this.#made = (async () => {
      const { buildMergedV2 } = await import('./build-merged.ts')
      return buildMergedV2(body, parts)
    })().catch((error: unknown) => {
      this.#onError(error)
      return null
    })
    return this.#made
  }
}
