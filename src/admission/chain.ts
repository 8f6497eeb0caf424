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
  /**
   * Whether a plugin may change parts of the object in place, other than by replacing it; `hasOwnMembers`: other than those
   * that lie no deeper than the members of its own members, too.
   */
  mayChangeParts(attributes: Attributes, hasOwnMembers?: boolean): boolean
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
  const runner = (
    phase: Phase,
    askOf: (plugin: Plugin) => Step['ask'] | undefined,
  ): PhaseRunner => {
    const stepOf = (plugin: Plugin): Step => ({
      ask: askOf(plugin) ?? PASS,
      ready: plugin.ready?.bind(plugin) ?? null,
      record: observer.recorder(phase, plugin),
    })
    const steps = new Map(plugins.map((plugin) => [plugin, stepOf(plugin)]))
    const known = new WeakMap<readonly Plugin[], PhaseSteps>()
    return {
      clock,
      now: () => observer.now(),
      record: observer.recorder(phase, null),
      stepsOf(list) {
        let found = known.get(list)
        if (!found)
          known.set(
            list,
            (found = {
              list: list.map((plugin) => steps.get(plugin)!),
              keepParts: list.every(keepsPartsOf),
              replaceParts: list.every(
                (plugin) => keepsPartsOf(plugin) || plugin.replacesParts === true,
              ),
            }),
          )
        return found
      },
    }
  }
  const mutation = runner(
    'admit',
    (plugin) => plugin.mutate?.bind(plugin) as Step['ask'] | undefined,
  )
  const validation = runner('validate', (plugin) => plugin.validate?.bind(plugin))
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
    mayChangeParts(attributes, hasOwnMembers = false) {
      const { keepParts, replaceParts } = mutation.stepsOf(mutating(attributes))
      return !(hasOwnMembers ? replaceParts : keepParts)
    },
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

/** A plugin in a phase. All have one shape, while no two plugins do. */
interface Step {
  readonly ask: (attributes: Attributes) => void | Promise<void>
  /** As that of a plugin; null where it has none. */
  readonly ready: (() => Promise<void> | null) | null
  readonly record: StepRecorder
}

/** Of a plugin without the phase, which no list of the phase has. */
const PASS: Step['ask'] = () => {}

/** How the plugins of a phase are asked and measured. */
interface PhaseRunner {
  readonly clock: Clock
  readonly now: () => number
  /** Of the whole phase. */
  readonly record: StepRecorder
  /** The steps of plugins; the list is one that an index returned. */
  stepsOf(plugins: readonly Plugin[]): PhaseSteps
}

/** The steps of a list of plugins. */
interface PhaseSteps {
  readonly list: readonly Step[]
  /** Whether all plugins keep parts that an object shares. */
  readonly keepParts: boolean
  /** Whether all of them keep these, or replace them in members that are the object's own. */
  readonly replaceParts: boolean
}

const keepsPartsOf = ({ keepsParts }: Plugin): boolean => keepsParts === true

/** One request in one phase. */
interface PhaseRun {
  readonly runner: PhaseRunner
  readonly steps: readonly Step[]
  readonly attributes: Attributes
  readonly reinvocation: Reinvocation | null
  readonly startedAt: number
  /** When the last step ended. The end of one is the start of the next, so that the time is read once for each. */
  at: number
}

/** Calls the plugins of a phase, in mutation again when one requests that; without a promise as long as none waits. */
function runPhase(
  runner: PhaseRunner,
  plugins: readonly Plugin[],
  attributes: Attributes,
  reinvocation: Reinvocation | null,
): void | Promise<void> {
  const startedAt = runner.now()
  const steps = runner.stepsOf(plugins).list
  const run: PhaseRun = { runner, steps, attributes, reinvocation, startedAt, at: startedAt }
  try {
    const waiting = inOrder(run, 0) ?? again(run)
    if (waiting) return ended(run, waiting)
  } catch (error) {
    return refused(run, error)
  }
  runner.record(attributes.operation, runner.now() - startedAt, false)
}

/** The second round, if a plugin requested it. */
function again(run: PhaseRun): void | Promise<void> {
  if (run.reinvocation?.begin() !== true) return
  run.at = run.runner.now()
  return inOrder(run, 0)
}

/** Ends a phase that had to wait. */
function ended(run: PhaseRun, waiting: Promise<void>): Promise<void> {
  const { runner, attributes, startedAt } = run
  return waiting
    .then(() => again(run))
    .then(
      () => runner.record(attributes.operation, runner.now() - startedAt, false),
      (error: unknown) => refused(run, error),
    )
}

function refused({ runner, attributes, startedAt }: PhaseRun, error: unknown): never {
  runner.record(attributes.operation, runner.now() - startedAt, true)
  throw error
}

/** Calls one plugin after the other, from one on. */
function inOrder(run: PhaseRun, from: number): void | Promise<void> {
  const { runner, steps, attributes } = run
  const { operation } = attributes
  for (let i = from; i < steps.length; i++) {
    const { ask, ready, record } = steps[i]!
    let waiting: void | Promise<void>
    try {
      const unready = ready === null ? null : ready()
      waiting = unready
        ? isIn(unready, attributes, runner.clock).then(() => ask(attributes))
        : ask(attributes)
    } catch (error) {
      record(operation, runner.now() - run.at, true)
      throw error
    }
    if (waiting) return afterwards(run, waiting, i)
    const end = runner.now()
    record(operation, end - run.at, false)
    run.at = end
  }
}

/** Waits for the plugin at `at`, and calls the ones behind it. */
function afterwards(run: PhaseRun, waiting: Promise<void>, at: number): Promise<void> {
  const { runner, steps, attributes } = run
  const { record } = steps[at]!
  return waiting.then(
    () => {
      const end = runner.now()
      record(attributes.operation, end - run.at, false)
      run.at = end
      return inOrder(run, at + 1)
    },
    (error: unknown) => {
      record(attributes.operation, runner.now() - run.at, true)
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
