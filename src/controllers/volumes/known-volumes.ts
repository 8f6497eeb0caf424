/** The volumes of the cluster, found by what claims ask for. */
import { integerValue, parseQuantity } from '../../base/quantity.ts'
import { keyOf } from '../../client/transport.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { isTerminating } from '../finalizer.ts'
import { capacityOf, classOf, modeOf } from './volume-match.ts'

/** A free volume on its shelf. */
interface Shelved {
  readonly size: bigint
  readonly name: string
}

/** Free volumes that differ in nothing but size, name and labels, in order of size and name. */
interface Shelf {
  readonly accessModes: ReadonlySet<string>
  readonly volumes: Shelved[]
}

/** Volumes in their newest known state: what the controller wrote may be newer than what it has heard of. */
export class KnownVolumes {
  readonly #v: Vocabulary
  readonly #volumes = new Map<string, PersistentVolume>()
  /** Names of volumes by the claims that they name. */
  readonly #byClaim = new Map<string, Set<string>>()
  /** Free volumes by class and mode, and then by their access modes. */
  readonly #free = new Map<string, Map<string, Shelf>>()

  constructor(v: Vocabulary) {
    this.#v = v
  }

  get(name: string): PersistentVolume | null {
    return this.#volumes.get(name) ?? null
  }

  set(volume: PersistentVolume): void {
    const { name = '', uid } = volume.metadata
    const before = this.#volumes.get(name)
    if (before && before.metadata.uid === uid && revisionOf(before) > revisionOf(volume)) return
    this.delete(name)
    this.#volumes.set(name, volume)
    const { claimRef } = volume.spec
    if (claimRef) {
      const key = keyOf(claimRef.namespace ?? '', claimRef.name ?? '')
      const names = this.#byClaim.get(key)
      if (names) names.add(name)
      else this.#byClaim.set(key, new Set([name]))
    } else if (isFree(volume)) this.#shelve(volume)
  }

  delete(name: string): void {
    const volume = this.#volumes.get(name)
    if (!volume) return
    this.#volumes.delete(name)
    const { claimRef } = volume.spec
    if (claimRef) {
      const key = keyOf(claimRef.namespace ?? '', claimRef.name ?? '')
      const names = this.#byClaim.get(key)
      names?.delete(name)
      if (names?.size === 0) this.#byClaim.delete(key)
    } else if (isFree(volume)) this.#unshelve(volume)
  }

  /** Volumes that name a claim. */
  naming({ metadata }: PersistentVolumeClaim): PersistentVolume[] {
    const names = this.#byClaim.get(keyOf(metadata.namespace ?? '', metadata.name ?? ''))
    return [...(names ?? [])].flatMap((name) => this.#volumes.get(name) ?? [])
  }

  /** The smallest free volume of each set of access modes that is large enough for a claim, and has what `test` asks for. */
  free(
    claim: PersistentVolumeClaim,
    test: (volume: PersistentVolume) => boolean,
  ): PersistentVolume[] {
    const shelves = this.#free.get(this.#shelfKey(claim))
    if (!shelves) return []
    const wanted = integerValue(parseQuantity(claim.spec.resources.requests?.['storage'] ?? '0'))
    const modes = claim.spec.accessModes ?? []
    return [...shelves.values()].flatMap(({ accessModes, volumes }) => {
      if (!modes.every((mode) => accessModes.has(mode))) return []
      for (let at = firstAt(volumes, { size: wanted, name: '' }); at < volumes.length; at++) {
        const volume = this.#volumes.get(volumes[at]!.name)!
        if (test(volume)) return [volume]
      }
      return []
    })
  }

  #shelve(volume: PersistentVolume): void {
    const key = this.#shelfKey(volume)
    let shelves = this.#free.get(key)
    if (!shelves) this.#free.set(key, (shelves = new Map()))
    const modes = [...new Set(volume.spec.accessModes)].sort()
    let shelf = shelves.get(modes.join())
    if (!shelf) shelves.set(modes.join(), (shelf = { accessModes: new Set(modes), volumes: [] }))
    const one = shelved(volume)
    shelf.volumes.splice(firstAt(shelf.volumes, one), 0, one)
  }

  #unshelve(volume: PersistentVolume): void {
    const key = this.#shelfKey(volume)
    const shelves = this.#free.get(key)
    const modes = [...new Set(volume.spec.accessModes)].sort().join()
    const shelf = shelves?.get(modes)
    if (!shelves || !shelf) return
    shelf.volumes.splice(firstAt(shelf.volumes, shelved(volume)), 1)
    if (shelf.volumes.length === 0) shelves.delete(modes)
    if (shelves.size === 0) this.#free.delete(key)
  }

  #shelfKey(of: PersistentVolume | PersistentVolumeClaim): string {
    return `${modeOf(of)} ${classOf(of, this.#v)}`
  }
}

const isFree = (volume: PersistentVolume): boolean =>
  volume.status.phase === 'Available' && !isTerminating(volume)

const shelved = (volume: PersistentVolume): Shelved => ({
  size: integerValue(capacityOf(volume)),
  name: volume.metadata.name ?? '',
})

/** Where a volume is on its shelf, or would be. */
function firstAt(volumes: readonly Shelved[], { size, name }: Shelved): number {
  let [from, to] = [0, volumes.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const one = volumes[middle]!
    if (one.size < size || (one.size === size && one.name < name)) from = middle + 1
    else to = middle
  }
  return from
}

const revisionOf = ({ metadata }: PersistentVolume): bigint => BigInt(metadata.resourceVersion ?? 0)
