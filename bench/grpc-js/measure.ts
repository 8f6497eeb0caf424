/** CPU time of a transaction and of a watched change, by either gRPC client, without an engine around it. */
import { systemClock } from '../../src/base/clock.ts'
import { Connection, type Call } from '../../src/engine/etcd/connection.ts'
import { loadTransport, type TransportName } from '../../src/engine/etcd/transport.ts'
import {
  decodeTxn,
  encodeTxn,
  encodeWatch,
  type WatchResponse,
} from '../../src/engine/etcd/messages.ts'
import type { RawStoreResult } from '../store-raw.ts'

/** What one run is told. */
export interface CallsOptions {
  readonly client: TransportName
  /** Creates, or watches what another run creates under the same prefix. */
  readonly does: 'txn' | 'watch'
  readonly url: string
  readonly prefix: string
  readonly callers: number
  readonly seconds: number
  readonly valueBytes: number
}

interface Calls {
  call<T>(call: Call<T>): Promise<T>
  watch(): {
    readonly stream: {
      on(event: 'data', listener: (frame: WatchResponse) => void): unknown
      on(event: 'error', listener: (error: Error) => void): unknown
      send(message: Buffer): unknown
      cancel(): void
    }
  }
  close(): void
}

const TIMEOUT_MS = 10_000
const WARM_UP_SECONDS = 0.5

/** Runs once; operations are transactions, or changes that were told of. */
export async function measureCalls(options: CallsOptions): Promise<RawStoreResult> {
  const open = await loadTransport(options.client)
  const means = { servers: [options.url], requestTimeoutMs: TIMEOUT_MS, clock: systemClock }
  const calls: Calls = new Connection({ ...means, open })
  try {
    return await (options.does === 'txn' ? transactions(calls, options) : watched(calls, options))
  } finally {
    calls.close()
  }
}

async function transactions(calls: Calls, options: CallsOptions): Promise<RawStoreResult> {
  const value = Buffer.alloc(options.valueBytes, 'x')
  const meter = new Meter(options.seconds)
  await Promise.all(
    Array.from({ length: options.callers }, async (_, caller) => {
      for (let i = 0; !meter.over; i++) {
        const key = `${options.prefix}/things/ns/${caller}-${i}`
        const { succeeded } = await calls.call({
          method: '/etcdserverpb.KV/Txn',
          request: encodeTxn({
            compare: [{ key, changed: 0 }],
            writes: [{ key, value }],
            read: [key],
          }),
          decode: decodeTxn,
          writes: true,
        })
        if (!succeeded) throw new Error('a transaction failed')
        meter.count(1)
      }
    }),
  )
  return meter.result()
}

function watched(calls: Calls, options: CallsOptions): Promise<RawStoreResult> {
  return new Promise((resolve, reject) => {
    const { stream } = calls.watch()
    let meter: Meter | null = null
    let last = 0
    stream.on('error', reject)
    stream.on('data', (frame) => {
      for (const { item } of frame.changes) {
        if (item.changed <= last || item.value.length !== options.valueBytes)
          reject(new Error('changes out of order'))
        last = item.changed
      }
      if (frame.changes.length === 0) return
      // It begins when there is something to see.
      meter ??= new Meter(options.seconds)
      meter.count(frame.changes.length)
      if (meter.over) {
        stream.cancel()
        resolve(meter.result())
      }
    })
    const { prefix } = options
    // `0` follows `/`.
    stream.send(encodeWatch({ key: `${prefix}/`, end: `${prefix}0`, from: 1 }))
  })
}

/** Counts after some warming up, and measures this process. */
class Meter {
  readonly #seconds: number
  readonly #begin: number
  #from: { readonly at: number; readonly cpu: NodeJS.CpuUsage } | null = null
  #result: RawStoreResult | null = null
  #done = 0

  constructor(seconds: number) {
    this.#seconds = seconds
    this.#begin = performance.now() + WARM_UP_SECONDS * 1000
  }

  get over(): boolean {
    return this.#result !== null
  }

  count(operations: number): void {
    const now = performance.now()
    if (this.#from === null) {
      if (now >= this.#begin) this.#from = { at: now, cpu: process.cpuUsage() }
      return
    }
    if (this.#result !== null) return
    this.#done += operations
    if (now < this.#from.at + this.#seconds * 1000) return
    const { user, system } = process.cpuUsage(this.#from.cpu)
    this.#result = {
      perSecond: (this.#done / (now - this.#from.at)) * 1000,
      cpuMicrosPerOp: (user + system) / this.#done,
      storeCpuMicrosPerOp: null,
    }
  }

  result(): RawStoreResult {
    if (this.#result === null) throw new Error('the measurement has not ended')
    return this.#result
  }
}
