/** The controllers that run inside the server, and how they are started. */
import { setMaxListeners } from 'node:events'
import { pause } from '../client/retry.ts'
import { attachDetach } from './attach-detach/attach-detach.ts'
import { tokenCleaner } from './bootstrap-tokens/cleaner.ts'
import { bootstrapSigner } from './bootstrap-tokens/signer.ts'
import { certificateApprover } from './certificates/approver.ts'
import { certificateCleaner } from './certificates/cleaner.ts'
import { certificateSigning, type SigningParts } from './certificates/signing.ts'
import { claimProtection } from './claim-protection.ts'
import { clusterRoleAggregation } from './cluster-role-aggregation.ts'
import type { Controller, ControllerContext, Running } from './controller.ts'
import { cronJobs } from './cron-job/cron-job.ts'
import { daemonSets } from './daemon-set/daemon-set.ts'
import { definitionApproval, definitionStructure } from './definition-conditions.ts'
import { definitionFinalizer, type RemoveInstances } from './definition-finalizer.ts'
import { definitionNaming } from './definition-naming.ts'
import { deployments } from './deployment/deployment.ts'
import { endpointSliceController } from './endpoints/endpoint-slice-controller.ts'
import { endpointsController } from './endpoints/endpoints-controller.ts'
import { mirroringController } from './endpoints/mirroring-controller.ts'
import { ephemeralVolumes } from './ephemeral-volumes.ts'
import { nodeLifecycle } from './node-lifecycle/node-lifecycle.ts'
import { nodeTtl } from './node-ttl.ts'
import { garbageCollector } from './garbage-collector.ts'
import { disruptions } from './disruption/disruption.ts'
import { jobs } from './job/job.ts'
import { namespaceLifecycle } from './namespace.ts'
import { podGarbage } from './pod-garbage.ts'
import { replicaSets } from './replicas/replica-set.ts'
import { replicationControllers } from './replicas/replication-controller.ts'
import { resourceQuotas } from './resource-quota.ts'
import { rootCaPublisher } from './root-ca.ts'
import { statefulSets } from './stateful-set/stateful-set.ts'
import { serviceAccountSecrets } from './service-account-secrets.ts'
import { serviceAccountTokens, type ServiceAccountTokenParts } from './service-account-tokens.ts'
import { serviceAccounts } from './service-accounts.ts'
import { ttlAfterFinished } from './ttl-after-finished.ts'
import { volumeBinder } from './volume-binder.ts'
import { volumeExpander } from './volume-expander.ts'
import { volumeProtection } from './volume-protection.ts'

/** Dependencies of controllers. */
export interface ManagedParts {
  readonly tokens: ServiceAccountTokenParts
  readonly signing: SigningParts
}

/** Controllers of a manager, in the order in which they start. */
export const managedControllers = ({ tokens, signing }: ManagedParts): readonly Controller[] => [
  serviceAccounts,
  rootCaPublisher(tokens.ca),
  serviceAccountTokens(tokens),
  serviceAccountSecrets,
  clusterRoleAggregation,
  namespaceLifecycle,
  resourceQuotas,
  endpointsController,
  endpointSliceController,
  mirroringController,
  claimProtection,
  volumeProtection,
  volumeBinder,
  volumeExpander,
  ephemeralVolumes,
  attachDetach,
  nodeLifecycle,
  nodeTtl,
  deployments,
  replicaSets,
  replicationControllers,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
  disruptions,
  ttlAfterFinished,
  certificateApprover,
  certificateSigning(signing),
  certificateCleaner,
  bootstrapSigner,
  tokenCleaner,
  podGarbage,
  garbageCollector,
]

/** Controllers that are a part of every server. */
export const serverControllers = (removeInstances: RemoveInstances): readonly Controller[] => [
  definitionNaming({ servesObjects: true }),
  definitionFinalizer(removeInstances),
  definitionApproval,
  definitionStructure,
]

/** Delay after which a failed start of a controller is retried, milliseconds. */
const AGAIN_MS = 5_000

/** Controllers that run together. */
export interface RunningControllers extends Running {
  /** Resolves when all controllers have read the current state. Never rejects. */
  readonly ready: Promise<void>
}

/** Starts controllers one after the other, so that requests are served meanwhile. */
export function startControllers(
  context: ControllerContext,
  chosen: readonly Controller[],
): RunningControllers {
  const running: Running[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  // Each resource that is read at the start listens to it.
  setMaxListeners(0, signal)
  const start = async (controller: Controller): Promise<boolean> => {
    const broken = new AbortController()
    try {
      const either = AbortSignal.any([signal, broken.signal])
      setMaxListeners(0, either)
      running.push(await controller.start({ ...context, signal: either }))
      return true
    } catch (error) {
      // What it has begun must not go on beside the next attempt.
      broken.abort()
      // The end of the store ends the start; that is no failure.
      if (!signal.aborted)
        context.log.error('a controller cannot be started', {
          controller: controller.name,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        })
      return signal.aborted
    }
  }
  /** Refusals and missing responses may be temporary. */
  const again = async (controller: Controller): Promise<void> => {
    do await pause(context.clock, AGAIN_MS, signal)
    while (!(await start(controller)))
  }
  const late: Promise<void>[] = []
  const ready = (async () => {
    for (const [i, controller] of chosen.entries()) {
      if (i > 0 && context.settings.startIntervalMs > 0)
        await pause(context.clock, context.settings.startIntervalMs, signal).catch(() => {})
      if (signal.aborted) return
      if (!(await start(controller))) late.push(again(controller).catch(() => {}))
    }
  })()
  return {
    ready,
    get isIdle() {
      return running.every(({ isIdle }) => isIdle)
    },
    async idle() {
      await ready
      // Work of one controller causes work of another.
      do {
        for (const one of running) await one.idle()
      } while (!running.every(({ isIdle }) => isIdle))
    },
    async stop() {
      stopping.abort()
      await ready
      await Promise.all(late)
      await Promise.all(running.splice(0).map((one) => one.stop()))
    },
  }
}
