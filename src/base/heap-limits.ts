import { channel } from 'node:diagnostics_channel'
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { OldLimit } from './old-limit.ts'
import { READING_CODE } from './reading-code.ts'
import { YoungLimit } from './young-limit.ts'

/** Interval of the decisions while something happens. */
const LOOK_MS = 500

/**
 * Keeps the parts of the heap from growing far beyond their live objects. The young generation is small unless its
 * collections take a noticeable share of the time ({@link YoungLimit}). One thread collects it: sharing out so little work
 * costs more CPU than the work. The old one is collected seldom while it would be collected often ({@link OldLimit}). Affects the whole process: for its owner only.
 */
export function limitHeap(): void {
  const flags = new HeapFlags()
  flags.set('parallel-scavenge', false)
  channel(READING_CODE).subscribe((reading) => flags.suspend(reading === true))
  new Generations(flags).watch()
}

/** What the types of Node.js do not say of the entries of collections. */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } }

/** Holds the generations of this process's heap to their limits. */
class Generations {
  readonly #flags: HeapFlags
  readonly #young = new YoungLimit({ now: () => performance.now() })
  readonly #old = new OldLimit({ now: () => performance.now() })
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
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) this.#young.collected(duration)
      else if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) this.#old.collected()
    }
    this.#hold()
    this.#timer ??= setInterval(this.#look, LOOK_MS).unref()
  }

  readonly #look = (): void => {
    const next = this.#young.look(youngHeapBytes())
    if (next === 'collect young') collect({ type: 'minor' })
    else if (next === 'collect all') collect({ type: 'major' })
    this.#hold()
    if (next !== 'rest' || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #hold(): void {
    const spaces = getHeapSpaceStatistics()
    const young = spaces.find(isYoung)
    // V8 reads its own limit of the young generation once, before any script runs; these factors are read each time.
    const factor = Math.floor(this.#young.bytes / Math.max(young?.space_size ?? 0, 1))
    this.#flags.set('semi-space-growth-factor', Math.max(1, factor))
    const used = spaces.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0)
    const percent = this.#old.percent(used - (young?.space_used_size ?? 0))
    this.#flags.set('heap-growing-percent', percent)
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
  return getHeapSpaceStatistics().find(isYoung)?.space_size ?? 0
}

const isYoung = ({ space_name: name }: { readonly space_name: string }): boolean =>
  name === 'new_space'
