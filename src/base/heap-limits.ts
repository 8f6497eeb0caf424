import { channel } from 'node:diagnostics_channel'
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { READING_CODE } from './reading-code.ts'
import { YoungLimit, type HeapSizes } from './young-limit.ts'

/** An old part of the heap of this size is large, and collected when it has grown by so much. */
const LARGE_BYTES = 64 << 20
const GROWS_PERCENT = 60
const LOOK_MS = 250
/** Interval of the decisions on the young generation, and of collections that were asked for. */
const YOUNG_LOOK_MS = 500
const STEP_MS = 100

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

/** Holds the young generation of this process to its limit, and collects the heap when nothing else happens. */
class YoungGeneration {
  readonly #flags: HeapFlags
  readonly #collector = new Collector()
  readonly #limit = new YoungLimit({ now: () => performance.now() })
  /** Null while nothing has been collected since there was nothing left to do. */
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
    if (this.#timer === null) this.#lookIn(YOUNG_LOOK_MS)
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(this.#look, ms).unref()
  }

  readonly #look = (): void => {
    this.#timer = null
    const next = this.#limit.look(heapSizes())
    if (next === 'collect young') this.#collector.young()
    else if (next === 'collect all') {
      const before = process.cpuUsage()
      this.#collector.all()
      const { user, system } = process.cpuUsage(before)
      this.#limit.collectedAll((user + system) / 1_000)
    }
    this.#hold()
    if (next !== 'rest') this.#lookIn(next === 'collect young' ? STEP_MS : YOUNG_LOOK_MS)
  }

  /** V8 reads its own limit once, before any script runs; the growth factor is read each time. */
  #hold(): void {
    const bytes = Math.max(youngHeapBytes(), 1)
    const factor = Math.max(1, Math.floor(this.#limit.bytes / bytes))
    this.#flags.set('semi-space-growth-factor', factor)
  }
}

type Gc = (options?: { readonly type: 'minor' }) => void

/**
 * Collects the young part of the heap, or all of it. After the latter V8 makes a young generation small that was used little. A
 * flag of V8 is the only way to this.
 */
class Collector {
  #gc: Gc | null = null

  young(): void {
    this.#function()({ type: 'minor' })
  }

  /** Without a type: V8 of Node.js 20 knows the one above only, and takes every other for that, too. */
  all(): void {
    this.#function()()
  }

  #function(): Gc {
    if (this.#gc === null) {
      setFlagsFromString('--expose-gc')
      try {
        this.#gc = runInNewContext('gc') as Gc
      } finally {
        setFlagsFromString('--no-expose-gc')
      }
    }
    return this.#gc
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

const youngSpace = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')

/** Bytes that the young generation has now. */
export const youngHeapBytes = (): number => youngSpace()?.space_size ?? 0

function heapSizes(): HeapSizes {
  const young = youngSpace()
  const { used_heap_size, external_memory } = getHeapStatistics()
  return {
    young: young?.space_size ?? 0,
    allocated: young?.space_used_size ?? 0,
    held: used_heap_size + external_memory,
  }
}
