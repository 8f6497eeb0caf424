import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHeaders } from './authenticator.ts'

const NONE: readonly string[] = []

/** Every value of a header, each as sent; the name is in lower case. */
export function headerValues(request: RequestHeaders, name: string): readonly string[] {
  const { headers, rawHeaders } = request
  if (!Object.hasOwn(headers, name)) return NONE
  const joined = headers[name]
  if (joined === undefined) return NONE
  if (rawHeaders === undefined) return (Array.isArray(joined) ? joined : [joined]).map(fromWire)
  const values: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() === name) values.push(fromWire(rawHeaders[i + 1]!))
  }
  return values
}

/** The first value of a header; empty when there is none. */
export function firstHeader(request: RequestHeaders, name: string): string {
  const { headers, rawHeaders } = request
  if (rawHeaders === undefined) return headerValues(request, name)[0] ?? ''
  if (!Object.hasOwn(headers, name) || headers[name] === undefined) return ''
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i]!
    if (raw.length === name.length && raw.toLowerCase() === name)
      return fromWire(rawHeaders[i + 1]!)
  }
  return ''
}

/** Names of the headers that begin with a prefix, both in lower case. */
function headersWithPrefix(headers: IncomingHttpHeaders, prefix: string): string[] {
  const names: string[] = []
  for (const name in headers) {
    if (name.startsWith(prefix) && headers[name] !== undefined) names.push(name)
  }
  return names
}

/**
 * Whether a header may begin with a prefix, which is in lower case. Looks at the raw headers, which costs a fraction of
 * iterating over the names of an object; true when they are not there.
 */
export function mayHavePrefix({ rawHeaders }: RequestHeaders, prefix: string): boolean {
  if (rawHeaders === undefined) return true
  const first = prefix.charCodeAt(0)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    // Setting this bit makes letters lower case; other characters that it makes alike are compared below.
    if ((name.charCodeAt(0) | 0x20) !== (first | 0x20)) continue
    if (name.slice(0, prefix.length).toLowerCase() === prefix) return true
  }
  return false
}

/** Takes the headers that begin with a prefix out of a request; returns whether there may have been any. */
export function removeWithPrefix(request: RequestHeaders, prefix: string): boolean {
  if (!mayHavePrefix(request, prefix)) return false
  const { headers } = request
  for (const name in headers) if (name.startsWith(prefix)) delete headers[name]
  return true
}

/**
 * Name of an extra behind the prefix of a header: percent-decoded; unchanged when that cannot be done.
 */
function extraKey(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The extras in headers that begin with one of the prefixes, which are in lower case. */
export function extrasOf(
  request: RequestHeaders,
  prefixes: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const extras = new Map<string, string[]>()
  const add = (name: string, prefix: string, values: readonly string[]) => {
    const key = extraKey(name.slice(prefix.length))
    const known = extras.get(key)
    if (known) known.push(...values)
    else extras.set(key, [...values])
  }
  const { headers, rawHeaders } = request
  for (const prefix of prefixes) {
    if (rawHeaders === undefined) {
      for (const name of headersWithPrefix(headers, prefix))
        add(name, prefix, headerValues(request, name))
      continue
    }
    // One look at each line: there may be thousands, each of another name.
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i]!.toLowerCase()
      if (!name.startsWith(prefix) || headers[name] === undefined) continue
      add(name, prefix, [fromWire(rawHeaders[i + 1]!)])
    }
  }
  // fromEntries defines own properties, also for a key such as __proto__.
  return Object.fromEntries(extras)
}

/** Node hands header bytes over as Latin-1; names of people are UTF-8. */
function fromWire(value: string): string {
  // ASCII takes as many bytes as characters, which costs less to count in a long token than to match a pattern.
  return Buffer.byteLength(value) === value.length
    ? value
    : Buffer.from(value, 'latin1').toString('utf8')
}
