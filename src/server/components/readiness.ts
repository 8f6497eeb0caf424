import { component } from './component.ts'

/** Says that the server is ready when what it cannot do without is there. */
export const readiness = () =>
  component({
    name: 'readiness',
    needs: ['health', 'firstObjects', 'definitions', 'systemPriorities'],
    start({ health, firstObjects }) {
      health.progress.done('scheduling/bootstrap-system-priority-classes')
      if (firstObjects.isSeeded) health.progress.done('rbac/bootstrap-roles')
      health.namespacesReady()
      return { part: null }
    },
  })
