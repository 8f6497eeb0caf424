import { CONTENT_TYPES, exposition } from '../metrics/exposition.ts'
import type { Registry } from '../metrics/registry.ts'
import type { ManagerPage } from './serving.ts'

/** All metrics of the program; none as long as it has not reached its server. */
export const metricsPage = (registry: () => Registry | null): ManagerPage => ({
  type: CONTENT_TYPES.text,
  async text() {
    const families = (await registry()?.collect()) ?? []
    return exposition(families, 'text').toString()
  },
})
