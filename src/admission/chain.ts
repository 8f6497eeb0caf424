import type { HookContext } from '../schema/resource.ts'
import type { AdmissionPlugin, Attempt, AdmissionWorld } from './plugin.ts'

/** The plugins in their order, in the two phases of seed 1. The first refusal ends a phase. */
export interface AdmissionChain {
  mutate(attempt: Attempt, c: HookContext): Promise<void>
  validate(attempt: Attempt, c: HookContext): Promise<void>
}

/** Makes the chain of the plugins that are on. */
export function admissionChain(
  plugins: readonly AdmissionPlugin[],
  world: AdmissionWorld,
): AdmissionChain {
  const run = (phase: 'mutate' | 'validate') => {
    const steps = plugins.filter((p) => p[phase] !== undefined)
    return async (attempt: Attempt, c: HookContext) => {
      for (const plugin of steps) {
        if (!plugin.handles.includes(attempt.operation)) continue
        const waiting = plugin[phase]!(attempt, c, world)
        if (waiting) await waiting
      }
    }
  }
  return { mutate: run('mutate'), validate: run('validate') }
}
