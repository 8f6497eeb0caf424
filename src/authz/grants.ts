/** The bindings for each user, remembered until roles or bindings change. */
import type { Subject } from './authorizer.ts'
import type { Binding, RbacIndex } from './rbac-index.ts'

/** What is known of one user. */
interface Known<T> {
  generation: number
  /** By namespace; null: too many. */
  readonly places: Map<string, readonly T[] | null>
}

/** Namespaces of one user that are remembered; with more they are looked up again. */
const MOST_PLACES = 64
/** Bindings that are remembered for a user in one namespace. */
const MOST_BINDINGS = 64

/**
 * What was made of the bindings for users. Authentication gives the same user to each request of a token or certificate, so
 * such requests need no look-ups by the names of the user and all groups.
 */
export class Grants<T> {
  readonly #index: RbacIndex
  readonly #make: (binding: Binding, user: Subject) => T
  readonly #users = new WeakMap<Subject, Known<T>>()

  /** `make`: what to keep of a binding for a user. */
  constructor(index: RbacIndex, make: (binding: Binding, user: Subject) => T) {
    this.#index = index
    this.#make = make
  }

  /**
   * Of the bindings that `RbacIndex.visit` visits for a user in a namespace, in that order. Null: there are too many to
   * remember, or the user is asked for for the first time and may not come again.
   */
  of(user: Subject, namespace: string): readonly T[] | null {
    const { generation } = this.#index
    const known = this.#users.get(user)
    if (known === undefined) {
      this.#users.set(user, { generation, places: new Map() })
      return null
    }
    if (known.generation !== generation) {
      known.generation = generation
      known.places.clear()
    }
    const found = known.places.get(namespace)
    return found === undefined ? this.#add(known, user, namespace) : found
  }

  #add({ places }: Known<T>, user: Subject, namespace: string): readonly T[] | null {
    const bindings: Binding[] = []
    this.#index.visit(user, namespace, (binding) => bindings.push(binding) > MOST_BINDINGS)
    const made =
      bindings.length > MOST_BINDINGS ? null : bindings.map((one) => this.#make(one, user))
    if (places.size >= MOST_PLACES) places.clear()
    places.set(namespace, made)
    return made
  }
}
