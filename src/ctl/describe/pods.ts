/** Pods, and templates of them. */
import { humanDuration } from '../../base/human-duration.ts'
import { addContainers } from './containers.ts'
import type { Page } from './page.ts'
import type { Scene } from './scene.ts'
import { controllerText, NONE, timeText } from './texts.ts'
import type { Value } from './value.ts'
import { addVolumes } from './volumes.ts'

const LISTS = [
  ['Init Containers', { list: 'initContainers', statuses: 'initContainerStatuses' }],
  ['Containers', { list: 'containers', statuses: 'containerStatuses' }],
  ['Ephemeral Containers', { list: 'ephemeralContainers', statuses: 'ephemeralContainerStatuses' }],
] as const

/** Adds the template of a workload. */
export function addTemplate(page: Page, template: Value): void {
  const spec = template.at('spec')
  page.add(0, 'Pod Template:').labels(1, template.at('metadata.labels'))
  if (template.members('metadata.annotations').length > 0)
    page.annotations(1, template.at('metadata.annotations'))
  page.maybe(1, 'Service Account', spec.textAt('serviceAccountName'))
  for (const [heading, of] of LISTS.slice(0, 2))
    addContainers(page, heading, of, { spec, pod: null })
  addVolumes(page, spec, true)
  addSpread(page, 1, spec)
  page.maybe(1, 'Priority Class Name', spec.textAt('priorityClassName'))
}

/** pod */
export function pod(page: Page, { object, now }: PodScene): void {
  const spec = object.at('spec')
  const status = object.at('status')
  page.all(0, [
    ['Name', object.textAt('metadata.name')],
    ['Namespace', object.textAt('metadata.namespace')],
  ])
  if (spec.at('priority').isSet) page.add(0, 'Priority:', spec.textAt('priority'))
  page.maybe(0, 'Priority Class Name', spec.textAt('priorityClassName'))
  page.maybe(0, 'Runtime Class Name', spec.textAt('runtimeClassName'))
  page.maybe(0, 'Service Account', spec.textAt('serviceAccountName'))
  const node = spec.textAt('nodeName')
  page.add(0, 'Node:', node === '' ? NONE : `${node}/${status.textAt('hostIP')}`)
  if (status.at('startTime').isSet) page.add(0, 'Start Time:', timeText(status.textAt('startTime')))
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  addPhase(page, object, now)
  const addresses = status.items('podIPs').map((one) => one.textAt('ip'))
  page.add(0, 'IP:', status.textAt('podIP'))
  if (addresses.length === 0) page.add(0, 'IPs:', NONE)
  else {
    page.add(0, 'IPs:')
    for (const address of addresses) page.add(1, 'IP:', address)
  }
  page.maybe(0, 'Controlled By', controllerText(object))
  page.maybe(0, 'NominatedNodeName', status.textAt('nominatedNodeName'))
  for (const [heading, of] of LISTS) addContainers(page, heading, of, { spec, pod: object })
  addConditions(page, object)
  addVolumes(page, spec, false)
  page.maybe(0, 'QoS Class', status.textAt('qosClass'))
  page.labels(0, spec.at('nodeSelector'), 'Node-Selectors')
  page.column(0, 'Tolerations', spec.items('tolerations').map(tolerationText).sort())
  addSpread(page, 0, spec)
}

interface PodScene extends Pick<Scene, 'object'> {
  readonly now: () => number
}

function addPhase(page: Page, object: Value, now: () => number): void {
  const status = object.at('status')
  const ending = object.textAt('metadata.deletionTimestamp')
  if (ending === '') page.add(0, 'Status:', status.textAt('phase'))
  else {
    const since = humanDuration(Math.max(0, now() - Date.parse(ending)))
    page.add(0, 'Status:', `Terminating (lasts ${since})`)
    const grace = object.textAt('metadata.deletionGracePeriodSeconds', '0')
    page.add(0, 'Termination Grace Period:', `${grace}s`)
  }
  page.maybe(0, 'Reason', status.textAt('reason'))
  page.maybe(0, 'Message', status.textAt('message'))
}

function addConditions(page: Page, object: Value): void {
  const gates = object.items('spec.readinessGates').map((one) => one.textAt('conditionType'))
  const all = object.items('status.conditions')
  if (gates.length > 0) {
    page.add(0, 'Readiness Gates:').add(1, 'Type', 'Status')
    for (const gate of gates) {
      const found = all.find((one) => one.textAt('type') === gate)
      page.add(1, `${gate} `, `${found?.textAt('status') ?? NONE} `)
    }
  }
  if (all.length === 0) return
  page.add(0, 'Conditions:').add(1, 'Type', 'Status')
  for (const one of all) page.add(1, `${one.textAt('type')} `, `${one.textAt('status')} `)
}

function addSpread(page: Page, depth: number, spec: Value): void {
  const all = spec.items('topologySpreadConstraints').map((one) => {
    const selector = one
      .members('labelSelector.matchLabels')
      .map(([key, value]) => `${key}=${value.text()}`)
      .join(',')
    const head = `${one.textAt('topologyKey')}:${one.textAt('whenUnsatisfiable')} when max skew ${one.textAt('maxSkew')} is exceeded`
    return selector === '' ? head : `${head} for selector ${selector}`
  })
  if (all.length > 0) page.column(depth, 'Topology Spread Constraints', all)
}

function tolerationText(one: Value): string {
  const [key, value, effect] = ['key', 'value', 'effect'].map((name) => one.textAt(name))
  let text = key!
  if (value !== '') text += `=${value}`
  if (effect !== '') text += `:${effect}`
  // Tolerates everything.
  if (one.textAt('operator') === 'Exists' && value === '')
    text += key === '' && effect === '' ? 'op=Exists' : ' op=Exists'
  const seconds = one.at('tolerationSeconds')
  return seconds.isSet ? `${text} for ${seconds.text()}s` : text
}
