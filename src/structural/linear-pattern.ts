import { createRequire } from 'node:module'

/** A regular expression written by a user. */
export interface LinearPattern {
  /** Whether it matches somewhere in the text. */
  test(text: string): boolean
}

type Engine = typeof import('re2js')

let engine: Engine | null = null

/** Patterns that were compiled beforehand; those of one definition at a time. */
const kept = new Map<string, LinearPattern>()
const MOST_KEPT = 1_000

/** Compiles a pattern in advance; an invalid one is reported when it is used. */
export function keepPattern(source: string): void {
  try {
    const compiled = linearPattern(source)
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(source, compiled)
  } catch {
    // The checks report it with its path.
  }
}

/**
 * Compiles a regular expression for an engine that takes linear time; throws Error. The engine is loaded when the
 * first one is met, because most servers never do.
 */
export function linearPattern(source: string): LinearPattern {
  const known = kept.get(source)
  if (known) return known
  engine ??= createRequire(import.meta.url)('re2js') as Engine
  const compiled = engine.RE2JS.compile(source)
  return { test: (text) => compiled.matcher(text).find() }
}
