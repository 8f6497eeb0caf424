/** The package's entry: a server to embed. */
export { startServer } from './server/start-server.ts'
export type { RunningServer, ServerOptions } from './server/options/server-options.ts'
export type { StageSubscriber } from './http/stages.ts'
export type { ObjectBytes, ObservedRequest } from './http/request-record.ts'
export { ManualClock, systemClock, type Clock } from './base/clock.ts'
export type {
  AdmissionObject,
  Attributes,
  AuditLevel,
  GroupVersionKind,
  GroupVersionResource,
  MutableAttributes,
  MutableObject,
  Operation,
  OperationOptions,
} from './admission/attributes.ts'
export type { ObjectWriter } from './admission/object-writer.ts'
export type { Plugin, PluginDeps, PluginFactory, PluginResource } from './admission/plugin.ts'
export { refusalOf } from './admission/refusal.ts'
export { StatusError } from './meta/errors.ts'
