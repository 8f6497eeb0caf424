import type { Clock } from '../base/clock.ts'
import type { Dial } from '../base/dial.ts'
import { randomIds } from '../base/ids.ts'
import { openJsonClient, type CallObserver, type JsonClient } from '../client/json-call.ts'
import { loadKubeconfig } from '../client/kubeconfig.ts'
import type { Registry } from '../metrics/registry.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** A client of the service that a configuration file names. Throws an Error when the file is invalid. */
export async function configuredClient(
  path: string,
  parts: {
    readonly v: Vocabulary
    readonly clock: Clock
    readonly onCall?: CallObserver | undefined
    readonly metrics?: Registry | undefined
    readonly through?: Dial | undefined
  },
): Promise<JsonClient> {
  const config = await loadKubeconfig(path)
  return openJsonClient({ config, ids: randomIds, ...parts })
}
