import { repairAllocations } from '../../registry/allocations-repair.ts'
import { writeFirstObjects } from '../bootstrap/first-objects.ts'
import { usesRbac } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** What was done about the objects that a server cannot do without. */
export interface FirstObjects {
  /** Whether the bootstrap policy was written as a whole, so that it needs no look. */
  readonly isSeeded: boolean
}

/** Namespaces of the system and, in an empty store, the bootstrap policy. */
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
