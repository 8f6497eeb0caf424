/**
 * A server as a process of its own that tells how long its event loop was held. The first argument is the built
 * package: what loads source files gives every function a name, at a cost that users do not have.
 */
import { pathToFileURL } from 'node:url'
import { GapMeter } from './event-loop-gap.ts'
import { GapProfile } from './gap-profile.ts'

export type Command = 'start' | 'profile' | 'stop' | 'end'
/** Where the server is, or the longest gap between `start` and `stop`, milliseconds. */
export type Message =
  | { readonly url: string; readonly ca: string; readonly kubeconfig: string }
  | { readonly longestMs: number; readonly why: readonly string[] }
  | { readonly started: true }

const built = pathToFileURL(process.argv[2]!).href
const { startServer } = (await import(built)) as typeof import('../../src/index.ts')
const server = await startServer({
  vocabulary: 'kubernetes',
  runtimeConfig: { 'api/all': true },
})
await server.settled()
const meter = new GapMeter()
let profile: GapProfile | null = null
const tell = (message: Message) => process.send?.(message)

async function begin(isProfiled: boolean): Promise<void> {
  profile = isProfiled ? new GapProfile() : null
  await profile?.start()
  meter.start()
  tell({ started: true })
}

async function stop(): Promise<void> {
  // What the server does by itself after a write belongs to the write.
  await server.settled()
  const gap = meter.stop()
  tell({ longestMs: gap.ms, why: (await profile?.stop(gap)) ?? [] })
}

process.on('message', (command: Command) => {
  if (command === 'start' || command === 'profile') void begin(command === 'profile')
  else if (command === 'stop') void stop()
  else void server.close().then(() => process.exit(0))
})
process.on('disconnect', () => process.exit(0))
const { url, ca, kubeconfig } = server
tell({ url, ca, kubeconfig })
