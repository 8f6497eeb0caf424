/**
 * Functions made from declarations: one for each shape, with its fields as properties that the engine knows, where the
 * interpreters in this folder look up each name. No text of a client ever becomes part of one: sources consist of fixed
 * text, of literals of declared names and defaults, and of names for values that are passed beside the source.
 *
 * The interpreters stay where the process must not make code: with `generateNothing`, and where the engine forbids it
 * (`node --disallow-code-generation-from-strings`).
 */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** The words of a vocabulary, and when code is generated with them: by default once a shape is in use. */
export type Words = Pick<Vocabulary, 'resolve'> & { readonly generates?: 'never' | 'at once' }

/** Uses of a shape after which its code is generated: more than a start makes of any. */
const USES = 300

/** Counts uses; true at the one at which code is generated. */
export function useCounter({ generates }: Words): () => boolean {
  if (generates === 'never') return () => false
  let left = generates === 'at once' ? 1 : USES
  return () => --left === 0 && mayGenerate()
}

let allowed: boolean | null = null

/** Keeps this process from generating code from now on: for its owner only. */
export function generateNothing(): void {
  allowed = false
}

/** Whether this process may make functions from text. */
function mayGenerate(): boolean {
  if (allowed === null) {
    try {
      // oxlint-disable-next-line typescript/no-implied-eval -- the text is fixed
      allowed = new Function('return true')() === true
    } catch {
      allowed = false
    }
  }
  return allowed
}

/** The source of one function, and the values that it refers to. */
export class GeneratedCode {
  readonly #names = new Map<unknown, string>()
  readonly #lines: string[] = []

  /** A name for a value. */
  refer(value: unknown): string {
    let name = this.#names.get(value)
    if (name === undefined) this.#names.set(value, (name = `v${this.#names.size}`))
    return name
  }

  line(text: string): void {
    this.#lines.push(text)
  }

  /** Makes the function. */
  finish<F>(parameters: readonly string[]): F {
    const source = `'use strict'\nreturn (${parameters.join(', ')}) => {\n${this.#lines.join('\n')}\n}`
    // oxlint-disable-next-line typescript/no-implied-eval -- made of declarations, with every name as a literal
    const make = new Function(...this.#names.values(), source) as (...values: unknown[]) => F
    return make(...this.#names.keys())
  }
}

/** A declared name or default as a literal; JSON is part of the language. */
export const literal = (value: unknown): string =>
  value === undefined ? 'undefined' : JSON.stringify(value)

/** Whether a literal makes the value anew each time, at little cost. */
export function isSimple(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint'
  return Object.keys(value).length === 0
}
