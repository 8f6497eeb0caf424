import { matchesGlob } from './glob.ts'

/** Structured log lines. Callers never hand in secrets, tokens or keys. */
export interface Log {
  error(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  /** Detail that shows from `-v` level `level` on. */
  debug(level: number, message: string, fields?: LogFields): void
  /** Whether detail of a level shows; for fields that cost something to make. */
  v(level: number): boolean
  /** The same log with fields that every line of the child carries. */
  child(fields: LogFields): Log
  /** The same log with the level of a part of the program; absent where all parts have the same. */
  module?(name: string): Log
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Writes nothing. */
export const silentLog: Log = {
  error: () => {},
  warn: () => {},
  info: () => {},
  debug: () => {},
  v: () => false,
  child: () => silentLog,
}

/** A pattern with `*` and `?`, and the level of what it matches. */
export interface ModuleLevel {
  readonly pattern: string
  readonly level: number
}

export interface LineLogOptions {
  /** Text for people, JSON for programs. */
  readonly format: 'text' | 'json'
  /** The `-v` level. `info` shows from 1 on: a healthy server logs nothing by default. */
  readonly level: number
  /** Levels of parts of the program whose names match, where they are above `level`; none by default. */
  readonly modules?: readonly ModuleLevel[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Gets whole lines, each with its line feed. */
  readonly write: (line: string) => void
}

type Severity = 'error' | 'warn' | 'info' | 'debug'

const INFO_LEVEL = 1

/** Writes one line for each message. */
export function lineLog(options: LineLogOptions): Log {
  return withFields(options, {})
}

function withFields(options: LineLogOptions, always: LogFields): Log {
  const form = options.format === 'json' ? jsonLine : textLine
  const line = (severity: Severity, message: string, fields?: LogFields) => {
    const time = new Date(options.now()).toISOString()
    options.write(form(time, severity, message, { ...always, ...fields }))
  }
  const log: Log = {
    error: (message, fields) => line('error', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    info: (message, fields) => {
      if (log.v(INFO_LEVEL)) line('info', message, fields)
    },
    debug: (level, message, fields) => {
      if (log.v(level)) line('debug', message, fields)
    },
    v: (level) => level <= options.level,
    child: (fields) => withFields(options, { ...always, ...fields }),
  }
  const { modules = [], level } = options
  if (modules.length === 0) return log
  const levelOf = (name: string) =>
    Math.max(level, ...modules.flatMap((m) => (matchesGlob(name, m.pattern) ? [m.level] : [])))
  return { ...log, module: (name) => withFields({ ...options, level: levelOf(name) }, always) }
}

function jsonLine(time: string, level: Severity, msg: string, fields: LogFields): string {
  const head = { time, level, msg }
  // The head a second time, so that no field takes its place.
  return `${JSON.stringify({ ...head, ...fields, ...head })}\n`
}

function textLine(time: string, level: Severity, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
  return `${time} ${level.padEnd(5)} ${oneLine(message)}${pairs.join('')}\n`
}

/** Escapes the text as within a JSON string, so that a message cannot pretend to be several. */
const oneLine = (text: string): string =>
  /^[ -~]*$/.test(text) ? text : JSON.stringify(text).slice(1, -1)
