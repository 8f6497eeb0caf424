/** What a run found wrong, each kind of it once. */
import type { FuzzRequest } from './request.ts'

/** In which way something is wrong. */
export type FindingClass =
  | 'error'
  | 'panic'
  | 'silence'
  | 'unreadable'
  | 'status'
  | 'permission'
  | 'connection'
  | 'log'
  | 'death'
  | 'memory'
  | 'witness'
  | 'round trip'
  | 'list'
  | 'change'

export interface Problem {
  readonly is: FindingClass
  readonly message: string
}

export interface Finding extends Problem {
  /** What shows it; null when it is no single request. */
  readonly request: FuzzRequest | null
  /** The object that stood there before, as JSON. */
  readonly before: string | null
  count: number
}

export class Findings {
  readonly #byKey = new Map<string, Finding>()

  get list(): readonly Finding[] {
    return [...this.#byKey.values()]
  }

  /** Notes one; true when there was none like it before. */
  add(problem: Problem, request: FuzzRequest | null = null, before: string | null = null): boolean {
    const key = keyOf(problem, request)
    const known = this.#byKey.get(key)
    if (known) {
      known.count++
      return false
    }
    this.#byKey.set(key, { ...problem, request, before, count: 1 })
    return true
  }

  /** Puts a smaller request in the place of the one that was noted. */
  replace(problem: Problem, old: FuzzRequest, smaller: FuzzRequest): void {
    const key = keyOf(problem, old)
    const known = this.#byKey.get(key)
    if (known) this.#byKey.set(key, { ...known, request: smaller })
  }
}

/** The same for problems that differ in names, numbers and quoted text alone. */
export function keyOf({ is, message }: Problem, request: FuzzRequest | null): string {
  const words = message.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\d+/g, '0')
  return `${is} ${request?.method ?? ''} ${words.slice(0, 160)}`
}
