/** Audit of requests: what is recorded, and where. */
export interface AuditOptions {
  /** Policy file: which requests are recorded, and how much of them. Without it nothing is. */
  readonly policyFile?: string
  readonly log?: AuditLogOptions
  readonly webhook?: AuditWebhookOptions
}

/** Records as lines of a file. */
export interface AuditLogOptions extends AuditBackendOptions {
  /** The file; `-` is the standard output. */
  readonly path: string
  /** Format of the lines; `json` by default. */
  readonly format?: 'json' | 'legacy'
  /** Days that rotated files are kept; 0, the default: for ever. */
  readonly maxAgeDays?: number
  /** Rotated files that are kept; 0, the default: all. */
  readonly maxBackups?: number
  /** Size at which the file is rotated, mebibytes; 0, the default: 100. */
  readonly maxSizeMb?: number
  /** Whether rotated files are compressed; not by default. */
  readonly compress?: boolean
  /**
   * Whether lines without bodies are put together from parts that are kept, and lines of many requests are written at once
   * in mode `batch`; true by default.
   */
  readonly joinLines?: boolean
}

/** Records are sent to another server. */
export interface AuditWebhookOptions extends AuditBackendOptions {
  /** Kubeconfig of the webhook. */
  readonly configFile: string
  /** Delay before the first repetition of a failed call, milliseconds; 10 seconds by default. */
  readonly initialBackoffMs?: number
}

/** Where records go. */
export interface AuditBackendOptions {
  /**
   * Whether requests wait until their records are stored: `batch`, the default of the webhook, `blocking`, that of the
   * log, or `blocking-strict`, which refuses requests that cannot be recorded.
   */
  readonly mode?: 'batch' | 'blocking' | 'blocking-strict'
  /** Version of the records. */
  readonly version?: string
  readonly batch?: AuditBatchOptions
  readonly truncate?: AuditTruncateOptions
}

/** Mode `batch`. */
export interface AuditBatchOptions {
  /** Records that wait at most, further ones are dropped; 10,000 by default. */
  readonly bufferSize?: number
  /** Records of one batch; 1 by default, 400 of the webhook. */
  readonly maxSize?: number
  /** How long a record waits for others, milliseconds; 0 by default, 30 seconds of the webhook. */
  readonly maxWaitMs?: number
  /** Whether batches are limited; only those of the webhook by default. */
  readonly throttle?: boolean
  /** Batches per second; 10 of the webhook by default. */
  readonly qps?: number
  /** Further batches at once; 15 of the webhook by default. */
  readonly burst?: number
}

/** Limits of the size of records. */
export interface AuditTruncateOptions {
  /** Whether there are limits; not by default. */
  readonly enabled?: boolean
  /** Largest record, bytes; 102,400 by default. Larger ones lose their objects. */
  readonly maxEventBytes?: number
  /** Largest batch, bytes; 10,485,760 by default. */
  readonly maxBatchBytes?: number
}
