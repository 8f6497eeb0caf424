import type { LoadResult, Plan, RequestsJob } from './job.ts'
import { openLanes, type Lane } from './lanes.ts'
import { requestsOf, type Answer } from './requests.ts'
import { Window } from './window.ts'

/** Longest wait for an answer beyond the planned time. */
const PATIENCE_MS = 60_000

/**
 * Keeps every lane busy for a while and measures. Rejects on the first answer that is no success, and when a
 * connection breaks: figures with failures in them mean nothing.
 */
export async function runRequests(job: RequestsJob): Promise<LoadResult> {
  let fail: (error: Error) => void = () => {}
  let ended = false
  const lanes = await openLanes({ ...job, onError: (error) => ended || fail(error) })
  try {
    return await new Promise<LoadResult>((resolve, reject) => {
      fail = reject
      const patience = setTimeout(
        () => reject(new Error(`no end of ${job.plan.is} in time`)),
        (job.warmUpSeconds + job.seconds) * 1000 + PATIENCE_MS,
      )
      const loop = new ClosedLoop(job, lanes.lanes, reject, (result) => {
        ended = true
        clearTimeout(patience)
        resolve(result)
      })
      loop.start()
    })
  } finally {
    ended = true
    lanes.close()
  }
}

const nameOf = (plan: Plan) =>
  `${plan.is} ${'path' in plan ? plan.path : plan.paths.slice(0, SHOWN_PATHS).join(' ')}`

const SHOWN_PATHS = 3

class ClosedLoop {
  readonly #job: RequestsJob
  readonly #lanes: readonly Lane[]
  readonly #next
  readonly #sentAt: Float64Array
  readonly #latencies: number[] = []
  readonly #fail: (error: Error) => void
  readonly #done: (result: LoadResult) => void
  #window: Window | null = null
  #warmUntil = 0
  #until = 0
  #busy = 0
  #operations = 0
  #bytes = 0
  #ended = false

  constructor(
    job: RequestsJob,
    lanes: readonly Lane[],
    fail: (error: Error) => void,
    done: (result: LoadResult) => void,
  ) {
    this.#job = job
    this.#lanes = lanes
    this.#next = requestsOf(job.plan)
    this.#sentAt = new Float64Array(lanes.length)
    this.#fail = fail
    this.#done = done
  }

  start(): void {
    const now = performance.now()
    this.#warmUntil = now + this.#job.warmUpSeconds * 1000
    if (this.#job.warmUpSeconds === 0) this.#open(now)
    this.#lanes.forEach((lane, i) => {
      lane.onAnswer = (answer) => this.#answered(i, answer)
      this.#send(i, null)
    })
  }

  #open(now: number): void {
    this.#window = new Window(this.#job.target)
    this.#until = now + this.#job.seconds * 1000
  }

  #send(i: number, answer: Answer | null): void {
    const request = this.#next(i, answer)
    if (request === null) {
      if (this.#busy === 0) this.#end()
      return
    }
    this.#busy++
    this.#sentAt[i] = performance.now()
    this.#lanes[i]!.send(request)
  }

  #answered(i: number, answer: Answer): void {
    if (this.#ended) return
    this.#busy--
    if (answer.status < 200 || answer.status > 299) {
      this.#ended = true
      this.#fail(new Error(`${nameOf(this.#job.plan)}: ${answer.status} ${answer.head}`))
      return
    }
    const now = performance.now()
    if (this.#window === null) {
      if (now >= this.#warmUntil) this.#open(now)
    } else {
      this.#operations++
      this.#bytes += answer.bodyBytes
      this.#latencies.push(now - this.#sentAt[i]!)
      if (now >= this.#until || this.#operations >= this.#job.atMost) {
        this.#end()
        return
      }
    }
    this.#send(i, answer)
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    const times = (this.#window ?? new Window(this.#job.target)).close()
    const sorted = Float64Array.from(this.#latencies).sort()
    const quantile = (q: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
    this.#done({
      operations: this.#operations,
      bytes: this.#bytes,
      ...times,
      p50Ms: quantile(0.5),
      p99Ms: quantile(0.99),
      watcherBytes: 0,
    })
  }
}
