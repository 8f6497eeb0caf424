/**
 * Creates like earlier ones. Controllers, job runners and deployment tools create many objects that differ in nothing but
 * names and a few values: their bodies are the same bytes but for these. From two of them is learned how the objects are
 * made (`create-model.ts`); the next ones are not parsed, share parts with each other, and have the same owners. All
 * steps of a create follow, on the object that this made.
 */
import { ownCopy } from '../base/own-copy.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Typed } from '../meta/object-meta.ts'
import { BodyForm } from './body-form.ts'
import type { Body, Call } from './context.ts'
import { modelOf, type CreateModel } from './create-model.ts'
import { isSameQuery } from './repeated-writes.ts'

/** The object of a create that is like an earlier one. */
export interface RepeatedCreate {
  readonly object: Typed
  readonly model: CreateModel
}

/** Bytes of one generation of bodies and models. */
const MOST_BYTES = 256 << 10
const LARGEST_BODY = 16 << 10
/** Clients of one kind, and what is kept for each. */
const MOST_CLIENTS = 8
const MOST_MODELS = 4
const MOST_BODIES = 4
/** Bodies that differ in more values are no repetition. */
const MOST_PLACES = 12
/** Attempts to learn; so many more are allowed for each create that is repeated. */
const PATIENCE = 4
const REWARD = 1 / 8
/** Without any left, one attempt is made in so many creates. */
const SELDOM = 256

/** What is known of the creates of one client, for one kind and with the same parameters. */
interface Client extends Pick<Call, 'userAgent' | 'query'> {
  /** Those that were used last first. */
  readonly models: CreateModel[]
  /** Bodies of which nothing was learned yet, the newest first. */
  readonly bodies: Buffer[]
  patience: number
  /** Creates that were done in full without any patience. */
  turns: number
}

/** The clients of one kind, the last one first. */
interface Kind {
  readonly clients: Client[]
  bytes: number
}

/** The last creates of clients; bounded. */
export class RepeatedCreates {
  #young = new Map<ResourceEntry, Kind>()
  #old: ReadonlyMap<ResourceEntry, Kind> = new Map()
  #bytes = 0
  readonly #most: number
  /** Creates that were repeated. */
  done = 0

  constructor(most = MOST_BYTES) {
    this.#most = most
  }

  /** The object of a create that is like an earlier one; null where its body has to be read in full. */
  find(call: Call, body: Body): RepeatedCreate | null {
    const kind = this.#kind(call.served)
    const client = kind && clientOf(kind, call)
    if (!client || !isShortJson(body)) return null
    for (let i = 0; i < client.models.length; i++) {
      const model = client.models[i]!
      const values = model.form.read(body.bytes)
      const object = values && model.objectOf(values, call.context())
      if (!object) continue
      toFront(client.models, i)
      client.patience = Math.min(PATIENCE, client.patience + REWARD)
      this.done++
      body.decoded?.(object.metadata)
      return { object, model }
    }
    return null
  }

  /** Learns from a body that was read in full. */
  heard(call: Call, body: Body): void {
    const { served, userAgent, query } = call
    if (!isShortJson(body) || served.conversion?.same === false) return
    const kind = this.#kind(served) ?? { clients: [], bytes: 0 }
    let client = clientOf(kind, call)
    if (!client) {
      client = { userAgent, query, models: [], bodies: [], patience: PATIENCE, turns: 0 }
      kind.clients.unshift(client)
      kind.clients.length = Math.min(kind.clients.length, MOST_CLIENTS)
    }
    if (client.patience < 1) {
      const turn = client.turns++ % SELDOM
      if (turn > 1) return
      // The next one is compared with this.
      client.patience = turn
    }
    learn(client, call, body.bytes)
    this.#resize(served, kind)
  }

  #kind(served: ResourceEntry): Kind | undefined {
    const young = this.#young.get(served)
    if (young) return young
    const kind = this.#old.get(served)
    if (kind) this.#keep(served, kind)
    return kind
  }

  #resize(served: ResourceEntry, kind: Kind): void {
    const before = this.#young.has(served) ? kind.bytes : 0
    kind.bytes = sizeOf(kind)
    while (kind.bytes > this.#most / 2 && kind.clients.length > 1) {
      kind.clients.pop()
      kind.bytes = sizeOf(kind)
    }
    this.#bytes -= before
    this.#keep(served, kind)
  }

  #keep(served: ResourceEntry, kind: Kind): void {
    this.#bytes += kind.bytes
    this.#young.set(served, kind)
    if (this.#bytes < this.#most) return
    this.#old = this.#young
    this.#young = new Map()
    this.#bytes = 0
  }
}

const isShortJson = ({ bytes, mediaType }: Body): boolean =>
  bytes.length <= LARGEST_BODY && (mediaType === 'application/json' || mediaType === '')

function clientOf({ clients }: Kind, { userAgent, query }: Call): Client | null {
  for (let i = 0; i < clients.length; i++) {
    const client = clients[i]!
    if (client.userAgent !== userAgent || !isSameQuery(client.query, query)) continue
    toFront(clients, i)
    return client
  }
  return null
}

function toFront<T>(list: T[], i: number): void {
  if (i > 0) list.unshift(...list.splice(i, 1))
}

/** Makes a model from this body and one before it, or keeps the body for later ones. */
function learn(client: Client, call: Call, bytes: Buffer): void {
  const { models, bodies } = client
  const body = ownCopy(bytes)
  const model = lessonOf(client, call, body)
  if (model) {
    models.unshift(model)
    models.length = Math.min(models.length, MOST_MODELS)
  } else {
    bodies.unshift(body)
    bodies.length = Math.min(bodies.length, MOST_BODIES)
  }
}

/** The model of a body and one before it, which is not needed any more then; null: none is of the same form. */
function lessonOf(client: Client, { served, context }: Call, body: Buffer): CreateModel | null {
  const { models, bodies } = client
  const quotes = quotesIn(body)
  for (let i = 0; i < bodies.length + models.length && client.patience >= 1; i++) {
    const known = i < bodies.length ? null : models[i - bodies.length]!
    const before = known?.body ?? bodies[i]!
    if (quotesIn(before) !== quotes) continue
    client.patience--
    const form = BodyForm.ofAll(before, body, known?.form)
    if (!form || form.places.length > MOST_PLACES) continue
    const model = modelOf({ served, c: context(), form, bodies: [before, body] })
    if (!model) return null
    if (known) models.splice(models.indexOf(known), 1)
    else bodies.splice(i, 1)
    return model
  }
  return null
}

/** Bodies of one form have the same number of them. */
function quotesIn(bytes: Buffer): number {
  let count = 0
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === QUOTE) count++
  return count
}

const QUOTE = 0x22

/** Bytes besides those of bodies. */
const OVERHEAD = 512
/** A model has its body, the form, the object and its JSON, or what was written of it. */
const OF_MODEL = 6

const sizeOf = ({ clients }: Kind): number =>
  clients.reduce(
    (sum, { models, bodies }) =>
      sum +
      OVERHEAD +
      bodies.reduce((all, { length }) => all + length, 0) +
      models.reduce((all, { body }) => all + OVERHEAD + OF_MODEL * body.length, 0),
    0,
  )
