/** Days of a moved clock: certificates, tokens, events and history run out, and what has not run out goes on. */
import { randomUUID, X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '../../src/base/clock.ts'
import type { RunningServer } from '../../src/index.ts'
import { launchServer } from '../../src/server/start-server.ts'
import { certificateRequest, signingRequest } from '../certificate-request.ts'
import { Client, type Credential } from '../client.ts'
import { seeded, type Random } from '../faults/random.ts'
import { until, wait } from '../faults/waiting.ts'
import { Closers, goesOn, wordsOf, type Part } from './part.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const HISTORY_MS = 5 * MINUTE
const EVENTS_MS = HOUR
/** How much longer than it says a token or a certificate may be taken: what was found is remembered so long. */
const SLACK_MS = 2 * MINUTE
/** By how much the clock steps back at most. */
const MOST_BACK_MS = 5 * MINUTE

const CORE = '/api/v1/namespaces/default'
const REVIEWS = '/apis/authentication.orch.io/v1/selfsubjectreviews'
const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests'
const SIGNER = {
  signerName: 'orch.io/orch-apiserver-client',
  usages: ['client auth', 'digital signature', 'key encipherment'],
}

/** Hours of a moved clock. */
export const clock: Part = {
  name: 'clock',
  shows: 'what has run out is refused, and what has not is taken, whatever the clock does',
  unit: 'hours of moved clock',
  full: 100,
  async run(options) {
    const closers = new Closers()
    try {
      // The certificates of the server are of the machine's time.
      const time = new ManualClock(Date.now())
      const days = await Days.begin(time, seeded(options.seed), closers)
      const start = time.now()
      const hours = () => (time.now() - start) / HOUR
      for (let steps = 1; goesOn(options, hours()); steps++) {
        await days.step()
        if (steps % 50 === 0) options.say(`${hours().toFixed(1)} hours; ${days.told()}`)
        if (days.violations.length > 20) break
      }
      days.end()
      return {
        rounds: Math.round(hours() * 10) / 10,
        figures: days.figures,
        violations: days.violations,
        skipped: null,
      }
    } finally {
      await closers.close()
    }
  },
}

/** A credential and when it runs out. */
interface Held {
  readonly what: 'token' | 'certificate'
  readonly client: Client
  readonly fromMs: number
  readonly untilMs: number
}

class Days {
  readonly violations: string[] = []
  readonly figures = {
    ...{ steps: 0, 'steps back': 0, tokens: 0, certificates: 0, taken: 0, refused: 0 },
    ...{ events: 0, 'events gone': 0, 'watches continued': 0, 'watches expired': 0 },
  }
  readonly #time: ManualClock
  readonly #random: Random
  readonly #server: RunningServer
  readonly #admin: Client
  #held: Held[] = []
  readonly #events = new Map<string, number>()
  /** Revisions, and when they were the newest. */
  #revisions: { readonly revision: string; readonly ms: number }[] = []
  /** The latest that the clock was. */
  #latest: number
  #serial = 0

  private constructor(
    time: ManualClock,
    random: Random,
    { server, admin }: { readonly server: RunningServer; readonly admin: Client },
  ) {
    this.#time = time
    this.#random = random
    this.#server = server
    this.#admin = admin
    this.#latest = time.now()
  }

  static async begin(time: ManualClock, random: Random, closers: Closers): Promise<Days> {
    const dir = await mkdtemp(join(tmpdir(), 'campaign-'))
    closers.add(() => rm(dir, { recursive: true, force: true }))
    // The administrator's certificate would run out with the moved clock.
    const tokenAuthFile = join(dir, 'tokens.csv')
    const token = randomUUID()
    await writeFile(tokenAuthFile, `${token},admin,admin,system:masters\n`)
    const options = {
      ...{ clock: time, dataDir: join(dir, 'data'), historyMs: HISTORY_MS, port: 0 },
      authentication: { tokenAuthFile },
    }
    const server = await launchServer(options, { certificateClock: time })
    closers.add(() => server.close())
    const admin = new Client(server, { token })
    closers.add(() => admin.close())
    await until('ready server', async () => (await admin.get('/readyz')).status === 200)
    await admin.post(`${CORE}/serviceaccounts`, { metadata: { name: 'robot' } })
    return new Days(time, random, { server, admin })
  }

  told(): string {
    return Object.entries(this.figures)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  }

  /** Moves the clock and looks at everything. */
  async step(): Promise<void> {
    this.figures.steps++
    try {
      await this.#change()
      this.#move()
      await this.#lookAtCredentials()
      await this.#lookAtHistory()
      await this.#lookAtEvents()
      const { status, text } = await this.#admin.get('/readyz')
      if (status !== 200) this.#wrong(`/readyz: ${status} ${text}`)
    } catch (error) {
      this.#wrong(wordsOf(error))
    }
  }

  /** Lets go of the connections of all credentials. */
  end(): void {
    for (const { client } of this.#held) client.close()
  }

  #wrong(what: string): void {
    this.violations.push(
      `step ${this.figures.steps}, ${new Date(this.#time.now()).toISOString()}: ${what}`,
    )
  }

  #move(): void {
    const back = this.#random.below(12) === 0
    if (back) {
      this.figures['steps back']++
      this.#time.step(-this.#random.below(MOST_BACK_MS))
      return
    }
    // In small steps, so that what is due in between finds the time that it was due at.
    const ms = this.#random.pick([1_000, 20_000, MINUTE, 4 * MINUTE, 11 * MINUTE, 40 * MINUTE])
    this.#time.advance(ms)
    this.#latest = Math.max(this.#latest, this.#time.now())
  }

  /** Whether the clock is where it never was before: only then it is known what must have run out. */
  get #isNewest(): boolean {
    return this.#time.now() >= this.#latest
  }

  async #change(): Promise<void> {
    const name = `n${this.#serial++}`
    const labels = { made: 'here' }
    const made = await this.#admin.post(`${CORE}/configmaps`, { metadata: { name, labels } })
    if (made.status !== 201) this.#wrong(`a create: ${made.status} ${made.text}`)
    this.#revisions.push({
      revision: String(made.body?.metadata?.resourceVersion),
      ms: this.#time.now(),
    })
    const deleted = await this.#admin.delete(`${CORE}/configmaps/${name}`)
    if (deleted.status !== 200) this.#wrong(`a delete: ${deleted.status} ${deleted.text}`)
    if (this.#serial % 2 === 0) await this.#event(name)
    if (this.#serial % 3 === 0) await this.#token()
    if (this.#serial % 5 === 0) await this.#certificate(name)
  }

  async #event(name: string): Promise<void> {
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' }
    const event = { metadata: { name }, involvedObject, reason: 'R', type: 'Normal' }
    const { status, text } = await this.#admin.post(`${CORE}/events`, event)
    if (status !== 201) this.#wrong(`an event: ${status} ${text}`)
    this.#events.set(name, this.#time.now() + EVENTS_MS)
    this.figures.events++
  }

  #hold(what: Held['what'], credential: Credential, untilMs: number): void {
    const client = new Client(this.#server, credential)
    this.#held.push({ what, client, fromMs: this.#time.now(), untilMs })
  }

  async #token(): Promise<void> {
    const expirationSeconds = this.#random.pick([600, 1_200, 3_600, 7_200])
    const path = `${CORE}/serviceaccounts/robot/token`
    const { status, body, text } = await this.#admin.post(path, { spec: { expirationSeconds } })
    if (status !== 201) {
      this.#wrong(`a token: ${status} ${text}`)
      return
    }
    this.figures.tokens++
    this.#hold('token', { token: body.status.token }, Date.parse(body.status.expirationTimestamp))
  }

  async #certificate(name: string): Promise<void> {
    const made = await certificateRequest({ subject: '/O=team/CN=jane' })
    const wanted = signingRequest(name, made, SIGNER)
    const expirationSeconds = this.#random.pick([600, 3_600, 10_800])
    const asked = await this.#admin.post(REQUESTS, {
      ...wanted,
      spec: { ...wanted.spec, expirationSeconds },
    })
    if (asked.status !== 201) {
      this.#wrong(`a request: ${asked.status} ${asked.text}`)
      return
    }
    const conditions = [
      { type: 'Approved', status: 'True', reason: 'Asked', message: 'by the campaign' },
    ]
    const approved = { ...asked.body, status: { conditions } }
    await this.#admin.put(`${REQUESTS}/${name}/approval`, approved)
    let cert = ''
    await until('certificate of a request', async () => {
      const { body } = await this.#admin.get(`${REQUESTS}/${name}`)
      cert = Buffer.from(String(body.status?.certificate ?? ''), 'base64').toString()
      return cert !== ''
    })
    this.figures.certificates++
    const untilMs = Date.parse(new X509Certificate(cert).validTo)
    this.#hold('certificate', { certificate: { cert, key: made.key } }, untilMs)
    await this.#admin.delete(`${REQUESTS}/${name}`)
  }

  async #lookAtCredentials(): Promise<void> {
    const now = this.#time.now()
    const over: Held[] = []
    for (const held of this.#held) {
      const { what, client, fromMs, untilMs } = held
      const { status } = await client.post(REVIEWS, {})
      // What is known and has no right to ask gets 403.
      const isTaken = status === 201 || status === 403
      this.figures[isTaken ? 'taken' : 'refused']++
      const isGood = now >= fromMs && this.#latest < untilMs
      const isOver = now >= untilMs + SLACK_MS && this.#isNewest
      const left = `${Math.round((untilMs - now) / 1_000)} s before its end`
      if (isGood && !isTaken) this.#wrong(`a ${what} gets ${status} ${left}`)
      if (isOver && status !== 401) this.#wrong(`a ${what} gets ${status} ${left}`)
      if (isOver) over.push(held)
    }
    for (const { client } of over) client.close()
    this.#held = this.#held.filter((held) => !over.includes(held))
  }

  async #lookAtHistory(): Promise<void> {
    const now = this.#time.now()
    // Compaction runs when it is due, which it learns from the clock.
    for (const { revision, ms } of this.#revisions.slice(-3)) {
      const path = `${CORE}/configmaps?watch=1&resourceVersion=${revision}&labelSelector=made`
      const isKept = this.#latest - ms < HISTORY_MS / 2
      const watch = await this.#admin.watch(path).catch((error: unknown) => wordsOf(error))
      if (typeof watch === 'string') {
        if (isKept) this.#wrong(`a watch from ${Math.round((now - ms) / 1_000)} s ago: ${watch}`)
        this.figures['watches expired']++
        continue
      }
      const event = await watch.next()
      watch.close()
      const isExpired = watch.answer.statusCode === 410 || event?.type === 'ERROR'
      this.figures[isExpired ? 'watches expired' : 'watches continued']++
      if (isKept && isExpired)
        this.#wrong(`a watch from ${Math.round((now - ms) / 1_000)} s ago has expired`)
      // Each was followed by a deletion at least.
      if (!isExpired && event?.type !== 'DELETED')
        this.#wrong(
          `a watch from ${revision}, ${Math.round((now - ms) / 1_000)} s ago, begins with ${JSON.stringify(event)}`,
        )
    }
    this.#revisions = this.#revisions.slice(-50)
  }

  async #lookAtEvents(): Promise<void> {
    const now = this.#time.now()
    const due = [...this.#events].filter(([, untilMs]) => now >= untilMs && this.#isNewest)
    const there = async (): Promise<ReadonlySet<string>> => {
      const { body } = await this.#admin.get(`${CORE}/events`)
      return new Set(
        (body.items as readonly { metadata: { name: string } }[]).map(
          ({ metadata }) => metadata.name,
        ),
      )
    }
    let names = await there()
    for (const [name, untilMs] of this.#events)
      if (now < untilMs && this.#isNewest && !names.has(name))
        this.#wrong(`the event ${name} is gone ${Math.round((untilMs - now) / 1_000)} s early`)
    for (let tries = 0; tries < 100 && due.some(([name]) => names.has(name)); tries++) {
      // They are deleted by commits of which each has some, no more often than once a second.
      this.#time.advance(1_000)
      this.#latest = Math.max(this.#latest, this.#time.now())
      await wait(10)
      names = await there()
    }
    for (const [name] of due) {
      if (names.has(name)) this.#wrong(`the event ${name} is still there`)
      this.#events.delete(name)
      this.figures['events gone']++
    }
  }
}
