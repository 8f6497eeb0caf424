/**
 * `/openapi/v2` and `/openapi/v3`. Documents are built on the first request after a change of their sources; the cache
 * holds compressed bytes.
 */
import { createHash } from 'node:crypto'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { AllParts } from './build.ts'
import { choose, OFFERS, type Offer } from './accept.ts'
import type { DocumentOptions } from './document.ts'
import { documentUrl, openApiV3Index } from './index-v3.ts'
import { plain, type CompressedDocument } from './compressed-document.ts'
import { rootOf } from './names.ts'
import type { Place } from './places.ts'

/** The relevant parts of a request. */
export interface OpenApiRequest {
  readonly accept?: string | undefined
  readonly ifNoneMatch?: string | undefined
  /** Whether the client takes gzip. */
  readonly gzip?: boolean
}

/** The response. */
export interface OpenApiResponse {
  readonly status: number
  /**
   * Names in lower case alternating with values. `cache-control` is included only where it differs from the default.
   */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** The endpoints without HTTP. */
export interface OpenApiEndpoints {
  /** `/openapi/v2` */
  v2(request: OpenApiRequest): Promise<OpenApiResponse>
  /** `/openapi/v3`, always in JSON. */
  v3Index(request: OpenApiRequest): Promise<OpenApiResponse>
  /** `/openapi/v3/{path}`, where path is such as `apis/apps/v1`; `hash` is that of the query. */
  v3(path: string, hash: string | null, request: OpenApiRequest): Promise<OpenApiResponse>
}

/** Dependencies of the endpoints. */
export interface OpenApiSources {
  readonly catalogue: Pick<Catalogue, 'now' | 'subscribe'>
  readonly v: Vocabulary
  /** Release in the documents. */
  readonly version?: string
  /** Milliseconds since the epoch; for `Expires`. */
  readonly now?: () => number
}

const NOTHING = Buffer.alloc(0)
const YEAR_MS = 365 * 24 * 3600 * 1000

/** Creates the endpoints; nothing is imported before the first request. */
export function openApiEndpoints(sources: OpenApiSources): OpenApiEndpoints {
  const { now = Date.now } = sources
  const documents = new Documents(sources)
  return {
    async v2(request) {
      const offer = choose(request.accept, OFFERS.v2)
      if (!offer) return { status: 406, headers: [], body: NOTHING }
      return respond(await documents.v2(), offer, request, [])
    },
    async v3Index(request) {
      const body = await documents.index()
      const etag = `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`
      const headers = ['etag', etag]
      if (matches(request.ifNoneMatch, etag)) return { status: 304, headers, body: NOTHING }
      return { status: 200, headers: ['content-type', 'application/json', ...headers], body }
    },
    async v3(path, hash, request) {
      const document = await documents.v3(path)
      if (!document) return { status: 404, headers: [], body: NOTHING }
      const offer = choose(request.accept, OFFERS.v3)
      if (!offer) return { status: 406, headers: [], body: NOTHING }
      if (hash === null || hash === '') return respond(document, offer, request, [])
      if (hash !== document.hash) {
        return {
          status: 301,
          headers: ['location', documentUrl(path, document.hash)],
          body: NOTHING,
        }
      }
      return respond(document, offer, request, [
        'cache-control',
        'public, immutable',
        'expires',
        new Date(now() + YEAR_MS).toUTCString(),
      ])
    },
  }
}

/** The response with a document in one of its forms. */
export async function respond(
  kept: CompressedDocument,
  offer: Offer,
  request: OpenApiRequest,
  more: readonly string[],
): Promise<OpenApiResponse> {
  const etag = `"${kept.hash}"`
  const headers = ['etag', etag, 'vary', 'Accept', ...more]
  if (matches(request.ifNoneMatch, etag)) return { status: 304, headers, body: NOTHING }
  const packed = kept[offer.form]
  headers.push('content-type', offer.sentAs)
  if (!request.gzip) return { status: 200, headers, body: await plain(packed) }
  headers.push('content-encoding', 'gzip', 'vary', 'Accept-Encoding')
  return { status: 200, headers, body: packed }
}

/** Whether a client has the version of a document. */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

type Build = typeof import('./build.ts')

/** A document and the sources that it was built from. */
interface BuiltDocument {
  readonly of: unknown
  readonly kept: Promise<CompressedDocument>
}

/** Documents by their addresses, built one at a time. */
class Documents {
  readonly #sources: OpenApiSources
  readonly #built = new Map<string, BuiltDocument>()
  /** Places of this generation. */
  #places: ReadonlyMap<string, Place> = new Map()
  #generation = -1
  #last: Promise<unknown> = Promise.resolve()
  #docs: Promise<ReadonlyMap<string, string>> | null = null
  #parts: AllParts | null = null

  constructor(sources: OpenApiSources) {
    this.#sources = sources
    // Documents of removed resources are dropped at once, not on the next request.
    sources.catalogue.subscribe(({ removed, changed }) => {
      this.#generation = -1
      this.#places = new Map()
      for (const { served } of [...removed, ...changed.map(({ before }) => before)])
        for (const { group, version } of served) this.#built.delete(rootOf(group, version).slice(1))
    })
  }

  v2(): Promise<CompressedDocument> {
    const { now } = this.#sources.catalogue
    const make = async (build: Build) =>
      build.buildV2(now, this.#partsOf(build), await this.#options(build))
    return this.#get('', now.generation, make)
  }

  /** Null when nothing is served there. */
  async v3(path: string): Promise<CompressedDocument | null> {
    const place = (await this.#placesNow()).get(path)
    return place ? this.#v3(place) : null
  }

  /** Index of the documents. It contains their hashes, so all are built. */
  async index(): Promise<Buffer> {
    const places = [...(await this.#placesNow()).values()]
    const kept = await Promise.all(places.map((place) => this.#v3(place)))
    const hashes = new Map(places.map(({ path }, i) => [path, kept[i]!.hash]))
    return Buffer.from(JSON.stringify(openApiV3Index(hashes)))
  }

  #v3(place: Place): Promise<CompressedDocument> {
    const { v } = this.#sources
    return this.#get(place.path, place.of, async (build) =>
      build.buildV3(v, place, this.#partsOf(build), await this.#options(build)),
    )
  }

  #partsOf({ newParts }: Build): AllParts {
    return (this.#parts ??= newParts(this.#sources.v))
  }

  /** The documented paths; documents of removed ones are dropped. */
  async #placesNow(): Promise<ReadonlyMap<string, Place>> {
    const { placesOf } = await import('./build.ts')
    const { now } = this.#sources.catalogue
    if (this.#generation !== now.generation) {
      this.#generation = now.generation
      this.#places = new Map(placesOf(now).map((place) => [place.path, place]))
      this.#parts?.v3.retain(new Set(this.#places.keys()))
      for (const path of this.#built.keys())
        if (path !== '' && !this.#places.has(path)) this.#built.delete(path)
    }
    return this.#places
  }

  async #options({ loadDocs }: Build): Promise<DocumentOptions> {
    const { version } = this.#sources
    const docs = await (this.#docs ??= loadDocs())
    return { docs, ...(version === undefined ? {} : { version }) }
  }

  #get(
    key: string,
    of: unknown,
    make: (build: Build) => Promise<CompressedDocument>,
  ): Promise<CompressedDocument> {
    const before = this.#built.get(key)
    if (before && before.of === of) return before.kept
    // One after the other: each needs some memory while it is made.
    const kept = this.#last.then(async () => make(await import('./build.ts')))
    const built = { of, kept }
    this.#built.set(key, built)
    const ended = kept
      .catch(() => this.#built.get(key) === built && this.#built.delete(key))
      .then(() => {
        // Not awaited: the texts are not needed until the catalogue changes.
        if (this.#last === ended) this.#docs = null
      })
    this.#last = ended
    return kept
  }
}
