/** The stretch of time between two readings of the clocks. */
import { cpuSeconds, ownCpuSeconds } from '../machine.ts'
import type { LoadResult, Target } from './job.ts'

export class Window {
  readonly #target: Watched
  readonly #from: Readings

  /** Opens the window now. */
  constructor(target: Watched) {
    this.#target = target
    this.#from = readings(target)
  }

  /** Seconds since it was opened. */
  close(): Pick<LoadResult, 'seconds' | 'serverCpuSeconds' | 'loadCpuSeconds' | 'storeCpuSeconds'> {
    const [from, to] = [this.#from, readings(this.#target)]
    return {
      seconds: (to.at - from.at) / 1000,
      serverCpuSeconds: to.server - from.server,
      loadCpuSeconds: to.own - from.own,
      storeCpuSeconds: to.store === null || from.store === null ? null : to.store - from.store,
    }
  }
}

type Watched = Pick<Target, 'pid' | 'storePid'>
type Readings = ReturnType<typeof readings>

const readings = ({ pid, storePid }: Watched) => ({
  at: performance.now(),
  server: cpuSeconds(pid),
  own: ownCpuSeconds(),
  store: storePid === undefined ? null : cpuSeconds(storePid),
})
