/** What every question is asked with. */
import { join } from 'node:path'
import type { BareMode } from './bare/server.ts'
import type { CallsOptions } from './grpc-js/measure.ts'
import type { Job, LoadResult, Plan, Protocol, RequestsJob, Target } from './load/job.ts'
import { rateOf, type Row, type Sample } from './measure.ts'
import { startEtcd, type Etcd } from './etcd.ts'
import type { BenchOptions, Store } from './options.ts'
import type { RawStoreOptions, RawStoreResult } from './store-raw.ts'
import { startBareProcess, startLoad, startOurs, type Ours } from './subjects.ts'
import { worker } from './users.ts'
import type { Workspace } from './workspace.ts'

/** Answers one question with rows of figures. */
export interface Question {
  readonly name: string
  /** Engines it is asked of; every one by default. */
  readonly stores?: readonly Store[]
  ask(bench: Bench): Promise<Row[]>
}

/** Measures one round; counts from 0. */
export type Round = (round: number) => Promise<Sample>

/** How rounds are run. */
export interface AlternateOptions {
  /** As many as for every question by default. */
  readonly rounds?: number
  /** Whether bare goes first in every other round: for sides that are measured on one server, which grows warm. */
  readonly swaps?: boolean
}

const NOBODY: Target = { port: 0, ca: '', pid: 0 }

const WARM_UP_SECONDS = 0.5
/** A server that has just begun with a kind of request still compiles. */
const FIRST_WARM_UP_SECONDS = 3
const AT_MOST = 500_000
const FILLING_CONNECTIONS = 64
// Hundreds of thousands of objects take a while.
const FILLING_SECONDS = 3600
const GET_CONNECTIONS = 32

/** Path of the config maps of a namespace. */
export const configMapsIn = (namespace: string): string =>
  `/api/v1/namespaces/${namespace}/configmaps`

/** Bytes of one object in every question. */
export const OBJECT_BYTES = 2048

export class Bench {
  readonly options: BenchOptions
  readonly store: Store
  readonly workspace: Workspace
  /** Lines under the table. */
  readonly notes: string[]
  /** The server that was started last. */
  #ours: Ours | null = null
  #load: ReturnType<typeof startLoad> | null = null
  readonly #warm = new Set<string>()
  #rawEtcd: Promise<Etcd> | null = null
  #gets: ReturnType<typeof startBareProcess> | null = null
  #rawRuns = 0

  constructor(options: BenchOptions, store: Store, workspace: Workspace, notes: string[]) {
    this.options = options
    this.store = store
    this.workspace = workspace
    this.notes = notes
  }

  /** Starts the product on an empty store, or the one that is named; null when only limits are measured. */
  async ours(options: Parameters<typeof startOurs>[2] = {}): Promise<Ours | null> {
    const { server, profile } = this.options
    if (server === null) return null
    const etcd = options.etcd ?? (options.store === undefined ? await this.etcd() : null)
    const ours = await startOurs(this.workspace, server, {
      profiled: profile !== null,
      ...options,
      ...(etcd === null ? {} : { etcd }),
    })
    this.#ours = ours
    return options.etcd === undefined && etcd !== null ? endingBoth(ours, etcd) : ours
  }

  /** Starts the product, met by a user whom a role allows what is asked; questions are not for the mighty. */
  async served(
    options: Parameters<typeof startOurs>[2] = {},
  ): Promise<{ ours: Ours | null; target: Target }> {
    const ours = await this.ours(options)
    return { ours, target: ours === null ? NOBODY : await worker(ours) }
  }

  /** Starts an etcd where that is the engine that is measured; null otherwise. */
  async etcd(): Promise<Etcd | null> {
    return this.store === 'etcd' ? startEtcd(this.workspace) : null
  }

  bare(mode: BareMode): ReturnType<typeof startBareProcess> {
    return startBareProcess(this.workspace, mode)
  }

  /** The raw store's durable group commit at so many callers. */
  async rawStore(callers: number, valueBytes = OBJECT_BYTES): Promise<Sample> {
    const { seconds } = this.options
    const base = { callers, seconds, valueBytes }
    if (this.store !== 'etcd') return this.rawStoreBy('store-raw-process.js', base)
    this.#rawEtcd ??= startEtcd(this.workspace)
    const { url, pid } = await this.#rawEtcd
    // Keys of earlier runs stay, and are none of this one's.
    const etcd = { url, pid, prefix: `/raw-${this.#rawRuns++}` }
    return this.rawStoreBy('store-raw-process.js', { ...base, etcd })
  }

  /** Runs a program that measures an engine alone. */
  async rawStoreBy(program: string, options: RawStoreOptions | CallsOptions): Promise<Sample> {
    const text = await this.workspace.output(program, [JSON.stringify(options)])
    const result = JSON.parse(text) as RawStoreResult
    const { perSecond, cpuMicrosPerOp, storeCpuMicrosPerOp, p50Ms } = result
    return {
      value: perSecond,
      cpuMicros: cpuMicrosPerOp,
      loadCores: null,
      ...(storeCpuMicrosPerOp === null ? {} : { storeCpuMicros: storeCpuMicrosPerOp }),
      ...(p50Ms === undefined ? {} : { p50Ms }),
    }
  }

  /** Lets the load process do a job. */
  async run(job: Job): Promise<LoadResult> {
    this.#load ??= startLoad(this.workspace)
    return this.#load.run(job)
  }

  /** Lets the load process send requests for one round. */
  requests(
    target: Target,
    protocol: Protocol,
    lanes: { readonly connections: number; readonly streams?: number },
    plan: Plan,
  ): Promise<LoadResult> {
    const { seconds } = this.options
    const job: RequestsJob = {
      is: 'requests',
      target,
      protocol,
      connections: lanes.connections,
      streams: lanes.streams ?? 1,
      plan,
      seconds,
      warmUpSeconds: this.#warmUp(
        [target.port, protocol, plan.is, target.token ?? target.cert].join(' '),
      ),
      atMost: AT_MOST,
    }
    return this.run(job)
  }

  /** Asks once. */
  once(target: Target, plan: Plan): Promise<LoadResult> {
    return this.run({
      is: 'requests',
      target,
      protocol: 'h1',
      connections: 1,
      streams: 1,
      plan,
      seconds: 60,
      warmUpSeconds: 0,
      atMost: 1,
    })
  }

  /** Makes a namespace and so many objects in it; gives the path of the collection. */
  async fill(
    ours: Ours,
    namespace: string,
    prefix: string,
    count: number,
    markEvery?: number,
  ): Promise<string> {
    const path = await this.namespace(ours, namespace)
    await this.add(ours.target, {
      is: 'create',
      path,
      prefix,
      sizeBytes: OBJECT_BYTES,
      count,
      ...(markEvery === undefined ? {} : { markEvery }),
    })
    return path
  }

  /** Makes objects until all are there. */
  add(target: Target, plan: Extract<Plan, { readonly count: number }>): Promise<LoadResult> {
    return this.run({
      is: 'requests',
      target,
      protocol: 'h1',
      connections: FILLING_CONNECTIONS,
      streams: 1,
      plan,
      seconds: FILLING_SECONDS,
      warmUpSeconds: 0,
      atMost: AT_MOST,
    })
  }

  /** Makes a namespace; gives the path of its config maps. */
  async namespace(ours: Ours, name: string): Promise<string> {
    await ours.ask('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })
    return configMapsIn(name)
  }

  /**
   * Makes the namespaces of all rounds before the first one; gives their names. Made between the rounds, each would be a
   * request unlike those that are measured, for which V8 compiles anew much of what both run, in the time of the round.
   */
  async namespaces(
    ours: Ours | null,
    name: string,
    count = this.options.rounds,
  ): Promise<string[]> {
    const names = Array.from({ length: ours === null ? 0 : count }, (_, i) => `${name}-${i}`)
    for (const one of names) await this.namespace(ours!, one)
    return names
  }

  #warmUp(what: string): number {
    const { seconds } = this.options
    const isFirst = !this.#warm.has(what)
    this.#warm.add(what)
    // Short rounds are for seeing that it runs.
    return isFirst && seconds >= 1 ? FIRST_WARM_UP_SECONDS : Math.min(WARM_UP_SECONDS, seconds / 2)
  }

  /** Runs the rounds, ours and bare in turns, and gets where costs are told in them. */
  async alternate(
    row: Omit<Row, 'ours' | 'bare' | 'gets'>,
    ours: Round | null,
    bare: Round | null,
    { rounds = this.options.rounds, swaps = false }: AlternateOptions = {},
  ): Promise<Row> {
    const samples: { ours: Sample[]; bare: Sample[]; gets: Sample[] } = {
      ours: [],
      bare: [],
      gets: [],
    }
    const inGets = row.costs?.of === 'gets' && ours !== null
    for (let round = 0; round < rounds; round++) {
      const sides = [
        ['ours', ours],
        ['gets', inGets ? () => this.#bareGets() : null],
        ['bare', bare],
      ] as const
      for (const [side, measure] of swaps && round % 2 === 1 ? sides.toReversed() : sides) {
        if (measure === null) continue
        this.say(`${row.what}: round ${round + 1}, ${side}`)
        const sample = side === 'ours' ? this.#profiled(row, round, measure) : measure(round)
        samples[side].push(await sample)
      }
    }
    return { ...row, ...samples }
  }

  /** Gets of a small object from a server that does nothing but the transport: the unit of costs. */
  async #bareGets(): Promise<Sample> {
    this.#gets ??= this.bare({
      is: 'http',
      headers: { 'content-type': 'application/json' },
      body: 'v'.repeat(OBJECT_BYTES),
    })
    const { target } = await this.#gets
    const lanes = { connections: GET_CONNECTIONS }
    return rateOf(await this.requests(target, 'h1', lanes, { is: 'get', path: '/' }))
  }

  /** Measures a round of ours, with a profile of the server where they are wanted. */
  async #profiled(
    { question, what }: Pick<Row, 'question' | 'what'>,
    round: number,
    measure: Round,
  ): Promise<Sample> {
    const { profile } = this.options
    if (profile === null || this.#ours === null) return measure(round)
    const end = await this.#ours.profile()
    const sample = await measure(round)
    const name = `${question}-${what}-${round + 1}`.replaceAll(/[^A-Za-z0-9]+/g, '-')
    const file = join(profile, `${name}.cpuprofile`)
    await end(file)
    this.notes.push(`profile: ${file}`)
    return sample
  }

  /** Tells how far it is. */
  say(text: string): void {
    process.stderr.write(`${text}\n`)
  }
}

/** The server with an etcd of its own, which ends with it. */
const endingBoth = (ours: Ours, etcd: Etcd): Ours => ({
  ...ours,
  async end() {
    await ours.end()
    await etcd.end()
  },
})
