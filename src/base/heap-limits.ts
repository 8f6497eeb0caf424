import { channel } from 'node:diagnostics_channel'
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { READING_CODE } from './reading-code.ts'

/** Both halves of the young generation, bytes: V8 would let each grow to 16 MiB. */
const ENOUGH_BYTES = 8 << 20
/** A heap of this size is large: its old part is collected when it has grown by so much. */
const LARGE_BYTES = 64 << 20
const GROWS_PERCENT = 60
const LOOK_MS = 250

/**
 * Keeps the parts of the heap from growing far beyond their live objects. The young generation stays small: memory that
 * a large one takes is not given back, some 20 to 50 MB, and it makes creates cheaper by a tenth at most. One thread
 * collects it: sharing out so little work costs more CPU than the work. Affects the whole process: for its owner only.
 */
export function limitHeap(): void {
  const flags = new HeapFlags()
  flags.set('parallel-scavenge', false)
  limitOld(flags)
  channel(READING_CODE).subscribe((reading) => flags.suspend(reading === true))
  const check = (): boolean => {
    const bytes = youngHeapBytes()
    const factor = Math.max(1, Math.floor(ENOUGH_BYTES / Math.max(bytes, 1)))
    // The limit itself is read once, before any script runs; the growth factor is read each time.
    flags.set('semi-space-growth-factor', factor)
    return factor === 1
  }
  if (check()) return
  const observer = new PerformanceObserver(() => {
    if (check()) observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}

/** V8 would often let the old part double and more. Of a small heap that is little, and saves many collections. */
function limitOld(flags: HeapFlags): void {
  const timer = setInterval(() => {
    if (getHeapStatistics().total_heap_size < LARGE_BYTES) return
    clearInterval(timer)
    flags.set('heap-growing-percent', GROWS_PERCENT)
  }, LOOK_MS)
  timer.unref()
}

/** V8's own values of the flags that limit the heap. */
const DEFAULTS = {
  'parallel-scavenge': true,
  'semi-space-growth-factor': 2,
  'heap-growing-percent': 0,
} as const

type HeapFlag = keyof typeof DEFAULTS

/** Flags that limit the heap, for which the default values can be restored for a time. */
class HeapFlags {
  readonly #values = new Map<HeapFlag, boolean | number>()
  #isSuspended = false

  set(flag: HeapFlag, value: boolean | number): void {
    this.#values.set(flag, value)
    if (!this.#isSuspended) setFlag(flag, value)
  }

  suspend(suspended: boolean): void {
    this.#isSuspended = suspended
    for (const [flag, value] of this.#values) setFlag(flag, suspended ? DEFAULTS[flag] : value)
  }
}

const setFlag = (flag: HeapFlag, value: boolean | number): void =>
  setFlagsFromString(
    typeof value === 'boolean' ? `--${value ? '' : 'no-'}${flag}` : `--${flag}=${value}`,
  )

/** Bytes that the young generation has now. */
export function youngHeapBytes(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
  )
}
