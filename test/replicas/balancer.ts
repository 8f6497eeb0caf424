/** A balancer of TCP connections for tests, as it stands before several servers. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** One port of this machine that stands for several. */
export interface Balancer {
  readonly port: number
  /** How many connections each target has now, in the order of the targets. */
  open(): number[]
  /** Has the next connection go to a target, and those after it to the next ones. */
  lead(target: number): void
  /** Ends the connections of a target, as a network does; new ones may still go there. */
  cut(target: number): void
  close(): Promise<void>
}

/**
 * Gives connections to the ports in turn, one after the other, and passes over one that refuses. A client
 * is hung up on when no port takes it.
 */
export async function startBalancer(targets: readonly number[]): Promise<Balancer> {
  const links = new Map<Socket, number>()
  const clients = new Set<Socket>()
  let turn = 0

  const server = createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    // Whatever goes wrong with a side ends in `close` of both.
    client.on('error', () => {})
    const first = turn++ % targets.length
    const attempt = (tried: number): void => {
      const at = (first + tried) % targets.length
      const link = connect({ port: targets[at]!, host: '127.0.0.1', allowHalfOpen: true })
      const refused = () => {
        link.destroy()
        if (tried + 1 < targets.length && !client.destroyed) attempt(tried + 1)
        else client.destroy()
      }
      link.once('error', refused)
      link.once('connect', () => {
        link.off('error', refused)
        link.on('error', () => {})
        if (client.destroyed) return void link.destroy()
        links.set(link, at)
        link.once('close', () => {
          links.delete(link)
          client.destroy()
        })
        client.once('close', () => link.destroy())
        client.pipe(link).pipe(client)
      })
    }
    attempt(0)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    open() {
      const counts = targets.map(() => 0)
      for (const at of links.values()) counts[at]!++
      return counts
    },
    lead(target) {
      turn = target
    },
    cut(target) {
      for (const [link, at] of links) if (at === target) link.destroy()
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const client of clients) client.destroy()
      for (const link of links.keys()) link.destroy()
      await closed
    },
  }
}
