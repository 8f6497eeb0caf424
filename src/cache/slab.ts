import type { StoredObject } from './stored-object.ts'

const SLAB_BYTES = 1 << 20

/**
 * A stretch of memory outside the JavaScript heap that versions are copied into. Written once,
 * never reused: whoever holds a slice of it may send it at leisure.
 */
export class Slab {
  readonly memory: Buffer
  /** Versions that live here, for moving them out when few are left. */
  readonly versions: StoredObject[] = []
  used = 0
  /** Bytes that still count. */
  live = 0
  constructor(bytes: number) {
    // Not from the shared pool: a small slice of that would keep all of it.
    this.memory = Buffer.allocUnsafeSlow(bytes)
  }
}

/**
 * Hands out space for versions. When less than a quarter of a full slab still counts, what is left
 * moves to the current slab, so that memory follows what is stored.
 */
export class Slabs {
  #current = new Slab(SLAB_BYTES)
  /** Bytes of all slabs that hold something. */
  bytes = SLAB_BYTES

  /** Reserves `bytes` for a version and tells where. */
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

  /** A version no longer counts. */
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
