import type { Clock } from '../base/clock.ts'
import type { Attributes, MutableAttributes } from './attributes.ts'
import { observed, type AdmissionObserver } from './observer.ts'
import { pluginIndex } from './plugin-index.ts'
import type { Plugin } from './plugin.ts'
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
  observer: AdmissionObserver | null = null,
): AdmissionChain {
  const mutating = pluginIndex(plugins.filter((plugin) => plugin.mutate))
  const validating = pluginIndex(plugins.filter((plugin) => plugin.validate))
  return {
    mutate(attributes) {
      const steps = mutating(attributes)
      if (steps.length === 0) return
      const what = { type: 'admit', operation: attributes.operation } as const
      const ask = (plugin: Plugin) =>
        observed(observer, { ...what, plugin }, () => plugin.mutate!(attributes))
      const round = () => inOrder(steps, attributes, clock, ask)
      const again = () => (attributes.reinvocation.begin() ? round() : undefined)
      return observed(observer, what, () => {
        const waiting = round()
        return waiting ? waiting.then(again) : again()
      })
    },
    validate(attributes) {
      const steps = validating(attributes)
      if (steps.length === 0) return
      const what = { type: 'validate', operation: attributes.operation } as const
      const ask = (plugin: Plugin) =>
        observed(observer, { ...what, plugin }, () => plugin.validate!(attributes))
      return observed(observer, what, () => inOrder(steps, attributes, clock, ask))
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

/** Calls one plugin after the other, without a promise as long as none of them waits. */
function inOrder(
  steps: readonly Plugin[],
  attributes: Attributes,
  clock: Clock,
  ask: (plugin: Plugin) => void | Promise<void>,
): void | Promise<void> {
  for (let i = 0; i < steps.length; i++) {
    const plugin = steps[i]!
    const unready = plugin.ready?.()
    const waiting = unready ? isIn(unready, attributes, clock).then(() => ask(plugin)) : ask(plugin)
    if (waiting) return waiting.then(() => inOrder(steps.slice(i + 1), attributes, clock, ask))
  }
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
