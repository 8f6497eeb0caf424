/** Services and what leads to them. */
import { StatusError } from '../../meta/errors.ts'
import type { Page } from './page.ts'
import type { Scene } from './scene.ts'
import { labelsLine, NONE, plainTimeText, selectorText, UNSET } from './texts.ts'
import type { Value } from './value.ts'

/** At most so many addresses are shown. */
const MAX_ADDRESSES = 3

export async function service(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  const spec = object.at('spec')
  page.all(0, [
    ['Name', scene.name],
    ['Namespace', scene.namespace],
  ])
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.add(0, 'Selector:', labelsLine(spec.at('selector')))
  page.add(0, 'Type:', spec.textAt('type'))
  page.maybe(0, 'IP Family Policy', spec.textAt('ipFamilyPolicy'))
  const listed = (path: string) => spec.texts(path).join(',')
  if (spec.at('ipFamilies').isSet) page.add(0, 'IP Families:', listed('ipFamilies') || NONE)
  page.add(0, 'IP:', spec.textAt('clusterIP'))
  if (spec.at('clusterIPs').isSet) page.add(0, 'IPs:', listed('clusterIPs') || NONE)
  page.maybe(0, 'External IPs', listed('externalIPs'))
  page.maybe(0, 'IP', spec.textAt('loadBalancerIP'))
  page.maybe(0, 'External Name', spec.textAt('externalName'))
  const ingress = object.items('status.loadBalancer.ingress')
  page.maybe(
    0,
    'LoadBalancer Ingress',
    ingress.map((one) => one.textAt('ip') || one.textAt('hostname')).join(', '),
  )
  const endpoints = await scene.one('endpoints', scene.name)
  for (const port of spec.items('ports')) addPort(page, port, endpoints)
  page.add(0, 'Session Affinity:', spec.textAt('sessionAffinity'))
  page.maybe(0, 'External Traffic Policy', spec.textAt('externalTrafficPolicy'))
  if (spec.at('healthCheckNodePort').number > 0)
    page.add(0, 'HealthCheck NodePort:', spec.textAt('healthCheckNodePort'))
  const ranges = spec.texts('loadBalancerSourceRanges')
  if (ranges.length > 0) page.add(0, 'LoadBalancer Source Ranges:', ranges.join(','))
}

function addPort(page: Page, port: Value, endpoints: Value | StatusError): void {
  const name = port.textAt('name', UNSET)
  const protocol = port.textAt('protocol')
  page.add(0, 'Port:', name, `${port.textAt('port')}/${protocol}`)
  page.add(0, 'TargetPort:', `${port.textAt('targetPort', '0')}/${protocol}`)
  if (port.at('nodePort').number > 0)
    page.add(0, 'NodePort:', name, `${port.textAt('nodePort')}/${protocol}`)
  page.add(
    0,
    'Endpoints:',
    addressesText(endpoints, (one) => one.textAt('name') === port.textAt('name')),
  )
}

/** Addresses with ports that fit; those that are ready only. */
function addressesText(endpoints: Value | StatusError, fits: (port: Value) => boolean): string {
  if (endpoints instanceof StatusError || endpoints.items('subsets').length === 0) return NONE
  const all = endpoints.items('subsets').flatMap((subset) =>
    subset
      .items('ports')
      .filter(fits)
      .flatMap((port) =>
        subset.items('addresses').map((one) => {
          const ip = one.textAt('ip')
          return `${ip.includes(':') ? `[${ip}]` : ip}:${port.textAt('port')}`
        }),
      ),
  )
  const more = all.length - MAX_ADDRESSES
  const shown = all.slice(0, MAX_ADDRESSES).join(',')
  return more > 0 ? `${shown} + ${more} more...` : shown
}

export function endpoints(page: Page, { object, name, namespace }: Scene): void {
  page.all(0, [
    ['Name', name],
    ['Namespace', namespace],
  ])
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.add(0, 'Subsets:')
  for (const subset of object.items('subsets')) {
    const listed = (path: string) =>
      subset
        .items(path)
        .map((one) => one.textAt('ip'))
        .join(',') || NONE
    page.add(1, 'Addresses:', listed('addresses'))
    page.add(1, 'NotReadyAddresses:', listed('notReadyAddresses'))
    const ports = subset.items('ports')
    if (ports.length > 0) {
      page.add(1, 'Ports:')
      const rows = ports.map((one) => [
        one.textAt('name', UNSET),
        one.textAt('port'),
        one.textAt('protocol'),
      ])
      page.table(2, ['Name', 'Port', 'Protocol'], rows)
    }
    page.add(0, '')
  }
}

export function endpointSlice(page: Page, { object, name, namespace }: Scene): void {
  page.all(0, [
    ['Name', name],
    ['Namespace', namespace],
  ])
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.add(0, 'AddressType:', object.textAt('addressType'))
  const ports = object.items('ports')
  if (ports.length === 0) page.add(0, `Ports: ${UNSET}`)
  else {
    const rows = ports.map((one) => [
      one.textAt('name', UNSET),
      one.textAt('port', UNSET),
      one.textAt('protocol'),
    ])
    page.add(0, 'Ports:').table(1, ['Name', 'Port', 'Protocol'], rows)
  }
  const all = object.items('endpoints')
  if (all.length === 0) return void page.add(0, `Endpoints: ${NONE}`)
  page.add(0, 'Endpoints:')
  for (const one of all) {
    page.add(1, '- Addresses:', one.texts('addresses').join(', '))
    page.add(2, 'Conditions:').add(3, 'Ready:', one.textAt('conditions.ready', UNSET))
    page.add(2, 'Hostname:', one.textAt('hostname', UNSET))
    const target = one.at('targetRef')
    if (target.isSet) page.add(2, 'TargetRef:', `${target.textAt('kind')}/${target.textAt('name')}`)
    page.add(2, 'NodeName:', one.textAt('nodeName', UNSET))
    page.add(2, 'Zone:', one.textAt('zone', UNSET))
  }
}

export async function ingress(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  const spec = object.at('spec')
  page.add(0, 'Name:', scene.name).labels(0, object.at('metadata.labels'))
  page.add(0, 'Namespace:', scene.namespace)
  const addresses = object.items('status.loadBalancer.ingress')
  page.add(
    0,
    'Address:',
    addresses.map((one) => one.textAt('ip') || one.textAt('hostname')).join(','),
  )
  page.add(0, 'Ingress Class:', spec.textAt('ingressClassName', NONE))
  const otherwise = spec.at('defaultBackend')
  page.add(
    0,
    'Default backend:',
    otherwise.isSet ? await backendText(scene, otherwise) : '<default>',
  )
  addTls(page, spec)
  page.add(0, 'Rules:').add(1, 'Host', 'Path', 'Backends').add(1, '----', '----', '--------')
  for (const rule of spec.items('rules')) {
    const paths = rule.items('http.paths')
    if (!rule.at('http').isSet) continue
    page.add(1, rule.textAt('host', '*'), '')
    for (const path of paths)
      page.add(1, '', `${path.textAt('path')} `, await backendText(scene, path.at('backend')))
  }
  if (spec.items('rules').length === 0)
    page.add(1, '*', '*', otherwise.isSet ? await backendText(scene, otherwise) : '<default>')
  page.annotations(0, object.at('metadata.annotations'))
}

function addTls(page: Page, spec: Value): void {
  const all = spec.items('tls')
  if (all.length > 0) page.add(0, 'TLS:')
  for (const one of all) {
    const secret = one.textAt('secretName')
    const hosts = one.texts('hosts').join(',')
    page.add(1, secret === '' ? `SNI routes ${hosts}` : `${secret} terminates ${hosts}`)
  }
}

async function backendText(scene: Scene, backend: Value): Promise<string> {
  const resource = backend.at('resource')
  if (resource.isSet)
    return `APIGroup: ${resource.textAt('apiGroup', NONE)}, Kind: ${resource.textAt('kind')}, Name: ${resource.textAt('name')}`
  const name = backend.textAt('service.name')
  const port = backend.textAt('service.port.name') || backend.textAt('service.port.number')
  const found = await scene.one('endpoints', name)
  if (found instanceof StatusError) return `${name}:${port} (<error: ${found.message}>)`
  const service = await scene.one('services', name)
  const of =
    service instanceof StatusError
      ? undefined
      : service
          .items('spec.ports')
          .find((one) => one.textAt('name') === port || one.textAt('port') === port)
  return `${name}:${port} (${addressesText(found, (one) => one.textAt('name') === (of?.textAt('name') ?? ''))})`
}

export function networkPolicy(page: Page, { object, name, namespace }: Scene): void {
  const spec = object.at('spec')
  page.all(0, [
    ['Name', name],
    ['Namespace', namespace],
    ['Created on', plainTimeText(object.textAt('metadata.creationTimestamp'))],
  ])
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.add(0, 'Spec:')
  const selector = selectorText(spec.at('podSelector'))
  const what = selector || `${NONE} (Allowing the specific traffic to all pods in this namespace)`
  page.lines.push(`  PodSelector:     ${what}`)
  const types = spec.texts('policyTypes')
  for (const [type, rules, peers, word] of [
    ['Ingress', 'ingress', 'from', 'From'],
    ['Egress', 'egress', 'to', 'To'],
  ] as const) {
    const lower = type.toLowerCase()
    if (!types.includes(type)) {
      page.add(1, `Not affecting ${lower} traffic`)
      continue
    }
    page.add(1, `Allowing ${lower} traffic:`)
    addRules(page, spec.items(rules), { peers, word, lower })
  }
  page.add(1, `Policy Types: ${types.join(', ')}`)
}

function addRules(
  page: Page,
  rules: readonly Value[],
  { peers, word, lower }: { readonly peers: string; readonly word: string; readonly lower: string },
): void {
  if (rules.length === 0)
    return void page.add(2, `${NONE} (Selected pods are isolated for ${lower} connectivity)`)
  for (const [i, rule] of rules.entries()) {
    if (i > 0) page.add(2, '----------')
    const ports = rule.items('ports')
    if (ports.length === 0) page.add(2, 'To Port: <any> (traffic allowed to all ports)')
    for (const port of ports)
      page.add(2, `To Port: ${port.textAt('port', '<any>')}/${port.textAt('protocol', 'TCP')}`)
    const all = rule.items(peers)
    const side = lower === 'ingress' ? 'source' : 'destination'
    if (all.length === 0) page.add(2, `${word}: <any> (traffic not restricted by ${side})`)
    for (const peer of all) addPeer(page, peer, word)
  }
}

function addPeer(page: Page, peer: Value, word: string): void {
  page.add(2, `${word}:`)
  const block = peer.at('ipBlock')
  if (block.isSet) {
    page.add(3, 'IPBlock:').add(4, `CIDR: ${block.textAt('cidr')}`)
    page.add(4, `Except: ${block.texts('except').join(', ')}`)
    return
  }
  for (const [name, path] of [
    ['NamespaceSelector', 'namespaceSelector'],
    ['PodSelector', 'podSelector'],
  ] as const)
    if (peer.at(path).isSet) page.add(3, `${name}: ${selectorText(peer.at(path)) || NONE}`)
}

export function ingressClass(page: Page, { object, name }: Scene): void {
  page.add(0, 'Name:', name).labels(0, object.at('metadata.labels'))
  page.annotations(0, object.at('metadata.annotations'))
  page.add(0, 'Controller:', object.textAt('spec.controller'))
  const parameters = object.at('spec.parameters')
  if (!parameters.isSet) return
  page.add(0, 'Parameters:')
  page.maybe(1, 'APIGroup', parameters.textAt('apiGroup'))
  page.add(1, 'Kind:', parameters.textAt('kind')).add(1, 'Name:', parameters.textAt('name'))
}
