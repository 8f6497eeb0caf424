/**
 * Bounds the resources of unauthenticated clients: connections of one address, the time until the TLS handshake is
 * complete, and file descriptors, some of which are reserved for health checks and for the server's own files.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** Unauthenticated connections from one IPv4 address or one /64 of IPv6. */
const STRANGERS_PER_ADDRESS = 1_000
/** As in the reference for the first bytes of a request, milliseconds. */
const HANDSHAKE_MS = 32_000
/** Minimum lifetime of an unauthenticated connection, milliseconds: enough to send a credential. */
const GRACE_MS = 10_000
/** The same when descriptors run out. */
const SHORT_GRACE_MS = 1_000
/** Connections beyond the total limit, each only until another client needs its place. */
const SPARE = 16
const SWEEP_MS = 1_000
const LOG_EVERY_MS = 60_000

export interface ConnectionsOptions {
  readonly clock: Clock
  readonly log: Log
  readonly strangersPerAddress?: number
  /** Maximum of all connections; by default what the descriptor limit allows. */
  readonly most?: number
  readonly handshakeMs?: number
}

/** A connection whose client has not made a request as a known user. */
interface Stranger {
  readonly socket: Socket
  readonly address: string
  readonly port: number
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Whether it was removed from the lists. */
  known: boolean
}

/** Links a socket, once the TLS handshake is complete, to its entry among unauthenticated connections. */
interface WithStranger {
  stranger?: Stranger
}

/** The connections of one server. */
export class Connections {
  readonly #clock: Clock
  readonly #log: Log
  readonly #perAddress: number
  readonly #most: number
  readonly #handshakeMs: number
  /** Oldest first, like the lists below. */
  readonly #strangers = new Set<Stranger>()
  readonly #byAddress = new Map<string, Map<number, Stranger>>()
  readonly #handshaking = new Set<Stranger>()
  #open = 0
  #cancelSweep: (() => void) | null = null
  #refused = 0
  #loggedMs = -Infinity

  constructor(options: ConnectionsOptions) {
    this.#clock = options.clock
    this.#log = options.log
    this.#perAddress = options.strangersPerAddress ?? STRANGERS_PER_ADDRESS
    this.#most = options.most ?? Infinity
    this.#handshakeMs = options.handshakeMs ?? HANDSHAKE_MS
  }

  /** Open connections, and how many of them are unauthenticated. */
  get counts(): { readonly open: number; readonly strangers: number } {
    return { open: this.#open, strangers: this.#strangers.size }
  }

  /** Registers an accepted connection; false when there is no place for it. */
  admit(socket: Socket): boolean {
    const { remoteAddress, remotePort } = socket
    // Already disconnected.
    if (remoteAddress === undefined || remotePort === undefined) return false
    const address = neighbourhood(remoteAddress)
    if (!this.#hasRoomFor(address)) {
      this.refusing('too many')
      return false
    }
    const since = this.#clock.now()
    const stranger = { socket, address, port: remotePort, since, known: false }
    this.#open++
    this.#strangers.add(stranger)
    this.#handshaking.add(stranger)
    const neighbours = this.#byAddress.get(address)
    if (neighbours) neighbours.set(remotePort, stranger)
    else this.#byAddress.set(address, new Map([[remotePort, stranger]]))
    socket.once('close', () => {
      this.#open--
      this.#remove(stranger)
    })
    this.#cancelSweep ??= this.#clock.after(SWEEP_MS, this.#sweep)
    return true
  }

  /** Called when the TLS handshake of an admitted connection is complete. */
  secured(socket: Socket): void {
    const { remoteAddress, remotePort } = socket
    if (remoteAddress === undefined || remotePort === undefined) return
    const stranger = this.#byAddress.get(neighbourhood(remoteAddress))?.get(remotePort)
    if (!stranger) return
    this.#handshaking.delete(stranger)
    ;(socket as WithStranger).stranger = stranger
  }

  /** Called when a known user has made a request over this connection. */
  know(socket: Socket): void {
    const { stranger } = socket as WithStranger
    // A connection beyond the limit can be displaced, even one of a known user.
    if (stranger?.known === false && this.#open <= this.#most) this.#remove(stranger)
  }

  /** Logs, at most once a minute, that connections are refused. */
  refusing(why: string): void {
    this.#refused++
    const now = this.#clock.now()
    if (now - this.#loggedMs < LOG_EVERY_MS) return
    this.#loggedMs = now
    const { open, strangers } = this.counts
    this.#log.warn('connections are refused', { why, refused: this.#refused, open, strangers })
    this.#refused = 0
  }

  /** Ends connections without a TLS handshake, and the timer. */
  close(): void {
    this.#cancelSweep?.()
    this.#cancelSweep = null
    for (const { socket } of this.#handshaking) socket.destroy()
  }

  #hasRoomFor(address: string): boolean {
    const neighbours = this.#byAddress.get(address)
    if ((neighbours?.size ?? 0) >= this.#perAddress) {
      return neighbours !== undefined && this.#displace(neighbours.values(), GRACE_MS)
    }
    if (this.#open < this.#most) return true
    return this.#displace(this.#strangers, SHORT_GRACE_MS) || this.#open < this.#most + SPARE
  }

  /** Ends the oldest of some connections when its grace time is over. */
  #displace(strangers: Iterable<Stranger>, graceMs: number): boolean {
    for (const stranger of strangers) {
      if (this.#clock.now() - stranger.since < graceMs) return false
      this.#remove(stranger)
      stranger.socket.destroy()
      return true
    }
    return false
  }

  #remove(stranger: Stranger): void {
    if (stranger.known) return
    stranger.known = true
    this.#strangers.delete(stranger)
    this.#handshaking.delete(stranger)
    const { address, port } = stranger
    const neighbours = this.#byAddress.get(address)
    neighbours?.delete(port)
    if (neighbours?.size === 0) this.#byAddress.delete(address)
  }

  readonly #sweep = (): void => {
    this.#cancelSweep = null
    const before = this.#clock.now() - this.#handshakeMs
    for (const stranger of this.#handshaking) {
      if (stranger.since > before) break
      this.#remove(stranger)
      stranger.socket.destroy()
    }
    if (this.#handshaking.size > 0) this.#cancelSweep = this.#clock.after(SWEEP_MS, this.#sweep)
  }
}

/** Key of an address for the limits: for IPv6 the /64 network, which usually belongs to one client. */
function neighbourhood(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)
  if (mapped) return mapped[1]!
  const [front = '', back = ''] = address.split('::')
  const first = front === '' ? [] : front.split(':')
  const last = back === '' ? [] : back.split(':')
  const missing = address.includes('::') ? 8 - first.length - last.length : 0
  const zeros = Array.from({ length: Math.max(0, missing) }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
