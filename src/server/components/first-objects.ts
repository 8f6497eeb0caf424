import { every } from '../../controllers/every.ts'
import { repairAllocations } from '../../registry/allocations-repair.ts'
import { ensureSystemNamespaces, writeFirstObjects } from '../bootstrap/first-objects.ts'
import { usesRbac } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Result of the first writes. */
export interface FirstObjects {
  /** Whether the whole bootstrap policy was just written, so that it need not be compared. */
  readonly isSeeded: boolean
}

const CHECK_MS = 60_000

/**
 * Writes the system namespaces and, to an empty store, the bootstrap policy. Repairs allocations. Namespaces that are
 * deleted are made again within a minute.
 */
export const firstObjects = ({ options, clock, log }: Settings) =>
  component({
    name: 'firstObjects',
    needs: ['api', 'admission'],
    async start({ api }) {
      const rbac = usesRbac(options.authorization)
      const [isSeeded] = await Promise.all([
        writeFirstObjects(api, { rbac }),
        repairAllocations(api),
      ])
      const check = () =>
        ensureSystemNamespaces(api).catch((error: unknown) =>
          log.warn('a system namespace cannot be created', { error: String(error) }),
        )
      return { part: { isSeeded }, stop: every(clock, CHECK_MS, () => void check()) }
    },
  })
