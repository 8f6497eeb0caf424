import type { Transport, WatchEvent, WatchRequest } from './transport.ts'

// A slow consumer buffers no more than this; the rest waits at the server.
const MOST_WAITING = 256

/** Events as an iteration; the watch ends when the iteration is closed. */
export async function* watchEvents<T>(
  transport: Transport,
  request: Omit<WatchRequest, 'signal'> & { readonly signal?: AbortSignal },
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const ending = new AbortController()
  const stop = () => ending.abort(request.signal?.reason)
  if (request.signal?.aborted) stop()
  else request.signal?.addEventListener('abort', stop, { once: true })
  const events: WatchEvent<T>[] = []
  let wake = () => {}
  let goOn = () => {}
  let isOver = false
  let failure: unknown = null
  transport
    .watch({ ...request, signal: ending.signal }, (event) => {
      events.push(event as WatchEvent<T>)
      wake()
      if (events.length < MOST_WAITING) return
      return new Promise<void>((resolve) => (goOn = resolve))
    })
    .catch((error: unknown) => {
      failure = error
    })
    .finally(() => {
      isOver = true
      wake()
    })
  try {
    for (;;) {
      const event = events.shift()
      if (event) {
        if (events.length === 0) goOn()
        yield event
      } else if (isOver) break
      else await new Promise<void>((resolve) => (wake = resolve))
    }
    // The caller ended the watch, so this is no error.
    if (failure !== null && !ending.signal.aborted) throw failure as Error
  } finally {
    request.signal?.removeEventListener('abort', stop)
    ending.abort()
    goOn()
  }
}
