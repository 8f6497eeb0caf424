/** The controllers of a server, with what they need of it. Loaded when the server is ready. */
import type { ControllerWorld } from './controllers/controller.ts'
import { controllers, startControllers, type RunningControllers } from './controllers/index.ts'
import { rootCaPublisher } from './controllers/root-ca.ts'
import { serverService } from './controllers/server-service.ts'
import { serviceAccountSecrets } from './controllers/service-account-secrets.ts'
import {
  serviceAccountTokens,
  type ServiceAccountTokenParts,
} from './controllers/service-account-tokens.ts'
import { serviceAccounts } from './controllers/service-accounts.ts'

/** Starts everything that keeps objects in order; `ensureService` makes the service of the servers. */
export const runControllers = (
  world: ControllerWorld,
  tokens: ServiceAccountTokenParts,
  ensureService: () => Promise<void>,
): RunningControllers =>
  startControllers(world, [
    serviceAccounts,
    rootCaPublisher(tokens.ca),
    serviceAccountTokens(tokens),
    serviceAccountSecrets,
    ...controllers,
    serverService(ensureService),
  ])
