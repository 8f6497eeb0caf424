/** The stretch of time between two readings of the clocks. */
import { cpuSeconds, ownCpuSeconds } from '../machine.ts'

export class Window {
  readonly #pid: number
  readonly #from: { at: number; server: number; own: number }

  /** Opens the window now. */
  constructor(pid: number) {
    this.#pid = pid
    this.#from = readings(pid)
  }

  /** Seconds since it was opened. */
  close(): { seconds: number; serverCpuSeconds: number; loadCpuSeconds: number } {
    const to = readings(this.#pid)
    return {
      seconds: (to.at - this.#from.at) / 1000,
      serverCpuSeconds: to.server - this.#from.server,
      loadCpuSeconds: to.own - this.#from.own,
    }
  }
}

const readings = (pid: number) => ({
  at: performance.now(),
  server: cpuSeconds(pid),
  own: ownCpuSeconds(),
})
