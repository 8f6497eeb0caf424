/** Volumes and claims. */
import type { Page } from './page.ts'
import type { Scene } from './scene.ts'
import { accessModes, bracketed, labelsLine, NONE, timeText, UNSET } from './texts.ts'
import type { Value } from './value.ts'
import { sourceOf } from './volumes.ts'

const finalizers = (object: Value) => bracketed(object.texts('metadata.finalizers'))

const statusText = (object: Value): string => {
  const ending = object.textAt('metadata.deletionTimestamp')
  return ending === '' ? object.textAt('status.phase') : `Terminating (since ${timeText(ending)})`
}

export function volume(page: Page, { object, name }: Scene): void {
  const spec = object.at('spec')
  page.add(0, 'Name:', name).labels(0, object.at('metadata.labels'))
  page.annotations(0, object.at('metadata.annotations'))
  const claim = spec.at('claimRef')
  page.all(0, [
    ['Finalizers', finalizers(object)],
    ['StorageClass', spec.textAt('storageClassName')],
    ['Status', statusText(object)],
    ['Claim', claim.isSet ? `${claim.textAt('namespace')}/${claim.textAt('name')}` : ''],
    ['Reclaim Policy', spec.textAt('persistentVolumeReclaimPolicy')],
    ['Access Modes', accessModes(spec.texts('accessModes'))],
  ])
  page.maybe(0, 'VolumeMode', spec.textAt('volumeMode'))
  page.add(0, 'Capacity:', spec.textAt('capacity.storage'))
  addAffinity(page, spec)
  page.add(0, 'Message:', object.textAt('status.message'))
  page.add(0, 'Source:')
  const { type, fields, source } = sourceOf(spec)
  page.add(2, 'Type:', type).all(2, fields(source))
}

function addAffinity(page: Page, spec: Value): void {
  const terms = spec.items('nodeAffinity.required.nodeSelectorTerms')
  if (terms.length === 0) return void page.add(0, 'Node Affinity:', NONE)
  page.add(0, 'Node Affinity:').add(1, 'Required Terms:')
  for (const [i, term] of terms.entries()) {
    const parts = term
      .items('matchExpressions')
      .map(
        (one) =>
          `${one.textAt('key')} ${one.textAt('operator').toLowerCase()} ${bracketed(one.texts('values'))}`,
      )
    page.column(2, `Term ${i}`, parts)
  }
}

export async function claim(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  const spec = object.at('spec')
  const isBound = spec.textAt('volumeName') !== ''
  page.all(0, [
    ['Name', scene.name],
    ['Namespace', scene.namespace],
    ['StorageClass', spec.textAt('storageClassName')],
    ['Status', statusText(object)],
    ['Volume', spec.textAt('volumeName')],
  ])
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.add(0, 'Finalizers:', finalizers(object))
  page.add(0, 'Capacity:', isBound ? object.textAt('status.capacity.storage') : '')
  page.add(0, 'Access Modes:', isBound ? accessModes(object.texts('status.accessModes')) : '')
  page.maybe(0, 'VolumeMode', spec.textAt('volumeMode'))
  const source = spec.at('dataSource')
  if (source.isSet) {
    page.add(0, 'DataSource:')
    page.maybe(1, 'APIGroup', source.textAt('apiGroup'))
    page.add(1, 'Kind:', source.textAt('kind')).add(1, 'Name:', source.textAt('name'))
  }
  const users = (await scene.all('pods')).filter((pod) =>
    pod
      .items('spec.volumes')
      .some((one) => one.textAt('persistentVolumeClaim.claimName') === scene.name),
  )
  page.column(
    0,
    'Used By',
    users.map((pod) => pod.textAt('metadata.name')),
  )
  const conditions = object.items('status.conditions')
  if (conditions.length === 0) return
  page.add(0, 'Conditions:')
  const heads = ['Type', 'Status', 'LastProbeTime', 'LastTransitionTime', 'Reason', 'Message']
  page.add(1, ...heads)
  page.add(1, '----', '------', '-----------------', '------------------', '------', '-------')
  for (const one of conditions)
    page.add(
      1,
      ...[`${one.textAt('type')} `, `${one.textAt('status')} `],
      ...[timeText(one.textAt('lastProbeTime')), timeText(one.textAt('lastTransitionTime'))],
      ...[`${one.textAt('reason')} `, one.textAt('message')],
    )
}

export function storageClass(page: Page, { object, name, v }: Scene): void {
  const marks = [
    v.resolve('storageclass.{label}/is-default-class'),
    v.resolve('storageclass.beta.{label}/is-default-class'),
  ]
  const isDefault = object
    .members('metadata.annotations')
    .some(([key, value]) => marks.includes(key) && value.text() === 'true')
  page.add(0, 'Name:', name).add(0, 'IsDefaultClass:', isDefault ? 'Yes' : 'No')
  page.add(0, 'Annotations:', labelsLine(object.at('metadata.annotations')))
  page.add(0, 'Provisioner:', object.textAt('provisioner'))
  page.add(0, 'Parameters:', labelsLine(object.at('parameters')))
  const grows = object.at('allowVolumeExpansion')
  page.add(0, 'AllowVolumeExpansion:', grows.isSet ? (grows.isTrue ? 'True' : 'False') : UNSET)
  const options = object.texts('mountOptions')
  if (options.length === 0) page.add(0, 'MountOptions:', NONE)
  else {
    page.add(0, 'MountOptions:')
    for (const option of options) page.add(1, option)
  }
  page.maybe(0, 'ReclaimPolicy', object.textAt('reclaimPolicy'))
  page.maybe(0, 'VolumeBindingMode', object.textAt('volumeBindingMode'))
}
