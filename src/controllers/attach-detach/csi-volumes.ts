import { createHash } from 'node:crypto'
import type { Lister } from '../../client/informer.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeSpec } from '../../kinds/core/volumes/persistent-volume-spec.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { CSIDriver } from '../../kinds/storage/csi-driver.ts'
import type { CSINode } from '../../kinds/storage/csi-node.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { ephemeralClaimName, isControlledBy } from '../pod-claims.ts'
import { inlineVolume, migratedVolume, zoneOf, type MigratedFrom } from './migrated-volumes.ts'

type PodVolume = NonNullable<Pod['spec']['volumes']>[number]

/** A volume of a CSI driver. */
export interface CsiVolume {
  /** Unique name, as the status of nodes has it. */
  readonly id: string
  readonly driver: string
  readonly handle: string
  /** Name of the persistent volume. */
  readonly name: string
  /** Whether it can be attached to one node only. */
  readonly isExclusive: boolean
  /** The plugin that it was for; null: it is of CSI from the start. */
  readonly from: MigratedFrom | null
  /** The inline spec that the attacher gets for a volume without a persistent volume; null: it has one. */
  readonly inline: PersistentVolumeSpec | null
}

/** Unique names of CSI volumes begin with this. */
export const csiPrefix = (v: Vocabulary): string => v.resolve('{label}/csi/')

/** Driver and handle of a unique name; null: it is no CSI volume. */
export function partsOf(id: string, v: Vocabulary): Pick<CsiVolume, 'driver' | 'handle'> | null {
  const prefix = csiPrefix(v)
  const at = id.indexOf('^')
  if (!id.startsWith(prefix) || at < 0) return null
  return { driver: id.slice(prefix.length, at), handle: id.slice(at + 1) }
}

/** Name of the VolumeAttachment of a volume on a node. */
export const attachmentName = (
  { driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>,
  node: string,
): string => `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`

/** The CSI volume that a persistent volume is; null: it is of another kind. */
export function csiVolumeOf({ metadata, spec }: PersistentVolume, v: Vocabulary): CsiVolume | null {
  const { csi, accessModes } = spec
  const name = metadata.name ?? ''
  if (csi) {
    const { driver, volumeHandle: handle } = csi
    return volumeOf({ driver, handle, name, from: null, inline: null }, accessModes, v)
  }
  const migrated = migratedVolume(spec, zoneOf(metadata.labels, v), v)
  return migrated && volumeOf({ ...migrated, name, inline: null }, accessModes, v)
}

/** The volume that a pod names without a claim; null: one that is not attached. */
export function inlineCsiVolume(volume: PodVolume, v: Vocabulary): CsiVolume | null {
  const found = inlineVolume(volume, v)
  if (!found) return null
  const { name, spec, of } = found
  return volumeOf({ ...of, name, inline: spec }, spec.accessModes, v)
}

function volumeOf(
  parts: Omit<CsiVolume, 'id' | 'isExclusive'>,
  accessModes: readonly string[] = [],
  v: Vocabulary,
): CsiVolume {
  const isShared = accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')
  const id = `${csiPrefix(v)}${parts.driver}^${parts.handle}`
  return { ...parts, id, isExclusive: accessModes.length > 0 && !isShared }
}

/** Objects that decide which volumes a pod has. */
export interface VolumeSources {
  readonly v: Vocabulary
  readonly claims: Lister<PersistentVolumeClaim>
  readonly volumes: Lister<PersistentVolume>
  readonly drivers: Lister<CSIDriver>
  readonly csiNodes: Lister<CSINode>
  readonly gate: (name: string) => boolean
}

/** Name of the claim of a volume of a pod; null: it has none. */
export const claimNameOf = (pod: Pod, volume: PodVolume): string | null =>
  volume.ephemeral
    ? ephemeralClaimName(pod, volume)
    : (volume.persistentVolumeClaim?.claimName ?? null)

/** What is to be attached for a volume of a pod. `null`: nothing; `undefined`: not known yet. */
export function attachedBy(
  pod: Pod,
  volume: PodVolume,
  sources: VolumeSources,
): CsiVolume | null | undefined {
  const found = foundBy(pod, volume, sources)
  if (!found) return found
  const { drivers } = sources
  if (found.from && !isMigrated(found.from, pod.spec.nodeName ?? '', sources)) return null
  return drivers.get('', found.driver)?.spec.attachRequired === false ? null : found
}

/** Whether the agent of a node has the driver in the place of a plugin. */
function isMigrated(
  { plugin, gate: name }: MigratedFrom,
  node: string,
  { v, csiNodes, gate }: VolumeSources,
): boolean {
  const { annotations = {} } = csiNodes.get('', node)?.metadata ?? {}
  const key = v.resolve('storage.alpha.{label}/migrated-plugins')
  const plugins = Object.hasOwn(annotations, key) ? annotations[key]!.split(',') : []
  return gate(name) && plugins.includes(plugin)
}

function foundBy(
  pod: Pod,
  volume: PodVolume,
  { v, claims, volumes }: VolumeSources,
): CsiVolume | null | undefined {
  const claimName = claimNameOf(pod, volume)
  if (claimName === null) return inlineCsiVolume(volume, v)
  const claim = claims.get(pod.metadata.namespace ?? '', claimName)
  if (!claim || claim.status.phase !== 'Bound') return undefined
  if (volume.ephemeral && !isControlledBy(claim, pod)) return undefined
  const found = volumes.get('', claim.spec.volumeName ?? '')
  if (!found || found.spec.claimRef?.uid !== claim.metadata.uid) return undefined
  return csiVolumeOf(found, v)
}
