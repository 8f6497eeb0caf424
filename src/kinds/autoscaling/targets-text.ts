import type { MetricSpec, MetricStatus } from './metrics.ts'

const SHOWN = 2
const UNKNOWN = '<unknown>'

/** Current and target values of the metrics, as tables show them. */
export function targetsText(
  specs: readonly MetricSpec[] = [],
  statuses: readonly MetricStatus[] = [],
): string {
  if (specs.length === 0) return '<none>'
  const texts = specs.map((spec, i) => targetText(spec, statuses[i]))
  const more = texts.length - SHOWN
  return texts.slice(0, SHOWN).join(', ') + (more > 0 ? ` + ${more} more...` : '')
}

interface Target {
  readonly value?: string
  readonly averageValue?: string
  readonly averageUtilization?: number
}

function targetText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'External':
      return valueText(spec.external?.target, status?.external?.current)
    case 'Object':
      return valueText(spec.object?.target, status?.object?.current)
    case 'Pods':
      return `${status?.pods?.current.averageValue ?? UNKNOWN}/${spec.pods?.target.averageValue ?? UNKNOWN}`
    case 'Resource':
      return shareText(spec.resource?.target, status?.resource?.current)
    case 'ContainerResource':
      return shareText(spec.containerResource?.target, status?.containerResource?.current)
    default:
      return '<unknown type>'
  }
}

function valueText(target: Target = {}, current: Target = {}): string {
  if (target.averageValue !== undefined)
    return `${current.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`
  return `${current.value ?? UNKNOWN}/${target.value ?? UNKNOWN}`
}

function shareText(target: Target = {}, current: Target = {}): string {
  if (target.averageValue !== undefined)
    return `${current.averageValue ?? UNKNOWN}/${target.averageValue}`
  const now = current.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`
  const wanted =
    target.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`
  return `${now}/${wanted}`
}
