/** Volumes of pods, and sources of persistent volumes. */
import type { Page } from './page.ts'
import { UNSET } from './texts.ts'
import type { Value } from './value.ts'

type Fields = (source: Value) => readonly (readonly [name: string, value: string])[]

interface SourceKind {
  readonly type: string
  readonly fields: Fields
}

const readOnly = (source: Value) => ['ReadOnly', String(source.at('readOnly').isTrue)] as const
const texts =
  (...names: readonly (readonly [name: string, path: string])[]): Fields =>
  (source) =>
    names.map(([name, path]) => [name, source.textAt(path)] as const)

const SOURCES: Readonly<Record<string, SourceKind>> = {
  hostPath: {
    type: 'HostPath (bare host directory volume)',
    fields: texts(['Path', 'path'], ['HostPathType', 'type']),
  },
  emptyDir: {
    type: "EmptyDir (a temporary directory that shares a pod's lifetime)",
    fields: (source) => [
      ['Medium', source.textAt('medium')],
      ['SizeLimit', source.textAt('sizeLimit', UNSET)],
    ],
  },
  secret: {
    type: 'Secret (a volume populated by a Secret)',
    fields: (source) => [
      ['SecretName', source.textAt('secretName')],
      ['Optional', String(source.at('optional').isTrue)],
    ],
  },
  configMap: {
    type: 'ConfigMap (a volume populated by a ConfigMap)',
    fields: (source) => [
      ['Name', source.textAt('name')],
      ['Optional', String(source.at('optional').isTrue)],
    ],
  },
  persistentVolumeClaim: {
    type: 'PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)',
    fields: (source) => [['ClaimName', source.textAt('claimName')], readOnly(source)],
  },
  nfs: {
    type: 'NFS (an NFS mount that lasts the lifetime of a pod)',
    fields: (source) => [
      ['Server', source.textAt('server')],
      ['Path', source.textAt('path')],
      readOnly(source),
    ],
  },
  csi: {
    type: 'CSI (a Container Storage Interface (CSI) volume source)',
    fields: (source) => [
      ['Driver', source.textAt('driver')],
      ['FSType', source.textAt('fsType')],
      ...(source.at('volumeHandle').isSet
        ? [['VolumeHandle', source.textAt('volumeHandle')] as const]
        : []),
      readOnly(source),
    ],
  },
  local: {
    type: 'LocalVolume (a persistent volume backed by local storage on a node)',
    fields: texts(['Path', 'path']),
  },
}

/** What a source of a volume is called, and its fields. */
export function sourceOf(volume: Value): SourceKind & { readonly source: Value } {
  for (const [name, kind] of Object.entries(SOURCES))
    if (volume.at(name).isSet) return { ...kind, source: volume.at(name) }
  return { type: '<unknown>', fields: () => [], source: volume }
}

/** Adds the volumes of a pod or, one step to the right, of a template. */
export function addVolumes(page: Page, spec: Value, isTemplate: boolean): void {
  const volumes = spec.items('volumes')
  const depth = isTemplate ? 1 : 0
  if (volumes.length === 0) return void page.add(depth, 'Volumes:', '<none>')
  page.add(depth, 'Volumes:')
  for (const volume of volumes) {
    page.lines.push(`${isTemplate ? '   ' : '  '}${volume.textAt('name')}:`)
    if (volume.at('projected').isSet) addProjected(page, volume.at('projected'))
    else if (volume.at('downwardAPI').isSet) addDownward(page, volume.at('downwardAPI'))
    else if (volume.at('ephemeral').isSet) addEphemeral(page, volume.at('ephemeral'))
    else {
      const { type, fields, source } = sourceOf(volume)
      page.add(2, 'Type:', type).all(2, fields(source))
    }
  }
}

function addProjected(page: Page, source: Value): void {
  page.add(2, 'Type:', 'Projected (a volume that contains injected data from multiple sources)')
  for (const one of source.items('sources')) {
    const [secret, map, token] = ['secret', 'configMap', 'serviceAccountToken'].map((of) =>
      one.at(of),
    )
    const optional = (of: Value) => of.textAt('optional', '<nil>')
    if (secret!.isSet) {
      page.add(2, 'SecretName:', secret!.textAt('name'))
      page.add(2, 'SecretOptionalName:', optional(secret!))
    } else if (map!.isSet) {
      page.add(2, 'ConfigMapName:', map!.textAt('name'))
      page.add(2, 'ConfigMapOptional:', optional(map!))
    } else if (token!.isSet) {
      page.add(2, 'TokenExpirationSeconds:', token!.textAt('expirationSeconds'))
    } else if (one.at('downwardAPI').isSet) page.add(2, 'DownwardAPI:', 'true')
  }
}

function addDownward(page: Page, source: Value): void {
  page.add(2, 'Type:', 'DownwardAPI (a volume populated by information about the pod)')
  page.add(2, 'Items:')
  for (const item of source.items('items')) {
    const from = item.textAt('fieldRef.fieldPath') || item.textAt('resourceFieldRef.resource')
    page.add(3, `${from} -> ${item.textAt('path')}`)
  }
}

function addEphemeral(page: Page, source: Value): void {
  const template = source.at('volumeClaimTemplate')
  page.add(
    2,
    'Type:',
    'EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)',
  )
  page.add(2, 'StorageClass:', template.textAt('spec.storageClassName'))
  page.add(2, 'Volume:', template.textAt('spec.volumeName'))
  page.labels(2, template.at('metadata.labels'))
  page.annotations(2, template.at('metadata.annotations'))
}
