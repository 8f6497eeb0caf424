/**
 * Starts the components of a program concurrently, as far as their needs allow, and stops them in reverse order.
 *
 *     engine ─────┐
 *                 ├── store ── cache ── …     engine and catalogue start at once, store after both
 *     catalogue ──┘     ┆
 *                      pki                    pki starts at once too, and awaits store inside
 */

/** Result of a start. */
export interface Started<T> {
  /** Parts that other components get from this one. */
  readonly part: T
  /** Releases everything that the start acquired. */
  stop?(): Promise<void> | void
}

/** Parts of components that are still starting. */
export type Underway<P> = { readonly [K in keyof P]: Promise<P[K]> }

type Starting<P, N extends keyof P> = Started<P[N]> | Promise<Started<P[N]>>

/** One component of a program; `P` maps the names of all components to their parts. */
export interface Component<P, N extends keyof P = keyof P> {
  readonly name: N
  /** Components that start before this one. */
  readonly needs?: readonly (keyof P)[]
  /** Components that this one awaits inside its start: their parts are given as promises. */
  readonly beside?: readonly (keyof P)[]
  /** Components whose parts are looked up after the start; they may need this one in turn. */
  readonly later?: readonly (keyof P)[]
  /** Resolves when the component is ready. A start that rejects must release what it acquired. */
  start(parts: Readonly<P>, underway: Underway<P>): Starting<P, N>
}

/** A component as it is declared: the types let its start see the declared parts only. */
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

/** Returns the function that declares components of a program with the parts `P`. */
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

/** Waits until a component has stopped, or no longer; rejects then. */
export type Bounded = (name: string, stopped: Promise<void>) => Promise<void>

/** The components of one program. Starts once. */
export class ComponentGraph<P> {
  readonly #order: readonly Component<P>[]
  readonly #parts: Partial<P> = {}
  readonly #starting = new Map<keyof P, Promise<Started<P[keyof P]>>>()
  #hasEnded = false
  #stopping: Promise<void> | null = null

  /** Throws an Error on an unknown need, a duplicate name, and a cycle. */
  constructor(components: readonly Component<P>[]) {
    this.#order = inOrder(components)
  }

  /** Names in topological order, which keeps the given order where it can. */
  get order(): readonly (keyof P)[] {
    return this.#order.map(({ name }) => name)
  }

  /**
   * Resolves when all components have started. After a failure no further component starts, those that are starting are
   * awaited, all that started are stopped, and the failure is thrown: of several, that of the first component in order.
   */
  async start(): Promise<Readonly<P>> {
    for (const component of this.#order) {
      const starting = this.#begin(component)
      // All failures are collected below.
      starting.catch(() => {})
      this.#starting.set(component.name, starting)
    }
    const ends = await Promise.allSettled(this.#starting.values())
    const failures = ends.flatMap((end): unknown[] =>
      end.status === 'rejected' ? [end.reason] : [],
    )
    if (failures.length === 0 && !this.#hasEnded) return this.#parts as P // Complete: every start has succeeded.
    // The failure of the start is the cause: one of the stop must not hide it.
    await this.stop().catch(() => {})
    // oxlint-disable-next-line typescript/only-throw-error -- whatever a component threw is thrown as it is
    throw failures.find((failure) => !(failure instanceof StartEnded)) ?? new StartEnded()
  }

  /**
   * Stops all started components in reverse order. During a start no further component starts, and those that are starting
   * are awaited first. A failure does not keep others from being stopped; the first one is thrown. May be called twice.
   * `bounded`: ends the wait for one component; without, each has the time that it takes.
   */
  stop(bounded: Bounded = (_, stopped) => stopped): Promise<void> {
    return (this.#stopping ??= this.#stopAll(bounded))
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

  async #stopAll(bounded: Bounded): Promise<void> {
    this.#hasEnded = true
    const failures: unknown[] = []
    for (const { name } of this.#order.toReversed()) {
      // A failed start has nothing to stop.
      const started = await this.#starting.get(name)?.catch(() => null)
      try {
        const stopped = started?.stop?.()
        if (stopped) await bounded(String(name), stopped)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  /** The declared parts of a component, looked up on access. */
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
    // Undeclared parts are missing; the type of the declaration excludes them.
    return view as P
  }

  #underway({ beside = [] }: Component<P>): Underway<P> {
    const parts = beside.map((other) => {
      const part = this.#starting.get(other)!.then((started) => started.part)
      // A component that never awaits it leaves the failure to `start`.
      part.catch(() => {})
      return [other, part] as const
    })
    // As above.
    return Object.fromEntries(parts) as Underway<P>
  }
}

/** The start was ended before this component could start. */
class StartEnded extends Error {
  constructor() {
    super('the start was ended')
    this.name = 'StartEnded'
  }
}

/** Sorts topologically and keeps the given order where it can. Throws on unknown or cyclic dependencies. */
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
