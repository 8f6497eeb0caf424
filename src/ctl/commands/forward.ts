/** port-forward, proxy. */
import { createServer as createHttp } from 'node:http'
import { createServer, type Server, type Socket as TcpSocket } from 'node:net'
import { commonVocabulary, vocabularies } from '../../vocabulary/index.ts'
import { findPod } from '../api/find-pod.ts'
import { readOne } from '../api/find-objects.ts'
import type { PodObject, ServiceObject } from '../api/kind-types.ts'
import { findResource, resourcePath } from '../api/resources.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { messageOf } from '../base/failure-text.ts'
import { Socket } from '../stream/socket.ts'

export const portForward: Command = {
  use: 'TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]',
  text: 'Forwards ports of this machine to a pod.',
  examples: [
    ['Port 8888 to port 80', 'port-forward pod/web 8888:80'],
    ['A random port', 'port-forward svc/web :80'],
  ],
  flags: {
    address: {
      type: 'list',
      default: 'localhost',
      help: 'Addresses to listen on (comma separated). Only accepts IP addresses or localhost as a value.',
    },
    'pod-running-timeout': {
      type: 'duration',
      default: '1m0s',
      help: 'Accepted for compatibility.',
      isHidden: true,
    },
  },
  async run(c) {
    const [word = '', ...pairs] = c.args
    if (pairs.length === 0)
      throw c.misuse('TYPE/NAME and list of ports are required for port-forward')
    const pod = await findPod(c, word)
    if (pod.status?.phase !== 'Running')
      throw new Fault(
        `error: unable to forward port because pod is not running. Current status=${pod.status?.phase ?? ''}`,
      )
    const servers: Server[] = []
    const open = new Set<TcpSocket>()
    for (const pair of pairs) {
      const { local, remote } = await portsOf(c, { pair, word, pod })
      for (const address of c.flags.list('address')) {
        for (const host of address === 'localhost' ? ['127.0.0.1', '::1'] : [address]) {
          const server = await listening(c, { pod, local, remote, host, open })
          if (server) servers.push(server)
        }
      }
    }
    if (servers.length === 0)
      throw new Fault('error: unable to listen on any of the requested ports')
    await untilInterrupted(c)
    for (const server of servers) server.close()
    for (const socket of open) socket.destroy()
  },
}

const untilInterrupted = (c: Context): Promise<void> =>
  new Promise((resolve) => {
    const signal = c.io.interrupted
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

interface Ports {
  readonly local: number
  readonly remote: number
}

async function portsOf(
  c: Context,
  { pair, word, pod }: { pair: string; word: string; pod: PodObject },
): Promise<Ports> {
  const [first = '', second] = pair.split(':')
  const remoteText = second ?? first
  const remote = await remotePort(c, remoteText, { word, pod })
  const local = second === undefined ? remote : first === '' ? 0 : Number(first)
  if (!(local >= 0 && local < 65_536) || !(remote > 0 && remote < 65_536)) {
    throw new Fault(`error: error parsing port: ${pair}`)
  }
  return { local, remote }
}

/** A port of a pod, or the one that a port of a service means. */
async function remotePort(
  c: Context,
  text: string,
  { word, pod }: { word: string; pod: PodObject },
): Promise<number> {
  const named = (name: string) =>
    (pod.spec?.containers ?? [])
      .flatMap(({ ports = [] }) => ports ?? [])
      .find((port) => port.name === name)?.containerPort
  const [type = '', name = ''] = word.split('/')
  if (!/^(svc|services?)(\.|$)/.test(type))
    return /^\d+$/.test(text) ? Number(text) : (named(text) ?? 0)
  const of = await findResource(await c.discovery(), 'services')
  const service = (await readOne(c, {
    of,
    namespace: (await c.namespace()).name,
    name,
  })) as unknown as ServiceObject
  const port = (service.spec?.ports ?? []).find(
    (one) => String(one.port) === text || one.name === text,
  )
  if (!port) throw new Fault(`error: Service ${name} does not have a service port ${text}`)
  const target = port.targetPort ?? port.port
  return typeof target === 'string' ? (named(target) ?? 0) : Number(target)
}

interface Listening {
  readonly pod: PodObject
  readonly local: number
  readonly remote: number
  readonly host: string
  /** Connections of programs, to be ended with the command. */
  readonly open: Set<TcpSocket>
}

function listening(
  c: Context,
  { pod, local, remote, host, open }: Listening,
): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      c.out(`Handling connection for ${portOf(server)}\n`)
      forwarded(c, { pod, remote, socket }).catch((error: unknown) => {
        c.err(
          `E portforward: an error occurred forwarding ${portOf(server)} -> ${remote}: ${messageOf(error)}\n`,
        )
        socket.destroy()
      })
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (host === '::1') resolve(null)
      else
        reject(
          new Fault(
            `error: unable to listen on port ${local}: ${error.code === 'EADDRINUSE' ? 'address already in use' : error.message}`,
          ),
        )
    })
    server.listen(local, host, () => {
      c.out(
        `Forwarding from ${host.includes(':') ? `[${host}]` : host}:${portOf(server)} -> ${remote}\n`,
      )
      resolve(server)
    })
  })
}

const portOf = (server: Server): number => (server.address() as { port: number }).port

/** Channel 0 carries data and channel 1 errors; the first message of each is the port. */
async function forwarded(
  c: Context,
  { pod, remote, socket }: { pod: PodObject; remote: number; socket: TcpSocket },
): Promise<void> {
  const of = await findResource(await c.discovery(), 'pods')
  const { name = '', namespace = '' } = pod.metadata ?? {}
  const protocol = vocabularies[commonVocabulary].resolve('v4.channel{api}')
  const remoteSocket = await Socket.open(
    await c.api(),
    `${resourcePath(of, namespace, name)}/portforward?ports=${remote}`,
    [protocol],
  )
  socket.on('data', (data: Buffer) => {
    socket.pause()
    void remoteSocket
      .send(Buffer.concat([Buffer.from([0]), data]))
      .then(() => socket.destroyed || socket.resume())
  })
  socket.on('close', () => remoteSocket.close())
  socket.on('error', () => remoteSocket.close())
  const seen = new Set<number>()
  for await (const message of remoteSocket.messages()) {
    const channel = message[0]!
    if (!seen.has(channel)) {
      seen.add(channel)
      continue
    }
    if (channel === 0) {
      if (!socket.write(message.subarray(1))) await drained(socket)
    } else throw new Error(message.subarray(1).toString('utf8'))
  }
  socket.end()
}

const drained = (socket: TcpSocket): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    if (socket.destroyed) resolve()
    else socket.once('drain', done).once('close', done)
  })

const DEFAULT_HOSTS = String.raw`^localhost$,^127\.0\.0\.1$,^\[::1\]$`

export const proxy: Command = {
  use: '[--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]',
  text: 'Serves the API to programs of this machine over plain HTTP, with the credentials of the configuration. Only hosts of this machine are served.',
  examples: [['On a random port', 'proxy --port=0']],
  flags: {
    'accept-hosts': {
      type: 'text',
      default: DEFAULT_HOSTS,
      help: 'Accepted for compatibility: only hosts of this machine are served.',
      isHidden: true,
    },
    address: {
      type: 'text',
      default: '127.0.0.1',
      help: "The IP address on which to serve on; one of this machine's own.",
    },
    'api-prefix': { type: 'text', default: '/', help: 'Prefix to serve the proxied API under.' },
    port: {
      type: 'int',
      short: 'p',
      default: '8001',
      help: 'The port on which to run the proxy. Set to 0 to pick a random port.',
    },
    'reject-paths': { type: 'bool', help: 'Accepted for compatibility.', isHidden: true },
  },
  async run(c) {
    const api = await c.api()
    const prefix = c.flags.text('api-prefix').replace(/\/?$/, '/')
    const server = createHttp((request, response) => {
      const url = request.url ?? '/'
      const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')
      // Sessions with containers, and requests of pages from elsewhere, are not for everyone on this machine.
      const isRefused =
        /\/pods\/[^/]+\/(exec|attach)(\?|$)/.test(url) || !isLocal || !url.startsWith(prefix)
      if (isRefused) return void response.writeHead(403).end('Forbidden\n')
      const [path = '', query = ''] = url.slice(prefix.length - 1).split(/\?(.*)/s)
      const params: Record<string, string[]> = {}
      for (const [name, value] of new URLSearchParams(query)) (params[name] ??= []).push(value)
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const ending = new AbortController()
        response.once('close', () => ending.abort())
        void api
          .pass({
            method: request.method ?? 'GET',
            path,
            query: params,
            headers: request.headers,
            body: Buffer.concat(chunks),
            signal: ending.signal,
          })
          .then(({ status, headers, body }) => {
            const type = headers['content-type']
            response.writeHead(status, type === undefined ? {} : { 'content-type': type })
            body.on('error', () => response.destroy())
            body.pipe(response)
          })
          .catch((error: unknown) => void response.writeHead(502).end(`${messageOf(error)}\n`))
      })
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(new Fault(`error: ${error.message}`)))
      server.listen(c.flags.int('port'), c.flags.text('address'), resolve)
    })
    c.out(
      `Starting to serve on ${c.flags.text('address')}:${(server.address() as { port: number }).port}\n`,
    )
    await untilInterrupted(c)
    server.close()
    server.closeAllConnections()
  },
}
