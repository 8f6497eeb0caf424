import type { StoredObject } from './stored-object.ts'

const SLAB_BYTES = 1 << 20

/**
 * A block of memory outside the JavaScript heap that versions are copied into. Written once, never reused: a slice of
 * it stays valid as long as it is referenced.
 */
export class Slab {
  readonly memory: Buffer
  /** Versions in this slab, to move them when few are left. */
  readonly versions: StoredObject[] = []
  used = 0
  /** Bytes of live versions. */
  live = 0
  constructor(bytes: number) {
    // Not from the shared pool: a small slice would retain all of it.
    this.memory = Buffer.allocUnsafeSlow(bytes)
  }
}

/**
 * Allocates space for versions. When less than a quarter of a full slab is live, its versions move to the current slab,
 * so that memory use follows the stored data.
 */
export class Slabs {
  #current = new Slab(SLAB_BYTES)
  /** Bytes of all slabs with live versions. */
  bytes = SLAB_BYTES

  /** Reserves `bytes` for a version and returns their place. */
  reserve(version: StoredObject, bytes: number): { slab: Slab; at: number } {
    let slab = this.#current
    if (bytes > SLAB_BYTES / 4) {
      slab = new Slab(bytes)
      this.bytes += bytes
    } else if (slab.used + bytes > slab.memory.length) {
      const sealed = slab
      slab = this.#current = new Slab(SLAB_BYTES)
      this.bytes += SLAB_BYTES
      this.#afterRelease(sealed)
    }
    const at = slab.used
    slab.used += bytes
    slab.live += bytes
    slab.versions.push(version)
    return { slab, at }
  }

  /** Frees the space of a version. */
  release(version: StoredObject): void {
    const slab = version.slab
    if (!slab || version.released) return
    version.released = true
    slab.live -= version.bytes
    if (slab !== this.#current) this.#afterRelease(slab)
  }

  #afterRelease(slab: Slab): void {
    if (slab.live === 0) {
      this.bytes -= slab.memory.length
      slab.versions.length = 0
      return
    }
    if (slab.live * 4 > slab.memory.length || slab.memory.length > SLAB_BYTES) return
    const moving = slab.versions.filter((v) => !v.released && v.slab === slab)
    slab.versions.length = 0
    slab.live = 0
    this.bytes -= slab.memory.length
    for (const version of moving) {
      const from = version.start
      const bytes = version.bytes
      const to = this.reserve(version, bytes)
      slab.memory.copy(to.slab.memory, to.at, from, from + bytes)
      version.slab = to.slab
      version.start = to.at
    }
  }
}
