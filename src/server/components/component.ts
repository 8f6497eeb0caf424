/** The parts that a server consists of. */
import type { WatchCache } from '../../cache/watch-cache.ts'
import type { LiveCatalogue } from '../../catalogue/live-catalogue.ts'
import type { ObjectSource } from '../../catalogue/object-source.ts'
import type { Pki } from '../../pki/files.ts'
import type { Api } from '../../registry/context.ts'
import { componentsOf, type Component } from '../component-graph.ts'
import type { StartingDataDir } from '../data-dir.ts'
import type { ServerLease } from '../server-leases.ts'
import type { Authentication } from '../open-authentication.ts'
import type { Authorization } from '../open-authorization.ts'
import type { ServerAdmission } from './admission.ts'
import type { ServerAudit } from './audit.ts'
import type { Aggregation } from './aggregation.ts'
import type { ApiServiceControllers } from './api-services.ts'
import type { BootstrapPolicy } from './bootstrap-policy.ts'
import type { ServerControllers } from './controllers.ts'
import type { OpenEngine } from '../store-kinds.ts'
import type { ServerEndpoints } from './endpoints.ts'
import type { ServerFlowControl } from './flow-control.ts'
import type { FlowControlObjects } from './flow-control-objects.ts'
import type { FirstObjects } from './first-objects.ts'
import type { Health } from './health.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import type { Listening } from './listener.ts'
import type { ServerMetrics } from './metrics.ts'
import type { ServerTracing } from './tracing.ts'
import type { PublishedAuthentication } from './published-authentication.ts'
import type { Requests } from './requests.ts'
import type { OpenedStore } from './store.ts'

/** Parts by component name. Null: others only wait for that component. */
export interface ServerParts {
  readonly dataDir: StartingDataDir | null
  readonly engine: OpenEngine
  readonly catalogue: LiveCatalogue
  readonly store: OpenedStore
  readonly pki: Pki
  readonly cache: WatchCache
  readonly api: Api
  readonly objects: ObjectSource
  readonly metrics: ServerMetrics
  readonly tracing: ServerTracing
  readonly admission: ServerAdmission
  readonly audit: ServerAudit
  readonly firstObjects: FirstObjects
  readonly definitions: null
  readonly aggregation: Aggregation
  readonly authorization: Authorization
  readonly systemPriorities: null
  readonly authentication: Authentication
  readonly health: Health
  readonly flowControl: ServerFlowControl
  readonly endpoints: ServerEndpoints
  readonly requests: Requests
  readonly listener: Listening
  readonly kubeconfig: Kubeconfig
  readonly certificateRenewal: null
  readonly readiness: null
  readonly serverLease: ServerLease | null
  readonly serverService: null
  readonly identityLease: null
  readonly bootstrapPolicy: BootstrapPolicy
  readonly flowControlObjects: FlowControlObjects
  readonly publishedAuthentication: PublishedAuthentication
  readonly apiServices: ApiServiceControllers
  readonly controllers: ServerControllers
}

/** A component of the server. */
export type ServerComponent = Component<ServerParts>

/** Declares a component of the server. */
export const component = componentsOf<ServerParts>()
