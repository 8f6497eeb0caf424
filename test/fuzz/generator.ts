/** Makes requests, one after the other, for one of several that send at the same time. */
import { Bodies } from './bodies.ts'
import { dice, type Dice } from './dice.ts'
import { acceptOf, extraFields } from './headers.ts'
import { mayWrite, POWERLESS, shown } from './identities.ts'
import type { Live } from './live.ts'
import type { Grammar, Operation } from './operations.ts'
import { brokenHttp1, brokenHttp2 } from './raw-bytes.ts'
import type { Field, FuzzRequest, IdentityName } from './request.ts'
import { encoded, mutateTarget, queryFor } from './targets.ts'
import { hostileText } from './values.ts'
import { nameFor, type World } from './world.ts'

/** A request, the operation that it began as, and the path of the object that it is about. */
export interface Made {
  readonly request: FuzzRequest
  readonly operation: Operation
  readonly path: string
}

interface Choice {
  readonly grammar: Grammar
  readonly operation: Operation
}

const OPEN = /watch|follow|exec|attach|portforward|proxy|\/log/i
const NAMES = 5

/** The namespace in which a lane has its objects. */
export const namespaceOf = (lane: number): string => `fz-l${lane}`

export interface GeneratorOptions {
  readonly lane: number
  /** What is known of the lane's objects. */
  readonly live: Live
  /** Whether some requests become bytes that are none. */
  readonly breaksBytes: boolean
}

export class Generator {
  readonly #world: World
  readonly #lane: number
  readonly #live: Live
  readonly #breaksBytes: boolean
  /** Operations by method, those that stay open apart. */
  readonly #choices = new Map<string, Choice[]>()

  constructor(world: World, { lane, live, breaksBytes }: GeneratorOptions) {
    this.#world = world
    this.#lane = lane
    this.#live = live
    this.#breaksBytes = breaksBytes
    for (const grammar of world.grammars)
      for (const operation of grammar.operations) {
        const isOpen = OPEN.test(operation.path) || operation.action === 'connect'
        const group = isOpen ? 'open' : operation.method
        const choices = this.#choices.get(group) ?? []
        choices.push({ grammar, operation })
        this.#choices.set(group, choices)
      }
  }

  /** The request of a seed. `powerless`: by one who may change nothing, and a write. */
  make(seed: number, powerless = false): Made {
    const random = dice(seed)
    const group = random.weighted<string>([
      [25, 'POST'],
      [22, 'PUT'],
      [28, 'PATCH'],
      [8, 'DELETE'],
      ...(powerless
        ? []
        : ([
            [15, 'GET'],
            [1, 'HEAD'],
            [1, 'open'],
          ] as const)),
    ])
    const known = random.chance(0.8) ? this.#onLive(group, random) : null
    const { grammar, operation } =
      known?.choice ?? random.pick(this.#choices.get(group) ?? this.#choices.get('GET')!)
    const name = `fz-l${this.#lane}-n${random.below(NAMES)}`
    const { path, namespace } = known ?? this.#pathOf(operation, name, random)
    const identity = this.#identity(random, powerless)
    const isSafe =
      !mayWrite(identity) || operation.method !== 'DELETE' || path.includes('/namespaces/fz-')
    let target = path + queryFor(operation, random, this.#live.tokens)
    // Witnesses are not named, but a collection without a namespace has them in it.
    if (!isSafe) target = `${path}?labelSelector=fz%3Dyes`
    const changesTarget = isSafe && random.chance(0.05)
    if (changesTarget) target = mutateTarget(target, random)
    const body = new Bodies(this.#world, random).for({
      operation,
      grammar,
      name,
      namespace,
      live: this.#live.at(path) ?? known?.live,
    })
    const extra = random.chance(0.07) ? extraFields(random) : { fields: [], isOpen: false }
    const headers: Field[] = [
      ['accept', random.chance(0.75) ? 'application/json' : acceptOf(this.#world.media, random)],
      ...(body === null || body.type === null ? [] : [['content-type', body.type] as const]),
      ...extra.fields,
    ]
    const isOpen =
      isTooLong(target, headers) ||
      extra.isOpen ||
      OPEN.test(target) ||
      operation.action === 'connect' ||
      changesTarget
    const protocol = random.pick(['h1', 'h2'] as const)
    const request: FuzzRequest = {
      identity,
      protocol,
      method: random.chance(0.01)
        ? random.pick(['OPTIONS', 'HEAD', 'TRACE', 'FOO', 'get', 'PROPFIND'])
        : operation.method,
      target: encodedTarget(target),
      headers,
      body: body?.bytes ?? null,
      raw: null,
      isOpen,
      how: [
        body?.how ?? 'no body',
        ...(changesTarget ? ['target changed'] : []),
        ...(extra.fields.length > 0 ? ['fields added'] : []),
      ].join('; '),
    }
    const mayBreak = this.#breaksBytes && (!mayWrite(identity) || operation.method !== 'DELETE')
    return {
      request: mayBreak && random.chance(0.03) ? broken(request, random) : request,
      operation,
      path,
    }
  }

  /** An operation on something that is there. */
  #onLive(group: string, random: Dice) {
    const places = this.#live.places
    if (places.length === 0) return null
    const place = random.pick(places)
    const fitting = (this.#choices.get(group) ?? []).filter(({ operation }) =>
      `${operation.path}/`.startsWith(`${place.template}/`),
    )
    if (fitting.length === 0) return null
    const choice = random.pick(fitting)
    const path = place.path + choice.operation.path.slice(place.template.length)
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? ''
    const live = this.#live.at(place.path)
    return /[{}]/.test(path) ? null : { choice, path, namespace, live }
  }

  #identity(random: Dice, powerless: boolean): IdentityName {
    if (powerless) return random.pick(POWERLESS)
    return random.weighted<IdentityName>([
      [50, 'administrator'],
      [25, 'certificate'],
      [2, 'reader'],
      [2, 'nobody'],
      [1, 'anonymous'],
      [1, 'asNobody'],
      [1, 'asReader'],
    ])
  }

  #pathOf(operation: Operation, name: string, random: Dice): { path: string; namespace: string } {
    const home = namespaceOf(this.#lane)
    const isRead = operation.method === 'GET'
    const elsewhere = isRead ? ['default', 'missing', name, hostileText(random)] : ['missing', name]
    const namespace = random.chance(0.93) ? home : random.pick(elsewhere)
    const type = operation.type
    const path = operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
      if (parameter === 'namespace') return encoded(namespace)
      if (parameter === 'name')
        return encoded(
          random.chance(0.97) || !isRead
            ? nameFor(type ?? { kind: '' }, name)
            : hostileText(random),
        )
      return encoded(random.chance(0.5) ? 'a/b' : hostileText(random))
    })
    return { path, namespace }
  }
}

/** Blanks and control characters would end the target: they go as bytes of their own only in changed bytes. */
const encodedTarget = (target: string): string =>
  Buffer.from(target.replace(/[\s\0]/g, '%20')).toString('latin1')

/** A head beyond all bounds may cost the connection. */
const isTooLong = (target: string, headers: readonly Field[]): boolean =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length + 32, target.length) >
  16_000

function broken(request: FuzzRequest, random: Dice): FuzzRequest {
  const fields = [...shown[request.identity], ...request.headers]
  const message = { ...request, fields }
  const isHttp2 = request.protocol === 'h2'
  const raw = isHttp2 ? brokenHttp2(message, random) : brokenHttp1(message, random)
  return { ...request, raw, isOpen: true, how: `${request.how}; broken ${request.protocol}` }
}
