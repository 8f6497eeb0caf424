/** A server as a process of its own that tells how long its event loop was held. */
import { startServer } from '../../src/index.ts'
import { GapMeter } from './event-loop-gap.ts'

export type Command = 'start' | 'stop' | 'end'
/** Where the server is, or the longest gap between `start` and `stop`, milliseconds. */
export type Message =
  | { readonly url: string; readonly ca: string; readonly kubeconfig: string }
  | { readonly longestMs: number }
  | { readonly started: true }

const server = await startServer({
  vocabulary: 'kubernetes',
  runtimeConfig: { 'api/all': true },
})
await server.settled()
const meter = new GapMeter()
const tell = (message: Message) => process.send?.(message)

process.on('message', (command: Command) => {
  if (command === 'start') {
    meter.start()
    tell({ started: true })
  } else if (command === 'stop') {
    // What the server does by itself after a write belongs to the write.
    void server.settled().then(() => tell({ longestMs: meter.stop() }))
  } else {
    void server.close().then(() => process.exit(0))
  }
})
process.on('disconnect', () => process.exit(0))
const { url, ca, kubeconfig } = server
tell({ url, ca, kubeconfig })
