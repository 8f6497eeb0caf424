/**
 * All that a client can do: HTTP/2, proxies, plugins, and files that change. Loaded where a plain connection will not do.
 */
import { systemClock } from '../../base/clock.ts'
import type { ClientConfig } from '../../client/client-config.ts'
import { openCredentials } from '../../client/connect.ts'
import { InvalidAuthorities } from '../../client/connection.ts'
import type { CredentialSource } from '../../client/credentials.ts'
import { Wire } from '../../client/wire.ts'
import { Fault } from '../base/faults.ts'

/** See above. */
export interface FullWay {
  readonly wire: Wire
  readonly credentials: CredentialSource
}

/** Prepares connections; nothing is sent yet. Rejects with an Error when the configuration cannot be used. */
export async function openFullWay(config: ClientConfig, isInteractive: boolean): Promise<FullWay> {
  try {
    const wire = new Wire(config, systemClock)
    const credentials = await openCredentials(config, {
      clock: systemClock,
      interactive: isInteractive,
    })
    return { wire, credentials }
  } catch (error) {
    if (error instanceof InvalidAuthorities) {
      throw new Fault(`error: unable to load root certificates: ${error.message}`)
    }
    throw new Fault(`error: ${error instanceof Error ? error.message : String(error)}`)
  }
}
