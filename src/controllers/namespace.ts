import type { Entry } from '../client/entry.ts'
import { KnownResources } from '../client/known-resources.ts'
import { ENDING } from '../client/member-names.ts'
import { isNotFound } from '../client/resource-client.ts'
import type { Namespace } from '../kinds/core/namespace.ts'
import { StatusError } from '../meta/errors.ts'
import { NAMESPACES } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { every } from './every.ts'
import { asleep, following, handled } from './following.ts'
import { NamespaceContent } from './namespace-content.ts'
import { withConditions } from './namespace-conditions.ts'

const NAME = 'namespace'
// Lets writes that are on their way into the namespace arrive.
const SETTLE_MS = 5_000
const MOST_MS = 60_000

/** Empties namespaces under deletion, and finalizes them. */
export const namespaceLifecycle: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v, clock } = context
    if (!(await resources.serves(NAMESPACES))) return asleep
    const client = context.clientFor('namespace-controller')
    const own = new KnownResources(client)
    const namespaces = client.resource<Namespace>(NAMESPACES)
    const content = new NamespaceContent({
      client,
      // Resources change; objects of an unknown one would stay.
      discover: () => own.fresh(),
      now: () => clock.now(),
    })
    const ownFinalizer = v.resolve('{brand}')

    /** Changes the live namespace from its latest state; retries on conflict. */
    const write = async (
      name: string,
      subresource: 'status' | 'finalize',
      change: (namespace: Namespace) => Namespace | null,
    ): Promise<Namespace | null> => {
      for (;;) {
        const live = await namespaces.find(name)
        const next = live && change(live)
        if (!live || !next) return live
        try {
          return await namespaces.sub(subresource).update(next)
        } catch (error) {
          if (!(error instanceof StatusError) || error.reason !== 'Conflict') throw error
        }
      }
    }
    const empty = async (name: string): Promise<number | void> => {
      const live = await write(name, 'status', ({ metadata, ...rest }) =>
        metadata.deletionTimestamp === undefined || rest.status?.phase === 'Terminating'
          ? null
          : { metadata, ...rest, status: { ...rest.status, phase: 'Terminating' } },
      )
      const since = live?.metadata.deletionTimestamp
      if (!live || since === undefined || (live.spec?.finalizers ?? []).length === 0) return
      const found = await content.remove(name, Date.parse(since))
      await write(name, 'status', (namespace) =>
        withConditions(namespace, found, { v, now: clock.now() }),
      )
      const { failures, undiscovered } = found
      if (undiscovered !== null) throw new Error(undiscovered)
      if (failures.length > 0) throw failures[0]!
      if (found.estimateSeconds > 0) return (Math.floor(found.estimateSeconds / 2) + 1) * 1000
      await write(name, 'finalize', (namespace) => {
        const { finalizers = [] } = namespace.spec
        const left = finalizers.filter((one) => one !== ownFinalizer)
        if (left.length === finalizers.length) return null
        return { ...namespace, spec: { ...namespace.spec, finalizers: left } }
      })
    }
    const queue = workQueue(context, NAME, {
      workers: context.settings.namespaceWorkers,
      mostMs: MOST_MS,
      async work(name) {
        try {
          return await empty(name)
        } catch (error) {
          // It is deleted already.
          if (!isNotFound(error)) throw error
        }
      },
    })
    const changed = ({ name, object: { metadata, spec } }: Entry<Namespace>) => {
      if (metadata.deletionTimestamp !== undefined && spec?.finalizers?.length)
        queue.add(name, SETTLE_MS)
    }
    const known = informers.of<Namespace>(NAMESPACES)
    const lookAgain = () => {
      for (const entry of known.lister.entries())
        if (entry.mayHave(ENDING)) queue.add(entry.name, SETTLE_MS)
    }
    return following(queue, client, [
      await handled(known, { add: changed, update: changed }, signal),
      every(clock, context.settings.namespaceSyncMs, lookAgain),
    ])
  },
}
