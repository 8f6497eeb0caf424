import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { readFlagFile } from '../base/flag-file.ts'
import { forFlag } from '../base/plain-reason.ts'
import { parseYaml } from '../codec/yaml.ts'
import type { StageSubscriber } from '../http/stages.ts'
import { readTracingConfiguration } from '../tracing/configuration.ts'
import { openTracing } from '../tracing/open-tracing.ts'
import { requestTraces } from '../tracing/request-traces.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

const FLAG = 'tracing-config-file'

/** Reads the configuration of traces and opens their export. Throws an Error that names the flag. */
export async function openTraces(
  path: string,
  { v, clock, ids }: { readonly v: Vocabulary; readonly clock: Clock; readonly ids: Ids },
): Promise<{ readonly subscriber: StageSubscriber; readonly close: () => Promise<void> }> {
  const text = await readFlagFile(FLAG, path)
  return forFlag(`${FLAG}: ${path}`, async () => {
    const configuration = readTracingConfiguration(await parseYaml(text), v)
    const open = await openTracing(configuration, { serverId: ids.uid() })
    return {
      subscriber: requestTraces(open, () => clock.now()),
      close: () => open.close().catch(() => {}),
    }
  })
}
