import { hookContext } from '../api/context.ts'
import type { Namespace } from '../kinds/core/namespace.ts'
import { StatusError } from '../schema/errors.ts'
import { workQueue, type Controller } from './controller.ts'
import { following } from './following.ts'
import { NamespaceContent } from './namespace-content.ts'
import { withConditions } from './namespace-conditions.ts'
import { Writer } from './writer.ts'

const NAME = 'namespace'
const NAMESPACES = { group: '', resource: 'namespaces' }
const WORKERS = 10
// Lets what is on its way into the namespace arrive.
const SETTLE_MS = 5_000
const MOST_MS = 60_000

/** Empties namespaces that are going away, and lets them go. */
export const namespaceLifecycle: Controller = {
  name: NAME,
  async start(world) {
    const { api, source } = world
    const served = api.catalogue.find('', 'v1', 'namespaces')
    const writer = new Writer(api, 'namespace-controller')
    const content = new NamespaceContent(api, writer)
    const own = api.v.spell('{brand}')

    /** Changes a part of the live namespace by what it is then; again when somebody was faster. */
    const write = async (
      name: string,
      subresource: 'status' | 'finalize',
      change: (namespace: Namespace) => Namespace | null,
    ): Promise<Namespace | null> => {
      for (;;) {
        const live = await source.get<Namespace>(NAMESPACES, '', name)
        const next = live && change(live)
        if (!live || !next) return live
        try {
          return await writer.update<Namespace>(
            { served: served!, namespace: '', name, subresource },
            served!.codec.plain(next as never),
          )
        } catch (error) {
          if (!(error instanceof StatusError) || error.reason !== 'Conflict') throw error
        }
      }
    }
    const empty = async (name: string): Promise<number | void> => {
      const live = await write(name, 'status', ({ metadata, ...rest }) =>
        metadata.deletionTimestamp === undefined || rest.status.phase === 'Terminating'
          ? null
          : { metadata, ...rest, status: { ...rest.status, phase: 'Terminating' } },
      )
      const since = live?.metadata.deletionTimestamp
      if (!live || since === undefined || (live.spec.finalizers ?? []).length === 0) return
      const found = await content.remove(name, Date.parse(since))
      await write(name, 'status', (namespace) => withConditions(namespace, found, hookContext(api)))
      if (found.failures.length > 0) throw found.failures[0]
      if (found.estimateSeconds > 0) return (Math.floor(found.estimateSeconds / 2) + 1) * 1000
      await write(name, 'finalize', (namespace) => {
        const { finalizers = [] } = namespace.spec
        const left = finalizers.filter((one) => one !== own)
        if (left.length === finalizers.length) return null
        return { ...namespace, spec: { ...namespace.spec, finalizers: left } }
      })
    }
    const queue = workQueue(world, NAME, {
      workers: WORKERS,
      mostMs: MOST_MS,
      async work(name) {
        try {
          return await empty(name)
        } catch (error) {
          // It is gone already.
          if (!(error instanceof StatusError) || error.code !== 404) throw error
        }
      },
    })
    const end = served
      ? await source.follow<Namespace>(NAMESPACES, {
          set({ metadata, spec }) {
            if (metadata.deletionTimestamp !== undefined && spec.finalizers?.length)
              queue.add(metadata.name ?? '', SETTLE_MS)
          },
          removed() {},
        })
      : () => {}
    return following(queue, writer, [end])
  },
}
