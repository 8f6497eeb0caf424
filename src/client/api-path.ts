import type { Place, Query } from './transport.ts'

/** The path of a place below the URL of a server. */
export function pathOf({ of, namespace, name, subresource }: Place): string {
  const { group, version, resource } = of
  return [
    ...(group === '' ? ['/api', version] : ['/apis', group, version]),
    ...(namespace === '' ? [] : ['namespaces', encoded(namespace)]),
    resource,
    ...(name === '' ? [] : [encoded(name)]),
    ...(subresource === '' ? [] : [subresource]),
  ].join('/')
}

/** A query with its question mark; empty when there are no parameters. */
export function queryOf(query: Query): string {
  if (query.length === 0) return ''
  return `?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}

/** Encodes a path segment, so that it stays a single segment. */
const encoded = (segment: string): string =>
  segment === '.' || segment === '..' ? segment.replaceAll('.', '%2E') : encodeURIComponent(segment)
