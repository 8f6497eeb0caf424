/** The package's entry: a server to embed. */
export { startServer } from './server.ts'
export type { RunningServer, ServerOptions } from './server-options.ts'
export type { StageSubscriber } from './http/stages.ts'
export type { ObjectBytes, ObservedRequest } from './http/request-record.ts'
export { ManualClock, systemClock, type Clock } from './base/clock.ts'
