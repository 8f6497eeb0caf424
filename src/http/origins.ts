import { RE2JS, RE2JSSyntaxException } from 're2js'

/** Whether pages of an origin may make requests. */
export type AllowsOrigin = (origin: string) => boolean

/** Takes patterns that match anywhere in an origin, in linear time. Throws an Error on an invalid one. */
export function allowedOrigins(patterns: readonly string[]): AllowsOrigin {
  const compiled = patterns.map(compile)
  return (origin) => compiled.some((pattern) => pattern.matcher(origin).find())
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (cause) {
    if (!(cause instanceof RE2JSSyntaxException)) throw cause
    throw new Error(`${JSON.stringify(pattern)} is no regular expression: ${cause.message}`, {
      cause,
    })
  }
}
