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

/** What is to be attached; exactly one of these. */
export class VolumeAttachmentSource extends shape({
  /** Name of a persistent volume. */
  persistentVolumeName: t.string(1).explicit(),
  /** A volume that is no object of its own; for volumes that moved from built-in drivers. */
  inlineVolumeSpec: t.object(2, PersistentVolumeSpec).explicit(),
}) {}

/** A wish to attach a volume to a node. */
export class VolumeAttachmentSpec extends shape({
  /** Driver that must do it. */
  attacher: t.string(1).required(),
  /** What is to be attached. */
  source: t.object(2, VolumeAttachmentSource).required(),
  /** Node that it is to be attached to. */
  nodeName: t.string(3).required(),
}) {}

/** What went wrong, and when. */
export class VolumeError extends shape({
  /** When it went wrong. */
  time: t.time(1),
  /** What went wrong; nothing that others may not see. */
  message: t.string(2),
}) {}

/** How attaching goes. */
export class VolumeAttachmentStatus extends shape({
  /** Whether the volume is attached; only whoever attaches it says so. */
  attached: t.bool(1).required(),
  /** What mounting needs to know of the attachment. */
  attachmentMetadata: t.map(2, 'string'),
  /** Last failure to attach. */
  attachError: t.object(3, VolumeError).explicit(),
  /** Last failure to detach. */
  detachError: t.object(4, VolumeError).explicit(),
}) {}

/** A volume that is, or is to be, attached to a node. */
export class VolumeAttachment extends kind({
  /** What is wanted; it cannot change. */
  spec: t.object(2, VolumeAttachmentSpec).required(),
  /** How it goes; kept by the driver. */
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

export const volumeAttachments = resource(VolumeAttachment, {
  plural: 'volumeattachments',
  scope: 'cluster',
  needsVersionOnUpdate: true,
  columns: [
    nameColumn,
    column('Attacher', 'string', (a) => a.spec.attacher, {
      format: 'name',
      description: 'Driver that attaches the volume.',
    }),
    column('PV', 'string', (a) => a.spec.source.persistentVolumeName ?? '', {
      description: 'Volume.',
    }),
    column('Node', 'string', (a) => a.spec.nodeName, { description: 'Node it is attached to.' }),
    column('Attached', 'boolean', (a) => a.status.attached, {
      description: 'Whether it is attached.',
    }),
    ageColumn,
  ],

  subresources: {
    status: part('status', {
      unowned: ['metadata', 'spec'],
      prepareForUpdate(next, old) {
        // Whoever attaches says how it goes, and nothing else.
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
  // The stricter rules of a new object: stored ones may be older than they are.
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
