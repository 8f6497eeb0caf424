/** A node agent's stand-in: runs commands of this machine, over WebSocket and TLS, as agents do for containers. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { issue } from '../../src/pki/issue.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

const certificates = (address: string) => {
  const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 }
  const authority = issue({ subject: { commonName: 'agents' }, use: 'authority', ...times })
  const signed = { issuer: authority, ...times }
  return {
    ca: authority.cert,
    node: issue({ subject: { commonName: 'node' }, use: 'server', hosts: [address], ...signed }),
    client: issue({ subject: { commonName: 'apiserver' }, use: 'client', ...signed }),
  }
}

/** See {@link Agent.start}. */
export class Agent {
  /** For the server: the agent's authority, and the certificate that the agent accepts. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string }
  /** Paths with queries, in order. */
  readonly seen: string[] = []
  /** What the log says, by the name of the container. */
  readonly logs = new Map<string, string>()
  /** Protocols that it speaks. */
  protocols: readonly string[] = ['v4.channel.k8s.io']
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()

  private constructor(address: string) {
    const { ca, node, client } = certificates(address)
    this.tls = { ca, cert: client.cert, key: client.key }
    const trust = { ca, requestCert: true, rejectUnauthorized: true }
    this.#server = createServer(
      { cert: node.cert, key: node.key, ...trust },
      (request, response) => {
        this.seen.push(request.url ?? '')
        const container = (request.url ?? '').split('?')[0]!.split('/').at(-1)!
        const text = this.logs.get(container)
        if (text === undefined) return void response.writeHead(404).end('no such log')
        response.writeHead(200, { 'content-type': 'text/plain' })
        response.end(text)
      },
    )
    this.#server.on('upgrade', (request, socket: Duplex) => {
      const url = request.url ?? ''
      this.seen.push(url)
      this.#sockets.add(socket)
      const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/, */)
      const protocol = offered.find((one) => this.protocols.includes(one))
      if (url.includes('refused') || protocol === undefined) {
        const text = 'container not found ("refused")'
        return void socket.end(
          `HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
        )
      }
      const accept = createHash('sha1')
        .update(String(request.headers['sec-websocket-key']) + GUID)
        .digest('base64')
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: ${protocol}\r\n\r\n`,
      )
      const [path = '', query = ''] = url.split('?')
      const params = new URLSearchParams(query)
      const channels = new Channels(socket)
      if (path.startsWith('/exec/')) execute(channels, params.getAll('command'))
      else if (path.startsWith('/attach/')) execute(channels, ['cat'])
      else forward(channels, Number(params.get('port')))
    })
  }

  static async start(address: string): Promise<Agent> {
    const agent = new Agent(address)
    agent.#server.listen(0, address)
    await once(agent.#server, 'listening')
    return agent
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Messages whose first byte names a channel. */
class Channels {
  onMessage: (channel: number, data: Buffer) => void = () => {}
  onEnd: () => void = () => {}
  readonly #socket: Duplex
  #rest = Buffer.alloc(0)

  constructor(socket: Duplex) {
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('close', () => this.onEnd())
    socket.on('data', (data: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, data])
      while (this.#take());
    })
  }

  send(channel: number, data: Uint8Array): void {
    // In two frames with a ping between them, as servers may.
    const half = data.length >> 1
    this.#frame(0x02, Buffer.concat([Buffer.from([channel]), data.subarray(0, half)]))
    this.#frame(0x89, Buffer.from('ping'))
    this.#frame(0x80, data.subarray(half))
  }

  close(): void {
    this.#frame(0x88, Buffer.from([3, 232]))
    this.#socket.end()
  }

  #frame(first: number, data: Uint8Array): void {
    const long = data.length > 65_535 ? 8 : data.length > 125 ? 2 : 0
    const head = Buffer.alloc(2 + long)
    head[0] = first
    head[1] = long === 8 ? 127 : long === 2 ? 126 : data.length
    if (long === 2) head.writeUInt16BE(data.length, 2)
    if (long === 8) head.writeBigUInt64BE(BigInt(data.length), 2)
    if (this.#socket.writable) this.#socket.write(Buffer.concat([head, data]))
  }

  #take(): boolean {
    const bytes = this.#rest
    if (bytes.length < 2) return false
    const short = bytes[1]! & 0x7f
    const at = short === 127 ? 10 : short === 126 ? 4 : 2
    if (bytes.length < at + 4) return false
    const size =
      short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short === 126
          ? bytes.readUInt16BE(2)
          : short
    if (bytes.length < at + 4 + size) return false
    const mask = bytes.subarray(at, at + 4)
    const data = Buffer.from(bytes.subarray(at + 4, at + 4 + size))
    for (let i = 0; i < data.length; i++) data[i]! ^= mask[i & 3]!
    this.#rest = bytes.subarray(at + 4 + size)
    const opcode = bytes[0]! & 0x0f
    if (opcode === 8) this.onEnd()
    else if (opcode === 2) this.onMessage(data[0]!, data.subarray(1))
    return true
  }
}

function execute(channels: Channels, [command = '', ...args]: readonly string[]): void {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  // Agents say that the session has begun.
  channels.send(1, Buffer.alloc(0))
  child.stdin.on('error', () => {})
  child.on('error', (error) => {
    channels.send(3, Buffer.from(JSON.stringify({ status: 'Failure', message: error.message })))
    channels.close()
  })
  child.stdout.on('data', (data: Buffer) => channels.send(1, data))
  child.stderr.on('data', (data: Buffer) => channels.send(2, data))
  channels.onMessage = (channel, data) => {
    if (channel === 0) child.stdin.write(data)
    else if (channel === 4) child.stdin.write(`size ${data.toString()}\n`)
    else if (channel === 255 && data[0] === 0) child.stdin.end()
  }
  channels.onEnd = () => child.stdin.end()
  child.on('close', (code) => {
    const causes = [{ reason: 'ExitCode', message: String(code) }]
    const outcome =
      code === 0
        ? { metadata: {}, status: 'Success' }
        : {
            metadata: {},
            status: 'Failure',
            reason: 'NonZeroExitCode',
            message: `command terminated with non-zero exit code: exit status ${code}`,
            details: { causes },
          }
    channels.send(3, Buffer.from(JSON.stringify(outcome)))
    channels.close()
  })
}

/** Each channel begins with the port. */
function forward(channels: Channels, port: number): void {
  const head = Buffer.alloc(2)
  head.writeUInt16LE(port)
  channels.send(0, head)
  channels.send(1, head)
  const target = connect(port, '127.0.0.1')
  channels.onMessage = (_, data) => target.write(data)
  channels.onEnd = () => target.end()
  target.on('data', (data) => channels.send(0, data))
  target.on('error', (error) => {
    channels.send(1, Buffer.from(error.message))
    channels.close()
  })
  target.on('end', () => channels.close())
}
