/** One run against one server: requests of several lanes at a time, and what is looked at between and after them. */
import { Admin, NoAnswer } from './admin.ts'
import { dice, partSeed } from './dice.ts'
import { Findings, keyOf, type Finding, type Problem } from './findings.ts'
import { Generator, namespaceOf, type Made } from './generator.ts'
import { readerRules } from './identities.ts'
import { Live } from './live.ts'
import { judge, judgeLog, judgeMemory, MOST_GROWTH } from './oracle.ts'
import { mayWrite } from './identities.ts'
import type { FuzzRequest } from './request.ts'
import { readLists, roundTrip } from './round-trip.ts'
import { shrink } from './shrink.ts'
import { changesOf, putAway, settled, Witnesses, type Stored } from './stored.ts'
import type { Memory, Subject } from './subject.ts'
import { textOf } from './tree.ts'
import { Transport } from './transport.ts'
import type { World } from './world.ts'

export interface RunOptions {
  readonly seed: number
  /** How long requests are sent; what is looked at afterwards takes its own time. */
  readonly seconds: number
  readonly lanes?: number
  /** Most requests, for tests of the run itself. */
  readonly requests?: number
  /** Bytes by which memory may grow. */
  readonly mostGrowth?: number
  /** Whether some requests are sent as bytes that are none. */
  readonly breaksBytes?: boolean
  /** The share of writes that are read back. */
  readonly readsBack?: number
  /** Between two looks at memory. */
  readonly pauseMs?: number
}

export interface Figures {
  readonly name: string
  readonly seed: number
  readonly requests: number
  readonly perSecond: number
  /** Writes that were taken. */
  readonly written: number
  readonly roundTrips: number
  readonly witnesses: number
  /** Megabytes in use once warm, and at the end. */
  readonly memory: readonly [warm: number, end: number]
  readonly longestTurnMs: number
  /** How often each status was answered; 0 for no answer. */
  readonly statuses: ReadonlyMap<number, number>
  readonly slowest: readonly { readonly ms: number; readonly request: FuzzRequest }[]
  readonly findings: readonly Finding[]
}

const LANES = 6
const ROUND_TRIPS = 0.08
const SLOWEST = 5
/** How many writes by those who may not are sent at a time while nobody else sends any. */
const POWERLESS_BURST = 240
const bytesIn = ({ heapUsed, external }: Memory): number => heapUsed + external

export class Run {
  readonly #subject: Subject
  readonly #world: World
  readonly #options: Required<RunOptions>
  readonly #admin: Admin
  readonly #findings = new Findings()
  readonly #statuses = new Map<number, number>()
  readonly #slowest: { ms: number; request: FuzzRequest }[] = []
  readonly #lanes: Lane[]
  #requests = 0
  #written = 0
  #roundTrips = 0
  #longestTurnMs = 0
  #sendingMs = 0
  /** When sending stops, and after how many requests. */
  #until = 0
  #mostRequests = 0

  constructor(subject: Subject, world: World, options: RunOptions) {
    this.#subject = subject
    this.#world = world
    this.#options = {
      lanes: LANES,
      requests: Infinity,
      mostGrowth: MOST_GROWTH,
      pauseMs: 500,
      breaksBytes: true,
      readsBack: ROUND_TRIPS,
      ...options,
    }
    this.#admin = new Admin(subject.where)
    this.#lanes = Array.from({ length: this.#options.lanes }, (_, number) => {
      const live = new Live()
      const transport = new Transport(subject.where)
      return {
        number,
        live,
        transport,
        generator: new Generator(world, {
          lane: number,
          live,
          breaksBytes: this.#options.breaksBytes,
        }),
        sent: 0,
        underWay: null,
      }
    })
  }

  /** Does all of it. */
  async go(): Promise<Figures> {
    let memory: [number, number] = [0, 0]
    let witnesses = 0
    try {
      for (const body of readerRules(this.#world.resolve('rbac.authorization{api}')))
        await this.#admin.ask(
          'POST',
          `/apis/${this.#world.resolve('rbac.authorization{api}')}/v1/${(body as { kind: string }).kind.toLowerCase()}s`,
          { body },
        )
      const made = await Witnesses.make(this.#admin, this.#world)
      witnesses = made.count
      const kept = await settled(this.#admin, this.#world)
      const { seconds, requests, seed } = this.#options
      await this.#send(seconds * 0.3, Math.floor(requests * 0.3))
      const warm = await this.#memoryWithout(kept)
      await this.#send(seconds * 0.7, requests)
      await this.#powerless(seed)
      this.#note(await readLists(this.#admin, this.#world))
      this.#note(await made.check(this.#admin))
      const end = await this.#memoryWithout(kept, warm + this.#options.mostGrowth)
      this.#note(judgeMemory(warm, end, this.#options.mostGrowth))
      this.#note(await made.check(this.#admin))
      await this.#ready()
      memory = [warm, end]
    } catch (error) {
      this.#note([
        {
          is: 'death',
          message: `the run broke off: ${error instanceof Error ? error.stack : String(error)}`,
        },
      ])
    }
    this.#lookAtServer()
    this.#admin.close()
    for (const { transport } of this.#lanes) transport.close()
    return this.#figures(memory, witnesses)
  }

  #figures([warm, end]: readonly [number, number], witnesses: number): Figures {
    const mb = (bytes: number) => Math.round(bytes / 2 ** 20)
    return {
      name: this.#subject.name,
      seed: this.#options.seed,
      requests: this.#requests,
      perSecond: Math.round((this.#requests * 1000) / Math.max(1, this.#sendingMs)),
      written: this.#written,
      roundTrips: this.#roundTrips,
      witnesses,
      memory: [mb(warm), mb(end)],
      longestTurnMs: this.#longestTurnMs,
      statuses: this.#statuses,
      slowest: this.#slowest,
      findings: this.#findings.list,
    }
  }

  #note(
    problems: Iterable<Problem>,
    request: FuzzRequest | null = null,
    before: string | null = null,
  ): boolean {
    let isNew = false
    for (const problem of problems) isNew = this.#findings.add(problem, request, before) || isNew
    return isNew
  }

  /** All lanes at once, for so long. */
  async #send(seconds: number, requests: number): Promise<void> {
    const start = performance.now()
    this.#until = start + seconds * 1000
    this.#mostRequests = requests
    await Promise.all(this.#lanes.map((lane) => this.#runLane(lane)))
    this.#sendingMs += performance.now() - start
    this.#lookAtServer()
    this.#longestTurnMs = Math.max(
      this.#longestTurnMs,
      (await this.#subject.memory()).longestTurnMs,
    )
  }

  async #runLane(lane: Lane): Promise<void> {
    while (
      performance.now() < this.#until &&
      this.#requests < this.#mostRequests &&
      this.#subject.death === null
    ) {
      if (lane.sent % 200 === 0) await this.#furnish(lane)
      const seed = partSeed(this.#options.seed, lane.number, lane.sent++)
      const made = lane.generator.make(seed)
      const isTaken = await this.#one(lane, made)
      if (isTaken && dice(seed).chance(this.#options.readsBack)) await this.#tryRoundTrip(made)
    }
  }

  /** Sees to it that the namespace of a lane is there. */
  async #furnish(lane: Lane): Promise<void> {
    await this.#admin.ask('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOf(lane.number) } },
    })
  }

  /** Sends one and looks at what came; whether it was a write that was taken. */
  async #one(lane: Lane, made: Made): Promise<boolean> {
    const { request, path } = made
    this.#requests++
    lane.underWay = request
    const live = lane.live.at(path)
    const start = performance.now()
    const outcome = await lane.transport.send(request).catch((error: Error) => {
      if (this.#subject.death === null)
        this.#note([{ is: 'silence', message: String(error) }], request)
      return null
    })
    if (!outcome) {
      // Whoever cannot connect does so for a while.
      await new Promise((resolve) => setTimeout(resolve, 50))
      return false
    }
    if (!request.isOpen) this.#time(request, performance.now() - start)
    const { answer } = outcome
    this.#statuses.set(answer?.status ?? 0, (this.#statuses.get(answer?.status ?? 0) ?? 0) + 1)
    const problems = await judge(request, outcome, (one) => lane.transport.send(one))
    const logged = judgeLog(this.#subject.takeLog())
    if (problems.length + logged.length > 0) {
      const before = live === undefined ? null : textOf(live)
      const isNew = this.#note([...problems, ...logged], request, before)
      if (isNew && problems[0]) await this.#shrunk(lane, problems[0], request)
    }
    if (!answer || request.raw !== null) return false
    lane.live.learn({ path, template: made.operation.path }, answer)
    if (request.method === 'DELETE' || answer.status === 404) lane.live.forget(path)
    const isTaken =
      /^(POST|PUT|PATCH)$/.test(request.method) && answer.status < 300 && mayWrite(request.identity)
    if (isTaken) this.#written++
    return isTaken
  }

  async #shrunk(lane: Lane, problem: Problem, request: FuzzRequest): Promise<void> {
    const key = keyOf(problem, request)
    const ask = (one: FuzzRequest) => lane.transport.send(one)
    const smaller = await shrink(request, async (one) => {
      const outcome = await ask(one).catch(() => null)
      this.#subject.takeLog()
      if (outcome === null) return false
      return (await judge(one, outcome, ask)).some((again) => keyOf(again, one) === key)
    })
    this.#findings.replace(problem, request, smaller)
  }

  #time(request: FuzzRequest, ms: number): void {
    const last = this.#slowest.at(-1)
    if (this.#slowest.length >= SLOWEST && last && last.ms >= ms) return
    this.#slowest.push({ ms: Math.round(ms), request })
    this.#slowest.sort((a, b) => b.ms - a.ms)
    this.#slowest.length = Math.min(this.#slowest.length, SLOWEST)
  }

  async #tryRoundTrip({ request, path, operation }: Made): Promise<void> {
    // A created object is below the collection: its name is in the body, which the lane chose.
    const at = request.method === 'POST' ? nameIn(request, path) : path
    if (at === null || operation.type === null) return
    this.#roundTrips++
    try {
      this.#note(await roundTrip(this.#admin, this.#world, at), request)
    } catch (error) {
      if (!(error instanceof NoAnswer) || this.#subject.death !== null) throw error
      this.#note([{ is: 'connection', message: error.message }], request)
    }
  }

  /** Writes by those who may not, while nobody else sends: nothing may be another afterwards. */
  async #powerless(seed: number): Promise<void> {
    const before = await settled(this.#admin, this.#world)
    const each = Math.ceil(Math.min(POWERLESS_BURST, this.#options.requests) / this.#lanes.length)
    await Promise.all(
      this.#lanes.map(async (lane) => {
        for (let i = 0; i < each; i++)
          await this.#one(lane, lane.generator.make(partSeed(seed, 1000 + lane.number, i), true))
      }),
    )
    this.#note(changesOf(before, await settled(this.#admin, this.#world)))
  }

  /** Bytes in use with nothing stored but what was there before; asked again while it is more than allowed. */
  async #memoryWithout(kept: ReadonlyMap<string, Stored>, enough = 0): Promise<number> {
    await putAway(this.#admin, this.#world, kept)
    let least = Infinity
    for (let i = 0; i < 16; i++) {
      least = Math.min(least, bytesIn(await this.#subject.memory()))
      if (least <= enough) break
      // History is forgotten after some seconds, and what a commit leaves behind with the next one.
      await new Promise((resolve) => setTimeout(resolve, this.#options.pauseMs))
      await this.#furnish(this.#lanes[0]!)
    }
    return least
  }

  #lookAtServer(): void {
    this.#note(judgeLog(this.#subject.takeLog()))
    const { death } = this.#subject
    if (death === null) return
    this.#note([{ is: 'death', message: death }])
    for (const { underWay } of this.#lanes)
      if (underWay) this.#findings.add({ is: 'death', message: 'under way then' }, underWay)
  }

  async #ready(): Promise<void> {
    const { status, content } = await this.#admin.ask('GET', '/readyz')
    if (status !== 200)
      this.#note([{ is: 'death', message: `/readyz: ${status} ${JSON.stringify(content)}` }])
  }
}

interface Lane {
  readonly number: number
  readonly live: Live
  readonly transport: Transport
  readonly generator: Generator
  sent: number
  underWay: FuzzRequest | null
}

function nameIn({ body }: FuzzRequest, collection: string): string | null {
  try {
    const { metadata } = JSON.parse(body?.toString() ?? '') as { metadata: { name: string } }
    return typeof metadata.name === 'string'
      ? `${collection}/${encodeURIComponent(metadata.name)}`
      : null
  } catch {
    return null
  }
}
