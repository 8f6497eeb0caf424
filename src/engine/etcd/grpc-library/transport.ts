/**
 * The transport over the gRPC library of the ecosystem: the plain alternative to the one by hand. It cannot tell whether a
 * call that failed has left the process, so writes that fail are never tried again.
 */
import type { Client, ClientDuplexStream, Metadata, ServiceError } from '@grpc/grpc-js'
import { GrpcError, status } from '../grpc/status.ts'
import type {
  CallListener,
  Identity,
  MessageStream,
  OpenTransport,
  Transport,
  UnaryCall,
} from '../transport.ts'

type Library = typeof import('@grpc/grpc-js')

const sent = (message: Buffer): Buffer => message

/** As the builtin transport: no bound on answers, and the addresses of etcd are never asked of a proxy. */
const OPTIONS = { 'grpc.max_receive_message_length': -1, 'grpc.enable_http_proxy': 0 }

/** Loads the library. Throws an Error when it is not installed. */
export async function openLibraryTransport(): Promise<OpenTransport> {
  let library: Library
  try {
    library = await import('@grpc/grpc-js')
  } catch (cause) {
    throw new Error(
      'the transport grpc-js needs the package @grpc/grpc-js: npm install @grpc/grpc-js',
      {
        cause,
      },
    )
  }
  return (origin, identity) => new LibraryTransport(library, new URL(origin), identity)
}

class LibraryTransport implements Transport {
  readonly #library: Library
  readonly #client: Client

  constructor(library: Library, { protocol, host }: URL, { ca, cert, key }: Identity) {
    this.#library = library
    const { credentials } = library
    const secure =
      protocol === 'https:'
        ? credentials.createSsl(ca ?? null, key ?? null, cert ?? null)
        : credentials.createInsecure()
    this.#client = new library.Client(host, secure, OPTIONS)
  }

  begin<T>(call: UnaryCall<T>, timeoutMs: number, listener: CallListener<T>): void {
    const { method, request, decode, traceparent } = call
    const metadata = new this.#library.Metadata()
    if (traceparent) metadata.set('traceparent', traceparent)
    const deadline = performance.timeOrigin + performance.now() + timeoutMs
    const done = (error: ServiceError | null, answer?: T) => {
      if (error) listener.failed(failure(error))
      else listener.answered(answer!)
    }
    this.#client.makeUnaryRequest(method, sent, decode, request, metadata, { deadline }, done)
  }

  stream<T>(
    method: string,
    decode: (message: Buffer) => T,
    headers: Readonly<Record<string, string>> = {},
  ): MessageStream<T> {
    const metadata: Metadata = new this.#library.Metadata()
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
    const stream = this.#client.makeBidiStreamRequest(method, sent, decode, metadata)
    return messagesOf(stream)
  }

  /** The library's own pings find out. */
  probe(): void {}

  close(): void {
    this.#client.close()
  }
}

/** The stream with the errors of this room, and without an error where it was cancelled here. */
function messagesOf<T>(stream: ClientDuplexStream<Buffer, T>): MessageStream<T> {
  let isCancelled = false
  const on = (event: string, listener: (given: never) => void): unknown =>
    stream.on(event, (given: unknown) => {
      if (event !== 'error') return listener(given as never)
      if (!isCancelled) listener(failure(given as ServiceError) as never)
    })
  // A cancelled stream ends with an error for which no listener may be left.
  stream.on('error', () => {})
  return {
    on,
    send: (message) => void stream.write(message),
    done: () => void stream.end(),
    cancel() {
      isCancelled = true
      stream.cancel()
    },
    async *[Symbol.asyncIterator]() {
      try {
        for await (const message of stream) yield message as T
      } catch (error) {
        if (!isCancelled) throw failure(error as ServiceError)
      }
    },
  }
}

function failure({ code, details }: ServiceError): GrpcError {
  // The library says this of connections that it could not make.
  const isUnsent =
    Number(code) === status.UNAVAILABLE && details.startsWith('No connection established')
  return new GrpcError(code, details, { isUnsent })
}
