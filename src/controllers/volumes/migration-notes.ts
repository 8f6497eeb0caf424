/** Annotations that name the driver which does the work of the plugin that a volume is provisioned by. */
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { migratedProvisioner } from '../attach-detach/migrated-volumes.ts'

/** Decides which plugins have been replaced. */
export interface Migrations {
  readonly v: Vocabulary
  readonly gate: (name: string) => boolean
}

type Annotations = Readonly<Record<string, string>>

/** The annotations of a claim with the driver of its provisioner; null: they are right. */
export const notedClaim = ({ metadata }: PersistentVolumeClaim, migrations: Migrations) =>
  noted(metadata.annotations, migrations, [
    'volume.{label}/storage-provisioner',
    'volume.beta.{label}/storage-provisioner',
  ])

/** The same of a volume that was provisioned. */
export const notedVolume = ({ metadata }: PersistentVolume, migrations: Migrations) =>
  noted(metadata.annotations, migrations, ['pv.{label}/provisioned-by'])

function noted(
  annotations: Annotations = {},
  migrations: Migrations,
  names: readonly string[],
): Annotations | null {
  const { v } = migrations
  const name = names.map((one) => v.resolve(one)).find((one) => Object.hasOwn(annotations, one))
  if (name === undefined) return null
  const { [v.resolve('pv.{label}/migrated-to')]: before, ...others } = annotations
  const driver = migratedProvisioner(annotations[name]!, migrations)
  if ((before ?? null) === driver) return null
  return driver === null ? others : { ...others, [v.resolve('pv.{label}/migrated-to')]: driver }
}
