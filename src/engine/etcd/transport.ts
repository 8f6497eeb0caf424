/** gRPC as the store in etcd uses it: calls with a deadline, and streams. One interface, two implementations. */

import type { Dial } from '../../base/dial.ts'
import type { GrpcError } from './grpc/status.ts'

/** Certificates for one server, PEM, and the way to it. */
export interface Identity {
  /** Certificates that vouch for the server; absent: those of the system. */
  readonly ca?: Buffer | undefined
  readonly cert?: Buffer | undefined
  readonly key?: Buffer | undefined
  /** Opens connections; without it the platform does. Only our own transport obeys it. */
  readonly dial?: Dial | undefined
}

/** Messages of a server, and the way to send it some. Ends with GrpcError. */
export interface MessageStream<T> {
  on(event: 'data', listener: (message: T) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  send(message: Buffer): void
  /** Sends nothing more. */
  done(): void
  cancel(): void
  [Symbol.asyncIterator](): AsyncIterator<T>
}

/** One request with one answer. */
export interface UnaryCall<T> {
  readonly method: string
  readonly request: Buffer
  /** Gets the whole message. */
  readonly decode: (answer: Buffer) => T
  /** Header by which the server continues a trace; absent or empty: none. */
  readonly traceparent?: string | undefined
}

/** Told once how a call ended. It must not throw. */
export interface CallListener<T, E = GrpcError> {
  answered(answer: T): void
  /** Also for errors of `decode`. */
  failed(error: E): void
}

/** A connection to one server, which opens when it is needed and again when it broke. */
export interface Transport {
  /** Makes one unary call. Its listener may be told before this returns. */
  begin<T>(call: UnaryCall<T>, timeoutMs: number, listener: CallListener<T>): void
  /** Opens a stream, which is read as fast as its reader takes messages. */
  stream<T>(
    method: string,
    decode: (message: Buffer) => T,
    headers?: Readonly<Record<string, string>>,
  ): MessageStream<T>
  /** Something is missed: if the server is found not to be there, all that is under way ends with an error. */
  probe(): void
  /** Ends the connection and every call on it. */
  close(): void
}

/** Makes the transport to one server, by its origin such as `https://10.0.0.1:2379`. */
export type OpenTransport = (origin: string, identity: Identity) => Transport

/** The implementations: our own, or the gRPC library, a package that is installed beside. */
export const TRANSPORTS = ['builtin', 'grpc-js'] as const
export type TransportName = (typeof TRANSPORTS)[number]

const opened: Readonly<Record<TransportName, () => Promise<OpenTransport>>> = {
  async builtin() {
    return (await import('./grpc/client.ts')).openBuiltin
  },
  async 'grpc-js'() {
    const { openLibraryTransport } = await import('./grpc-library/transport.ts')
    return openLibraryTransport()
  },
}

/** Loads an implementation. Throws an Error that says what to install when its package is absent. */
export const loadTransport = (name: TransportName): Promise<OpenTransport> => opened[name]()
