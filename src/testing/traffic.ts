/** Requests in progress of a server under test: they can be waited for, kept waiting, and cut off. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isLongRunning } from '../http/request-info.ts'
import type { ApiResponse, Context } from '../http/context.ts'
import type { Around } from '../http/exchanges.ts'
import { factsOf, type Faults } from './faults.ts'
import { agrees, type RequestPattern } from './request-pattern.ts'

/** How long requests in progress are waited for before they are cut off, milliseconds. */
const PATIENCE_MS = 1_000

type Handler = (context: Context) => ApiResponse | Promise<ApiResponse>

/** All requests over the network that passed the filters. */
export class Traffic {
  readonly #faults: Faults
  readonly #short = new Set<Context>()
  readonly #streams = new Set<Context>()
  readonly #current = new AsyncLocalStorage<Context>()
  #gate: Promise<void> | null = null
  #onIdle: () => void = () => {}

  constructor(faults: Faults) {
    this.#faults = faults
  }

  /** The request that the calling code works for. */
  get current(): Context | undefined {
    return this.#current.getStore()
  }

  /** Streams in progress that a pattern selects. */
  streams(pattern: RequestPattern): readonly Context[] {
    return [...this.#streams].filter((context) => agrees(pattern, factsOf(context)))
  }

  /** Runs work while no request is: those in progress get a second to end, and new ones wait. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#gate) await this.#gate
    let open = () => {}
    this.#gate = new Promise((resolve) => (open = resolve))
    try {
      await this.#idle()
      return await work()
    } finally {
      this.#gate = null
      open()
    }
  }

  readonly around: Around = (context, next) => {
    if (isLongRunning(context.info)) return this.#stream(context, next)
    return this.#run(context, next)
  }

  async #run(context: Context, next: Handler): Promise<ApiResponse> {
    while (this.#gate) await this.#gate
    this.#short.add(context)
    try {
      return await this.#handle(context, next)
    } finally {
      this.#short.delete(context)
      if (this.#short.size === 0) this.#onIdle()
    }
  }

  async #stream(context: Context, next: Handler): Promise<ApiResponse> {
    while (this.#gate) await this.#gate
    const { signal } = context.exchange
    this.#streams.add(context)
    signal.addEventListener('abort', () => this.#streams.delete(context), { once: true })
    return this.#handle(context, next)
  }

  #handle(context: Context, next: Handler): ApiResponse | Promise<ApiResponse> {
    const run: Handler = (one) => this.#current.run(one, () => next(one))
    return this.#faults.answer(context, run) ?? run(context)
  }

  async #idle(): Promise<void> {
    if (this.#short.size === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS)
      this.#onIdle = resolve
    })
    clearTimeout(timer)
    for (const { exchange } of this.#short) exchange.cut()
  }
}
