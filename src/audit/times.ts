interface TimeBytes {
  readonly ms: number
  readonly bytes: Uint8Array
}

/** Times of events: `2024-01-02T03:04:05.006000Z`. The part up to the second is made once a second. */
export class EventTimes {
  #second = -1
  #text = ''
  #received = -1
  #at = -1
  #members = ''
  #last: TimeBytes = { ms: -1, bytes: new Uint8Array() }
  #prior: TimeBytes = this.#last

  /** A time as bytes. Requests of the same and of the next millisecond have the same ones. */
  bytes(ms: number): Uint8Array {
    if (ms === this.#last.ms) return this.#last.bytes
    if (ms === this.#prior.ms) return this.#prior.bytes
    this.#prior = this.#last
    this.#last = { ms, bytes: Buffer.from(this.text(ms), 'latin1') }
    return this.#last.bytes
  }

  /** Both times of an event as its members, behind a comma. Many requests of one millisecond have the same. */
  members(received: number, at: number): string {
    if (received !== this.#received || at !== this.#at) {
      this.#received = received
      this.#at = at
      this.#members = `,"requestReceivedTimestamp":"${this.text(received)}","stageTimestamp":"${this.text(at)}"`
    }
    return this.#members
  }

  text(ms: number): string {
    const whole = Math.floor(ms)
    const second = Math.floor(whole / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#text = new Date(second * 1000).toISOString().slice(0, 20)
    }
    const rest = whole - second * 1000
    const padded = rest < 10 ? `00${rest}` : rest < 100 ? `0${rest}` : String(rest)
    return `${this.#text}${padded}000Z`
  }
}
