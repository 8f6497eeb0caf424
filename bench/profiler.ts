/** Loaded into the server before it starts: takes CPU profiles when the parent process says so. */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/** Begin a profile, or end it and write it to a file. */
export type ProfilerOrder = { readonly begin: true } | { readonly end: string }

/** Done, or why not. */
export type ProfilerAnswer = { readonly done: true } | { readonly error: string }

const INTERVAL_MICROS = 200

const session = new Session()
session.connect()

process.on('message', (order: ProfilerOrder) => {
  follow(order).then(
    () => answer({ done: true }),
    (error: unknown) => answer({ error: String(error) }),
  )
})
// The server ends as it would without a parent that talks to it.
process.channel?.unref()

const answer = (text: ProfilerAnswer) => process.send?.(text)

async function follow(order: ProfilerOrder): Promise<void> {
  if ('begin' in order) {
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
    await session.post('Profiler.start')
    return
  }
  const { profile } = await session.post('Profiler.stop')
  writeFileSync(order.end, JSON.stringify(profile))
}
