/** Claims that wait for a volume. */
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { classOf, couldTake, modeOf } from './volume-match.ts'

/** Claims by what they wait for: for one volume that becomes free not all of them are looked at again. */
export class WaitingClaims {
  readonly #v: Vocabulary
  readonly #waiting = new Map<string, PersistentVolumeClaim>()
  /** Keys of claims that name their volume, by its name. */
  readonly #named = new Map<string, Set<string>>()
  /** Keys of the others, by class and mode. */
  readonly #open = new Map<string, Set<string>>()

  constructor(v: Vocabulary) {
    this.#v = v
  }

  /** Keys of all of them. */
  keys(): Iterable<string> {
    return this.#waiting.keys()
  }

  /** Has a claim wait, in this state. `takesAny`: for any volume that fits it. */
  set(key: string, claim: PersistentVolumeClaim, takesAny: boolean): void {
    this.delete(key)
    const { volumeName = '' } = claim.spec
    if (volumeName !== '') put(this.#named, volumeName, key)
    else if (takesAny) put(this.#open, this.#openPlace(claim), key)
    this.#waiting.set(key, claim)
  }

  delete(key: string): void {
    const claim = this.#waiting.get(key)
    if (!claim) return
    this.#waiting.delete(key)
    const { volumeName = '' } = claim.spec
    if (volumeName !== '') take(this.#named, volumeName, key)
    else take(this.#open, this.#openPlace(claim), key)
  }

  /** Keys of the claims to look at because a volume is free: those that name it, and one that can take it. */
  call(volume: PersistentVolume): string[] {
    const named = this.#named.get(volume.metadata.name ?? '') ?? []
    const place = this.#openPlace(volume)
    const open = this.#open.get(place)
    for (const key of open ?? []) {
      if (!couldTake(volume, this.#waiting.get(key)!)) continue
      // The next volume is for another one; it waits again if it has got none.
      take(this.#open, place, key)
      return [...named, key]
    }
    return [...named]
  }

  #openPlace(of: PersistentVolume | PersistentVolumeClaim): string {
    return `${modeOf(of)} ${classOf(of, this.#v)}`
  }
}

type Places = Map<string, Set<string>>

function put(places: Places, name: string, key: string): void {
  const keys = places.get(name)
  if (keys) keys.add(key)
  else places.set(name, new Set([key]))
}

function take(places: Places, name: string, key: string): void {
  const keys = places.get(name)
  keys?.delete(key)
  if (keys?.size === 0) places.delete(name)
}
