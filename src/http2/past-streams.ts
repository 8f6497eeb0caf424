/** Closed streams of a server, since the client may not know yet and still sends frames of them. */
import { CODE } from './frames.ts'

/** Streams that were cut off here, and of which frames may still be under way. */
const MAX_REMEMBERED = 1000

export class PastStreams {
  readonly #reset: (id: number) => void
  #cutOff: Set<number> | null = null
  /** Streams with a response before the end of the request, and whether they were there at the last look. */
  #lingering: Map<number, boolean> | null = null

  /** `reset` sends RST_STREAM: nothing more of the stream is read. */
  constructor(reset: (id: number, code: number) => void) {
    this.#reset = (id) => reset(id, CODE.NO_ERROR)
  }

  get lingering(): number {
    return this.#lingering?.size ?? 0
  }

  /** A stream was cut off here. */
  remember(id: number): void {
    const cutOff = (this.#cutOff ??= new Set())
    if (cutOff.size >= MAX_REMEMBERED) cutOff.clear()
    cutOff.add(id)
  }

  wasCutOff(id: number): boolean {
    return this.#cutOff?.has(id) === true
  }

  /**
   * The rest of a request that has its response is ignored for a while: some clients do not look at a response that
   * RST_STREAM follows at once.
   */
  linger(id: number): void {
    ;(this.#lingering ??= new Map()).set(id, false)
  }

  /** Whether a frame is of a stream that lingers; `ends`: the last one. */
  lingers(id: number, ends: boolean): boolean {
    if (this.#lingering?.has(id) !== true) return false
    if (ends) this.#lingering.delete(id)
    return true
  }

  /** Ends streams that linger: all, or those that did when it was called last. */
  endLingering(which: 'all' | 'old'): void {
    if (this.#lingering === null) return
    for (const [id, wasThere] of this.#lingering) {
      if (which === 'old' && !wasThere) {
        this.#lingering.set(id, true)
        continue
      }
      this.#lingering.delete(id)
      this.#reset(id)
    }
    if (this.#lingering.size === 0) this.#lingering = null
  }
}
