import type { Container } from './container.ts'
import type { EphemeralContainer } from './ephemeral-container.ts'
import type { PodSpec } from './pod-spec.ts'

/** A container of any of the three lists. */
export type AnyContainer = Container | EphemeralContainer

/** A container and where it is. */
export interface PlacedContainer {
  readonly list: 'initContainers' | 'containers' | 'ephemeralContainers'
  readonly index: number
  readonly container: AnyContainer
}

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const

/** All containers of a pod: the init ones first, the ephemeral ones last. */
export function allContainers(spec: PodSpec): PlacedContainer[] {
  const all: PlacedContainer[] = []
  for (const list of LISTS) {
    const containers: readonly AnyContainer[] = spec[list] ?? []
    for (let index = 0; index < containers.length; index++) {
      all.push({ list, index, container: containers[index]! })
    }
  }
  return all
}
