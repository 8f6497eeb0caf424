/** Servers that are given kinds while they run. */
import type { Api } from '../../src/registry/context.ts'
import type { LiveCatalogue } from '../../src/catalogue/live-catalogue.ts'
import type { Resource } from '../../src/catalogue/resource.ts'
import type { RunningServer, ServerOptions } from '../../src/server/options/server-options.ts'
import { launchServer } from '../../src/server/start-server.ts'
import { Client } from '../client.ts'
import { entriesOf } from './kinds.ts'

/** A server whose kinds come and go. */
export class LiveServer {
  readonly server: RunningServer
  readonly api: Api
  readonly catalogue: LiveCatalogue
  readonly client: Client

  constructor(server: RunningServer, api: Api, catalogue: LiveCatalogue) {
    this.server = server
    this.api = api
    this.catalogue = catalogue
    this.client = new Client(server)
  }

  /** Serves the kinds of an owner in all their versions, in place of those it had. */
  publish(owner: string, ...kinds: readonly Resource[]): void {
    this.catalogue.publish(owner, entriesOf(kinds, this.api.v))
  }

  async close(): Promise<void> {
    this.client.close()
    await this.server.close()
  }
}

/** Starts one; the vocabulary is `kubernetes`, and nothing is done by itself, unless said otherwise. */
export async function startLive(options: ServerOptions = {}): Promise<LiveServer> {
  let made: { api: Api; catalogue: LiveCatalogue } | null = null
  const server = await launchServer(
    { vocabulary: 'kubernetes', controllers: false, ...options },
    { made: (parts) => (made = parts) },
  )
  // What follows objects from the start on does so by then.
  await server.settled()
  const { api, catalogue } = made!
  return new LiveServer(server, api, catalogue)
}
