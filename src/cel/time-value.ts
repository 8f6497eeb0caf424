/** Points in time and spans between them, exact to the nanosecond. */
import { failure } from './failure.ts'

const SECOND = 1_000_000_000n
const MAX_SPAN = 2n ** 63n - 1n
const MIN_SPAN = -(2n ** 63n)

// The years 1 to 9999.
const FIRST_SECOND = -62_135_596_800
const LAST_SECOND = 253_402_300_799

/** A span of time. */
export class Span {
  readonly nanoseconds: bigint
  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds
  }

  /** The span; fails beyond 64 bits of nanoseconds. */
  static of(nanoseconds: bigint): Span {
    if (nanoseconds > MAX_SPAN || nanoseconds < MIN_SPAN) throw failure('duration overflow')
    return new Span(nanoseconds)
  }

  /** Whole seconds, cut off towards zero. */
  get seconds(): bigint {
    return this.nanoseconds / SECOND
  }

  /** As seconds with a fraction, such as `1.5s`. */
  toString(): string {
    const { nanoseconds } = this
    const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
    const fraction = String(size % SECOND)
      .padStart(9, '0')
      .replace(/0+$/, '')
    return `${nanoseconds < 0n ? '-' : ''}${size / SECOND}${fraction === '' ? '' : `.${fraction}`}s`
  }
}

/** A point in time. */
export class Time {
  /** Since the beginning of 1970. */
  readonly seconds: number
  /** Within the second. */
  readonly nanos: number

  constructor(seconds: number, nanos: number) {
    this.seconds = seconds
    this.nanos = nanos
  }

  /** The time; fails outside of the years 1 to 9999. */
  static of(seconds: number, nanos: number): Time {
    if (seconds < FIRST_SECOND || seconds > LAST_SECOND) throw failure('timestamp overflow')
    return new Time(seconds, nanos)
  }

  /** The time after a span. */
  plus({ nanoseconds }: Span): Time {
    const all = BigInt(this.nanos) + nanoseconds
    const nanos = ((all % SECOND) + SECOND) % SECOND
    return Time.of(this.seconds + Number((all - nanos) / SECOND), Number(nanos))
  }

  /** The span since another time. */
  since(other: Time): Span {
    const seconds = BigInt(this.seconds - other.seconds)
    return Span.of(seconds * SECOND + BigInt(this.nanos - other.nanos))
  }

  /** As `2006-01-02T15:04:05.999Z`, without zeros at the end of the fraction. */
  toString(): string {
    const whole = new Date(this.seconds * 1000).toISOString().slice(0, 19)
    const fraction = String(this.nanos).padStart(9, '0').replace(/0+$/, '')
    return `${whole}${fraction === '' ? '' : `.${fraction}`}Z`
  }
}
