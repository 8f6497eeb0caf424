/** What a load process is told to do and what it answers; plain data, so that it can cross processes. */

/** A server on the loopback and the identity to meet it with: a certificate, or a token, or none. */
export interface Target {
  readonly port: number
  /** PEM, as the next two. */
  readonly ca: string
  readonly cert?: string
  readonly key?: string
  /** Sent with every request. */
  readonly token?: string
  /** Process whose CPU time is counted. */
  readonly pid: number
  /** Process of the store behind it, counted apart. */
  readonly storePid?: number
}

/** What is asked for. A lane is one closed loop: it sends the next request when the last is answered. */
export type Plan =
  | {
      readonly is: 'get'
      readonly path: string
      /** Form that is asked for; JSON by default. */
      readonly accept?: string
    }
  /** Gets one path after the other, again and again. */
  | { readonly is: 'gets'; readonly paths: readonly string[] }
  /** Walks a list in pages, again and again. */
  | { readonly is: 'pages'; readonly path: string; readonly limit: number }
  /** Makes `count` objects, numbered under a prefix. */
  | {
      readonly is: 'create'
      readonly path: string
      readonly prefix: string
      readonly sizeBytes: number
      readonly count: number
      /** Number of the first; 0 by default. */
      readonly from?: number
      /** Every so many-th carries the label `marked`; none by default. */
      readonly markEvery?: number
      /** Another kind that holds the same. */
      readonly of?: ObjectType
    }
  /** The same with deployments. */
  | {
      readonly is: 'createDeployments'
      readonly path: string
      readonly prefix: string
      readonly count: number
    }
  /** The same with pods of a few containers; the paths take turns. */
  | ({ readonly is: 'createPods' } & Pods)
  /** Makes role bindings, each for a user of its own, numbered under a prefix; the paths take turns. */
  | {
      readonly is: 'createBindings'
      readonly paths: readonly string[]
      readonly prefix: string
      readonly count: number
    }
  /** Changes a label; each lane has an object of its own, `<path>/<prefix><lane>`, here and below. */
  | { readonly is: 'patch'; readonly path: string; readonly prefix: string }
  /** Changes the image of one container of a deployment, by strategic merge. */
  | { readonly is: 'patchImage'; readonly path: string; readonly prefix: string }
  /** Replaces objects, one for each lane, as controllers do: read once, then each time from the last answer. */
  | {
      readonly is: 'replace'
      /** With the name, and for sub-resources with theirs; lane by lane. */
      readonly paths: readonly string[]
      /** Objects to send, with places for the revision and for what changes: see `REVISION` and `CHANGING`. */
      readonly texts: readonly string[]
    }
  /** Renews leases by merge patches of the time. */
  | { readonly is: 'patchLease'; readonly path: string; readonly prefix: string }
  /** Deletes a collection, once. */
  | { readonly is: 'deleteCollection'; readonly path: string }
  /** Applies a deployment: always the same, or each time with another number of replicas. */
  | {
      readonly is: 'apply'
      readonly path: string
      readonly prefix: string
      readonly changes: boolean
      readonly count: number
      /** Objects with data instead, as `create` makes them, and of this kind. */
      readonly of?: ObjectType
    }

/** Where the text of an object to be replaced has its revision and a value that changes each time, six digits. */
export const REVISION = '{{revision}}'
export const CHANGING = '{{changing}}'

/** Pods to be made. */
export interface Pods {
  readonly paths: readonly string[]
  readonly prefix: string
  readonly count: number
  /** Number of the first; 0 by default. */
  readonly from?: number
  /** Every so many-th carries the label `marked`; none by default. */
  readonly markEvery?: number
  /** So many pods, one after the other, are on one node; on none by default. */
  readonly onEachNode?: number
}

/** What objects say of their kind. */
export interface ObjectType {
  readonly apiVersion: string
  readonly kind: string
}

export type Protocol = 'h1' | 'h2'

export interface RequestsJob {
  readonly is: 'requests'
  readonly target: Target
  readonly protocol: Protocol
  readonly connections: number
  /** Concurrent streams of one connection; 1 with h1. */
  readonly streams: number
  readonly plan: Plan
  /** Length of the measured window. It begins and ends with an answer. */
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Bound of measured requests. */
  readonly atMost: number
}

export interface WatchJob {
  readonly is: 'watch'
  readonly target: Target
  readonly protocol: Protocol
  /** Connections times streams is the number of watchers. */
  readonly connections: number
  readonly streams: number
  readonly path: string
  /** Makes the events. */
  readonly writes: Extract<Plan, { readonly is: 'create' }>
  /** Events that may be on their way at once. */
  readonly inFlight: number
  readonly seconds: number
}

export type Job = RequestsJob | WatchJob

/** What one job measured. */
export interface LoadResult {
  /** Answers, or deliveries of events. */
  readonly operations: number
  /** Body bytes received. */
  readonly bytes: number
  readonly seconds: number
  readonly serverCpuSeconds: number
  readonly loadCpuSeconds: number
  /** null where the store is no process of its own. */
  readonly storeCpuSeconds: number | null
  /** Of answers, milliseconds; 0 for deliveries. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** Growth of the server's resident memory for each idle watcher; 0 for requests. */
  readonly watcherBytes: number
}
