/**
 * Starts the components of a program as far at the same time as they allow, and stops them in reverse order.
 *
 *     engine ─────┐
 *                 ├── store ── cache ── …     engine and catalogue start together, store after both
 *     catalogue ──┘     ┆
 *                      pki                    starts beside store, and waits for it where it needs it
 */

/** What a component gives to others when it has started. */
export interface Started<T> {
  readonly part: T
  /** Ends what was started; resolves when that is done. */
  stop?(): Promise<void> | void
}

/** Parts that are still being made. */
export type Underway<P> = { readonly [K in keyof P]: Promise<P[K]> }

type Starting<P, N extends keyof P> = Started<P[N]> | Promise<Started<P[N]>>

/** One component of a program whose parts are `P`, by their names. */
export interface Component<P, N extends keyof P = keyof P> {
  readonly name: N
  /** Parts that are there before it starts. */
  readonly needs?: readonly (keyof P)[]
  /** Parts that it waits for itself: they come as promises. */
  readonly beside?: readonly (keyof P)[]
  /** Parts that it looks up after its start; these may need this one in turn. */
  readonly later?: readonly (keyof P)[]
  /** Its part is ready when this resolves. A start that rejects leaves nothing behind. */
  start(parts: Readonly<P>, underway: Underway<P>): Starting<P, N>
}

/** A component as it is written: its start sees the parts that it declares, and no others. */
export interface Declared<
  P,
  N extends keyof P,
  Needs extends keyof P,
  Beside extends keyof P,
  Later extends keyof P,
> {
  readonly name: N
  readonly needs?: readonly Needs[]
  readonly beside?: readonly Beside[]
  readonly later?: readonly Later[]
  start(
    parts: Readonly<Pick<P, Needs | Later>>,
    underway: Underway<Pick<P, Beside>>,
  ): Starting<P, N>
}

/** Makes the function by which components of the parts `P` are declared. */
export const componentsOf =
  <P>() =>
  <
    N extends keyof P,
    Needs extends keyof P = never,
    Beside extends keyof P = never,
    Later extends keyof P = never,
  >(
    declared: Declared<P, N, Needs, Beside, Later>,
  ): Component<P, N> =>
    declared

/** The components of one program. Starts once. */
export class ComponentGraph<P> {
  readonly #order: readonly Component<P>[]
  readonly #parts: Partial<P> = {}
  readonly #starting = new Map<keyof P, Promise<Started<P[keyof P]>>>()
  #hasEnded = false
  #stopping: Promise<void> | null = null

  /** Throws an Error about an unknown need, a name that is there twice, and a cycle. */
  constructor(components: readonly Component<P>[]) {
    this.#order = inOrder(components)
  }

  /** Names in the order of the start: each after what it waits for, otherwise as they were given. */
  get order(): readonly (keyof P)[] {
    return this.#order.map(({ name }) => name)
  }

  /**
   * Resolves when all have started. After a failure none is begun, what is starting is waited for, what was started is
   * stopped, and the failure is thrown; of several, that of the first in order.
   */
  async start(): Promise<Readonly<P>> {
    for (const component of this.#order) {
      const starting = this.#begin(component)
      // Failures are looked at together.
      starting.catch(() => {})
      this.#starting.set(component.name, starting)
    }
    const ends = await Promise.allSettled(this.#starting.values())
    const failures = ends.flatMap((end): unknown[] =>
      end.status === 'rejected' ? [end.reason] : [],
    )
    if (failures.length === 0 && !this.#hasEnded) return this.#parts as P // All have given theirs.
    // The failure of the start says more than one that it led to.
    await this.stop().catch(() => {})
    throw failures.find((failure) => !(failure instanceof StartEnded)) ?? new StartEnded()
  }

  /**
   * Stops what was started in reverse order, also while others are still starting: these are waited for, and no more are
   * begun. All are stopped, whichever fails; the first failure is thrown. May be called twice.
   */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stopAll())
  }

  async #begin<N extends keyof P>(component: Component<P, N>): Promise<Started<P[N]>> {
    const { name, needs = [] } = component
    try {
      for (const need of needs) await this.#starting.get(need)
      if (this.#hasEnded) throw new StartEnded()
      const started = await component.start(this.#view(component), this.#underway(component))
      this.#parts[name] = started.part
      return started
    } catch (error) {
      this.#hasEnded = true
      throw error
    }
  }

  async #stopAll(): Promise<void> {
    this.#hasEnded = true
    const failures: unknown[] = []
    for (const { name } of this.#order.toReversed()) {
      // What did not start has nothing to stop.
      const started = await this.#starting.get(name)?.catch(() => null)
      try {
        await started?.stop?.()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  /** The parts that a component declares, to be looked up at any time. */
  #view({ name, needs = [], later = [] }: Component<P>): P {
    const view = {}
    for (const other of [...needs, ...later])
      Object.defineProperty(view, other, {
        enumerable: true,
        get: () => {
          if (other in this.#parts) return this.#parts[other]
          throw new Error(`${String(name)} looks up ${String(other)}, which has not started`)
        },
      })
    // Others are not seen by the type that the component was declared with.
    return view as P
  }

  #underway({ beside = [] }: Component<P>): Underway<P> {
    const parts = beside.map((other) => {
      const part = this.#starting.get(other)!.then((started) => started.part)
      // Whoever does not come to wait for it leaves its failure to the start.
      part.catch(() => {})
      return [other, part] as const
    })
    // The same.
    return Object.fromEntries(parts) as Underway<P>
  }
}

/** The start was ended before the turn of a component came. */
class StartEnded extends Error {
  constructor() {
    super('the start was ended')
    this.name = 'StartEnded'
  }
}

/** Each after what it waits for, otherwise as given. */
function inOrder<P>(components: readonly Component<P>[]): readonly Component<P>[] {
  const byName = new Map(components.map((component) => [component.name, component]))
  if (byName.size < components.length)
    throw new Error(`two components have one name: ${components.map(nameOf).join(', ')}`)
  const order = new Set<Component<P>>()
  const visit = (component: Component<P>, path: readonly Component<P>[]) => {
    const { name, needs = [], beside = [], later = [] } = component
    if (path.includes(component)) {
      const cycle = [...path.slice(path.indexOf(component)), component]
      throw new Error(`components wait for each other: ${cycle.map(nameOf).join(' > ')}`)
    }
    for (const other of [...needs, ...beside, ...later])
      if (!byName.has(other))
        throw new Error(`${String(name)} needs ${String(other)}, which is no component`)
    if (order.has(component)) return
    for (const other of [...needs, ...beside]) visit(byName.get(other)!, [...path, component])
    order.add(component)
  }
  for (const component of components) visit(component, [])
  return [...order]
}

const nameOf = <P>({ name }: Component<P>): string => String(name)
