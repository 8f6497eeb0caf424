import {
  admissionControllerDuration,
  admissionStepDuration,
  admissionStepSummary,
} from '../metrics/declared/admission.ts'
import type { Registry } from '../metrics/registry.ts'
import type { HistogramSeries, SummarySeries } from '../metrics/series.ts'
import type { Operation } from './attributes.ts'
import type { AdmissionObserver } from './observer.ts'
import type { Plugin } from './plugin.ts'

/** What steps of one sort record to. */
interface StepSeries {
  readonly duration: HistogramSeries
  /** Of whole phases alone. */
  readonly quantiles: SummarySeries | null
}

/** Measures the phases of admission and its plugins, which have these names. */
export const admissionMetrics = (
  registry: Registry,
  names: ReadonlyMap<Plugin, string>,
): AdmissionObserver => ({
  now: () => performance.now(),
  recorder(phase, plugin) {
    const [accepted, refused] = [new Map<Operation, StepSeries>(), new Map<Operation, StepSeries>()]
    return (operation, ms, rejected) => {
      const known = rejected ? refused : accepted
      let series = known.get(operation)
      if (!series) {
        const labels = { type: phase, operation, rejected: String(rejected) }
        known.set(operation, (series = seriesOf(registry, labels, plugin && names.get(plugin))))
      }
      series.duration.observe(ms / 1000)
      series.quantiles?.observe(ms / 1000)
    }
  },
})

function seriesOf(
  registry: Registry,
  labels: Readonly<Record<'type' | 'operation' | 'rejected', string>>,
  name: string | null | undefined,
): StepSeries {
  if (name === null)
    return {
      duration: registry.of(admissionStepDuration).with(labels),
      quantiles: registry.of(admissionStepSummary).with(labels),
    }
  return {
    duration: registry.of(admissionControllerDuration).with({ ...labels, name: name ?? '' }),
    quantiles: null,
  }
}
