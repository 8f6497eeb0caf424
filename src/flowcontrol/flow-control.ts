/** The FlowSchemas and priority levels that are in force, and the flow of each request. */
import type { FlowSchemaSpec } from '../kinds/flowcontrol/flow-schema-spec.ts'
import type { PriorityLevelConfigurationSpec } from '../kinds/flowcontrol/priority-level-configuration.ts'
import { FlowCounts, type FlowObserver } from './flow-counts.ts'
import type { Flow } from './flow.ts'
import { MANDATORY_LEVELS, MANDATORY_SCHEMAS } from './mandatory.ts'
import { matchersFor, type FlowAttributes, type FlowUser, type RuleMatcher } from './matching.ts'
import { levelSettings, limitOf, PriorityLevel } from './priority-level.ts'
import type { FlowClock } from './queue-set.ts'

/** A FlowSchema as it is followed. */
export interface SchemaObject {
  readonly metadata: { readonly name?: string; readonly uid?: string }
  readonly spec: FlowSchemaSpec
}

/** A PriorityLevelConfiguration as it is followed. */
export interface LevelObject {
  readonly metadata: { readonly name?: string; readonly uid?: string }
  readonly spec: PriorityLevelConfigurationSpec
}

export interface FlowControlOptions {
  readonly clock: FlowClock
  /** Seats of the server. */
  readonly totalSeats: number
  /** Longest time in a queue, milliseconds. */
  readonly waitLimitMs: number
  /** Names of the headers with the uids of schema and level. */
  readonly headers: { readonly schema: string; readonly level: string }
  /** Observes the requests of a schema at a level; null: nobody does. */
  readonly observe?: (schema: string, level: string) => FlowObserver
}

/** A FlowSchema in force. */
interface Schema {
  readonly name: string
  readonly spec: FlowSchemaSpec
  readonly level: PriorityLevel
  readonly counts: FlowCounts
  readonly headers: readonly string[]
  /** Flows by their distinguishers. */
  readonly flows: Map<string, Flow>
}

/** A FlowSchema that may match requests of one user. */
interface Candidate {
  readonly schema: Schema
  readonly matchers: readonly RuleMatcher[]
  /** Null: it depends on the namespace. */
  readonly flow: Flow | null
}

/** Flows of one schema that are remembered; with more they are made again. */
const MAX_FLOWS = 4096
const CATCH_ALL = 'catch-all'

export class FlowControl {
  readonly #options: FlowControlOptions
  readonly #levels = new Map<string, PriorityLevel>()
  readonly #counts = new Map<string, FlowCounts>()
  #schemas: readonly Schema[] = []
  #fallback!: Schema
  /** What may match requests of a user, in order. Authentication gives the same user to each request of a token. */
  #candidates = new WeakMap<FlowUser, readonly Candidate[]>()
  /** Another one for each configuration. */
  #era = {}

  constructor(options: FlowControlOptions) {
    this.#options = options
    this.configure([], [])
  }

  /** Puts configuration in force; missing mandatory objects are imagined. */
  configure(schemas: Iterable<SchemaObject>, levels: Iterable<LevelObject>): void {
    this.#era = {}
    this.#configureLevels(levels)
    this.#share()
    const wanted = new Map(MANDATORY_SCHEMAS)
    for (const schema of schemas) wanted.set(schema.metadata.name ?? '', schema)
    this.#schemas = [...wanted.values()]
      .flatMap((schema) => this.#schema(schema))
      .sort(byPrecedence)
    this.#fallback = this.#schemas.find(({ name }) => name === CATCH_ALL)!
    const used = new Set(this.#schemas.map(({ counts }) => counts))
    for (const [key, counts] of this.#counts)
      if (!used.has(counts) && counts.executing + counts.waiting === 0) this.#counts.delete(key)
    this.#candidates = new WeakMap()
  }

  /** The flow of a request: that of the first schema that matches, else of the schema `catch-all`. */
  flowOf(user: FlowUser, request: FlowAttributes): Flow {
    const { memory } = request
    if (memory === undefined || memory.info !== request) return this.#find(user, request)
    const { flow } = memory
    if (flow !== null && flow.era === this.#era && memory.flowUser === user) return flow
    const found = this.#find(user, request)
    memory.flow = found
    memory.flowUser = user
    return found
  }

  /** Levels by name, those that are going included. */
  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#levels
  }

  /** Counters of all schemas at their levels. */
  get counts(): Iterable<FlowCounts> {
    return this.#counts.values()
  }

  #find(user: FlowUser, request: FlowAttributes): Flow {
    let candidates = this.#candidates.get(user)
    if (candidates === undefined)
      this.#candidates.set(user, (candidates = this.#candidatesOf(user)))
    for (const { schema, matchers, flow } of candidates)
      for (const matches of matchers)
        if (matches(request)) return flow ?? this.#flow(schema, request.namespace)
    return this.#flow(this.#fallback, distinguisherOf(this.#fallback.spec, user, request))
  }

  #configureLevels(objects: Iterable<LevelObject>): void {
    const wanted = new Map(MANDATORY_LEVELS)
    for (const level of objects) wanted.set(level.metadata.name ?? '', level)
    for (const [name, { metadata, spec }] of wanted) {
      let level = this.#levels.get(name)
      if (!level) this.#levels.set(name, (level = new PriorityLevel(name)))
      level.uid = metadata.uid ?? ''
      level.isQuiescing = false
      level.settings = spec.limited ? levelSettings(spec.limited) : null
      if (level.settings === null) level.seats = null
    }
    for (const [name, level] of this.#levels) {
      if (wanted.has(name)) continue
      if (level.isIdle) this.#levels.delete(name)
      else level.isQuiescing = true
    }
  }

  /** Divides the seats among the levels. One that is going keeps its share until its requests are finished. */
  #share(): void {
    const { clock, totalSeats, waitLimitMs } = this.#options
    const limited = [...this.#levels.values()].filter(({ settings }) => settings !== null)
    const all = limited.reduce((sum, { settings }) => sum + settings!.shares, 0)
    for (const level of limited) {
      level.limit(limitOf(totalSeats, level.settings!.shares, all), clock, waitLimitMs)
      level.seats!.onIdle = () => {
        if (!level.isQuiescing || this.#levels.get(level.name) !== level) return
        this.#levels.delete(level.name)
        this.#share()
      }
    }
  }

  /** A schema in force; none when its level does not exist. */
  #schema({ metadata: { name = '', uid = '' }, spec }: SchemaObject): Schema[] {
    const level = this.#levels.get(spec.priorityLevelConfiguration.name)
    if (!level || level.isQuiescing) return []
    const { headers } = this.#options
    return [
      {
        name,
        spec,
        level,
        counts: this.#countsOf(name, level.name),
        headers: [headers.schema, uid, headers.level, level.uid],
        flows: new Map(),
      },
    ]
  }

  #countsOf(schema: string, level: string): FlowCounts {
    const key = `${schema}\0${level}`
    let counts = this.#counts.get(key)
    if (!counts) {
      this.#counts.set(key, (counts = new FlowCounts(schema, level)))
      counts.observer = this.#options.observe?.(schema, level) ?? null
    }
    return counts
  }

  #candidatesOf(user: FlowUser): readonly Candidate[] {
    return this.#schemas.flatMap((schema) => {
      const { rules = [], distinguisherMethod } = schema.spec
      const matchers = matchersFor(rules, user)
      if (matchers.length === 0) return []
      const flow =
        distinguisherMethod?.type === 'ByNamespace'
          ? null
          : this.#flow(schema, distinguisherMethod?.type === 'ByUser' ? user.name : '')
      return { schema, matchers, flow }
    })
  }

  #flow(schema: Schema, distinguisher: string): Flow {
    const { flows, level, counts, headers } = schema
    let flow = flows.get(distinguisher)
    if (flow) return flow
    if (flows.size >= MAX_FLOWS) flows.clear()
    flow = {
      schema: schema.name,
      level,
      distinguisher,
      counts,
      headers,
      era: this.#era,
      hand: null,
    }
    flows.set(distinguisher, flow)
    return flow
  }
}

function distinguisherOf(
  { distinguisherMethod }: FlowSchemaSpec,
  { name }: FlowUser,
  { namespace }: FlowAttributes,
): string {
  switch (distinguisherMethod?.type) {
    case 'ByUser':
      return name
    case 'ByNamespace':
      return namespace
    default:
      return ''
  }
}

function byPrecedence(a: Schema, b: Schema): number {
  const order = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0)
  if (order !== 0) return order
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
