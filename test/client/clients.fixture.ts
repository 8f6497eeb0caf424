/** Clients of one server over each transport, as any user. */
import { connect } from '../../src/client/connect.ts'
import { readKubeconfig } from '../../src/client/kubeconfig.ts'
import type { Client } from '../../src/client/client.ts'
import type { RunningServer } from '../../src/index.ts'

/** Ways to a server. */
export const transports = ['in process', 'HTTPS'] as const
export type TransportName = (typeof transports)[number]

/** Makes a client as the administrator, or as somebody that the administrator may act as. */
export async function clientOf(
  server: RunningServer,
  transport: TransportName,
  as?: { readonly user: string; readonly groups?: readonly string[] },
): Promise<Client> {
  const impersonate = as && { user: as.user, uid: '', groups: as.groups ?? [], extra: [] }
  const given = impersonate ? { impersonate } : {}
  return transport === 'in process'
    ? server.client({ ...given, retries: 0 })
    : connect({ config: await readKubeconfig(server.kubeconfig), ...given, retries: 0 })
}
