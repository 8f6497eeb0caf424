/** Where keys of the store stand in etcd: below a prefix, some resources under older names. */

/** Resources whose path is not their name. */
export const PATHS: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
}

/** A run of neighbouring keys of etcd, in which the store's keys come in the store's order. */
export interface Span {
  readonly from: string
  readonly end: string
  /** Whether keys in between belong to other spans, and are passed over in this one. */
  readonly mixed: boolean
}

/** Translates keys both ways. */
export class Layout {
  /** What every key begins with. */
  readonly root: string
  /** First key after all of them. */
  readonly end: string
  /** A key of the engine's own below the root. */
  readonly marker: string
  /** Path in etcd by first part of the store's key, in order of the latter. */
  readonly #paths: ReadonlyMap<string, string>

  constructor(prefix: string, paths: Readonly<Record<string, string>> = {}) {
    const trimmed = prefix.replace(/\/+$/, '')
    this.root = `${trimmed.startsWith('/') ? trimmed : `/${trimmed}`}/`.replace(/^\/+/, '/')
    this.end = after(this.root)
    this.marker = `${this.root}.revision`
    this.#paths = new Map(
      Object.entries({ ...PATHS, ...paths }).sort(([a], [b]) => (`${a}/` < `${b}/` ? -1 : 1)),
    )
  }

  /** Where a key of the store, or a prefix of keys, stands. Throws for keys that have no place. */
  toEtcd(key: string): string {
    if (!key.startsWith('/')) throw new Error('a key begins with /')
    const slash = key.indexOf('/', 1)
    const path = slash === -1 ? undefined : this.#paths.get(key.slice(1, slash))
    if (path !== undefined) return `${this.root}${path}${key.slice(slash)}`
    const plain = this.root + key.slice(1)
    if (this.toKey(plain) !== key) throw new Error(`the key ${key} has no place in etcd`)
    return plain
  }

  /** Which key of the store stands there; null when none can. */
  toKey(place: string): string | null {
    if (!place.startsWith(this.root) || place === this.marker) return null
    const rest = place.slice(this.root.length)
    for (const [name, path] of this.#paths) {
      if (rest.startsWith(`${path}/`)) return `/${name}${rest.slice(path.length)}`
    }
    const slash = rest.indexOf('/')
    // Under its plain name stands nothing of a resource that has a path.
    return slash !== -1 && this.#paths.has(rest.slice(0, slash)) ? null : `/${rest}`
  }

  /** Whether a key is under one of the paths that are no plain names. */
  isMoved(key: string): boolean {
    const slash = key.indexOf('/', 1)
    return slash !== -1 && this.#paths.has(key.slice(1, slash))
  }

  /** Where the keys that start with `prefix` stand, from `start` on, in order of the store's keys. */
  spans(prefix: string, start?: string): readonly Span[] {
    const from = start !== undefined && isBefore(prefix, start) ? start : prefix
    if (from !== prefix && !from.startsWith(prefix)) return []
    if (prefix.indexOf('/', 1) !== -1)
      return [{ from: this.toEtcd(from), end: after(this.toEtcd(prefix)), mixed: false }]
    // The prefix holds several resources: those with a path stand elsewhere than between their neighbours.
    const stop = prefix === '' ? after('/') : after(prefix)
    const spans: Span[] = []
    const plain = (low: string, high: string): void => {
      const first = isBefore(low, from) ? from : low
      const last = isBefore(stop, high) ? stop : high
      if (!isBefore(first, last)) return
      spans.push({ from: this.root + first.slice(1), end: this.#plainEnd(last), mixed: true })
    }
    let low = isBefore(from, '/') ? '/' : from
    for (const [name, path] of this.#paths) {
      const head = `/${name}/`
      if (!head.startsWith(prefix) || !isBefore(from, after(head))) continue
      plain(low, head)
      const first = from.startsWith(head) ? `${path}/${from.slice(head.length)}` : `${path}/`
      spans.push({ from: this.root + first, end: after(`${this.root}${path}/`), mixed: false })
      low = after(head)
    }
    plain(low, stop)
    return spans
  }

  #plainEnd(key: string): string {
    return key.startsWith('/') ? this.root + key.slice(1) : this.end
  }
}

/** The first key after all that start with `prefix`. */
function after(prefix: string): string {
  // Prefixes end in characters of one byte, or are whole keys up to a name.
  const bytes = Buffer.from(prefix)
  const last = bytes.at(-1)!
  if (last >= 0x7f) return `${prefix}\u{10ffff}`
  return prefix.slice(0, -1) + String.fromCharCode(last + 1)
}

/** Order of the UTF-8 bytes. */
function isBefore(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}
