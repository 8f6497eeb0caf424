import type { Pod } from '../../kinds/core/pod/pod.ts'
import { formatTime } from '../../base/time.ts'
import { badRequest, invalid } from '../../meta/errors.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import { first, type ConnectDependencies, type Query } from '../context.ts'
import { agentOf } from './node.ts'
import { readCore } from './objects.ts'
import { checkProxyable, schemeNamePort, type ConnectCall, type Target } from './target.ts'

const readPod = (api: ConnectDependencies, call: ConnectCall, name = call.name) =>
  readCore<Pod>(api, 'pods', call.namespace, name)

/** A port of the pod (`pods/proxy`). Throws 400 and 404. */
export async function podTarget(api: ConnectDependencies, call: ConnectCall): Promise<Target> {
  const { scheme, name, port } = schemeNamePort(call.name, 'pod')
  const pod = await readPod(api, call, name)
  const host = pod.status.podIPs?.[0]?.ip ?? pod.status.podIP ?? ''
  checkProxyable(api, host)
  const declared = pod.spec.containers.flatMap(({ ports = [] }) => ports)[0]
  return {
    scheme: scheme === '' ? 'http' : scheme,
    host,
    port: port !== '' ? port : declared ? String(declared.containerPort) : '',
    path: call.rest,
    query: call.rawQuery,
    tls: null,
    prefix: call.base,
  }
}

/** The log of one container; null when the pod has no node: its log is empty. Throws 400, 404 and 422. */
export async function logTarget(
  api: ConnectDependencies,
  call: ConnectCall,
): Promise<Target | null> {
  const query = checkedLogOptions(call.query)
  const pod = await readPod(api, call)
  const container = containerOf(pod, first(call.query, 'container') ?? '')
  const node = pod.spec.nodeName ?? ''
  if (node === '') return null
  const agent = await agentOf(api, node)
  const { ca: _, ...unchecked } = api.agentTls
  return {
    scheme: 'https',
    ...agent,
    path: `/containerLogs/${place(call)}/${encodeURIComponent(container)}`,
    query,
    tls: isTrue(call.query, 'insecureSkipTLSVerifyBackend') ? unchecked : api.agentTls,
    contentType: 'text/plain',
  }
}

const place = (call: ConnectCall) =>
  `${encodeURIComponent(call.namespace)}/${encodeURIComponent(call.name)}`

/** Options of a log as the agent reads them. Throws 422. */
function checkedLogOptions(query: Query): string {
  const errors = new FieldErrors()
  const out = new URLSearchParams()
  for (const name of ['follow', 'previous', 'timestamps']) {
    if (isTrue(query, name)) out.set(name, 'true')
  }
  for (const [name, least] of [
    ['sinceSeconds', 1],
    ['tailLines', 0],
    ['limitBytes', 1],
  ] as const) {
    const text = first(query, name)
    if (text === undefined || text === '') continue
    if (!/^[-+]?\d{1,15}$/.test(text)) {
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
    }
    const value = Number(text)
    if (value < least) {
      errors.at(name).invalid(value, `must be greater than ${least === 0 ? 'or equal to 0' : '0'}`)
    }
    out.set(name, String(value))
  }
  const since = first(query, 'sinceTime') ?? ''
  if (since !== '') {
    const time = Date.parse(since)
    if (Number.isNaN(time)) throw badRequest(`invalid sinceTime: ${JSON.stringify(since)}`)
    if (out.has('sinceSeconds')) {
      errors.forbidden('at most one of `sinceTime` or `sinceSeconds` may be specified')
    }
    out.set('sinceTime', formatTime(time))
  }
  if (errors.list.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, '', errors.list)
  const text = out.toString()
  return text === '' ? '' : `?${text}`
}

const isTrue = (query: Query, name: string) => {
  const value = first(query, name)
  return value !== undefined && value !== 'false' && value !== '0'
}

/** The requested container. Throws 400 when there are several and none is named, or when it does not exist. */
function containerOf({ metadata, spec }: Pod, wanted: string): string {
  const names = (list: readonly { name: string }[] = []) => list.map(({ name }) => name)
  const own = names(spec.containers)
  const pod = metadata.name ?? ''
  const init = names(spec.initContainers)
  const ephemeral = names(spec.ephemeralContainers)
  if (wanted !== '') {
    if ([...own, ...init, ...ephemeral].includes(wanted)) return wanted
    throw badRequest(`container ${wanted} is not valid for pod ${pod}`)
  }
  if (own.length === 1) return own[0]!
  const also = (list: readonly string[], what: string) =>
    list.length === 0 ? '' : ` or one of the ${what} containers: [${list.join(' ')}]`
  throw badRequest(
    `a container name must be specified for pod ${pod}, choose one of: [${own.join(' ')}]${also(init, 'init')}${also(ephemeral, 'ephemeral')}`,
  )
}

/** Target of exec and attach: streams of one container. Throws 400 and 404. */
const streams =
  (verb: 'exec' | 'attach') =>
  async (api: ConnectDependencies, call: ConnectCall): Promise<Target> => {
    const pod = await readPod(api, call)
    const container = containerOf(pod, first(call.query, 'container') ?? '')
    const agent = await agentOf(api, hostOf(pod))
    const out = new URLSearchParams()
    for (const [name, param] of [
      ['stdin', 'input'],
      ['stdout', 'output'],
      ['stderr', 'error'],
      ['tty', 'tty'],
    ] as const) {
      if (isTrue(call.query, name)) out.set(param, '1')
    }
    for (const word of call.query.get('command') ?? []) out.append('command', word)
    return {
      scheme: 'https',
      ...agent,
      path: `/${verb}/${place(call)}/${encodeURIComponent(container)}`,
      query: `?${out.toString()}`,
      tls: api.agentTls,
      upgradeRequired: true,
    }
  }

export const execTarget = streams('exec')
export const attachTarget = streams('attach')

/** Ports of a pod through the agent. Throws 400 and 404. */
export async function portForwardTarget(
  api: ConnectDependencies,
  call: ConnectCall,
): Promise<Target> {
  const pod = await readPod(api, call)
  const agent = await agentOf(api, hostOf(pod))
  const ports = (call.query.get('ports') ?? []).flatMap((text) => text.split(','))
  const out = new URLSearchParams(ports.map((port): [string, string] => ['port', port]))
  const text = out.toString()
  return {
    scheme: 'https',
    ...agent,
    path: `/portForward/${place(call)}`,
    query: text === '' ? '' : `?${text}`,
    tls: api.agentTls,
    upgradeRequired: true,
  }
}

function hostOf({ metadata, spec }: Pod): string {
  const node = spec.nodeName ?? ''
  if (node === '') throw badRequest(`pod ${metadata.name ?? ''} does not have a host assigned`)
  return node
}
