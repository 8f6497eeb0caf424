import type { Clock } from '../../../base/clock.ts'

/** How often a connection with calls on it is looked at. */
const TICK_MS = 500
/** Ticks without a byte until a peer that owes a response is pinged: usual responses take far less. */
const SILENT_TICKS = 2
/** The same for a peer that may well have nothing to send. */
const IDLE_TICKS = 20
/** Least time between two pings beyond the spare ones: etcd takes offence at more than one in 5 s. */
const PING_TICKS = 12
/** A running process acknowledges a ping without looking at its disk or at other members. */
const PATIENCE_MS = 2_000
/** Pings that may come early until something is read: etcd bears two, and we may have counted one too few. */
const SPARE_PINGS = 1

/** The monitored connection. */
export interface LivenessOptions {
  readonly clock: Clock
  /** Sends a ping; false when it cannot. */
  readonly ping: (answered: () => void) => boolean
  /** Called once when pings are not acknowledged. */
  readonly dead: () => void
}

/** Finds out that a peer has fallen silent without closing the connection. */
export class Liveness {
  readonly #options: LivenessOptions
  #streams = 0
  #calls = 0
  #heard = false
  #quietTicks = 0
  #ticksSincePing = PING_TICKS
  #sparePings = SPARE_PINGS
  #pinging = false
  #ticking = false
  #closed = false
  #cancelTick: () => void = () => {}
  #cancelPatience: () => void = () => {}

  constructor(options: LivenessOptions) {
    this.#options = options
  }

  /** A stream begins. */
  begin(): void {
    this.#streams++
    if (!this.#ticking) this.#tick()
  }

  /** A stream is over. */
  end(): void {
    this.#streams--
  }

  /** Adds to, or subtracts from, the streams with a response pending. */
  expect(calls: number): void {
    this.#calls += calls
  }

  /** Something was read. */
  heard(): void {
    this.#heard = true
  }

  /** A caller misses something: pings the peer at once. */
  probe(): void {
    if (this.#closed || this.#pinging || this.#streams === 0) return
    this.#takeIn()
    if (this.#ticksSincePing < PING_TICKS) {
      if (this.#sparePings === 0) return
      this.#sparePings--
    }
    this.#ticksSincePing = 0
    this.#pinging = this.#options.ping(() => this.#alive())
    if (!this.#pinging) return
    this.#cancelPatience = this.#options.clock.after(PATIENCE_MS, () =>
      // This process may have been suspended itself: data that arrived meanwhile is read first.
      setImmediate(() => {
        this.#takeIn()
        if (this.#pinging && !this.#closed) this.#options.dead()
      }),
    )
  }

  /** The connection is over. */
  close(): void {
    this.#closed = true
    this.#cancelTick()
    this.#cancelPatience()
  }

  #tick(): void {
    // Pings without a call are taken for an attack.
    this.#ticking = !this.#closed && this.#streams > 0
    if (!this.#ticking) return
    this.#cancelTick = this.#options.clock.after(TICK_MS, () => {
      this.#quietTicks++
      this.#ticksSincePing++
      this.#takeIn()
      if (this.#quietTicks >= (this.#calls > 0 ? SILENT_TICKS : IDLE_TICKS)) this.probe()
      this.#tick()
    })
  }

  #takeIn(): void {
    if (!this.#heard) return
    this.#heard = false
    this.#sparePings = SPARE_PINGS
    this.#alive()
  }

  #alive(): void {
    this.#quietTicks = 0
    this.#pinging = false
    this.#cancelPatience()
  }
}
