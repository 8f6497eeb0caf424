/** The entry `testing` of the package: servers for tests of operators, webhooks and clients. */
export {
  builders,
  type Builder,
  type Builders,
  type Built,
  type Definition,
  type Grant,
  type Partly,
} from './builders.ts'
export { eventually, type EventuallyOptions } from './eventually.ts'
export type { ActiveFault, Fault } from './faults.ts'
export type { TestUser } from './kubeconfig-for.ts'
export type { Manifests } from './manifests.ts'
export type { Refusal } from './refusals.ts'
export type { RequestFacts, RequestPattern } from './request-pattern.ts'
export type { Patience, RecordedRequest, RequestRecords, Times } from './request-record.ts'
export type { Session, SessionRequest } from './session.ts'
export { sharedServer, shareServer, type SharedServer } from './shared-server.ts'
export type { Snapshot } from './store-state.ts'
export type { Span, TestClock } from './test-clock.ts'
export type { TestNamespace } from './test-namespace.ts'
export { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'
export { useServer, type Hooks } from './use-server.ts'
export type { WebhookCall, WebhookPattern, WebhookRecords } from './webhook-record.ts'
