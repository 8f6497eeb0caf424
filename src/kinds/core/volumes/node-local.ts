import { parseQuantity, sign } from '../../../base/quantity.ts'
import type { FieldErrors } from '../../../meta/field-errors.ts'
import { home, t } from '../../../notation/shape.ts'
import { needRelativePath, needText, refuseSteps } from './paths.ts'

const { shape } = home('core/v1')

/** A directory that is made for the pod, empty at first, and goes away with it. */
export class EmptyDirVolumeSource extends shape({
  /** What keeps the data: empty for the disk of the node, `Memory`, or `HugePages` with or without a page size. */
  medium: t.string(1),
  /** Most that may be stored; no limit when absent. */
  sizeLimit: t.quantity(2).explicit(),
}) {}

/** A file or directory of the node itself. */
export class HostPathVolumeSource extends shape({
  /** Path on the node; a link is followed. */
  path: t.string(1).required(),
  /** What must be there, or is made when it is not; empty: anything. */
  type: t
    .string(2)
    .explicit()
    .oneOf(
      '',
      'BlockDevice',
      'CharDevice',
      'Directory',
      'DirectoryOrCreate',
      'File',
      'FileOrCreate',
      'Socket',
    )
    .default(''),
}) {}

/** A clone of a git repository. Deprecated: clone in an init container into an empty directory. */
export class GitRepoVolumeSource extends shape({
  /** URL of the repository. */
  repository: t.string(1).required(),
  /** Commit to check out. */
  revision: t.string(2),
  /** Directory to clone into, relative to the volume; `.` is the volume itself. */
  directory: t.string(3),
}) {}

/** A disk or directory that is attached to one node for good. */
export class LocalVolumeSource extends shape({
  /** Path on the node, to a directory or a block device. */
  path: t.string(1).required(),
  /** File system to make on a block device; chosen by the node when absent. */
  fsType: t.string(2).explicit(),
}) {}

/** Rules of an empty directory, at `errors`. */
export function validateEmptyDir(source: EmptyDirVolumeSource, errors: FieldErrors): void {
  if (source.sizeLimit !== undefined && sign(parseQuantity(source.sizeLimit)) < 0) {
    errors.at('sizeLimit').forbidden('SizeLimit field must be a valid resource quantity')
  }
}

/** Rules of a path of the node, at `errors`. */
export function validateHostPath(source: HostPathVolumeSource, errors: FieldErrors): void {
  const at = errors.at('path')
  if (source.path === '') at.required()
  else refuseSteps(source.path, at)
}

/** Rules of a git repository, at `errors`. */
export function validateGitRepo(source: GitRepoVolumeSource, errors: FieldErrors): void {
  needText(source.repository, errors.at('repository'))
  needRelativePath(source.directory ?? '', errors.at('directory'))
}

/** Rules of a disk of one node, at `errors`; the node affinity that it needs is checked by the spec. */
export function validateLocal(source: LocalVolumeSource, errors: FieldErrors): void {
  const at = errors.at('path')
  if (source.path === '') at.required()
  else refuseSteps(source.path, at)
}
