import type { Clock } from '../base/clock.ts'
import type { Client } from '../client/client.ts'
import type { ClientConfig } from '../client/client-config.ts'
import { connect } from '../client/connect.ts'
import { vocabularyOf } from '../client/discovery.ts'
import type { ReviewServer } from './access.ts'

/** A server that is asked who users are or what they may, reached when it is first needed. */
export interface OtherServer {
  /** Rejects when it cannot be reached. */
  reach(): Promise<ReviewServer>
  close(): void
}

/** The server of a configuration of its own. Rejects with an Error when that cannot be used. */
export async function otherServer(config: ClientConfig, clock: Clock): Promise<OtherServer> {
  const client: Client = await connect({ config, clock, userAgent: 'controller-manager' })
  let reached: Promise<ReviewServer> | null = null
  const find = async (): Promise<ReviewServer> => {
    const { resources } = await client.discover()
    return { client, v: vocabularyOf(resources) }
  }
  return {
    reach: () =>
      (reached ??= find().catch((error: unknown) => {
        reached = null
        throw error
      })),
    close: () => client.close(),
  }
}
