import { home, t } from '../../../schema/shape.ts'

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
