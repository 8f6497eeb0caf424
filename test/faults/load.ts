/** Clients that write, read, list and watch a few objects at random, and record what they are told. */
import type { Client, Reply, Watch } from '../client.ts'
import type { Begun, Committed, History, Seen } from './history.ts'
import { seeded, type Random } from './random.ts'
import { seenOf, Tally, type Shown } from './tally.ts'
import type { Selects, WatchRecord } from './watch-history.ts'

const COLLECTION = '/api/v1/namespaces/default/configmaps'
/** How long clients may take to see the last change, and how often that is tried to be made. */
const END_MS = 60_000
const MARKS = 100
/** Half of the values: what watches with a selector see. */
const SIDE: Selects = (value) => sideOf(value) === 'a'

const sideOf = (value: string) =>
  value.length % 2 === value.charCodeAt(value.length - 1) % 2 ? 'a' : 'b'

/** What the load is made of. */
export interface LoadOptions {
  readonly seed: number
  /** What the names of its objects begin with; those of other loads must not. */
  readonly prefix: string
  readonly keys: number
  readonly writers: number
  readonly watchers: number
  readonly history: History
  /** Whether an error of the server's ends what it was asked for; see `Subject`. */
  readonly endsWhole: boolean
  /** What a server in trouble may answer. */
  readonly excused: readonly number[]
  /** A new client of one of the servers. */
  connect(): Client
  readonly now: () => number
}

/** Runs clients until it is told to end. */
export class Load {
  readonly watches: WatchRecord[] = []
  readonly tally: Tally
  /** Bytes that each write carries besides. */
  padding = 100
  readonly #options: LoadOptions
  #ending = false
  #serial = 0
  #newest = 0
  /** Revision that was seen first; where the recorders start. */
  #first = 0
  readonly #writers: Promise<void>[] = []
  readonly #watchers: Promise<void>[] = []
  readonly #open = new Set<Watch>()

  constructor(options: LoadOptions) {
    this.#options = options
    this.tally = new Tally(options.excused, options.now)
  }

  async start(): Promise<void> {
    const client = this.#connect()
    this.#first = Number((await client.get(COLLECTION)).body.metadata.resourceVersion)
    this.#newest = this.#first
    this.#disconnect(client)
    const { writers, watchers, seed } = this.#options
    for (let i = 0; i < writers; i++) this.#writers.push(this.#write(seeded(seed * 1009 + i)))
    for (let i = 0; i < watchers; i++) this.#watchers.push(this.#watch(seeded(seed * 2003 + i)))
    this.#watchers.push(this.#record(undefined), this.#record(SIDE))
  }

  /** Ends the clients once each object was read and both recorders have seen the last change. */
  async end(): Promise<void> {
    this.#ending = true
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.abort()
    }, END_MS)
    // Watches must see all that happens before the last changes: nothing may come after them.
    await Promise.all(this.#writers)
    const client = this.#connect()
    const random = seeded(1)
    const { keys, prefix } = this.#options
    for (let i = 0; i < keys; i++) await this.#get(client, `${prefix}${i}`)
    await this.#list(client, random)
    // Two last changes, one for each side of the selector.
    const marks = [await this.#mark(client, 'a'), await this.#mark(client, 'b')]
    this.#last = Math.max(...marks)
    this.#marks = marks
    for (const watch of this.#open) this.#endWhenSeen(watch)
    await Promise.all(this.#watchers)
    clearTimeout(timer)
    if (late)
      this.tally.surprises.push(`clients were not done ${END_MS} ms after they were told to end`)
    this.abort()
  }

  /** Ends the clients at once, whatever they are at. */
  abort(): void {
    this.#ending = true
    this.#aborted = true
    for (const client of this.#clients) client.close()
  }
  #aborted = false
  readonly #clients = new Set<Client>()

  #connect(): Client {
    const client = this.#options.connect()
    this.#clients.add(client)
    return client
  }

  #disconnect(client: Client): void {
    this.#clients.delete(client)
    client.close()
  }

  /** Makes an object that says that this is the end; its revision. */
  async #mark(client: Client, side: string): Promise<number> {
    for (let i = 0; i < MARKS; i++) {
      const key = `${this.#options.prefix}end-${side}-${i}`
      const revision = await this.#create(client, key, this.#value(side))
      if (revision > 0) return revision
    }
    throw new Error('the last writes failed')
  }

  #last = Infinity
  #marks: readonly number[] = []
  readonly #seen = new Map<Watch, { revision: number; recorder: Selects | 'all' | null }>()

  #endWhenSeen(watch: Watch): void {
    const seen = this.#seen.get(watch)
    const goal = seen?.recorder === 'all' ? this.#last : (this.#marks[0] ?? Infinity)
    if (!seen || seen.recorder === null || seen.revision >= goal) watch.close()
  }

  #value(side?: string): string {
    for (;;) {
      const value = `v${this.#serial++}`
      if (side === undefined || sideOf(value) === side) return value
    }
  }

  async #write(random: Random): Promise<void> {
    const client = this.#connect()
    const known = new Map<string, number>()
    while (!this.#ending) {
      const key = `${this.#options.prefix}${random.below(this.#options.keys)}`
      switch (
        random.pick(['create', 'update', 'update', 'put', 'patch', 'delete', 'get', 'get', 'list'])
      ) {
        case 'create':
          await this.#create(client, key, this.#value(), known)
          break
        case 'update':
          if (!known.has(key)) await this.#get(client, key, known)
          await this.#update(client, key, known.get(key), known)
          break
        case 'put':
          await this.#update(client, key, undefined, known)
          break
        case 'patch':
          await this.#patch(client, key, known)
          break
        case 'delete':
          await this.#delete(client, key, random.below(2) === 0 ? known.get(key) : undefined)
          break
        case 'get':
          await this.#get(client, key, known)
          break
        default:
          await this.#list(client, random)
      }
    }
    this.#disconnect(client)
  }

  #body(key: string, value: string, expected?: number) {
    return {
      metadata: {
        name: key,
        labels: { side: sideOf(value) },
        ...(expected === undefined ? {} : { resourceVersion: String(expected) }),
      },
      data: { value, padding: 'x'.repeat(this.padding) },
    }
  }

  async #create(
    client: Client,
    key: string,
    value: string,
    known?: Map<string, number>,
  ): Promise<number> {
    const begun = this.#options.history.begin({ kind: 'create', key, value })
    return this.#finish(begun, () => client.post(COLLECTION, this.#body(key, value)), known)
  }

  async #update(
    client: Client,
    key: string,
    expected: number | undefined,
    known: Map<string, number>,
  ) {
    const value = this.#value()
    const asked = {
      kind: 'update',
      key,
      value,
      ...(expected === undefined ? {} : { expected }),
    } as const
    const begun = this.#options.history.begin(asked)
    await this.#finish(
      begun,
      () => client.put(`${COLLECTION}/${key}`, this.#body(key, value, expected)),
      known,
    )
  }

  async #patch(client: Client, key: string, known: Map<string, number>) {
    const value = this.#value()
    const begun = this.#options.history.begin({ kind: 'update', key, value })
    await this.#finish(
      begun,
      () => client.merge(`${COLLECTION}/${key}`, this.#body(key, value)),
      known,
    )
  }

  async #delete(client: Client, key: string, expected: number | undefined) {
    const asked = { kind: 'delete', key, ...(expected === undefined ? {} : { expected }) } as const
    const begun = this.#options.history.begin(asked)
    const preconditions = expected === undefined ? {} : { resourceVersion: String(expected) }
    await this.#finish(begun, () =>
      client.delete(`${COLLECTION}/${key}`, { body: { preconditions } }),
    )
  }

  async #get(client: Client, key: string, known?: Map<string, number>) {
    const begun = this.#options.history.begin({ kind: 'get', key })
    await this.#finish(begun, () => client.get(`${COLLECTION}/${key}`), known, true)
  }

  /** Lists all at once or in pages, which must be of one revision. */
  async #list(client: Client, random: Random) {
    const begun = this.#options.history.begin({ kind: 'list', key: this.#options.prefix })
    const limit = random.below(2) === 0 ? 0 : 1 + random.below(3)
    const items = new Map<string, Seen>()
    try {
      let token = ''
      let at = 0
      do {
        const query = `limit=${limit}&continue=${encodeURIComponent(token)}`
        const reply = await client.get(`${COLLECTION}?${limit > 0 ? query : ''}`)
        this.tally.count('list', reply)
        if (reply.status !== 200) {
          if (reply.status !== 410) this.tally.judge('list', reply)
          return begun.drop()
        }
        const revision = Number(reply.body.metadata.resourceVersion)
        if (at !== 0 && revision !== at)
          this.tally.surprises.push(`a page of a list at ${at} is of ${revision}`)
        at = revision
        for (const item of reply.body.items) {
          if (this.#isOurs(item)) items.set(item.metadata.name as string, seenOf(item))
        }
        token = (reply.body.metadata.continue as string | undefined) ?? ''
      } while (token !== '')
      this.tally.read++
      begun.end({ is: 'listed', at, items })
    } catch {
      begun.drop()
      await pause()
    }
  }

  /** Makes the request and notes what it was told; the revision of a done write, 0 otherwise. */
  async #finish(
    begun: Begun,
    send: () => Promise<Reply>,
    known?: Map<string, number>,
    reads = false,
  ): Promise<number> {
    try {
      const reply = await send()
      this.tally.count(reads ? 'read' : 'write', reply)
      const outcome = this.tally.outcomeOf(reply)
      // A refusal says that nothing was done: should it be seen nevertheless, nobody will have asked for it.
      const refused = reply.status === 503 || reply.status === 429
      if (outcome.is === 'unknown' && (reads || refused)) begun.drop()
      else begun.end(outcome, outcome.is !== 'unknown' || this.#options.endsWhole)
      if (outcome.is === 'unknown') {
        await pause()
        return 0
      }
      if (reads) this.tally.read++
      if (outcome.is !== 'done') {
        if (outcome.is === 'deleted') this.tally.noteWritten()
        return 0
      }
      if (!reads) this.tally.noteWritten()
      this.#newest = Math.max(this.#newest, outcome.seen.revision)
      known?.set(reply.body.metadata.name as string, outcome.seen.revision)
      return outcome.seen.revision
    } catch (error) {
      // Nobody was there to do anything.
      if (reads || (error as NodeJS.ErrnoException).code === 'ECONNREFUSED') begun.drop()
      await pause()
      return 0
    }
  }

  #isOurs(object: Shown): boolean {
    return object.metadata.name.startsWith(this.#options.prefix)
  }

  /** Watches for a while from now, from what was seen, or from long ago; again and again. */
  async #watch(random: Random): Promise<void> {
    while (!this.#ending) {
      const span = this.#newest - this.#first
      const from = random.pick([
        this.#newest,
        this.#newest,
        this.#newest - random.below(Math.min(200, span + 1)),
        this.#first + random.below(span + 1),
      ])
      const selects = random.below(3) === 0 ? SIDE : undefined
      await this.#follow(from, selects, null, 50 + random.below(1500))
    }
  }

  /** Watches all the time, each watch from where the last one ended. */
  async #record(selects: Selects | undefined): Promise<void> {
    let from = this.#first
    for (;;) {
      const goal = selects ? (this.#marks[0] ?? Infinity) : this.#last
      if (from >= goal || this.#aborted) return
      const record = await this.#follow(from, selects, selects ?? 'all')
      if (record?.end.is === 'expired') {
        this.tally.surprises.push(`the recorder lost its place at ${from}: the window is too short`)
        return
      }
      from = record?.events.at(-1)?.revision ?? from
    }
  }

  async #follow(
    from: number,
    selects: Selects | undefined,
    recorder: Selects | 'all' | null,
    forMs?: number,
  ): Promise<WatchRecord | null> {
    const client = this.#connect()
    const events: Committed[] = []
    const bookmarks: { revision: number; after: number }[] = []
    let end: WatchRecord['end'] = { is: 'cut' }
    let timer: NodeJS.Timeout | undefined
    try {
      const selector = selects ? '&labelSelector=side%3Da' : ''
      const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${from}${selector}`
      const watch = await client.watch(`${COLLECTION}?${query}`)
      const seen = { revision: from, recorder }
      this.#seen.set(watch, seen)
      this.#open.add(watch)
      if (forMs !== undefined) timer = setTimeout(() => watch.close(), forMs)
      if (this.#last !== Infinity) this.#endWhenSeen(watch)
      const { statusCode = 0 } = watch.answer
      if (statusCode === 410) end = { is: 'expired', ms: this.#options.now() }
      else if (statusCode < 500 && statusCode !== 200 && statusCode !== 429)
        end = { is: 'refused', why: `it was answered with ${statusCode}` }
      for (;;) {
        const event = await watch.next()
        if (!event) break
        if (statusCode !== 200) continue
        const revision = Number(event.object.metadata?.resourceVersion)
        if (event.type === 'ERROR') {
          const { code, message } = event.object as { code: number; message: string }
          end =
            code === 410
              ? { is: 'expired', ms: this.#options.now() }
              : { is: 'refused', why: `${code} ${message}` }
        } else if (event.type === 'BOOKMARK') bookmarks.push({ revision, after: events.length })
        else if (this.#isOurs(event.object)) {
          const type = event.type as Committed['type']
          events.push({ key: event.object.metadata.name as string, type, ...seenOf(event.object) })
          this.#newest = Math.max(this.#newest, revision)
        }
        seen.revision = revision
        if (this.#last !== Infinity) this.#endWhenSeen(watch)
      }
      this.#open.delete(watch)
      this.#seen.delete(watch)
    } catch {
      await pause()
      return null
    } finally {
      clearTimeout(timer)
      this.#disconnect(client)
    }
    const record = { from, events, bookmarks, end, ...(selects ? { selects } : {}) }
    this.watches.push(record)
    return record
  }
}

/** Lets a server in trouble be for a moment. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 30))
