import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1123Subdomain } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import {
  PersistentVolumeSpec,
  validatePersistentVolumeSpec,
} from '../core/volumes/persistent-volume-spec.ts'
import { validateCsiDriverName } from '../core/volumes/plug-ins.ts'

const { kind, shape } = group('storage{api}/v1')

/** Volume to attach. Exactly one field must be set. */
export class VolumeAttachmentSource extends shape({
  /** Name of the PersistentVolume to attach. */
  persistentVolumeName: t.string(1).explicit(),
  /**
   * Specification of an inline volume that was migrated from an in-tree plugin to CSI. Only the CSI source is allowed
   * in it.
   */
  inlineVolumeSpec: t.object(2, PersistentVolumeSpec).explicit(),
}) {}

/** Volume, node and CSI driver of an attachment. */
export class VolumeAttachmentSpec extends shape({
  /** Name of the CSI driver that attaches the volume. Immutable. */
  attacher: t.string(1).required(),
  /** Volume to attach. Immutable. */
  source: t.object(2, VolumeAttachmentSource).required(),
  /** Name of the node that the volume is attached to. Immutable. */
  nodeName: t.string(3).required(),
}) {}

/** Error of an attach or detach operation. */
export class VolumeError extends shape({
  /** Time at which the error occurred. */
  time: t.time(1),
  /** Details of the error, at most 1024 bytes. It may be logged and must not contain secrets. */
  message: t.string(2),
}) {}

/** Result of attaching a volume, reported by the CSI driver. */
export class VolumeAttachmentStatus extends shape({
  /** True if the volume is attached. Set only by the component that attaches it. */
  attached: t.bool(1).required(),
  /**
   * Data from the attach operation that is passed on when the volume is mounted. Set only by the component that
   * attaches it.
   */
  attachmentMetadata: t.map(2, 'string'),
  /** Last error of the attach operation, if any. */
  attachError: t.object(3, VolumeError).explicit(),
  /** Last error of the detach operation, if any. */
  detachError: t.object(4, VolumeError).explicit(),
}) {}

/** A VolumeAttachment requests that a volume is attached to a node and reports the result. */
export class VolumeAttachment extends kind({
  /** Desired attachment of the volume. Immutable. */
  spec: t.object(2, VolumeAttachmentSpec).required(),
  /** Most recently observed state. Set by the CSI attacher; read-only for users. */
  status: t.object(3, VolumeAttachmentStatus),
}) {}

const MAX_METADATA_BYTES = 262_144
const MAX_MESSAGE_BYTES = 1024

function validate(
  attachment: VolumeAttachment,
  errors: FieldErrors,
  c: Parameters<typeof validatePersistentVolumeSpec>[3],
): void {
  const { spec, status } = attachment
  const at = errors.at('spec')
  if (spec.attacher === '') at.at('attacher').required()
  at.at('nodeName').invalidAll(spec.nodeName, isDns1123Subdomain(spec.nodeName))
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = spec.source
  const source = at.at('source')
  if (inline === undefined && name === undefined) {
    source.required('must specify exactly one of inlineVolumeSpec and persistentVolumeName')
  } else if (inline !== undefined && name !== undefined) {
    source.forbidden('must specify exactly one of inlineVolumeSpec and persistentVolumeName')
  } else if (name === '') {
    source.at('persistentVolumeName').required('must specify non empty persistentVolumeName')
  } else if (inline !== undefined) {
    validatePersistentVolumeSpec(
      inline,
      attachment.metadata.name ?? '',
      source.at('inlineVolumeSpec'),
      c,
      {
        inline: true,
      },
    )
  }
  const state = errors.at('status')
  const bytes = Object.entries(status.attachmentMetadata ?? {}).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
  if (bytes > MAX_METADATA_BYTES) state.at('attachmentMetadata').tooLong(MAX_METADATA_BYTES)
  for (const part of ['attachError', 'detachError'] as const) {
    if (Buffer.byteLength(status[part]?.message ?? '') > MAX_MESSAGE_BYTES) {
      state.at(part, 'message').tooLong(MAX_MESSAGE_BYTES)
    }
  }
}

export const volumeAttachments = resource<VolumeAttachment>(VolumeAttachment, {
  plural: 'volumeattachments',
  scope: 'cluster',
  needsVersionOnUpdate: true,
  columns: [
    nameColumn,
    column('Attacher', 'string', (a) => a.spec.attacher, {
      format: 'name',
      description: 'CSI driver that attaches the volume.',
    }),
    column('PV', 'string', (a) => a.spec.source.persistentVolumeName ?? '', {
      description: 'Name of the PersistentVolume.',
    }),
    column('Node', 'string', (a) => a.spec.nodeName, {
      description: 'Node that the volume is attached to.',
    }),
    column('Attached', 'boolean', (a) => a.status.attached, {
      description: 'Whether the volume is attached.',
    }),
    ageColumn,
  ],

  subresources: {
    status: part('status', {
      unowned: ['metadata', 'spec'],
      prepareForUpdate(next, old) {
        // Only the component that attaches the volume reports the status.
        for (const name of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
          if (old.metadata[name] === undefined) delete next.metadata[name]
          else Object.assign(next.metadata, { [name]: old.metadata[name] })
        }
      },
      validate,
    }),
  },

  prepareForCreate(attachment) {
    attachment.status = { attached: false }
  },
  // Stricter rules for new objects; stored ones may predate them.
  validate(attachment, errors, c, old) {
    validate(attachment, errors, c)
    if (old) return
    const { attacher, source } = attachment.spec
    if (attacher !== '') validateCsiDriverName(attacher, errors.at('spec', 'attacher'))
    const { persistentVolumeName: name } = source
    if (name !== undefined && name !== '') {
      errors.at('spec', 'source', 'persistentVolumeName').invalidAll(name, isDns1123Subdomain(name))
    }
  },
  validateUpdate(next, old, errors) {
    errors.at('spec').immutable(next.spec, old.spec)
  },
})
