/** The certificates that node agents are met with, read from the files that flags name. */
import { readFlagFileSync } from '../../base/flag-file.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'

/** Values of the TLS flags; `''` where a flag is absent. */
export interface AgentTlsValues {
  readonly 'nodeagent-certificate-authority': string
  readonly 'nodeagent-client-certificate': string
  readonly 'nodeagent-client-key': string
}

/** Reads the files; undefined without flags. Throws an Error that names the flag. */
export function agentTlsOf(
  values: AgentTlsValues,
): NonNullable<ServerOptions['agentTls']> | undefined {
  const ca = read('nodeagent-certificate-authority', values)
  const cert = read('nodeagent-client-certificate', values)
  const key = read('nodeagent-client-key', values)
  if (ca === undefined && cert === undefined && key === undefined) return undefined
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

function read(flag: keyof AgentTlsValues, values: AgentTlsValues): string | undefined {
  const path = values[flag]
  return path === '' ? undefined : readFlagFileSync(flag, path).toString()
}
