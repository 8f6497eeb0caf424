import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** Below the ports that the system gives to outgoing connections: no client takes one while its owner is down. */
const FIRST = 20_000
const COUNT = 250
const SLICES = 48

/** Each worker of the tests has its own ports: none takes one of another's while its owner is down. */
const slice = Number(process.env.VITEST_POOL_ID ?? 0) % SLICES

/** The first is any of the slice: it is rarely one that the worker's file before this one gave to a server. */
let next = Math.floor(Math.random() * COUNT)

/**
 * A port that is free now; who takes it keeps it over restarts, so that others find it again. A process is given each
 * port of its slice before it is given one twice: who asks for two before it listens on them has two.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + slice * COUNT + next
    next = (next + 1) % COUNT
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    await untilRefused(port)
    return port
  }
}

/**
 * Resolves when connections to a port are refused. The socket of a server that has closed is still open for a moment when
 * this process is just beginning another program, which has a copy until it runs.
 */
export async function untilRefused(port: number): Promise<void> {
  while (await isListening(port));
}

/** Whether somebody listens there. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
