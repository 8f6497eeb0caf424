import type { Endpoint } from '../context.ts'

/** `/`: the list of paths. */
export function indexEndpoint(paths: () => readonly string[]): Endpoint {
  return () => ({
    status: 200,
    headers: ['content-type', 'application/json'],
    body: JSON.stringify({ paths: [...paths()].sort() }, null, 2),
  })
}
