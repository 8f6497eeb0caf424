/** Loaded into the server's process before the server: says over IPC what memory is in use, and how long the loop stood. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delays = monitorEventLoopDelay({ resolution: 20 })
delays.enable()

process.on('message', () => {
  // Twice: what finalizers let go is collected by the second.
  gc!()
  gc!()
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
  const longestTurnMs = Math.round(delays.max / 1e6)
  delays.reset()
  process.send?.({ heapUsed, external, arrayBuffers, rss, longestTurnMs })
})
// The server ends when it is told to, not when nobody asks any more.
process.channel?.unref()
