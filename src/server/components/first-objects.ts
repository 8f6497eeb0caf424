import { repairAllocations } from '../../registry/allocations-repair.ts'
import { writeFirstObjects } from '../bootstrap/first-objects.ts'
import { usesRbac } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Result of the first writes. */
export interface FirstObjects {
  /** Whether the whole bootstrap policy was just written, so that it need not be compared. */
  readonly isSeeded: boolean
}

/** Writes the system namespaces and, to an empty store, the bootstrap policy. Repairs allocations. */
export const firstObjects = ({ options }: Settings) =>
  component({
    name: 'firstObjects',
    needs: ['api', 'admission'],
    async start({ api }) {
      const rbac = usesRbac(options.authorization)
      const [isSeeded] = await Promise.all([
        writeFirstObjects(api, { rbac }),
        repairAllocations(api),
      ])
      return { part: { isSeeded } }
    },
  })
