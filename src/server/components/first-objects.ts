import { every } from '../../controllers/every.ts'
import type { Api } from '../../registry/context.ts'
import { repairAllocations } from '../../registry/allocations-repair.ts'
import { ensureSystemNamespaces, writeFirstObjects } from '../bootstrap/first-objects.ts'
import { preparation, type Preparation } from '../bootstrap/prepared-objects.ts'
import { usesRbac } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Result of the first writes. */
export interface FirstObjects {
  /** Whether the whole bootstrap policy was just written, so that it need not be compared. */
  readonly isSeeded: boolean
  /** Stored forms that the build has made. */
  readonly prepared: Preparation
}

const CHECK_MS = 60_000

/**
 * Writes the system namespaces and, to an empty store, the bootstrap policy. Repairs allocations. Namespaces that are
 * deleted are made again within a minute.
 */
export const firstObjects = (settings: Settings) => {
  const { options, clock, log } = settings
  return component({
    name: 'firstObjects',
    needs: ['api', 'admission'],
    async start({ api }) {
      const rbac = usesRbac(options.authorization)
      const prepared = takesPrepared(settings, api) ? preparation(api.v) : () => null
      const [isSeeded] = await Promise.all([
        writeFirstObjects(api, { rbac, prepared }),
        repairAllocations(api),
      ])
      const check = () =>
        ensureSystemNamespaces(api).catch((error: unknown) =>
          log.warn('a system namespace cannot be created', { error: String(error) }),
        )
      return { part: { isSeeded, prepared }, stop: every(clock, CHECK_MS, () => void check()) }
    },
  })
}

/**
 * Whether the first objects would come out as the build made them: nothing looks at own writes, and no plugin of the
 * operator's choice.
 */
const takesPrepared = ({ inside, options }: Settings, { ownWrites }: Api): boolean =>
  inside.plainWrites === undefined &&
  ownWrites === undefined &&
  PLUGIN_OPTIONS.every((name) => options[name] === undefined || options[name].length === 0)

const PLUGIN_OPTIONS = [
  ...(['admission', 'enableAdmissionPlugins', 'disableAdmissionPlugins'] as const),
  ...(['admissionControl', 'admissionConfigFile'] as const),
]
