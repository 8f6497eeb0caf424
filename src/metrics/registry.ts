import type { Log } from '../base/log.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Declaration, MetricType } from './declaration.ts'
import { Family } from './family.ts'
import { phaseOf } from './lifecycle.ts'

/** Which metrics show. */
export interface RegistryOptions {
  /** For the brand words in names. */
  readonly v: Vocabulary
  readonly log: Log
  /** Names of metrics that are not kept. */
  readonly disabled?: readonly string[]
  /** Allowed values by `metric,label`; others become `unexpected`. */
  readonly allowLabels?: Iterable<readonly [string, readonly string[]]>
  /** Keeps hidden metrics, too. */
  readonly showHidden?: boolean
}

const NOTHING_ALLOWED: ReadonlyMap<string, ReadonlySet<string>> = new Map()

/**
 * The metrics of one server or program. A family that is asked for twice is the same one. Metrics that are disabled,
 * hidden or removed may be recorded as well, and never show.
 *
 *     const total = registry.of(REQUEST_TOTAL).with({ verb: 'GET', code: '200' })   // once
 *     total.inc()                                                                  // often
 */
export class Registry {
  readonly #families = new Map<string, Family>()
  readonly #shown: Family[] = []
  readonly #scrapes: (() => void | Promise<void>)[] = []
  readonly #v: Vocabulary
  readonly #log: Log
  readonly #disabled: ReadonlySet<string>
  readonly #allowed = new Map<string, Map<string, ReadonlySet<string>>>()
  readonly #showHidden: boolean

  constructor({ v, log, disabled, allowLabels, showHidden }: RegistryOptions) {
    this.#v = v
    this.#log = log
    this.#disabled = new Set(disabled)
    this.#showHidden = showHidden ?? false
    for (const [key, values] of allowLabels ?? []) {
      const [metric = '', label = ''] = key.split(',')
      const labels = this.#allowed.get(metric) ?? new Map<string, ReadonlySet<string>>()
      this.#allowed.set(metric, labels.set(label, new Set(values)))
    }
  }

  /** The metric of a declaration. */
  of<Type extends MetricType, Label extends string>(
    declaration: Declaration<Type, Label>,
  ): Family<Type, Label> {
    const name = this.#v.resolve(declaration.name)
    const found = this.#families.get(name)
    if (found) {
      if (found.declaration !== declaration) throw new Error(`two metrics are named ${name}`)
      return found as unknown as Family<Type, Label>
    }
    const family = new Family(declaration, {
      name,
      notice: noticeOf(declaration),
      allowed: this.#allowed.get(name) ?? NOTHING_ALLOWED,
      ...(phaseOf(declaration.deprecated) === 'current'
        ? {}
        : { onFirst: () => this.#warn(name, declaration.deprecated) }),
      onFull: () => this.#log.warn('a metric has too many series; new ones are dropped', { name }),
    })
    const any = family as unknown as Family
    this.#families.set(name, any)
    if (this.#shows(name, declaration)) this.#shown.push(any)
    return family
  }

  /** Has values set that are taken when somebody asks. Errors are logged. */
  onScrape(take: () => void | Promise<void>): void {
    this.#scrapes.push(take)
  }

  /** The metrics that show, by name. */
  async collect(): Promise<readonly Family[]> {
    await Promise.all(
      this.#scrapes.map(async (take) => {
        try {
          await take()
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error)
          this.#log.warn('a metric could not be taken', { error: why })
        }
      }),
    )
    return this.#shown.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  #shows(name: string, { deprecated }: Declaration): boolean {
    if (this.#disabled.has(name)) return false
    const phase = phaseOf(deprecated)
    return phase === 'hidden' ? this.#showHidden : phase !== 'removed'
  }

  #warn(name: string, since: string | null): void {
    if (this.#shown.some((family) => family.name === name))
      this.#log.warn('a deprecated metric is recorded', { name, since })
  }
}

function noticeOf({ deprecated }: Declaration): string {
  const phase = phaseOf(deprecated)
  return phase === 'current' ? '' : `(Deprecated since ${deprecated}.0) `
}
