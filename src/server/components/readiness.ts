import { component } from './component.ts'

/** Reports the server as ready once the objects and kinds that it needs are served. */
export const readiness = () =>
  component({
    name: 'readiness',
    needs: ['health', 'firstObjects', 'definitions', 'systemPriorities'],
    start({ health, firstObjects }) {
      health.progress.done('crd-informer-synced', 'scheduling/bootstrap-system-priority-classes')
      if (firstObjects.isSeeded) health.progress.done('rbac/bootstrap-roles')
      health.namespacesReady()
      return { part: null }
    },
  })
