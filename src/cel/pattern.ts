import { createRequire } from 'node:module'

type Engine = typeof import('re2js')
type Compiled = ReturnType<Engine['RE2JS']['compile']>

let engine: Engine | null = null
let last: { source: string; compiled: Compiled } | null = null

/** Compiles for an engine that takes linear time; throws Error. It is loaded when the first one is met. */
function compiled(source: string): Compiled {
  // Rules over lists match the same pattern again and again.
  if (last?.source === source) return last.compiled
  engine ??= createRequire(import.meta.url)('re2js') as Engine
  last = { source, compiled: engine.RE2JS.compile(source) }
  return last.compiled
}

/** Why a regular expression is invalid; null when it is valid. */
export function patternProblem(source: string): string | null {
  try {
    compiled(source)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Whether a pattern matches somewhere in the text. */
export const matchesPattern = (text: string, source: string): boolean =>
  compiled(source).matcher(text).find()

/** The first match; empty without one. */
export const findPattern = (text: string, source: string): string =>
  findAllPattern(text, source, 1)[0] ?? ''

/** All matches, at most `limit`; all of them below 0. */
export function findAllPattern(text: string, source: string, limit: number): string[] {
  const found: string[] = []
  const matcher = compiled(source).matcher(text)
  while (found.length !== limit && matcher.find()) found.push(matcher.group() ?? '')
  return found
}
