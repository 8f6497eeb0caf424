import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isPortName, isPortNumber } from '../../../meta/names.ts'
import { needRelativePath, needText, refuseSteps } from '../volumes/paths.ts'
import type { Volume } from '../volumes/volume.ts'
import type { Container } from './container.ts'
import type { ContainerPort, VolumeDevice, VolumeMount } from './container-parts.ts'

/** Validates a container's ports; reports to `errors`. */
export function validatePorts(ports: readonly ContainerPort[], errors: FieldErrors): void {
  const names = new Set<string>()
  ports.forEach((port, i) => {
    const at = errors.at(i)
    if (port.name !== undefined) validatePortName(port.name, names, at.at('name'))
    const { containerPort, hostPort } = port
    if (containerPort === 0) at.at('containerPort').required()
    else at.at('containerPort').invalidAll(containerPort, isPortNumber(containerPort))
    if (hostPort !== undefined) at.at('hostPort').invalidAll(hostPort, isPortNumber(hostPort))
    needText(port.protocol, at.at('protocol'))
  })
}

function validatePortName(name: string, names: Set<string>, errors: FieldErrors): void {
  const messages = isPortName(name)
  if (messages.length > 0) errors.invalidAll(name, messages)
  else if (names.has(name)) errors.duplicate(name)
  else names.add(name)
}

/**
 * Host ports are unique among containers that run concurrently; reports to `errors`. `first` is the index of the first
 * container.
 */
export function validateHostPorts(
  containers: readonly { readonly ports?: readonly ContainerPort[] }[],
  errors: FieldErrors,
  first = 0,
): void {
  // Most pods have none.
  let taken: Set<string> | null = null
  for (const [at, { ports }] of containers.entries()) {
    if (!ports) continue
    for (const [i, { protocol, hostIP = '', hostPort }] of ports.entries()) {
      if (!hostPort) continue
      const key = `${protocol ?? ''}/${hostIP}/${hostPort}`
      taken ??= new Set()
      if (taken.has(key)) errors.at(first + at, 'ports', i, 'hostPort').duplicate(key)
      taken.add(key)
    }
  }
}

/** On the host network, host ports equal container ports; reports to `errors`. */
export function validateHostNetworkPorts(
  containers: readonly Container[],
  errors: FieldErrors,
): void {
  containers.forEach(({ ports = [] }, i) => {
    ports.forEach(({ containerPort, hostPort = 0 }, j) => {
      if (hostPort === containerPort) return
      errors
        .at(i, 'ports', j, 'containerPort')
        .invalid(containerPort, 'must match `hostPort` when `hostNetwork` is true')
    })
  })
}

/** Volumes of the pod by name, as mounts and devices refer to them. */
export type Volumes = ReadonlyMap<string, Volume>

type Mounting = Pick<Container, 'volumeMounts' | 'volumeDevices' | 'securityContext'>

/** Validates volume mounts and devices; `errors` is that of the container. */
export function validateMounting(container: Mounting, volumes: Volumes, errors: FieldErrors): void {
  const { volumeMounts = [], volumeDevices = [] } = container
  const privileged = container.securityContext?.privileged === true
  if (volumeMounts.length > 0)
    validateMounts(volumeMounts, volumeDevices, volumes, privileged, errors.at('volumeMounts'))
  if (volumeDevices.length > 0)
    validateDevices(volumeDevices, volumeMounts, volumes, errors.at('volumeDevices'))
}

function validateMounts(
  mounts: readonly VolumeMount[],
  devices: readonly VolumeDevice[],
  volumes: Volumes,
  privileged: boolean,
  errors: FieldErrors,
): void {
  const paths = new Set<string>()
  mounts.forEach((mount, i) => {
    const { name, mountPath, subPath, subPathExpr } = mount
    const at = errors.at(i)
    if (name === '') at.at('name').required()
    else if (!volumes.has(name)) at.at('name').notFound(name)
    if (mountPath === '') at.at('mountPath').required()
    else if (paths.has(mountPath)) at.at('mountPath').invalid(mountPath, 'must be unique')
    paths.add(mountPath)
    if (devices.some((device) => device.name === name)) {
      at.at('name').invalid(name, 'must not already exist in volumeDevices')
    }
    if (devices.some((device) => device.devicePath === mountPath)) {
      at.at('mountPath').invalid(mountPath, 'must not already exist as a path in volumeDevices')
    }
    if (subPath !== undefined) needRelativePath(subPath, at.at('subPath'))
    if (subPathExpr !== undefined) {
      if (subPath !== undefined) {
        at.at('subPathExpr').invalid(subPathExpr, 'subPathExpr and subPath are mutually exclusive')
      }
      needRelativePath(subPathExpr, at.at('subPathExpr'))
    }
    validatePropagation(mount.mountPropagation, privileged, at.at('mountPropagation'))
  })
}

function validatePropagation(
  mode: string | undefined,
  privileged: boolean,
  errors: FieldErrors,
): void {
  if (mode === 'Bidirectional' && !privileged) {
    errors.forbidden('Bidirectional mount propagation is available only to privileged containers')
  }
}

function validateDevices(
  devices: readonly VolumeDevice[],
  mounts: readonly VolumeMount[],
  volumes: Volumes,
  errors: FieldErrors,
): void {
  const names = new Set<string>()
  const paths = new Set<string>()
  devices.forEach(({ name, devicePath }, i) => {
    const at = errors.at(i)
    const volume = volumes.get(name)
    if (name === '') at.at('name').required()
    if (names.has(name)) at.at('name').invalid(name, 'must be unique')
    if (!volume) {
      if (name !== '') at.at('name').notFound(name)
    } else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      at.at('name').invalid(
        name,
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      )
    }
    if (devicePath === '') at.at('devicePath').required()
    else if (paths.has(devicePath)) at.at('devicePath').invalid(devicePath, 'must be unique')
    else refuseSteps(devicePath, at.at('devicePath'))
    if (mounts.some((mount) => mount.mountPath === devicePath)) {
      at.at('devicePath').invalid(devicePath, 'must not already exist as a path in volumeMounts')
    }
    if (mounts.some((mount) => mount.name === name)) {
      at.at('name').invalid(name, 'must not already exist in volumeMounts')
    }
    if (name !== '') names.add(name)
    if (devicePath !== '') paths.add(devicePath)
  })
}
