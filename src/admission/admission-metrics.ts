import {
  admissionControllerDuration,
  admissionStepDuration,
  admissionStepSummary,
} from '../metrics/declared/admission.ts'
import type { Registry } from '../metrics/registry.ts'
import type { HistogramSeries, SummarySeries } from '../metrics/series.ts'
import type { AdmissionObserver, AdmissionStep } from './observer.ts'
import type { Plugin } from './plugin.ts'

/** What steps of one sort record to. */
interface StepSeries {
  readonly duration: HistogramSeries
  /** Of whole phases alone. */
  readonly quantiles: SummarySeries | null
}

/** Measures the phases of admission and its plugins, which have these names. */
export function admissionMetrics(
  registry: Registry,
  names: ReadonlyMap<Plugin, string>,
): AdmissionObserver {
  // Plugins are few and live as long as their server.
  const known = new Map<unknown, Map<string, StepSeries>>()
  return {
    now: () => performance.now(),
    step(step, ms, rejected) {
      let ofPlugin = known.get(step.plugin)
      if (!ofPlugin) known.set(step.plugin, (ofPlugin = new Map()))
      const key = `${step.type}${step.operation}${rejected}`
      let series = ofPlugin.get(key)
      if (!series) ofPlugin.set(key, (series = seriesOf(registry, names, step, rejected)))
      series.duration.observe(ms / 1000)
      series.quantiles?.observe(ms / 1000)
    },
  }
}

function seriesOf(
  registry: Registry,
  names: ReadonlyMap<Plugin, string>,
  { type, operation, plugin }: AdmissionStep,
  rejected: boolean,
): StepSeries {
  const labels = { type, operation, rejected: String(rejected) }
  if (!plugin)
    return {
      duration: registry.of(admissionStepDuration).with(labels),
      quantiles: registry.of(admissionStepSummary).with(labels),
    }
  const name = names.get(plugin) ?? ''
  return {
    duration: registry.of(admissionControllerDuration).with({ ...labels, name }),
    quantiles: null,
  }
}
