import { existsSync } from 'node:fs'
import type { Egress } from '../base/dial.ts'
import { readFlagFile } from '../base/flag-file.ts'
import { forFlag } from '../base/plain-reason.ts'
import { parseYaml } from '../codec/yaml.ts'
import { readEgressConfiguration } from '../egress/configuration.ts'
import { openEgress, type EgressParts } from '../egress/open-egress.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

const FLAG = 'egress-selector-config-file'

/** Reads the configuration of egress proxies. Throws an Error that names the flag. */
export async function configuredEgress(
  path: string,
  parts: EgressParts & { readonly v: Vocabulary },
): Promise<Egress> {
  const text = await readFlagFile(FLAG, path)
  return forFlag(`${FLAG}: ${path}`, async () => {
    const document = await parseYaml(text)
    const selections = readEgressConfiguration(document, parts.v, { exists: existsSync })
    return openEgress(selections, parts)
  })
}
