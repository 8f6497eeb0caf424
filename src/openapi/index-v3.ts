/** Index of version 3 documents: the hash in the address makes them cacheable. */
export interface OpenApiV3Index {
  readonly paths: Record<string, { readonly serverRelativeURL: string }>
}

/** Address of a document of version 3. */
export const documentUrl = (path: string, hash: string): string =>
  `/openapi/v3/${path}?hash=${hash}`

/** The index of documents by their hashes. */
export function openApiV3Index(hashes: ReadonlyMap<string, string>): OpenApiV3Index {
  const entries = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    paths: Object.fromEntries(
      entries.map(([path, hash]) => [path, { serverRelativeURL: documentUrl(path, hash) }]),
    ),
  }
}
