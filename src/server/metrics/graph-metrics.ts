import type { ObjectHandler, ObjectSource } from '../../catalogue/object-source.ts'
import type { Typed } from '../../meta/object-meta.ts'
import { graphActions } from '../../metrics/declared/services.ts'
import type { Registry } from '../../metrics/registry.ts'

const KINDS: Readonly<Record<string, string>> = {
  pods: 'Pod',
  persistentvolumes: 'PV',
  volumeattachments: 'VolumeAttachment',
}

/** Measures what the graph of nodes does with the objects that it follows. */
export function measuredGraph(objects: ObjectSource, registry: Registry): ObjectSource {
  const graph = registry.of(graphActions)
  const timed = (operation: string, work: () => void) => {
    const start = performance.now()
    work()
    graph.with({ operation }).observe((performance.now() - start) / 1000)
  }
  return {
    get: (resource, namespace, name) => objects.get(resource, namespace, name),
    follow<T extends Typed>(
      resource: Parameters<ObjectSource['follow']>[0],
      handler: ObjectHandler<T>,
    ) {
      const kind = KINDS[resource.resource] ?? ''
      return objects.follow<T>(resource, {
        set: (object) => timed(`Add${kind}`, () => handler.set(object)),
        removed: (object) => timed(`Delete${kind}`, () => handler.removed(object)),
      })
    },
  }
}
