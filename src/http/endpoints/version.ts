import { versionInfo } from '../../base/version-info.ts'
import type { Endpoint } from '../context.ts'

/** `/version`: the release that clients may rely on. */
export function versionEndpoint(): Endpoint {
  const body = JSON.stringify(versionInfo(), null, 2)
  return () => ({ status: 200, headers: ['content-type', 'application/json'], body })
}
