/** Reads the documents that configure plugins. Every fault is an Error that names the place. */
import { isRecord } from '../base/value-checks.ts'
import type { FieldErrors } from './field-errors.ts'

export type Members = Readonly<Record<string, unknown>>

/** The members of a document of one kind, in one of some versions. */
export function membersOfKind(
  document: unknown,
  kind: string,
  versions: readonly string[],
): Members {
  if (!isRecord(document)) throw new Error(`expected ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`)
  const { kind: named = '', apiVersion = '' } = document
  if (named === kind && versions.includes(String(apiVersion))) return document
  const [shownKind, shownVersion] = [named, apiVersion].map((one) => JSON.stringify(one))
  throw new Error(`no kind ${shownKind} is registered for version ${shownVersion}`)
}

/** An object in a document; empty when absent. */
export function recordAt(value: unknown, at: string): Members {
  const found = value ?? {}
  if (!isRecord(found)) throw new Error(`${at}: must be an object`)
  return found
}

/** A list in a document; empty when absent. */
export function listAt(value: unknown, at: string): readonly unknown[] {
  const found = value ?? []
  if (!Array.isArray(found)) throw new Error(`${at}: must be a list`)
  return found
}

/** A text in a document; empty when absent. */
export function textAt(value: unknown, at: string): string {
  const found = value ?? ''
  if (typeof found !== 'string') throw new Error(`${at}: must be a string`)
  return found
}

/** A whole number of 32 bits in a document; 0 when absent. */
export function int32At(value: unknown, at: string): number {
  const found = value ?? 0
  if (typeof found !== 'number' || (found | 0) !== found) {
    throw new Error(`${at}: must be a whole number of 32 bits`)
  }
  return found
}

/** Collects members that nothing reads, by the place of their object and its known members. */
export class UnknownMembers {
  readonly #found: string[] = []

  collect(members: Members, known: readonly string[], at = ''): void {
    for (const name of Object.keys(members)) {
      if (!known.includes(name)) this.#found.push(`unknown field ${JSON.stringify(at + name)}`)
    }
  }

  /** Throws an Error that lists them. */
  refuse(): void {
    if (this.#found.length > 0) {
      throw new Error(`strict decoding error: ${this.#found.join(', ')}`)
    }
  }
}

/** Throws an Error that lists the violations. */
export function refuseFaults({ list }: FieldErrors): void {
  const texts = list.map(({ field, message }) => `${field}: ${message}`)
  if (texts.length > 0) throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`)
}
