/** Structured log lines. Callers never hand in secrets, tokens or keys. */
export interface Log {
  error(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  /** Detail that shows from `-v` level `level` on. */
  debug(level: number, message: string, fields?: LogFields): void
  /** Whether detail of a level shows; for fields that cost something to make. */
  v(level: number): boolean
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Says nothing. */
export const silentLog: Log = {
  error: () => {},
  warn: () => {},
  info: () => {},
  debug: () => {},
  v: () => false,
}

/**
 * Writes one line for each message: as text for people or as JSON for programs. `write` gets whole lines;
 * `level` is that of `-v`.
 */
export function lineLog(options: {
  readonly format: 'text' | 'json'
  readonly level: number
  readonly now: () => number
  readonly write: (line: string) => void
}): Log {
  const line = (severity: string, message: string, fields: LogFields = {}) => {
    const time = new Date(options.now()).toISOString()
    if (options.format === 'json') {
      options.write(`${JSON.stringify({ time, level: severity, msg: message, ...fields })}\n`)
      return
    }
    const pairs = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ` ${key}=${typeof value === 'string' ? JSON.stringify(value) : String(value)}`)
    options.write(`${time} ${severity.padEnd(5)} ${message}${pairs.join('')}\n`)
  }
  return {
    error: (message, fields) => line('error', message, fields),
    warn: (message, fields) => line('warn', message, fields),
    info: (message, fields) => line('info', message, fields),
    debug: (level, message, fields) => {
      if (level <= options.level) line('debug', message, fields)
    },
    v: (level) => level <= options.level,
  }
}
