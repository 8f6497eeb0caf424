import type { Volume } from './volume.ts'

const OUT_OF_USE = 'deprecated in v1.22, non-functional in v1.25+'

const TEXTS: Readonly<Partial<Record<keyof Volume, readonly [name: string, text: string]>>> = {
  photonPersistentDisk: ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  gitRepo: ['gitRepo', 'deprecated in v1.11'],
  scaleIO: ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  flocker: ['flocker', OUT_OF_USE],
  storageos: ['storageOS', OUT_OF_USE],
  quobyte: ['quobyte', OUT_OF_USE],
  glusterfs: [
    'glusterfs',
    'deprecated in v1.25, this feature will be removed soon after in a subsequent release',
  ],
}

function isOutOfUse(volume: Volume): boolean {
  for (const member in volume) if (Object.hasOwn(TEXTS, member)) return true
  return false
}

/** Warnings about volumes with deprecated sources; `path` is that of the list. */
export function volumeWarnings(volumes: readonly Volume[] | undefined, path: string): string[] {
  const warnings: string[] = []
  volumes?.forEach((volume, i) => {
    if (!isOutOfUse(volume)) return
    for (const [member, [name, text]] of Object.entries(TEXTS)) {
      if (volume[member as keyof Volume] !== undefined)
        warnings.push(`${path}[${i}].${name}: ${text}`)
    }
  })
  return warnings
}
