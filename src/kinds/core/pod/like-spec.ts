import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type { Volume, VolumeOwner } from '../volumes/volume.ts'
import type { VolumeMount } from './container-parts.ts'
import type { Container } from './container.ts'
import type { PodSpec } from './pod-spec.ts'

/** Lists of a spec whose items are compared one by one; the others have to be the same. */
const LISTS: readonly string[] = ['containers', 'initContainers', 'volumes']
/** Members of containers that may differ. */
const CHANGING: readonly string[] = ['image', 'volumeMounts']
const NAME: readonly string[] = ['name']

/**
 * Whether a spec passes all rules since it is like one that did: it differs in nothing but images and the names of volumes, in
 * what is the very same part otherwise. That is what a new image changes, and what makes a pod another than the pods
 * made like it. False: the rules have to be asked, which also say what is wrong.
 */
export function passesLike(spec: PodSpec, before: PodSpec, pod: VolumeOwner): boolean {
  if (!differsOnlyIn(spec, before, LISTS)) return false
  // It may have been set after the rules were asked.
  const { serviceAccountName: account, volumes = [] } = spec
  if (account !== undefined && isDns1123Subdomain(account).length > 0) return false
  const isSame = spec.volumes === before.volumes
  if (!isSame && !areVolumesLike(volumes, before.volumes ?? [], pod)) return false
  const mountable = isSame ? null : volumes
  return (
    areContainersLike(spec.containers, before.containers, mountable) &&
    areContainersLike(spec.initContainers, before.initContainers, mountable)
  )
}

/** `pod`: names of claims are made of its name. */
function areVolumesLike(
  volumes: readonly Volume[],
  before: readonly Volume[],
  pod: VolumeOwner,
): boolean {
  if (volumes.length !== before.length) return false
  for (let i = 0; i < volumes.length; i++) {
    const volume = volumes[i]!
    if (volume.ephemeral && pod.name !== undefined) return false
    if (volume === before[i]) continue
    const { name } = volume
    if (!differsOnlyIn(volume, before[i]!, NAME) || isDns1123Label(name).length > 0) return false
    for (let j = 0; j < volumes.length; j++) if (j !== i && volumes[j]!.name === name) return false
  }
  return true
}

/** `mountable`: the volumes of the pod, where they are others than before. */
function areContainersLike(
  containers: readonly Container[] | undefined,
  before: readonly Container[] | undefined,
  mountable: readonly Volume[] | null,
): boolean {
  if (containers === before && !mountable) return true
  if (!containers || !before) return containers === before
  if (containers.length !== before.length) return false
  for (let i = 0; i < containers.length; i++)
    if (!isContainerLike(containers[i]!, before[i]!, mountable)) return false
  return true
}

function isContainerLike(
  container: Container,
  before: Container,
  mountable: readonly Volume[] | null,
): boolean {
  if (container !== before) {
    if (!differsOnlyIn(container, before, CHANGING) || !container.image) return false
  }
  const { volumeMounts: mounts, volumeDevices: devices } = container
  if (mounts === before.volumeMounts && !mountable) return true
  // Their rules ask for the names of mounts and for the volumes.
  if (devices && devices.length > 0) return false
  if (!mounts || !before.volumeMounts) return mounts === before.volumeMounts
  // The volumes are the same, and were looked at with those mounts only.
  return mountable !== null && areMountsLike(mounts, before.volumeMounts, mountable)
}

function areMountsLike(
  mounts: readonly VolumeMount[],
  before: readonly VolumeMount[],
  volumes: readonly Volume[],
): boolean {
  if (mounts.length !== before.length) return false
  for (let i = 0; i < mounts.length; i++) {
    const mount = mounts[i]!
    if (mount !== before[i] && !differsOnlyIn(mount, before[i]!, NAME)) return false
    if (!hasNamed(volumes, mount.name)) return false
  }
  return true
}

function hasNamed(volumes: readonly Volume[], name: string): boolean {
  for (const volume of volumes) if (volume.name === name) return true
  return false
}

/** Whether two objects have the same members, and all but some of them are the very same. */
function differsOnlyIn(a: object, b: object, changing: readonly string[]): boolean {
  const from = a as Readonly<Record<string, unknown>>
  const others = b as Readonly<Record<string, unknown>>
  let count = 0
  for (const name in from) {
    count++
    if (from[name] === others[name]) {
      if (from[name] === undefined && !Object.hasOwn(others, name)) return false
    } else if (!changing.includes(name) || !Object.hasOwn(others, name)) return false
  }
  for (const _ in others) count--
  return count === 0
}
