import { createRequire } from 'node:module'

/** A regular expression written by a user. */
export interface LinearPattern {
  /** Whether it matches somewhere in the text. */
  test(text: string): boolean
}

type Engine = typeof import('re2js')

let engine: Engine | null = null

/**
 * Compiles a regular expression for an engine that takes linear time; throws Error. The engine is loaded when the
 * first one is met, because most servers never do.
 */
export function linearPattern(source: string): LinearPattern {
  engine ??= createRequire(import.meta.url)('re2js') as Engine
  const compiled = engine.RE2JS.compile(source)
  return { test: (text) => compiled.matcher(text).find() }
}
