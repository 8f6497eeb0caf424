/** What every question is asked with. */
import { join } from 'node:path'
import type { BareMode } from './bare/server.ts'
import type { Job, LoadResult, Plan, Protocol, RequestsJob, Target } from './load/job.ts'
import type { Row, Sample } from './measure.ts'
import type { BenchOptions } from './options.ts'
import { startBareProcess, startLoad, startOurs, type Ours } from './subjects.ts'
import type { Workspace } from './workspace.ts'

/** Answers one question with rows of figures. */
export interface Question {
  readonly name: string
  ask(bench: Bench): Promise<Row[]>
}

/** Measures one round; counts from 0. */
export type Round = (round: number) => Promise<Sample>

const WARM_UP_SECONDS = 0.5
const AT_MOST = 500_000

/** Bytes of one object in every question. */
export const OBJECT_BYTES = 2048

export class Bench {
  readonly options: BenchOptions
  readonly workspace: Workspace
  /** Lines under the table. */
  readonly notes: string[]
  /** The server that was started last. */
  #ours: Ours | null = null
  #load: ReturnType<typeof startLoad> | null = null

  constructor(options: BenchOptions, workspace: Workspace, notes: string[]) {
    this.options = options
    this.workspace = workspace
    this.notes = notes
  }

  /** Starts the product on an empty data directory; null when only limits are measured. */
  async ours(options: Parameters<typeof startOurs>[2] = {}): Promise<Ours | null> {
    const { server, profile } = this.options
    if (server === null) return null
    const ours = await startOurs(this.workspace, server, { profiled: profile !== null, ...options })
    this.#ours = ours
    return ours
  }

  bare(mode: BareMode): ReturnType<typeof startBareProcess> {
    return startBareProcess(this.workspace, mode)
  }

  /** The raw store's durable group commit at so many callers. */
  async rawStore(callers: number, valueBytes = OBJECT_BYTES): Promise<Sample> {
    const { seconds } = this.options
    const options = { callers, seconds, valueBytes }
    const text = await this.workspace.output('store-raw-process.js', [JSON.stringify(options)])
    const result = JSON.parse(text) as { perSecond: number; cpuMicrosPerOp: number }
    return { value: result.perSecond, cpuMicros: result.cpuMicrosPerOp, loadCores: null }
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
      warmUpSeconds: Math.min(WARM_UP_SECONDS, seconds / 2),
      atMost: AT_MOST,
    }
    return this.run(job)
  }

  /** Makes a namespace and so many objects in it; gives the path of the collection. */
  async fill(ours: Ours, namespace: string, prefix: string, count: number): Promise<string> {
    const path = await this.namespace(ours, namespace)
    await this.run({
      is: 'requests',
      target: ours.target,
      protocol: 'h1',
      connections: 32,
      streams: 1,
      plan: { is: 'create', path, prefix, sizeBytes: OBJECT_BYTES, count },
      seconds: 600,
      warmUpSeconds: 0,
      atMost: AT_MOST,
    })
    return path
  }

  /** Makes a namespace; gives the path of its config maps. */
  async namespace(ours: Ours, name: string): Promise<string> {
    await ours.ask('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })
    return `/api/v1/namespaces/${name}/configmaps`
  }

  /** Runs the rounds, ours and bare in turns. */
  async alternate(
    row: Omit<Row, 'ours' | 'bare'>,
    ours: Round | null,
    bare: Round | null,
  ): Promise<Row> {
    const samples: { ours: Sample[]; bare: Sample[] } = { ours: [], bare: [] }
    for (let round = 0; round < this.options.rounds; round++) {
      for (const [side, measure] of [
        ['ours', ours],
        ['bare', bare],
      ] as const) {
        if (measure === null) continue
        this.say(`${row.what}: round ${round + 1}, ${side}`)
        const sample = side === 'ours' ? this.#profiled(row, round, measure) : measure(round)
        samples[side].push(await sample)
      }
    }
    return { ...row, ...samples }
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
