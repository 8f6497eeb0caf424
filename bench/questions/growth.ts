/** How do time and memory grow with the number of objects, and how long does it take to start with them on disk? */
import { performance } from 'node:perf_hooks'
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { Etcd } from '../etcd.ts'
import type { Plan, Target } from '../load/job.ts'
import { cpuSeconds, memoryOf } from '../machine.ts'
import { bytesOf, plain, rateOf, type Row, type Sample } from '../measure.ts'
import type { Ours } from '../subjects.ts'
import { worker, workerAgain } from '../users.ts'

const ALL = '/api/v1/configmaps'
const PREFIX = 'settings-'
const FEW = 100
const MARK_EVERY = 100
const PAGE = 500
const MOST_CREATES = 2_000
const SETTLE_MS = 1_000

export const growth: Question = {
  name: 'growth',
  async ask(bench: Bench): Promise<Row[]> {
    if (bench.options.server === null) return []
    const etcd = await bench.etcd()
    const grown = await Grown.start(bench, etcd)
    const rows: Row[] = []
    const sizes = bench.options.growth
    for (const [i, size] of sizes.entries()) {
      const last = i === sizes.length - 1
      await grown.fill(size)
      // Reads come from memory, whatever is under it.
      if (etcd === null) rows.push(...(await grown.reads(size)))
      rows.push(...(await grown.memory(size, last)))
      rows.push(...(await grown.starts(size, last)))
      rows.push(await grown.creates(size, sizes[i + 1]))
    }
    await grown.end()
    return rows
  },
}

/** One store that gets more and more objects, and the server above it. */
class Grown {
  readonly #bench: Bench
  readonly #etcd: Etcd | null
  readonly #dataDir: string
  #ours: Ours
  #target: Target
  #path = ''
  #few = ''
  #made = 0

  private constructor(
    bench: Bench,
    etcd: Etcd | null,
    { dataDir, ours, target }: { dataDir: string; ours: Ours; target: Target },
  ) {
    this.#bench = bench
    this.#etcd = etcd
    this.#dataDir = dataDir
    this.#ours = ours
    this.#target = target
  }

  static async start(bench: Bench, etcd: Etcd | null): Promise<Grown> {
    const dataDir = bench.workspace.folder()
    const ours = await serverOn(bench, dataDir, etcd)
    const target = await worker(ours)
    const grown = new Grown(bench, etcd, { dataDir, ours, target })
    grown.#path = await bench.namespace(ours, 'growth')
    grown.#few = await bench.fill(ours, 'few', PREFIX, FEW)
    return grown
  }

  /** Makes objects until there are so many in all. */
  async fill(size: number): Promise<void> {
    const count = size - FEW - this.#made
    this.#bench.say(`making ${count} objects`)
    await this.#bench.add(this.#target, this.#plan(count))
    this.#made += count
  }

  async reads(size: number): Promise<Row[]> {
    const one = `${this.#path}/${PREFIX}0000000`
    const get = (path: string): Plan => ({ is: 'get', path })
    const rows: Row[] = []
    for (const { what, plan, connections, inBytes } of [
      { what: 'get', plan: get(one), connections: 32 },
      { what: `one page of ${PAGE}`, plan: get(`${this.#path}?limit=${PAGE}`), connections: 4 },
      { what: `list of a namespace of ${FEW}`, plan: get(this.#few), connections: 4 },
      {
        what: 'list by a label that 1 % have',
        plan: get(`${this.#path}?labelSelector=marked%3Dyes`),
        connections: 4,
      },
      { what: 'full list', plan: get(ALL), connections: 1, inBytes: true },
    ] satisfies { what: string; plan: Plan; connections: number; inBytes?: boolean }[]) {
      rows.push(
        await this.#bench.alternate(
          rowOf(size, what, inBytes ? 'MB/s' : '/s'),
          async () => {
            const result = await this.#bench.requests(this.#target, 'h1', { connections }, plan)
            return inBytes ? bytesOf(result) : rateOf(result)
          },
          null,
        ),
      )
    }
    return rows
  }

  /** Some more, which count among those that are there for the next number. */
  async creates(size: number, next: number | undefined): Promise<Row> {
    const rounds = this.#bench.options.rounds
    const room = next === undefined ? Infinity : (next - size) / (2 * rounds)
    const count = Math.min(MOST_CREATES, Math.floor(room))
    return this.#bench.alternate(
      rowOf(size, 'create, 16 connections', '/s'),
      async () => {
        const result = await this.#bench.run({
          is: 'requests',
          target: this.#target,
          protocol: 'h1',
          connections: 16,
          streams: 1,
          plan: this.#plan(count),
          seconds: 600,
          warmUpSeconds: 0,
          atMost: count,
        })
        this.#made += count
        return rateOf(result)
      },
      null,
    )
  }

  async memory(size: number, judged: boolean): Promise<Row[]> {
    await settle()
    const { bytes } = await this.#bench.once(this.#target, { is: 'get', path: ALL })
    const { resident, files } = memoryOf(this.#target.pid)
    const aim = { of: 'value', is: 'at most', number: (1.5 * bytes) / 1e6 + 100 } as const
    return [
      {
        ...rowOf(size, 'resident', 'MB'),
        ours: [plain(resident / 1e6)],
        bare: [],
        goal: judged ? aim : null,
      },
      { ...rowOf(size, 'of it mapped files', 'MB'), ours: [plain(files / 1e6)], bare: [] },
      { ...rowOf(size, 'bytes of a full list', 'MB'), ours: [plain(bytes / 1e6)], bare: [] },
    ]
  }

  /** Starts with what is on disk: until it is ready, and until the first full list has come. */
  async starts(size: number, judged: boolean): Promise<Row[]> {
    const listed: Sample[] = []
    const memory: Sample[] = []
    const mapped: Sample[] = []
    let bytes = 0
    const ready = await this.#bench.alternate(
      rowOf(size, 'start to ready', 'ms'),
      async () => {
        await this.#ours.end()
        const from = performance.now()
        this.#ours = await serverOn(this.#bench, this.#dataDir, this.#etcd)
        this.#target = workerAgain(this.#ours)
        const sample = sampleSince(from, this.#target.pid)
        bytes = (await this.#bench.once(this.#target, { is: 'get', path: ALL })).bytes
        listed.push(sampleSince(from, this.#target.pid))
        await settle()
        const { resident, files } = memoryOf(this.#target.pid)
        memory.push(plain(resident / 1e6))
        mapped.push(plain(files / 1e6))
        return sample
      },
      null,
    )
    const aim = { of: 'value', is: 'at most', number: (1.5 * bytes) / 1e6 + 100 } as const
    return [
      ready,
      { ...rowOf(size, 'start to the first full list', 'ms'), ours: listed, bare: [] },
      {
        ...rowOf(size, 'resident after start and list', 'MB'),
        ours: memory,
        bare: [],
        goal: judged ? aim : null,
      },
      { ...rowOf(size, 'of that mapped files', 'MB'), ours: mapped, bare: [] },
    ]
  }

  async end(): Promise<void> {
    await this.#ours.end()
    await this.#etcd?.end()
  }

  #plan(count: number): Extract<Plan, { readonly is: 'create' }> {
    return {
      is: 'create',
      path: this.#path,
      prefix: PREFIX,
      sizeBytes: OBJECT_BYTES,
      count,
      from: this.#made,
      markEvery: MARK_EVERY,
    }
  }
}

async function serverOn(bench: Bench, dataDir: string, etcd: Etcd | null): Promise<Ours> {
  const ours = await bench.ours({ dataDir, ...(etcd === null ? {} : { etcd }) })
  if (ours === null) throw new Error('there is no server')
  return ours
}

const rowOf = (size: number, what: string, unit: Row['unit']) => ({
  question: 'growth',
  what: `${size} objects: ${what}`,
  unit,
  goal: null,
})

const sampleSince = (from: number, pid: number): Sample => ({
  value: performance.now() - from,
  cpuMicros: cpuSeconds(pid) * 1e6,
  loadCores: null,
})

const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
