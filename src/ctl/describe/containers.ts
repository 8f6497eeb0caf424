/** Containers of pods and of their templates. */
import type { Page } from './page.ts'
import { timeText, truth } from './texts.ts'
import type { Value } from './value.ts'

/** What containers stand in. */
export interface ContainersOf {
  /** Spec of the pod. */
  readonly spec: Value
  /** The pod; null in a template. */
  readonly pod: Value | null
}

/** Adds the containers of a list. Those of templates stand one step to the right. */
export function addContainers(
  page: Page,
  heading: string,
  { list, statuses }: { readonly list: string; readonly statuses: string },
  { spec, pod }: ContainersOf,
): void {
  const all = spec.items(list)
  if (all.length === 0 && list !== 'containers') return
  page.add(pod ? 0 : 1, `${heading}:`)
  for (const container of all) {
    const name = container.textAt('name')
    const status = pod?.items(`status.${statuses}`).find((one) => one.textAt('name') === name)
    page.lines.push(`${pod ? '  ' : '   '}${name}:`)
    addImage(page, container, status)
    addCommand(page, 'Command', container)
    addCommand(page, 'Args', container)
    if (status) addStatus(page, status)
    addResources(page, container)
    addProbe(page, 'Liveness', container.at('livenessProbe'))
    addProbe(page, 'Readiness', container.at('readinessProbe'))
    addProbe(page, 'Startup', container.at('startupProbe'))
    addEnvironmentSources(page, container)
    addEnvironment(page, container, pod)
    addMounts(page, container)
  }
}

function addImage(page: Page, container: Value, status: Value | undefined): void {
  if (status) page.add(2, 'Container ID:', status.textAt('containerID'))
  page.add(2, 'Image:', container.textAt('image'))
  if (status) page.add(2, 'Image ID:', status.textAt('imageID'))
  const ports = container.items('ports')
  const shown = (port: string) =>
    ports.map((one) => `${one.textAt(port, '0')}/${one.textAt('protocol', 'TCP')}`).join(', ')
  const many = ports.length > 1 ? 's' : ''
  page.add(2, `Port${many}:`, shown('containerPort') || '<none>')
  page.add(2, `Host Port${many}:`, shown('hostPort') || '<none>')
}

function addCommand(page: Page, name: string, container: Value): void {
  const words = container.texts(name.toLowerCase())
  if (words.length === 0) return
  page.add(2, `${name}:`)
  for (const line of words.flatMap((word) => word.split('\n'))) page.add(3, line)
}

function addStatus(page: Page, status: Value): void {
  addState(page, 'State', status.at('state'))
  if (status.at('lastState.terminated').isSet) addState(page, 'Last State', status.at('lastState'))
  page.add(2, 'Ready:', truth(status.at('ready').isTrue))
  page.add(2, 'Restart Count:', status.textAt('restartCount', '0'))
}

function addState(page: Page, name: string, state: Value): void {
  const running = state.at('running')
  const waiting = state.at('waiting')
  const ended = state.at('terminated')
  if (running.isSet) {
    page.add(2, `${name}:`, 'Running')
    page.add(3, 'Started:', timeText(running.textAt('startedAt')))
  } else if (ended.isSet) {
    page.add(2, `${name}:`, 'Terminated')
    page.maybe(3, 'Reason', ended.textAt('reason'))
    page.maybe(3, 'Message', ended.textAt('message'))
    page.add(3, 'Exit Code:', ended.textAt('exitCode', '0'))
    if (ended.at('signal').number > 0) page.add(3, 'Signal:', ended.textAt('signal'))
    page.add(3, 'Started:', timeText(ended.textAt('startedAt')))
    page.add(3, 'Finished:', timeText(ended.textAt('finishedAt')))
  } else {
    page.add(2, `${name}:`, 'Waiting')
    page.maybe(3, 'Reason', waiting.textAt('reason'))
  }
}

function addResources(page: Page, container: Value): void {
  for (const name of ['limits', 'requests']) {
    const amounts = container.members(`resources.${name}`)
    if (amounts.length === 0) continue
    page.add(2, name === 'limits' ? 'Limits:' : 'Requests:')
    for (const [resource, amount] of amounts) page.add(3, `${resource}:`, amount.text())
  }
}

function addProbe(page: Page, name: string, probe: Value): void {
  if (!probe.isSet) return
  const times = [
    `delay=${probe.textAt('initialDelaySeconds', '0')}s`,
    `timeout=${probe.textAt('timeoutSeconds', '0')}s`,
    `period=${probe.textAt('periodSeconds', '0')}s`,
    `#success=${probe.textAt('successThreshold', '0')}`,
    `#failure=${probe.textAt('failureThreshold', '0')}`,
  ]
  page.add(2, `${name}:`, [handlerText(probe), ...times].join(' '))
}

function handlerText(probe: Value): string {
  const [exec, http, tcp, grpc] = ['exec', 'httpGet', 'tcpSocket', 'grpc'].map((of) => probe.at(of))
  if (exec!.isSet) return `exec [${exec!.texts('command').join(' ')}]`
  if (http!.isSet) {
    const scheme = http!.textAt('scheme', 'HTTP').toLowerCase()
    const path = http!.textAt('path')
    const host = `${http!.textAt('host')}:${http!.textAt('port')}`
    return `http-get ${scheme}://${host}${path.startsWith('/') ? '' : '/'}${path}`
  }
  if (tcp!.isSet) return `tcp-socket ${tcp!.textAt('host')}:${tcp!.textAt('port')}`
  if (grpc!.isSet) return `grpc <pod>:${grpc!.textAt('port')} ${grpc!.textAt('service')}`
  return 'unknown'
}

function addEnvironmentSources(page: Page, container: Value): void {
  const sources = container.items('envFrom')
  if (sources.length === 0) return
  page.add(2, 'Environment Variables from:')
  for (const source of sources) {
    const isMap = source.at('configMapRef').isSet
    const ref = source.at(isMap ? 'configMapRef' : 'secretRef')
    const prefix = source.textAt('prefix')
    const kind = `${isMap ? 'ConfigMap' : 'Secret'}${prefix === '' ? '' : ` with prefix '${prefix}'`}`
    page.add(3, ref.textAt('name'), kind, `Optional: ${ref.at('optional').isTrue}`)
  }
}

function addEnvironment(page: Page, container: Value, pod: Value | null): void {
  const all = container.items('env')
  if (all.length === 0) return void page.add(2, 'Environment:', '<none>')
  page.add(2, 'Environment:')
  for (const one of all) {
    const name = `${one.textAt('name')}:`
    const from = one.at('valueFrom')
    if (!from.isSet) {
      const [first = '', ...more] = one.textAt('value').split('\n')
      page.add(3, name, first)
      for (const line of more) page.add(3, '', line)
    } else page.add(3, name, ...sourceText(from, container, pod))
  }
}

function sourceText(from: Value, container: Value, pod: Value | null): string[] {
  const [secret, map, field, amount] = [
    'secretKeyRef',
    'configMapKeyRef',
    'fieldRef',
    'resourceFieldRef',
  ].map((of) => from.at(of))
  const keyed = (ref: Value, what: string) => [
    `<set to the key '${ref.textAt('key')}' ${what} '${ref.textAt('name')}'>`,
    `Optional: ${ref.at('optional').isTrue}`,
  ]
  if (secret!.isSet) return keyed(secret!, 'in secret')
  if (map!.isSet) return keyed(map!, 'of config map')
  if (field!.isSet) {
    const path = field!.textAt('fieldPath')
    const value = pod && path.startsWith('metadata.') ? pod.textAt(path) : ''
    return [`${pod ? value : ''} (${field!.textAt('apiVersion')}:${path})`]
  }
  const resource = amount!.textAt('resource')
  const [list = '', ...of] = resource.split('.')
  const value = container
    .members(`resources.${list}`)
    .find(([name]) => name === of.join('.'))?.[1]
    .text()
  return [`${value ?? (resource.includes('limits') ? 'node allocatable' : '0')} (${resource})`]
}

function addMounts(page: Page, container: Value): void {
  const mounts = container
    .items('volumeMounts')
    .sort((a, b) => (a.textAt('mountPath') < b.textAt('mountPath') ? -1 : 1))
  if (mounts.length === 0) page.add(2, 'Mounts:', '<none>')
  else page.add(2, 'Mounts:')
  for (const mount of mounts) {
    const path = mount.textAt('subPath') || mount.textAt('subPathExpr')
    const flags = [
      mount.at('readOnly').isTrue ? 'ro' : 'rw',
      ...(path === '' ? [] : [`path="${path}"`]),
    ]
    page.add(3, `${mount.textAt('mountPath')} from ${mount.textAt('name')} (${flags.join(',')})`)
  }
  const devices = container.items('volumeDevices')
  if (devices.length > 0) page.add(2, 'Devices:')
  for (const device of devices)
    page.add(3, `${device.textAt('devicePath')} from ${device.textAt('name')}`)
}
