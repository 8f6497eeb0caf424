/** What changes the number of pods, and what keeps it. */
import type { Page } from './page.ts'
import type { Scene } from './scene.ts'
import { selectorText } from './texts.ts'
import type { Value } from './value.ts'

export function autoscaler(page: Page, { object, name, namespace }: Scene): void {
  const [spec, status] = [object.at('spec'), object.at('status')]
  page.add(0, 'Name:', name).add(0, 'Namespace:', namespace)
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.created(object)
  const target = spec.at('scaleTargetRef')
  page.add(0, 'Reference:', `${target.textAt('kind')}/${target.textAt('name')}`)
  page.add(0, 'Metrics:', '( current / target )')
  const current = status.items('currentMetrics')
  for (const [i, metric] of spec.items('metrics').entries()) addMetric(page, metric, current[i])
  page.add(0, 'Min replicas:', spec.textAt('minReplicas', UNSET))
  page.add(0, 'Max replicas:', spec.textAt('maxReplicas', '0'))
  page.add(
    0,
    `${target.textAt('kind')} pods:`,
    `${status.textAt('currentReplicas', '0')} current / ${status.textAt('desiredReplicas', '0')} desired`,
  )
  const conditions = status.items('conditions')
  if (conditions.length === 0) return
  page.add(0, 'Conditions:').add(1, 'Type', 'Status', 'Reason', 'Message')
  page.add(1, '----', '------', '------', '-------')
  for (const one of conditions)
    page.add(1, ...['type', 'status', 'reason', 'message'].map((path) => one.textAt(path)))
}

const UNSET = '<unset>'
const UNKNOWN = '<unknown>'

function addMetric(page: Page, metric: Value, current: Value | undefined): void {
  const type = metric.textAt('type')
  const member = `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`
  const of = metric.at(member)
  const now = current?.at(`${member}.current`)
  const metricName = of.textAt('metric.name')
  const amount = (path: 'averageValue' | 'value') =>
    `${now?.textAt(path) || UNKNOWN} / ${of.textAt(`target.${path}`)}`
  const value = of.at('target.averageValue').isSet ? amount('averageValue') : amount('value')
  if (type === 'Resource' || type === 'ContainerResource') {
    const where =
      type === 'Resource' ? 'on pods' : `of container "${of.textAt('container')}" on pods`
    const head = `resource ${of.textAt('name')} ${where}`
    if (of.at('target.averageValue').isSet)
      return void page.add(1, `${head}:`, amount('averageValue'))
    const percent = now?.textAt('averageUtilization')
    const used = percent ? `${percent}% (${now!.textAt('averageValue')})` : UNKNOWN
    const wanted = of.at('target.averageUtilization')
    page.add(
      1,
      `${head}  (as a percentage of request):`,
      `${used} / ${wanted.isSet ? `${wanted.text()}%` : '<auto>'}`,
    )
  } else if (type === 'Pods') page.add(1, `"${metricName}" on pods:`, amount('averageValue'))
  else if (type === 'External') {
    const kind = of.at('target.averageValue').isSet ? 'target average value' : 'target value'
    page.add(1, `"${metricName}" (${kind}):`, value)
  } else {
    const object = `${of.textAt('describedObject.kind')}/${of.textAt('describedObject.name')}`
    page.add(1, `"${metricName}" on ${object} (target value):`, value)
  }
}

export function budget(page: Page, { object, name, namespace }: Scene): void {
  const [spec, status] = [object.at('spec'), object.at('status')]
  page.add(0, 'Name:', name).add(0, 'Namespace:', namespace)
  if (spec.at('minAvailable').isSet) page.add(0, 'Min available:', spec.textAt('minAvailable'))
  else if (spec.at('maxUnavailable').isSet)
    page.add(0, 'Max unavailable:', spec.textAt('maxUnavailable'))
  page.add(0, 'Selector:', spec.at('selector').isSet ? selectorText(spec.at('selector')) : UNSET)
  page.add(0, 'Status:')
  page.all(2, [
    ['Allowed disruptions', status.textAt('disruptionsAllowed', '0')],
    ['Current', status.textAt('currentHealthy', '0')],
    ['Desired', status.textAt('desiredHealthy', '0')],
    ['Total', status.textAt('expectedPods', '0')],
  ])
}
