import { parseQuantity, sign } from '../../../base/quantity.ts'
import type { FieldErrors } from '../../../meta/field-errors.ts'
import { home, t } from '../../../notation/shape.ts'
import { needRelativePath, needText, refuseSteps } from './paths.ts'

const { shape } = home('core/v1')

/** A directory that is initially empty and is deleted together with the pod. */
export class EmptyDirVolumeSource extends shape({
  /**
   * Storage medium of the directory: empty for the disk of the node, `Memory`, `HugePages` or
   * `HugePages-<size>`. Defaults to empty.
   */
  medium: t.string(1),
  /**
   * Maximum amount of storage for the directory. For the medium `Memory` the memory limits of the
   * pod also apply. Unset means no limit.
   */
  sizeLimit: t.quantity(2).explicit(),
}) {}

/**
 * A file or directory of the node, mounted into the pod. Exposes the node to the pod; use it with
 * caution.
 */
export class HostPathVolumeSource extends shape({
  /** Path on the node, without `..`. A symbolic link is followed. Required. */
  path: t.string(1).required(),
  /**
   * Check before mounting: `Directory`, `File`, `Socket`, `CharDevice` and `BlockDevice` must
   * exist; `DirectoryOrCreate` and `FileOrCreate` create a missing path. Empty, the default,
   * performs no check.
   */
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

/**
 * Deprecated: a clone of a git repository. Clone into an `emptyDir` volume in an init container
 * instead.
 */
export class GitRepoVolumeSource extends shape({
  /** URL of the git repository. Required. */
  repository: t.string(1).required(),
  /** Commit to check out. Empty means the default branch. */
  revision: t.string(2),
  /**
   * Directory to clone into, relative to the volume and without `..`. `.` is the volume itself;
   * empty means a subdirectory with the name of the repository.
   */
  directory: t.string(3),
}) {}

/**
 * A disk, partition or directory that is attached to one node. Requires node affinity of the
 * persistent volume.
 */
export class LocalVolumeSource extends shape({
  /** Path of the directory or block device on the node, without `..`. Required. */
  path: t.string(1).required(),
  /** File system type to create on a block device. Unset lets the node choose one. */
  fsType: t.string(2).explicit(),
}) {}

/** Validates an empty directory; reports to `errors`. */
export function validateEmptyDir(source: EmptyDirVolumeSource, errors: FieldErrors): void {
  if (source.sizeLimit !== undefined && sign(parseQuantity(source.sizeLimit)) < 0) {
    errors.at('sizeLimit').forbidden('SizeLimit field must be a valid resource quantity')
  }
}

/** Validates a path of the node; reports to `errors`. */
export function validateHostPath(source: HostPathVolumeSource, errors: FieldErrors): void {
  const at = errors.at('path')
  if (source.path === '') at.required()
  else refuseSteps(source.path, at)
}

/** Validates a git repository; reports to `errors`. */
export function validateGitRepo(source: GitRepoVolumeSource, errors: FieldErrors): void {
  needText(source.repository, errors.at('repository'))
  needRelativePath(source.directory ?? '', errors.at('directory'))
}

/**
 * Validates a disk of one node; reports to `errors`. The node affinity that it needs is checked by
 * the spec.
 */
export function validateLocal(source: LocalVolumeSource, errors: FieldErrors): void {
  const at = errors.at('path')
  if (source.path === '') at.required()
  else refuseSteps(source.path, at)
}
