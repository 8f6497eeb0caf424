import type { HookContext } from '../../catalogue/resource.ts'
import { celCompilation, celEvaluation } from '../../metrics/declared/admission.ts'
import type { Registry } from '../../metrics/registry.ts'

/** Measures the rules of custom resources. */
export function celMetrics(registry: Registry): NonNullable<HookContext['took']> {
  const compilation = registry.of(celCompilation).only
  const evaluation = registry.of(celEvaluation).only
  return (work, ms) => (work === 'compilation' ? compilation : evaluation).observe(ms / 1000)
}
