/** The package's entry: a server to embed. */
export { startServer } from './server.ts'
export type { RunningServer, ServerOptions } from './server-options.ts'
export { ManualClock, systemClock, type Clock } from './base/clock.ts'
