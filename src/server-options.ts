import type { Clock } from './base/clock.ts'
import type { Ids } from './base/ids.ts'
import type { Log } from './base/log.ts'
import type { VocabularyName } from './vocabulary/vocabulary.ts'

/** What a server is started with; everything has a default. */
export interface ServerOptions {
  /** Where objects, certificates and the admin kubeconfig are kept. Absent: in memory, gone at the end. */
  readonly dataDir?: string
  /** Engine; by default `lmdb` with a data directory and `memory` without. */
  readonly store?: 'lmdb' | 'memory'
  /** Brand words; the product's own by default. */
  readonly vocabulary?: VocabularyName
  /** Address to listen on; 127.0.0.1 by default. */
  readonly bindAddress?: string
  /** 0, the default: any free port. */
  readonly port?: number
  readonly log?: Log
  readonly clock?: Clock
  readonly ids?: Ids
  /** How long changes can be looked back at, milliseconds; 5 minutes by default. */
  readonly historyMs?: number
  /** Bound of a request that is not a watch, milliseconds; 1 minute by default. */
  readonly requestTimeoutMs?: number
  /** A watch without a timeout of its own ends after one to two times this, milliseconds; 30 minutes by default. */
  readonly minRequestTimeoutMs?: number
}

/** A server that is ready. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Authority of the server's certificate, PEM. */
  readonly ca: string
  /** Configuration for clients, with the administrator's certificate: keep it secret. */
  readonly kubeconfig: string
  /** Where it was written, with a data directory. */
  readonly kubeconfigPath?: string
  /** Ends watches, finishes requests and lets go of everything. May be called twice. */
  close(): Promise<void>
}
