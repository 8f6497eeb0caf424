/** Wires the controllers to their server. Imported when the server is ready. */
import { managerContext, serverContext, type LocalContextParts } from './controller-dependencies.ts'
import { isChosen } from '../controllers/choice.ts'
import type { Controller, ControllerContext } from '../controllers/controller.ts'
import {
  managedControllers,
  serverControllers,
  startControllers,
  type ManagedParts,
  type RunningControllers,
} from '../controllers/index.ts'
import { instanceRemoval } from './definition-instances.ts'
import { garbageCollector } from '../controllers/garbage-collector.ts'
import type { ServerOptions } from './options/server-options.ts'
import { serverService } from '../controllers/server-service.ts'

/** What decides which controllers run. */
interface ChosenParts {
  readonly choice: NonNullable<ServerOptions['controllers']>
  readonly hasBootstrapTokens: boolean
}

function chosenOf(
  all: readonly Controller[],
  { choice, hasBootstrapTokens, settings = {} }: LocalContextParts & ChosenParts,
): Controller[] {
  if (choice === 'server') return []
  const names = typeof choice === 'boolean' ? ['*'] : choice
  return all.filter((one) => {
    if (one === garbageCollector && settings.collectsGarbage === false) return false
    // Optional ones work on the tokens of the bootstrap alone.
    return isChosen(one, names, one.isOptional !== true || hasBootstrapTokens)
  })
}

/** Starts the chosen controllers; `ensureService` creates the service of the servers. */
export function runControllers(
  parts: LocalContextParts & ChosenParts,
  managed: ManagedParts,
  ensureService: () => Promise<void>,
): RunningControllers {
  const managers = managerContext(parts)
  const servers = serverContext(parts)
  // Events of large objects wait there before controllers receive them.
  const { largeWork } = parts.api
  const running = startControllers(managers, [
    ...chosenOf(managedControllers(managed), parts),
    ...[...serverControllers(instanceRemoval(parts.api)), serverService(ensureService)].map((one) =>
      within(servers, one),
    ),
  ])
  return {
    ready: running.ready,
    get isIdle() {
      return running.isIdle && largeWork.isIdle
    },
    async idle() {
      do {
        await largeWork.idle()
        await running.idle()
      } while (!largeWork.isIdle)
    },
    async stop() {
      await running.stop()
      await Promise.all([managers.informers.stop(), servers.informers.stop()])
    },
  }
}

/** A controller with dependencies of its own. */
const within = (context: ControllerContext, { name, start }: Controller): Controller => ({
  name,
  start: ({ signal }) => start({ ...context, signal }),
})
