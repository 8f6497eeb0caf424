/** The certificates that node agents are met with, read from the files that flags name. */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { ServerOptions } from '../../server-options.ts'

/** Values of the flags about it; `''` where none is given. */
export interface AgentTlsValues {
  readonly 'nodeagent-certificate-authority': string
  readonly 'nodeagent-client-certificate': string
  readonly 'nodeagent-client-key': string
}

/**
 * Reads the files; undefined when no flag is given. Throws an Error that names the flag, also for what is no
 * certificate or key, so that the server does not start only to fail at the first log.
 */
export function agentTlsOf(
  values: AgentTlsValues,
): NonNullable<ServerOptions['agentTls']> | undefined {
  const [hasCert, hasKey] = [
    values['nodeagent-client-certificate'] !== '',
    values['nodeagent-client-key'] !== '',
  ]
  if (hasCert !== hasKey) {
    throw new Error('--nodeagent-client-certificate and --nodeagent-client-key go together')
  }
  const ca = read('nodeagent-certificate-authority', values)
  const cert = read('nodeagent-client-certificate', values)
  const key = read('nodeagent-client-key', values)
  if (ca !== undefined) {
    check('--nodeagent-certificate-authority', () => {
      // Text without any certificate would be taken for an authority that nobody is known by.
      if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new Error('no certificate in it')
      createSecureContext({ ca })
    })
  }
  if (cert !== undefined && key !== undefined) {
    check('--nodeagent-client-certificate and --nodeagent-client-key', () =>
      createSecureContext({ cert, key }),
    )
  }
  if (ca === undefined && cert === undefined) return undefined
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  }
}

function read(flag: keyof AgentTlsValues, values: AgentTlsValues): string | undefined {
  const path = values[flag]
  if (path === '') return undefined
  let text = ''
  check(`--${flag}`, () => (text = readFileSync(path, 'utf8')))
  return text
}

function check(flags: string, act: () => unknown): void {
  try {
    act()
  } catch (error) {
    throw new Error(`${flags}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
