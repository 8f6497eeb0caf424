import { debugList } from '../../meta/debug-text.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind, shape } = group('storage{api}/v1')

/** Service account token that the node agent passes to the CSI driver. */
export class TokenRequest extends shape({
  /** Intended audience of the token, unique in the list. Empty means the audiences of the API server. */
  audience: t.string(1).required(),
  /** Requested lifetime of the token in seconds, 600 to 4294967296. Defaults to 3600. */
  expirationSeconds: t.int64(2).explicit(),
}) {}

/** Capabilities of a CSI driver and how the cluster uses it. */
export class CSIDriverSpec extends shape({
  /**
   * True if volumes must be attached to the node before they are mounted, which requires an attacher. Defaults to true.
   * Immutable.
   */
  attachRequired: t.bool(1).explicit().default(true),
  /**
   * If true, name, namespace, UID and service account of the pod are passed to the driver when a volume is mounted.
   * Defaults to false. Immutable.
   */
  podInfoOnMount: t.bool(2).explicit().default(false),
  /**
   * Lifecycle modes of volumes that the driver supports: `Persistent` for persistent volumes, `Ephemeral` for inline
   * volumes of pods. Defaults to `Persistent`. Immutable.
   */
  volumeLifecycleModes: t.list(3, 'string').set().default(['Persistent']),
  /**
   * If true, the scheduler considers the storage capacity that the driver publishes in CSIStorageCapacity objects.
   * Defaults to false.
   */
  storageCapacity: t.bool(4).explicit().default(false),
  /**
   * When the file system group of the pod is applied to volumes: `ReadWriteOnceWithFSType`, `File` for always or `None`
   * for never. Defaults to `ReadWriteOnceWithFSType`. Immutable.
   */
  fsGroupPolicy: t.string(5).explicit().default('ReadWriteOnceWithFSType'),
  /** Service account tokens of the pod that are passed to the driver when a volume is mounted. */
  tokenRequests: t.list(6, TokenRequest).atomic(),
  /**
   * If true, volumes are republished periodically so that the driver can update the mounted content. Defaults to false.
   */
  requiresRepublish: t.bool(7).explicit().default(false),
  /**
   * True if the driver supports mounting volumes with an SELinux context. Dropped unless the feature gate
   * SELinuxMountReadWriteOncePod is enabled.
   */
  seLinuxMount: t.bool(8).explicit(),
}) {}

/** A CSIDriver describes a CSI storage driver in the cluster. Its name is the name that the driver reports. */
export class CSIDriver extends kind({
  /** Desired handling of the driver by the cluster. */
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
      description: 'Whether volumes must be attached before mounting.',
    }),
    column('PodInfoOnMount', 'boolean', (d) => d.spec.podInfoOnMount ?? false, {
      description: 'Whether pod information is passed to the driver on mount.',
    }),
    column('StorageCapacity', 'boolean', (d) => d.spec.storageCapacity ?? false, {
      description: 'Whether the driver publishes storage capacity.',
    }),
    column(
      'TokenRequests',
      'string',
      (d) => d.spec.tokenRequests?.map((token) => token.audience).join(',') ?? '<unset>',
      { description: 'Audiences of the tokens passed to the driver on mount.' },
    ),
    column('RequiresRepublish', 'boolean', (d) => d.spec.requiresRepublish ?? false, {
      description: 'Whether volumes are republished periodically.',
    }),
    column('Modes', 'string', (d) => (d.spec.volumeLifecycleModes ?? []).join(',') || '<none>', {
      description: 'Volume lifecycle modes that the driver supports.',
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
