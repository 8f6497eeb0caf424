/** Nodes, and what limits namespaces. */
import {
  addQuantity,
  formatQuantity,
  milliValue,
  parseQuantity,
  type Quantity,
} from '../../base/quantity.ts'
import { age } from '../../base/human-duration.ts'
import { StatusError } from '../../meta/errors.ts'
import type { Page } from './page.ts'
import type { Scene } from './scene.ts'
import { NONE, timeText, UNSET } from './texts.ts'
import type { Value } from './value.ts'

export async function namespace(page: Page, scene: Scene): Promise<void> {
  const { object, name } = scene
  page.add(0, 'Name:', name).labels(0, object.at('metadata.labels'))
  page.annotations(0, object.at('metadata.annotations'))
  page.add(0, 'Status:', object.textAt('status.phase'))
  const conditions = object.items('status.conditions')
  if (conditions.length > 0) {
    page.add(0, 'Conditions:').add(1, 'Type', 'Status', 'LastTransitionTime', 'Reason', 'Message')
    page.add(1, '----', '------', '------------------', '------', '-------')
    for (const one of conditions)
      page.add(
        1,
        ...[one.textAt('type'), one.textAt('status'), timeText(one.textAt('lastTransitionTime'))],
        ...[one.textAt('reason'), one.textAt('message')],
      )
  }
  const quotas = await scene.all('resourcequotas', name)
  if (quotas.length === 0) page.add(0, '').add(0, 'No resource quota.')
  else page.add(0, '').add(0, 'Resource Quotas')
  for (const quota of quotas) {
    page.add(1, 'Name:', quota.textAt('metadata.name'))
    addQuotaRows(page, quota, { depth: 1, dashes: '---' })
  }
  const ranges = await scene.all('limitranges', name)
  if (ranges.length === 0) page.add(0, '').add(0, 'No LimitRange resource.')
  else {
    page.add(0, '').add(0, 'Resource Limits')
    page.lines.push(...[...LIMIT_HEADS, ...ranges.flatMap(limitRows)].map((row) => ` ${row}`))
  }
}

const SCOPES: Readonly<Record<string, string>> = {
  Terminating:
    'Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.',
  NotTerminating:
    'Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.',
  BestEffort:
    'Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.',
  NotBestEffort:
    'Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.',
}

export function quota(page: Page, { object, name, namespace }: Scene): void {
  page.add(0, 'Name:', name).add(0, 'Namespace:', namespace)
  const scopes = object.texts('spec.scopes').sort()
  if (scopes.length > 0) page.add(0, 'Scopes:', scopes.join(', '))
  for (const scope of scopes) if (SCOPES[scope]) page.add(0, ` * ${SCOPES[scope]}`)
  addQuotaRows(page, object, { depth: 0, dashes: '----' })
}

function addQuotaRows(
  page: Page,
  object: Value,
  { depth, dashes }: { readonly depth: number; readonly dashes: string },
): void {
  page.add(depth, 'Resource', 'Used', 'Hard').add(depth, '--------', dashes, dashes)
  const used = new Map(object.members('status.used'))
  for (const [name, hard] of object.members('status.hard'))
    page.add(depth, name, used.get(name)?.text() ?? '0', hard.text())
}

const HEADS = [
  'Type',
  'Resource',
  'Min',
  'Max',
  'Default Request',
  'Default Limit',
  'Max Limit/Request Ratio',
]
const LIMIT_HEADS = [HEADS, HEADS.map((head) => '-'.repeat(head.length))].map((row) =>
  row.join('\t'),
)

/** One row for each resource of each item. */
function limitRows(range: Value): string[] {
  return range.items('spec.limits').flatMap((item) => {
    const columns = ['min', 'max', 'defaultRequest', 'default', 'maxLimitRequestRatio']
    const names = columns.flatMap((column) => item.members(column).map(([name]) => name))
    return [...new Set(names)].sort().map((name) => {
      const of = (column: string) =>
        item
          .members(column)
          .find(([one]) => one === name)?.[1]
          .text() ?? '-'
      return [item.textAt('type'), name, ...columns.map(of)].join('\t')
    })
  })
}

export function limitRange(page: Page, { object, name, namespace }: Scene): void {
  page.add(0, 'Name:', name).add(0, 'Namespace:', namespace)
  page.lines.push(...LIMIT_HEADS, ...limitRows(object))
}

export function priorityClass(page: Page, { object, name }: Scene): void {
  page.all(0, [
    ['Name', name],
    ['Value', object.textAt('value', '0')],
    ['GlobalDefault', String(object.at('globalDefault').isTrue)],
    ['PreemptionPolicy', object.textAt('preemptionPolicy')],
    ['Description', object.textAt('description')],
  ])
  const annotations = object.members('metadata.annotations')
  const pairs = annotations.map(([key, value]) => `${key}=${value.text()}`).join(',')
  page.add(0, 'Annotations:', pairs || NONE)
}

const ROLE_LABELS = ['node-role.{label}/', '{label}/role']

export async function node(page: Page, scene: Scene): Promise<void> {
  const { object, name, v } = scene
  const [prefix = '', single = ''] = ROLE_LABELS.map((label) => v.resolve(label))
  const roles = object.members('metadata.labels').flatMap(([key, value]) => {
    if (key.startsWith(prefix) && key !== prefix) return [key.slice(prefix.length)]
    return key === single && value.text() !== '' ? [value.text()] : []
  })
  page.add(0, 'Name:', name).add(0, 'Roles:', roles.sort().join(',') || NONE)
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.created(object)
  page.column(0, 'Taints', object.items('spec.taints').map(taintText))
  page.add(0, 'Unschedulable:', String(object.at('spec.unschedulable').isTrue))
  await addLease(page, scene)
  addConditions(page, object)
  page.add(0, 'Addresses:')
  for (const one of object.items('status.addresses'))
    page.add(1, `${one.textAt('type')}:`, one.textAt('address'))
  for (const [title, path] of [
    ['Capacity', 'status.capacity'],
    ['Allocatable', 'status.allocatable'],
  ] as const) {
    const amounts = object.members(path)
    if (amounts.length > 0) page.add(0, `${title}:`)
    for (const [resource, amount] of amounts) page.add(1, `${resource}:`, amount.text())
  }
  addSystem(page, scene)
  await addPods(page, scene)
}

const taintText = (one: Value): string => {
  const value = one.textAt('value')
  return `${one.textAt('key')}${value === '' ? '' : `=${value}`}:${one.textAt('effect')}`
}

async function addLease(page: Page, scene: Scene): Promise<void> {
  const lease = await scene.one('leases', scene.name, scene.v.resolve('{system}-node-lease'))
  if (lease instanceof StatusError)
    return void page.add(0, 'Lease:', `Failed to get lease: ${lease.message}`)
  const spec = lease.at('spec')
  const time = (path: string) => (spec.at(path).isSet ? timeText(spec.textAt(path)) : UNSET)
  page.add(0, 'Lease:')
  page.add(1, 'HolderIdentity:', spec.textAt('holderIdentity', UNSET))
  page.add(1, 'AcquireTime:', time('acquireTime')).add(1, 'RenewTime:', time('renewTime'))
}

function addConditions(page: Page, object: Value): void {
  const all = object.items('status.conditions')
  if (all.length === 0) return
  page.add(0, 'Conditions:')
  page.add(1, 'Type', 'Status', 'LastHeartbeatTime', 'LastTransitionTime', 'Reason', 'Message')
  page.add(1, '----', '------', '-----------------', '------------------', '------', '-------')
  for (const one of all)
    page.add(
      1,
      ...[`${one.textAt('type')} `, `${one.textAt('status')} `],
      `${timeText(one.textAt('lastHeartbeatTime'))} `,
      `${timeText(one.textAt('lastTransitionTime'))} `,
      ...[`${one.textAt('reason')} `, one.textAt('message')],
    )
}

function addSystem(page: Page, { object, v }: Scene): void {
  const capital = (text: string) => text.replace(/^./, (first) => first.toUpperCase())
  const info = object.at('status.nodeInfo')
  page.add(0, 'System Info:')
  page.all(1, [
    ['Machine ID', info.textAt('machineID')],
    ['System UUID', info.textAt('systemUUID')],
    ['Boot ID', info.textAt('bootID')],
    ['Kernel Version', info.textAt('kernelVersion')],
    ['OS Image', info.textAt('osImage')],
    ['Operating System', info.textAt('operatingSystem')],
    ['Architecture', info.textAt('architecture')],
    ['Container Runtime Version', info.textAt('containerRuntimeVersion')],
    [`${capital(v.resolve('{agent}'))} Version`, info.textAt(v.resolve('{agent}Version'))],
    [
      `${capital(v.resolve('{system}'))}-Proxy Version`,
      info.textAt(v.resolve('{system}ProxyVersion')),
    ],
  ])
  page.maybe(0, 'PodCIDR', object.textAt('spec.podCIDR'))
  page.maybe(0, 'PodCIDRs', object.texts('spec.podCIDRs').join(','))
  page.maybe(0, 'ProviderID', object.textAt('spec.providerID'))
}

const ZERO = parseQuantity('0')
const USUAL = ['cpu', 'memory', 'ephemeral-storage'] as const

interface Amounts {
  readonly requests: Map<string, Quantity>
  readonly limits: Map<string, Quantity>
}

async function addPods(page: Page, scene: Scene): Promise<void> {
  const { object, name } = scene
  const fieldSelector = `spec.nodeName=${name},status.phase!=Succeeded,status.phase!=Failed`
  const pods = await scene.all('pods', '', { fieldSelector })
  const total: Amounts = { requests: new Map(), limits: new Map() }
  const available = new Map(
    object
      .members(object.at('status.allocatable').isSet ? 'status.allocatable' : 'status.capacity')
      .map(([resource, amount]) => [resource, parseQuantity(amount.text())] as const),
  )
  const share = (amount: Quantity | undefined, resource: string): string => {
    const most = milliValue(available.get(resource) ?? ZERO)
    const part = most === 0n ? 0n : (milliValue(amount ?? ZERO) * 100n) / most
    return `${formatQuantity(amount ?? ZERO)} (${part}%)`
  }
  page.add(0, 'Non-terminated Pods:', `(${pods.length} in total)`)
  const heads = ['CPU Requests', 'CPU Limits', 'Memory Requests', 'Memory Limits', 'Age']
  const rows = pods.map((pod) => {
    const own = amountsOf(pod)
    for (const kind of ['requests', 'limits'] as const)
      for (const [resource, amount] of own[kind])
        total[kind].set(resource, addQuantity(total[kind].get(resource) ?? ZERO, amount))
    return [
      ...[pod.textAt('metadata.namespace'), pod.textAt('metadata.name'), ''],
      ...['cpu', 'memory'].flatMap((resource) => [
        share(own.requests.get(resource), resource),
        share(own.limits.get(resource), resource),
      ]),
      age(pod.textAt('metadata.creationTimestamp'), scene.now()),
    ]
  })
  const dashes = heads.map((head) => '-'.repeat(head.length))
  page.add(1, 'Namespace', 'Name', '', ...heads).add(1, '---------', '----', '', ...dashes)
  for (const row of rows) page.add(1, ...row)
  page.add(0, 'Allocated resources:')
  page.add(1, '(Total limits may be over 100 percent, i.e., overcommitted.)')
  page.add(1, 'Resource', 'Requests', 'Limits').add(1, '--------', '--------', '------')
  const more = [...total.requests.keys()].filter((one) => !USUAL.some((usual) => usual === one))
  for (const resource of USUAL)
    page.add(
      1,
      resource,
      share(total.requests.get(resource), resource),
      share(total.limits.get(resource), resource),
    )
  for (const resource of more.sort())
    page.add(
      1,
      resource,
      formatQuantity(total.requests.get(resource) ?? ZERO),
      formatQuantity(total.limits.get(resource) ?? ZERO),
    )
}

/** What a pod needs: all containers together, or the one that prepares it and needs the most. */
function amountsOf(pod: Value): Amounts {
  const of = (kind: 'requests' | 'limits') => {
    const found = new Map<string, Quantity>()
    const amounts = (container: Value) => container.members(`resources.${kind}`)
    for (const container of pod.items('spec.containers'))
      for (const [resource, amount] of amounts(container)) {
        const before = found.get(resource) ?? ZERO
        found.set(resource, addQuantity(before, parseQuantity(amount.text())))
      }
    for (const container of pod.items('spec.initContainers'))
      for (const [resource, amount] of amounts(container)) {
        const one = parseQuantity(amount.text())
        if (one.nanos > (found.get(resource) ?? ZERO).nanos) found.set(resource, one)
      }
    for (const [resource, amount] of pod.members('spec.overhead'))
      if (found.has(resource))
        found.set(resource, addQuantity(found.get(resource)!, parseQuantity(amount.text())))
    return found
  }
  return { requests: of('requests'), limits: of('limits') }
}
