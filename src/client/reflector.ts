import { StatusError, type Status } from '../meta/errors.ts'
import { BackOff } from './back-off.ts'
import { pause } from './retry.ts'
import { statusErrorOf } from './status-error.ts'
import { ReadEntry, type Entry } from './entry.ts'
import type { ClientParts } from './client.ts'
import type { ApiObject, FollowRequest, ObjectList, Query, WatchEvent } from './transport.ts'

/** Receives the objects that a reflector reads. Must not throw. */
export interface ReflectorTarget<T> {
  /** A list begins; objects that it does not contain have been deleted. */
  listing(): void
  set(entry: Entry<T>): void
  delete(entry: Entry<T>): void
  listed(): void
}

/** Why a reflector retries later; for a log. */
export type ReflectorTrouble = (error: unknown) => void

const PAGE = 500
const LEAST_MS = 800
const MOST_MS = 30_000
const RESET_MS = 120_000
const WATCH_SECONDS = 300
/** A watch that is overdue by this much is aborted. */
const WATCH_GRACE_MS = 30_000
/** A watch that ends earlier without an event is followed by a delay. */
const SHORT_MS = 1000

/**
 * Lists, and then watches from there: a broken watch resumes at the last resourceVersion, and one that has become too
 * old is replaced by a new list. Nothing is listed periodically.
 */
export class Reflector<T> {
  readonly #parts: ClientParts
  readonly #request: FollowRequest
  readonly #target: ReflectorTarget<T>
  readonly #onTrouble: ReflectorTrouble
  readonly #backOff: BackOff

  constructor(
    parts: ClientParts,
    request: FollowRequest,
    target: ReflectorTarget<T>,
    onTrouble: ReflectorTrouble,
  ) {
    this.#parts = parts
    this.#request = request
    this.#target = target
    this.#onTrouble = onTrouble
    const { clock, ids } = parts
    this.#backOff = new BackOff({
      clock,
      ids,
      leastMs: LEAST_MS,
      mostMs: MOST_MS,
      resetMs: RESET_MS,
    })
  }

  /** Runs until aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const resourceVersion = await this.#list(signal)
        await this.#watch(resourceVersion, signal)
      } catch (error) {
        if (signal.aborted) return
        this.#onTrouble(error)
      }
      await this.#wait(signal)
    }
  }

  /** Delivers all objects; returns the resourceVersion of the list. */
  async #list(signal: AbortSignal): Promise<string> {
    this.#target.listing()
    let next = ''
    let limit = PAGE
    for (;;) {
      const query: Query = [
        ...this.#request.query,
        ...(limit === 0 ? [] : [['limit', String(limit)] as const]),
        ...(next === '' ? [] : [['continue', next] as const]),
      ]
      let list: ObjectList<T>
      try {
        list = await this.#send(query, signal)
      } catch (error) {
        if (next === '' || !isExpired(error)) throw error
        // The continue token expired between chunks: list without chunks.
        next = ''
        limit = 0
        continue
      }
      for (const item of list.items) this.#target.set(new ReadEntry(item))
      next = list.metadata.continue ?? ''
      if (next !== '') continue
      this.#target.listed()
      return list.metadata.resourceVersion ?? ''
    }
  }

  #send(query: Query, signal: AbortSignal): Promise<ObjectList<T>> {
    const { transport, timeoutMs } = this.#parts
    const place = { ...this.#request, name: '', subresource: '', query, signal, timeoutMs }
    return transport.send({ ...place, verb: 'list' }) as Promise<ObjectList<T>>
  }

  /** Watches repeatedly; resolves when everything must be listed again. */
  async #watch(from: string, signal: AbortSignal): Promise<void> {
    const position = { resourceVersion: from }
    while (!signal.aborted) {
      const { clock } = this.#parts
      const since = clock.now()
      let events = 0
      try {
        await this.#watchOnce(position, signal, () => events++)
        // The server ends idle watches too, but not this early.
        if (events > 0 || clock.now() - since >= SHORT_MS) continue
      } catch (error) {
        if (signal.aborted || isExpired(error)) return
        this.#onTrouble(error)
        // Interrupted: resume at the last event. A refusal by the server may have another reason.
        if (error instanceof StatusError && error.code !== 429 && error.code < 500) throw error
      }
      await this.#wait(signal)
    }
  }

  async #watchOnce(
    position: { resourceVersion: string },
    signal: AbortSignal,
    onEvent: () => void,
  ): Promise<void> {
    const { transport, clock, ids } = this.#parts
    const timeoutSeconds = Math.round(WATCH_SECONDS * (1 + ids.fraction()))
    const late = new AbortController()
    const cancel = clock.after(timeoutSeconds * 1000 + WATCH_GRACE_MS, () =>
      late.abort(new Error('the watch has not ended in its time')),
    )
    const query: Query = [
      ...this.#request.query,
      ['watch', 'true'],
      ['allowWatchBookmarks', 'true'],
      ['resourceVersion', position.resourceVersion],
      ['timeoutSeconds', String(timeoutSeconds)],
    ]
    const request = { ...this.#request, name: '', subresource: '', query }
    try {
      await transport.watch(
        { ...request, signal: AbortSignal.any([signal, late.signal]) },
        (event) => {
          onEvent()
          this.#take(event as WatchEvent<T>, position)
        },
      )
    } finally {
      cancel()
    }
  }

  #take({ type, object }: WatchEvent<T>, position: { resourceVersion: string }): void {
    if (type === 'ERROR') throw statusErrorOf(object as unknown as Status)
    if (type === 'DELETED') this.#target.delete(new ReadEntry(object))
    else if (type !== 'BOOKMARK') this.#target.set(new ReadEntry(object))
    const { resourceVersion } = (object as ApiObject).metadata ?? {}
    if (resourceVersion !== undefined) position.resourceVersion = resourceVersion
  }

  #wait(signal: AbortSignal): Promise<void> {
    return pause(this.#parts.clock, this.#backOff.next(), signal).catch(() => {})
  }
}

const isExpired = (error: unknown): boolean => error instanceof StatusError && error.code === 410
