import { createRequire } from 'node:module'
import { patternWeight } from '../base/pattern-weight.ts'
import { failure } from './failure.ts'

type Engine = typeof import('re2js')
type Compiled = ReturnType<Engine['RE2JS']['compile']>

let engine: Engine | null = null
let last: { source: string; compiled: Compiled } | null = null

/** Compiles for an engine that takes linear time; throws Failure. It is loaded when the first one is met. */
function compiled(source: string): Compiled {
  // Rules over lists match the same pattern again and again.
  if (last?.source === source) return last.compiled
  engine ??= createRequire(import.meta.url)('re2js') as Engine
  try {
    last = { source, compiled: engine.RE2JS.compile(source) }
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error))
  }
  return last.compiled
}

/** Weight that the remaining patterns of an expression may have. */
export interface PatternRoom {
  left: number
}

/** A pattern that is written in an expression has to be one. Throws Failure. */
export function requirePattern(source: string, room: PatternRoom): void {
  room.left -= patternWeight(source)
  if (room.left < 0) throw failure('the patterns are too large')
  compiled(source)
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
