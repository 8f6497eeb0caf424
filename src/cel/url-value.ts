import { LibraryValue } from './values.ts'

/** An address, taken apart but not changed. */
export class UrlValue extends LibraryValue {
  readonly typeName = 'net.URL'
  readonly scheme: string
  /** Host and port. */
  readonly host: string
  readonly path: string
  readonly query: string

  constructor(scheme: string, host: string, path: string, query: string) {
    super()
    this.scheme = scheme
    this.host = host
    this.path = path
    this.query = query
  }

  /** The host without port and brackets. */
  get hostname(): string {
    if (this.host.startsWith('[')) return this.host.slice(1, this.host.indexOf(']'))
    const colon = this.host.lastIndexOf(':')
    return colon < 0 ? this.host : this.host.slice(0, colon)
  }

  /** The port; empty without one. */
  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? ''
  }

  /** The path with escapes where they are needed. */
  get escapedPath(): string {
    if (/^[A-Za-z0-9$&+,/:;=@._~!'()*%[\]-]*$/.test(this.path)) return this.path
    return [...Buffer.from(unescapePart(this.path, false) ?? this.path)].map(escapeByte).join('')
  }

  /** Values of each name in the query. */
  get parameters(): Map<string, string[]> {
    const all = new Map<string, string[]>()
    for (const pair of this.query.split('&')) {
      if (pair === '' || pair.includes(';')) continue
      const at = pair.indexOf('=')
      const name = unescapePart(at < 0 ? pair : pair.slice(0, at), true)
      const value = unescapePart(at < 0 ? '' : pair.slice(at + 1), true)
      if (name === null || value === null) continue
      const values = all.get(name)
      if (values) values.push(value)
      else all.set(name, [value])
    }
    return all
  }

  /** Whether both are written alike. */
  equals(other: UrlValue): boolean {
    return (
      this.scheme === other.scheme &&
      this.host === other.host &&
      this.path === other.path &&
      this.query === other.query
    )
  }
}

const escapeByte = (byte: number): string => {
  const char = String.fromCharCode(byte)
  if (/[A-Za-z0-9$&+,/:=@._~-]/.test(char)) return char
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/** Resolves escapes; null for a wrong one. */
function unescapePart(text: string, plusIsSpace: boolean): string | null {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return null
  const spaced = plusIsSpace ? text.replaceAll('+', ' ') : text
  const bytes = Buffer.from(spaced)
  const out: number[] = []
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 0x25) {
      out.push(Number.parseInt(bytes.toString('latin1', i + 1, i + 3), 16))
      i += 2
    } else out.push(bytes[i]!)
  }
  return Buffer.from(out).toString()
}

/** Reads a whole address or an absolute path; null for anything else. */
export function readUrl(text: string): UrlValue | null {
  if (text === '' || /\p{Cc}/u.test(text)) return null
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? ''
  const rest = scheme === '' ? text : text.slice(scheme.length + 1)
  const question = rest.indexOf('?')
  const before = question < 0 ? rest : rest.slice(0, question)
  const query = question < 0 ? '' : rest.slice(question + 1)
  if (!before.startsWith('/')) {
    return scheme === '' ? null : new UrlValue(scheme.toLowerCase(), '', '', query)
  }
  let host = ''
  let path = before
  if (scheme !== '' && before.startsWith('//')) {
    const slash = before.indexOf('/', 2)
    const authority = slash < 0 ? before.slice(2) : before.slice(2, slash)
    host = authority.slice(authority.lastIndexOf('@') + 1)
    path = slash < 0 ? '' : before.slice(slash)
    if (!isHost(host)) return null
  }
  if (unescapePart(path, false) === null) return null
  return new UrlValue(scheme.toLowerCase(), host, path, query)
}

const isHost = (host: string): boolean =>
  /^(?:\[[0-9A-Fa-f:.]+(?:%25[^\]\s]+)?\]|[^\s:"<>[\]\\^`{|}%]*)(?::\d*)?$/.test(host)
