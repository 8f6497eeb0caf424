/** Workloads: what makes pods from a template. */
import { humanDuration } from '../../base/human-duration.ts'
import type { Page } from './page.ts'
import { addTemplate } from './pods.ts'
import type { Scene } from './scene.ts'
import { controllerText, labelsLine, NONE, selectorText, timeText, truth, UNSET } from './texts.ts'
import type { Value } from './value.ts'

const head = (page: Page, object: Value): Page =>
  page.all(0, [
    ['Name', object.textAt('metadata.name')],
    ['Namespace', object.textAt('metadata.namespace')],
  ])

const marks = (page: Page, object: Value): Page =>
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))

const conditions = (page: Page, object: Value): void => {
  const all = object.items('status.conditions')
  if (all.length === 0) return
  page.add(0, 'Conditions:').add(1, 'Type', 'Status', 'Reason').add(1, '----', '------', '------')
  for (const one of all)
    page.add(1, `${one.textAt('type')} `, one.textAt('status'), one.textAt('reason'))
}

/** How many pods of a selector are in which phase. */
async function podsStatus(scene: Scene, selector: string): Promise<string> {
  const pods =
    selector === '' ? [] : await scene.all('pods', scene.namespace, { labelSelector: selector })
  const uid = scene.object.textAt('metadata.uid')
  const own = pods.filter((pod) =>
    pod.items('metadata.ownerReferences').some((one) => one.textAt('uid') === uid),
  )
  const of = (phase: string) => own.filter((pod) => pod.textAt('status.phase') === phase).length
  return `${of('Running')} Running / ${of('Pending')} Waiting / ${of('Succeeded')} Succeeded / ${of('Failed')} Failed`
}

export async function deployment(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  const [spec, status] = [object.at('spec'), object.at('status')]
  head(page, object).created(object)
  marks(page, object)
  const count = (name: string) => status.textAt(name, '0')
  page.add(0, 'Selector:', selectorText(spec.at('selector')))
  page.add(
    0,
    'Replicas:',
    `${spec.textAt('replicas', '1')} desired | ${count('updatedReplicas')} updated | ${count('replicas')} total | ${count('availableReplicas')} available | ${count('unavailableReplicas')} unavailable`,
  )
  page.add(0, 'StrategyType:', spec.textAt('strategy.type'))
  page.add(0, 'MinReadySeconds:', spec.textAt('minReadySeconds', '0'))
  const rolling = spec.at('strategy.rollingUpdate')
  if (rolling.isSet)
    page.add(
      0,
      'RollingUpdateStrategy:',
      `${rolling.textAt('maxUnavailable')} max unavailable, ${rolling.textAt('maxSurge')} max surge`,
    )
  addTemplate(page, spec.at('template'))
  conditions(page, object)
  await addReplicaSets(page, scene)
}

async function addReplicaSets(page: Page, scene: Scene): Promise<void> {
  const { object, v, namespace } = scene
  const uid = object.textAt('metadata.uid')
  const labelSelector = selectorText(object.at('spec.selector'))
  const own = (await scene.all('replicasets', namespace, { labelSelector })).filter((one) =>
    one.items('metadata.ownerReferences').some((owner) => owner.textAt('uid') === uid),
  )
  if (own.length === 0) return
  const revision = v.resolve('deployment.{label}/revision')
  const revisionOf = (one: Value) =>
    Number(
      one
        .members('metadata.annotations')
        .find(([key]) => key === revision)?.[1]
        .text() ?? 0,
    )
  own.sort((a, b) => revisionOf(a) - revisionOf(b))
  const shown = (one: Value) =>
    `${one.textAt('metadata.name')} (${one.textAt('status.replicas', '0')}/${one.textAt('spec.replicas', '0')} replicas created)`
  const old = own.slice(0, -1).filter((one) => one.at('spec.replicas').number > 0)
  page.add(0, 'OldReplicaSets:', old.map(shown).join(', ') || NONE)
  page.add(0, 'NewReplicaSet:', shown(own.at(-1)!))
}

/** replicaset, replicationcontroller */
export async function replicas(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  const spec = object.at('spec')
  const isSet = object.textAt('kind') === 'ReplicaSet'
  const selector = isSet ? selectorText(spec.at('selector')) : labelsLine(spec.at('selector'))
  head(page, object).add(0, 'Selector:', selector)
  marks(page, object).maybe(0, 'Controlled By', controllerText(object))
  page.add(
    0,
    'Replicas:',
    `${object.textAt('status.replicas', '0')} current / ${spec.textAt('replicas', '0')} desired`,
  )
  page.add(0, 'Pods Status:', await podsStatus(scene, selector))
  addTemplate(page, spec.at('template'))
  conditions(page, object)
}

export async function statefulSet(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  const spec = object.at('spec')
  const selector = selectorText(spec.at('selector'))
  head(page, object).created(object).add(0, 'Selector:', selector)
  marks(page, object)
  page.add(
    0,
    'Replicas:',
    `${spec.textAt('replicas', '1')} desired | ${object.textAt('status.replicas', '0')} total`,
  )
  page.add(0, 'Update Strategy:', spec.textAt('updateStrategy.type'))
  const partition = spec.at('updateStrategy.rollingUpdate.partition')
  if (partition.isSet) page.add(1, 'Partition:', partition.text())
  page.add(0, 'Pods Status:', await podsStatus(scene, selector))
  addTemplate(page, spec.at('template'))
  const claims = spec.items('volumeClaimTemplates')
  if (claims.length === 0) return void page.add(0, 'Volume Claims:', NONE)
  page.add(0, 'Volume Claims:')
  for (const claim of claims) {
    page.add(1, 'Name:', claim.textAt('metadata.name'))
    page.add(1, 'StorageClass:', claim.textAt('spec.storageClassName'))
    page.labels(1, claim.at('metadata.labels')).annotations(1, claim.at('metadata.annotations'))
    page.add(1, 'Capacity:', claim.textAt('spec.resources.requests.storage', '<default>'))
    page.add(1, 'Access Modes:', `[${claim.texts('spec.accessModes').join(' ')}]`)
  }
}

export async function daemonSet(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  const selector = selectorText(object.at('spec.selector'))
  const count = (name: string) => object.textAt(`status.${name}`, '0')
  page.add(0, 'Name:', scene.name).add(0, 'Selector:', selector)
  page.add(0, 'Node-Selector:', labelsLine(object.at('spec.template.spec.nodeSelector')))
  marks(page, object)
  for (const [text, name] of [
    ['Desired Number of Nodes Scheduled', 'desiredNumberScheduled'],
    ['Current Number of Nodes Scheduled', 'currentNumberScheduled'],
    ['Number of Nodes Scheduled with Up-to-date Pods', 'updatedNumberScheduled'],
    ['Number of Nodes Scheduled with Available Pods', 'numberAvailable'],
    ['Number of Nodes Misscheduled', 'numberMisscheduled'],
  ] as const)
    page.add(0, `${text}: ${count(name)}`)
  page.add(0, 'Pods Status:', await podsStatus(scene, selector))
  addTemplate(page, object.at('spec.template'))
}

export function job(page: Page, { object }: Scene): void {
  const [spec, status] = [object.at('spec'), object.at('status')]
  head(page, object).add(0, 'Selector:', selectorText(spec.at('selector')))
  marks(page, object).maybe(0, 'Controlled By', controllerText(object))
  page.add(0, 'Parallelism:', spec.textAt('parallelism', UNSET))
  page.add(0, 'Completions:', spec.textAt('completions', UNSET))
  page.maybe(0, 'Completion Mode', spec.textAt('completionMode'))
  const [from, to] = ['startTime', 'completionTime'].map((name) => status.textAt(name))
  if (from !== '') page.add(0, 'Start Time:', timeText(from!))
  if (to !== '') page.add(0, 'Completed At:', timeText(to!))
  if (from !== '' && to !== '')
    page.add(0, 'Duration:', humanDuration(Date.parse(to!) - Date.parse(from!)))
  const deadline = spec.at('activeDeadlineSeconds')
  if (deadline.isSet) page.add(0, 'Active Deadline Seconds:', `${deadline.text()}s`)
  const count = (name: string) => status.textAt(name, '0')
  page.add(
    0,
    'Pods Statuses:',
    status.at('ready').isSet
      ? `${count('active')} Active (${count('ready')} Ready) / ${count('succeeded')} Succeeded / ${count('failed')} Failed`
      : `${count('active')} Active / ${count('succeeded')} Succeeded / ${count('failed')} Failed`,
  )
  if (spec.textAt('completionMode') === 'Indexed')
    page.add(0, 'Completed Indexes:', status.textAt('completedIndexes', NONE))
  addTemplate(page, spec.at('template'))
}

export function cronJob(page: Page, { object }: Scene): void {
  const spec = object.at('spec')
  const inner = spec.at('jobTemplate.spec')
  marks(head(page, object), object)
  page.all(0, [
    ['Schedule', spec.textAt('schedule')],
    ['Concurrency Policy', spec.textAt('concurrencyPolicy')],
    ['Suspend', truth(spec.at('suspend').isTrue)],
    ['Successful Job History Limit', spec.textAt('successfulJobsHistoryLimit', UNSET)],
    ['Failed Job History Limit', spec.textAt('failedJobsHistoryLimit', UNSET)],
  ])
  const deadline = spec.at('startingDeadlineSeconds')
  page.add(0, 'Starting Deadline Seconds:', deadline.isSet ? `${deadline.text()}s` : UNSET)
  const selector = selectorText(inner.at('selector'))
  page.add(0, 'Selector:', selector === '' ? UNSET : selector)
  page.add(0, 'Parallelism:', inner.textAt('parallelism', UNSET))
  page.add(0, 'Completions:', inner.textAt('completions', UNSET))
  addTemplate(page, inner.at('template'))
  const last = object.textAt('status.lastScheduleTime')
  page.add(0, 'Last Schedule Time:', last === '' ? UNSET : timeText(last))
  const active = object.items('status.active').map((one) => one.textAt('name'))
  page.add(0, 'Active Jobs:', active.join(', ') || NONE)
}
