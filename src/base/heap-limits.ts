import { channel } from 'node:diagnostics_channel'
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { READING_CODE } from './reading-code.ts'
import { YoungLimit } from './young-limit.ts'

/** An old part of the heap of this size is large, and collected when it has grown by so much. */
const LARGE_BYTES = 64 << 20
const GROWS_PERCENT = 60
const LOOK_MS = 250
/** Interval of the decisions on the young generation. */
const YOUNG_LOOK_MS = 500

/**
 * Keeps the parts of the heap from growing far beyond their live objects. The young generation is small unless its
 * collections take a noticeable share of the time ({@link YoungLimit}). One thread collects it: sharing out so little work
 * costs more CPU than the work. Affects the whole process: for its owner only.
 */
export function limitHeap(): void {
  const flags = new HeapFlags()
  flags.set('parallel-scavenge', false)
  limitOld(flags)
  channel(READING_CODE).subscribe((reading) => flags.suspend(reading === true))
  new YoungGeneration(flags).watch()
}

/** What the types of Node.js do not say of the entries of collections. */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } }

/** Holds the young generation of this process to its limit. */
class YoungGeneration {
  readonly #flags: HeapFlags
  readonly #limit = new YoungLimit({ now: () => performance.now() })
  #timer: NodeJS.Timeout | null = null

  constructor(flags: HeapFlags) {
    this.#flags = flags
  }

  watch(): void {
    this.#hold()
    new PerformanceObserver((list) => this.#collected(list.getEntries())).observe({
      entryTypes: ['gc'],
    })
  }

  #collected(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries) {
      const { detail, duration } = entry as Collection
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) this.#limit.collected(duration)
    }
    this.#hold()
    this.#timer ??= setInterval(this.#look, YOUNG_LOOK_MS).unref()
  }

  readonly #look = (): void => {
    const next = this.#limit.look(youngHeapBytes())
    if (next === 'collect young') collect({ type: 'minor' })
    else if (next === 'collect all') collect({ type: 'major' })
    this.#hold()
    if (next !== 'rest' || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  /** V8 reads its own limit once, before any script runs; the growth factor is read each time. */
  #hold(): void {
    const bytes = Math.max(youngHeapBytes(), 1)
    const factor = Math.max(1, Math.floor(this.#limit.bytes / bytes))
    this.#flags.set('semi-space-growth-factor', factor)
  }
}

/**
 * Collects a part of the heap, or all of it. After the latter V8 makes a young generation small that was used little. A flag
 * of V8 is the only way to this.
 */
function collect(what: { readonly type: 'minor' | 'major' }): void {
  setFlagsFromString('--expose-gc')
  try {
    const gc = runInNewContext('gc') as (options: typeof what) => void
    gc(what)
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** V8 would often let the old part double and more. Of a small heap that is little, and saves many collections. */
function limitOld(flags: HeapFlags): void {
  const timer = setInterval(() => {
    if (getHeapStatistics().total_heap_size - youngHeapBytes() < LARGE_BYTES) return
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
    if (this.#values.get(flag) === value) return
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
