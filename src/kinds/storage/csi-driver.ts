import { debugList } from '../../meta/debug-text.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind, shape } = group('storage{api}/v1')

/** A token that the driver gets for the pod it mounts for. */
export class TokenRequest extends shape({
  /** Whom the token is for; empty: the API server. */
  audience: t.string(1).required(),
  /** How long the token lives, seconds. */
  expirationSeconds: t.int64(2).explicit(),
}) {}

/** What a storage driver can do and wants. */
export class CSIDriverSpec extends shape({
  /** Whether volumes must be attached before they are mounted. */
  attachRequired: t.bool(1).explicit().default(true),
  /** Whether mounting is told about the pod. */
  podInfoOnMount: t.bool(2).explicit().default(false),
  /** Lives of volumes that the driver supports: their own, or the pod's. */
  volumeLifecycleModes: t.list(3, 'string').set().default(['Persistent']),
  /** Whether placing pods looks at the capacity that the driver publishes. */
  storageCapacity: t.bool(4).explicit().default(false),
  /** When the group of files is set on mounting. */
  fsGroupPolicy: t.string(5).explicit().default('ReadWriteOnceWithFSType'),
  /** Tokens that mounting gets. */
  tokenRequests: t.list(6, TokenRequest).atomic(),
  /** Whether mounted content is brought up to date by and by. */
  requiresRepublish: t.bool(7).explicit().default(false),
  /** Whether volumes can be mounted with a label for the security module. */
  seLinuxMount: t.bool(8).explicit(),
}) {}

/** A storage driver of the cluster; its name is the driver's. */
export class CSIDriver extends kind({
  /** What it can do and wants. */
  spec: t.object(2, CSIDriverSpec).required(),
}) {}

const MIN_SECONDS = 600
const MAX_SECONDS = 2 ** 32
const POLICIES = ['ReadWriteOnceWithFSType', 'File', 'None']
const MODES = ['Persistent', 'Ephemeral']
const GATE = 'SELinuxMountReadWriteOncePod'

export const csiDrivers = resource(CSIDriver, {
  plural: 'csidrivers',
  scope: 'cluster',
  needsVersionOnUpdate: true,
  columns: [
    nameColumn,
    column('AttachRequired', 'boolean', (d) => d.spec.attachRequired ?? true, {
      description: 'Whether volumes must be attached first.',
    }),
    column('PodInfoOnMount', 'boolean', (d) => d.spec.podInfoOnMount ?? false, {
      description: 'Whether mounting is told about the pod.',
    }),
    column('StorageCapacity', 'boolean', (d) => d.spec.storageCapacity ?? false, {
      description: 'Whether the driver publishes its capacity.',
    }),
    column(
      'TokenRequests',
      'string',
      (d) => d.spec.tokenRequests?.map((token) => token.audience).join(',') ?? '<unset>',
      { description: 'Audiences of the tokens that mounting gets.' },
    ),
    column('RequiresRepublish', 'boolean', (d) => d.spec.requiresRepublish ?? false, {
      description: 'Whether mounted content is brought up to date.',
    }),
    column('Modes', 'string', (d) => (d.spec.volumeLifecycleModes ?? []).join(',') || '<none>', {
      description: 'Lives of volumes that it supports.',
    }),
    ageColumn,
  ],

  prepareForCreate(driver, { gate }) {
    if (!gate(GATE)) delete driver.spec.seLinuxMount
  },

  prepareForUpdate(next, old, { gate }) {
    if (!gate(GATE) && old.spec.seLinuxMount === undefined) delete next.spec.seLinuxMount
    const changed = (['tokenRequests', 'requiresRepublish', 'seLinuxMount'] as const).some(
      (name) => !sameValue(next.spec[name], old.spec[name]),
    )
    if (changed) next.metadata.generation = raised(old.metadata)
  },

  validate({ spec }, errors) {
    const at = errors.at('spec')
    // As the reference writes it: the field is attachRequired, and clients compare the text.
    if (spec.attachRequired === undefined) at.at('attachedRequired').required()
    if (spec.podInfoOnMount === undefined) at.at('podInfoOnMount').required()
    if (spec.storageCapacity === undefined) at.at('storageCapacity').required()
    if (spec.fsGroupPolicy !== undefined && !POLICIES.includes(spec.fsGroupPolicy)) {
      at.at('fsGroupPolicy').notSupported(spec.fsGroupPolicy, POLICIES)
    }
    for (const mode of spec.volumeLifecycleModes ?? []) {
      if (!MODES.includes(mode)) at.at('volumeLifecycleModes').notSupported(mode, MODES)
    }
    const audiences = new Set<string>()
    for (const [i, { audience, expirationSeconds }] of (spec.tokenRequests ?? []).entries()) {
      const token = at.at('tokenRequests', i)
      if (audiences.has(audience)) token.at('audience').duplicate(audience)
      audiences.add(audience)
      if (expirationSeconds === undefined) continue
      if (expirationSeconds < MIN_SECONDS) {
        token
          .at('expirationSeconds')
          .invalid(expirationSeconds, 'may not specify a duration less than 10 minutes')
      }
      if (expirationSeconds > MAX_SECONDS) {
        token
          .at('expirationSeconds')
          .invalid(expirationSeconds, 'may not specify a duration larger than 2^32 seconds')
      }
    }
  },

  validateUpdate({ spec }, { spec: old }, errors) {
    const at = errors.at('spec')
    // As the reference writes it, see above.
    at.at('attachedRequired').immutable(spec.attachRequired, old.attachRequired)
    at.at('fsGroupPolicy').immutable(spec.fsGroupPolicy, old.fsGroupPolicy)
    at.at('podInfoOnMount').immutable(spec.podInfoOnMount, old.podInfoOnMount)
    at.at('volumeLifecycleModes').immutable(
      spec.volumeLifecycleModes,
      old.volumeLifecycleModes,
      (modes) => debugList('storage.VolumeLifecycleMode', modes),
    )
  },
})
