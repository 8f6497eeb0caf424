import { X509Certificate } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { readFile } from '../base/files.ts'
import { plainReason } from '../base/plain-reason.ts'
import { silentLog, type Log } from '../base/log.ts'
import { watchFile } from '../base/watch-file.ts'
import { certificateDetails, type CertificateDetails } from '../base/certificate-details.ts'

const REREAD_MS = 60_000
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Where the certificates of authorities come from. */
export interface BundleSource {
  /** For messages. */
  readonly name: string
  /** PEM. */
  read(): Promise<string>
  /** Calls back whenever there may be something new, until the returned function is called. */
  watch?(changed: () => void): () => void
}

/** A file. */
export const fileSource = (path: string): BundleSource => ({
  name: path,
  read: () => readFile(path, 'utf8'),
  watch: (changed) => watchFile(path, changed),
})

/** Text that never changes. */
export const fixedSource = (name: string, text: string): BundleSource => ({
  name,
  read: () => Promise.resolve(text),
})

export interface BundleOptions {
  readonly source: BundleSource
  readonly clock: Clock
  readonly log?: Log
}

/**
 * Authorities that are trusted, read again every minute and whenever their file changes. An unusable file leaves
 * them as they are.
 */
export class CaBundle {
  /** Counts the contents that there have been. */
  generation = 1
  pem: string
  authorities: readonly CertificateDetails[]

  readonly #source: BundleSource
  readonly #clock: Clock
  readonly #log: Log
  readonly #listeners = new Set<() => void>()
  #reading: Promise<void> | null = null
  #again = false
  /** Why the last reading failed; null when it did not. Logged once. */
  #problem: string | null = null
  #cancel = () => {}
  #unwatch = () => {}
  #closed = false

  private constructor({ source, clock, log }: BundleOptions, pem: string) {
    this.#source = source
    this.#clock = clock
    this.#log = log ?? silentLog
    this.pem = pem
    this.authorities = parseBundle(pem)
  }

  /** Rejects when the first content cannot be used. */
  static async open(options: BundleOptions): Promise<CaBundle> {
    const { name } = options.source
    let bundle: CaBundle
    try {
      bundle = new CaBundle(options, await options.source.read())
    } catch (cause) {
      throw new Error(`cannot use the authorities in ${name}: ${plainReason(cause)}`, { cause })
    }
    bundle.#unwatch = options.source.watch?.(() => void bundle.refresh()) ?? (() => {})
    bundle.#schedule()
    return bundle
  }

  /** Calls back after each change of content. */
  onChange(call: () => void): () => void {
    this.#listeners.add(call)
    return () => this.#listeners.delete(call)
  }

  /** Reads the source now; resolves when its present contents have been checked. */
  refresh(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#again = true
    return (this.#reading ??= this.#readAll().finally(() => (this.#reading = null)))
  }

  close(): void {
    this.#closed = true
    this.#cancel()
    this.#unwatch()
    this.#listeners.clear()
  }

  async #readAll(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false
      try {
        this.#take(await this.#source.read())
        this.#problem = null
      } catch (error) {
        const problem = plainReason(error)
        if (problem === this.#problem) continue
        this.#problem = problem
        this.#log.warn('the CA bundle cannot be reloaded, using the previous one', {
          source: this.#source.name,
          error: problem,
        })
      }
    }
  }

  #take(pem: string): void {
    if (pem === this.pem || this.#closed) return
    const authorities = parseBundle(pem)
    this.authorities = authorities
    this.pem = pem
    this.generation++
    this.#log.info('CA bundle reloaded', {
      source: this.#source.name,
      count: authorities.length,
    })
    for (const call of this.#listeners) call()
  }

  #schedule(): void {
    if (this.#closed) return
    this.#cancel = this.#clock.after(REREAD_MS, () => {
      this.#schedule()
      void this.refresh()
    })
  }
}

/** The certificates in a PEM text; other blocks are left out. Throws an Error when there are none, or a bad one. */
export function parseBundle(pem: string): readonly CertificateDetails[] {
  const blocks = pem.match(BLOCK) ?? []
  if (blocks.length === 0) throw new Error('it holds no certificate')
  return blocks.map((block) => certificateDetails(certificateOf(block)))
}

function certificateOf(block: string): X509Certificate {
  try {
    return new X509Certificate(block)
  } catch (cause) {
    throw new Error('it holds a certificate that cannot be read', { cause })
  }
}
