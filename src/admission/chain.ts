import type { Clock } from '../base/clock.ts'
import type { Attributes, MutableAttributes } from './attributes.ts'
import { type AdmissionObserver, type Phase, type StepRecorder, UNOBSERVED } from './observer.ts'
import { pluginIndex } from './plugin-index.ts'
import type { Plugin } from './plugin.ts'
import type { Reinvocation } from './reinvocation.ts'
import { refusalOf } from './refusal.ts'

/** How long a request waits for a plugin that is not ready. */
const READY_MS = 10_000

/** The plugins in their order, in two phases, mutating and validating. The first refusal ends a phase. */
export interface AdmissionChain {
  /** Lets plugins change the object; once more when one of them requests that. */
  mutate(attributes: MutableAttributes): void | Promise<void>
  validate(attributes: Attributes): void | Promise<void>
  /**
   * Whether an UPDATE that passed unchanged and in silence before would do so again, if request and object are the same.
   */
  passesAgain(attributes: Attributes): boolean | Promise<boolean>
  /** Whether a plugin may change parts of the object in place, other than by replacing it. */
  mayChangeParts(attributes: Attributes): boolean
  /** Whether every plugin is ready. */
  isReady(): boolean
}

/** Makes the chain of plugins. An observer receives how long they take. */
export function admissionChain(
  plugins: readonly Plugin[],
  clock: Clock,
  observer: AdmissionObserver = UNOBSERVED,
): AdmissionChain {
  const mutating = pluginIndex(plugins.filter((plugin) => plugin.mutate))
  const validating = pluginIndex(plugins.filter((plugin) => plugin.validate))
  const runner = (phase: Phase, ask: PhaseRunner['ask']): PhaseRunner => ({
    clock,
    now: () => observer.now(),
    ask,
    record: observer.recorder(phase, null),
    recorders: new Map(plugins.map((plugin) => [plugin, observer.recorder(phase, plugin)])),
  })
  const mutation = runner('admit', (plugin, attributes) =>
    plugin.mutate!(attributes as MutableAttributes),
  )
  const validation = runner('validate', (plugin, attributes) => plugin.validate!(attributes))
  return {
    mutate(attributes) {
      const steps = mutating(attributes)
      if (steps.length > 0) return runPhase(mutation, steps, attributes, attributes.reinvocation)
    },
    validate(attributes) {
      const steps = validating(attributes)
      if (steps.length > 0) return runPhase(validation, steps, attributes, null)
    },
    passesAgain: (attributes) =>
      allPass([...mutating(attributes), ...validating(attributes)], attributes),
    mayChangeParts: (attributes) =>
      mutating(attributes).some(({ keepsParts }) => keepsParts !== true),
    isReady: () =>
      plugins.every((plugin) => {
        const unready = plugin.ready?.()
        // Requests that wait for it get the error.
        unready?.catch(() => {})
        return !unready
      }),
  }
}

/** Whether all plugins let an unchanged object pass again, without a promise as long as none of them waits. */
function allPass(plugins: readonly Plugin[], attributes: Attributes): boolean | Promise<boolean> {
  for (let i = 0; i < plugins.length; i++) {
    const plugin = plugins[i]!
    if (!plugin.passesAgain || plugin.ready?.()) return false
    const passes = plugin.passesAgain(attributes)
    if (passes === false) return false
    if (passes !== true)
      return passes.then((does) => does && allPass(plugins.slice(i + 1), attributes))
  }
  return true
}

/** How the plugins of a phase are asked and measured. */
interface PhaseRunner {
  readonly clock: Clock
  readonly now: () => number
  readonly ask: (plugin: Plugin, attributes: Attributes) => void | Promise<void>
  /** Of the whole phase. */
  readonly record: StepRecorder
  readonly recorders: ReadonlyMap<Plugin, StepRecorder>
}

/** Calls the plugins of a phase, in mutation again when one requests that; without a promise as long as none waits. */
function runPhase(
  runner: PhaseRunner,
  steps: readonly Plugin[],
  attributes: Attributes,
  reinvocation: Reinvocation | null,
): void | Promise<void> {
  const { now, record } = runner
  const { operation } = attributes
  const start = now()
  const round = () => inOrder({ runner, steps, attributes, at: 0, start: now() })
  const again = () => (reinvocation?.begin() ? round() : undefined)
  const end = (): void => record(operation, now() - start, false)
  const refused = (error: unknown): never => {
    record(operation, now() - start, true)
    throw error
  }
  try {
    const waiting = inOrder({ runner, steps, attributes, at: 0, start })
    if (waiting) return waiting.then(again).then(end, refused)
    const more = again()
    if (more) return more.then(end, refused)
  } catch (error) {
    return refused(error)
  }
  end()
}

/** Plugins that are still to be called, from the one at `at` on, and the time at which the last one ended. */
interface Rest {
  readonly runner: PhaseRunner
  readonly steps: readonly Plugin[]
  readonly attributes: Attributes
  readonly at: number
  readonly start: number
}

/** Calls one plugin after the other. The end of one is the start of the next, so that the time is read once for each. */
function inOrder(rest: Rest): void | Promise<void> {
  const { runner, steps, attributes } = rest
  const { operation } = attributes
  let { start } = rest
  for (let i = rest.at; i < steps.length; i++) {
    const plugin = steps[i]!
    const unready = plugin.ready?.()
    let isRefused = true
    try {
      const waiting = unready
        ? isIn(unready, attributes, runner.clock).then(() => runner.ask(plugin, attributes))
        : runner.ask(plugin, attributes)
      isRefused = false
      if (waiting) return afterwards(waiting, { ...rest, at: i, start })
    } finally {
      if (isRefused) runner.recorders.get(plugin)!(operation, runner.now() - start, true)
    }
    const end = runner.now()
    runner.recorders.get(plugin)!(operation, end - start, false)
    start = end
  }
}

/** Waits for the plugin at `at`, and calls the ones behind it. */
function afterwards(waiting: Promise<void>, rest: Rest): Promise<void> {
  const { runner, steps, attributes, at, start } = rest
  const record = (end: number, rejected: boolean) =>
    runner.recorders.get(steps[at]!)!(attributes.operation, end - start, rejected)
  return waiting.then(
    () => {
      const end = runner.now()
      record(end, false)
      return inOrder({ ...rest, at: at + 1, start: end })
    },
    (error: unknown) => {
      record(runner.now(), true)
      throw error
    },
  )
}

/** Waits for a plugin. Throws 403 when that takes too long or fails. */
async function isIn(ready: Promise<void>, attributes: Attributes, clock: Clock): Promise<void> {
  const refused = () => refusalOf(attributes, 'not yet ready to handle request')
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(READY_MS, () => reject(refused()))
  })
  try {
    await Promise.race([
      ready.catch(() => {
        throw refused()
      }),
      late,
    ])
  } finally {
    cancel()
  }
}
