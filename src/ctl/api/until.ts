/** Waits for a state of one object. */
import { linesOf } from '../../client/lines.ts'
import { parseJson } from '../../codec/json-text.ts'
import { StatusError } from '../../meta/errors.ts'
import type { Context } from '../base/context.ts'
import type { ServedResource } from './discovery.ts'
import type { LiveObject } from './find-objects.ts'
import { resourcePath } from './resources.ts'

/** Which object. */
export interface Watched {
  readonly of: ServedResource
  readonly namespace: string
  readonly name: string
}

/** The wait was longer than allowed. */
export class TimedOut extends Error {
  constructor() {
    super('timed out waiting for the condition')
  }
}

/**
 * Resolves when the test is true for the object, or for null once it is gone. Rejects with TimedOut after a time; 0
 * waits without a limit.
 */
export async function until(
  c: Context,
  what: Watched,
  options: {
    readonly timeoutMs: number
    readonly isDone: (object: LiveObject | null) => boolean
  },
): Promise<void> {
  const { timeoutMs, isDone } = options
  const limit = timeoutMs > 0 ? [AbortSignal.timeout(timeoutMs)] : []
  const signal = AbortSignal.any([c.io.interrupted, ...limit])
  try {
    for (;;) {
      const now = await current(c, what, signal)
      if (isDone(now)) return
      if (await follow(c, what, { version: now?.metadata.resourceVersion ?? '', signal, isDone }))
        return
      signal.throwIfAborted()
    }
  } catch (error) {
    if (limit[0]?.aborted) throw new TimedOut()
    throw error
  }
}

async function current(c: Context, what: Watched, signal: AbortSignal): Promise<LiveObject | null> {
  try {
    const path = resourcePath(what.of, what.namespace, what.name)
    return await (await c.api()).json<LiveObject>({ path, signal })
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'NotFound') return null
    throw error
  }
}

/** Whether an event came that ends the wait; false when the stream ended before. */
async function follow(
  c: Context,
  { of, namespace, name }: Watched,
  options: {
    readonly version: string
    readonly signal: AbortSignal
    readonly isDone: (object: LiveObject | null) => boolean
  },
): Promise<boolean> {
  const { version, signal, isDone } = options
  const { body } = await (
    await c.api()
  ).send({
    path: resourcePath(of, namespace),
    query: {
      watch: 'true',
      fieldSelector: `metadata.name=${name}`,
      resourceVersion: version || undefined,
    },
    signal,
  })
  for await (const line of linesOf(body)) {
    const { type, object } = parseJson(line) as { type: string; object: LiveObject }
    if (type === 'ERROR') return false
    if (type !== 'BOOKMARK' && isDone(type === 'DELETED' ? null : object)) return true
  }
  return false
}
