/** A proxy that speaks konnectivity's protocol, by the gRPC library and the declaration of the protocol. */
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js'
import { connect, type Socket } from 'node:net'
import protobuf from 'protobufjs'

const { root } = protobuf.parse(`
  syntax = "proto3";
  enum PacketType { DIAL_REQ = 0; DIAL_RSP = 1; CLOSE_REQ = 2; CLOSE_RSP = 3; DATA = 4; DIAL_CLS = 5; }
  message Packet {
    PacketType type = 1;
    oneof payload {
      DialRequest dialRequest = 2; DialResponse dialResponse = 3; Data data = 4;
      CloseRequest closeRequest = 5; CloseResponse closeResponse = 6; CloseDial closeDial = 7;
    }
  }
  message DialRequest { string protocol = 1; string address = 2; int64 random = 3; }
  message DialResponse { string error = 1; int64 connectID = 2; int64 random = 3; string bearerToken = 4; }
  message CloseRequest { int64 connectID = 1; }
  message CloseResponse { string error = 1; int64 connectID = 2; }
  message CloseDial { int64 random = 1; }
  message Data { int64 connectID = 1; string error = 2; bytes data = 3; }
`)
const Packet = root.lookupType('Packet')

/** A packet as it is written in JSON. */
export interface PacketJson {
  readonly type?: string
  readonly dialRequest?: {
    readonly protocol: string
    readonly address: string
    readonly random: string
  }
  readonly data?: { readonly connectID: string; readonly data: Buffer }
  readonly closeRequest?: { readonly connectID: string }
  readonly closeDial?: { readonly random: string }
}

export type Call = Pick<ServerDuplexStream<PacketJson, object>, 'write' | 'end' | 'emit'>

/** What it does with a dial instead of connecting it to a target. */
export type GrpcMisdeed = (call: Call, random: string) => void

export class GrpcProxy {
  /** Hosts and ports that it was asked for. */
  readonly targets: string[] = []
  /** Types of packets that came. */
  readonly types: string[] = []
  /** Ports of this machine, by the host and port that requests name. */
  readonly places = new Map<string, number>()
  misdeed: GrpcMisdeed | null = null
  /** Calls that have not ended. */
  open = 0
  readonly #server = new Server()
  readonly #sockets = new Set<Socket>()
  #last = 100

  static async start(path: string): Promise<GrpcProxy> {
    const proxy = new GrpcProxy()
    proxy.#server.addService(
      {
        Proxy: {
          path: '/ProxyService/Proxy',
          requestStream: true,
          responseStream: true,
          requestSerialize: encoded,
          requestDeserialize: decoded,
          responseSerialize: encoded,
          responseDeserialize: decoded,
        },
      },
      {
        Proxy: (call: ServerDuplexStream<PacketJson, object>) => proxy.#serve(call),
      },
    )
    await new Promise<void>((resolve, reject) =>
      proxy.#server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      ),
    )
    return proxy
  }

  /** Ends all connections at once. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.forceShutdown()
  }

  #serve(call: ServerDuplexStream<PacketJson, object>): void {
    this.open++
    const connectID = ++this.#last
    let socket: Socket | null = null
    call.on('error', () => {})
    call.on('close', () => {
      this.open--
      socket?.destroy()
    })
    call.on('end', () => call.end())
    call.on('data', ({ type = 'DIAL_REQ', dialRequest, data }: PacketJson) => {
      this.types.push(type)
      if (dialRequest) socket = this.#dial(call, dialRequest, connectID)
      if (data && socket?.write(data.data) === false) {
        call.pause()
        socket.once('drain', () => call.resume())
      }
      if (type === 'CLOSE_REQ') socket?.end()
    })
  }

  #dial(
    call: ServerDuplexStream<PacketJson, object>,
    { protocol, address, random }: NonNullable<PacketJson['dialRequest']>,
    connectID: number,
  ): Socket | null {
    this.targets.push(`${protocol} ${address}`)
    const port = this.places.get(address)
    if (this.misdeed) this.misdeed(call, random)
    else if (port === undefined)
      call.write({ type: 'DIAL_RSP', dialResponse: { error: `no route to ${address}`, random } })
    if (this.misdeed || port === undefined) return null
    const socket = connect(port, '127.0.0.1')
    this.#sockets.add(socket)
    socket.on('connect', () =>
      call.write({ type: 'DIAL_RSP', dialResponse: { connectID, random } }),
    )
    socket.on('data', (data) => {
      if (call.write({ type: 'DATA', data: { connectID, data } })) return
      socket.pause()
      call.once('drain', () => socket.resume())
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#sockets.delete(socket)
      call.write({ type: 'CLOSE_RSP', closeResponse: { connectID } })
    })
    return socket
  }
}

const encoded = (packet: object): Buffer =>
  Buffer.from(Packet.encode(Packet.fromObject(packet)).finish())

const decoded = (bytes: Buffer): PacketJson =>
  Packet.toObject(Packet.decode(bytes), { enums: String, longs: String })
