/** Accounts, roles, and what is kept from others. */
import type { Page } from './page.ts'
import type { Scene } from './scene.ts'
import { bracketed } from './texts.ts'
import type { Value } from './value.ts'

export async function serviceAccount(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  page.all(0, [
    ['Name', scene.name],
    ['Namespace', scene.namespace],
  ])
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  const secrets = await scene.all('secrets')
  const known = new Set(secrets.map((one) => one.textAt('metadata.name')))
  const shown = (path: string) =>
    object
      .items(path)
      .map((one) => one.textAt('name'))
      .map((name) => (known.has(name) ? name : `${name} (not found)`))
  const mark = scene.v.resolve('{label}/service-account.name')
  const tokens = secrets.filter(
    (one) =>
      one.textAt('type') === scene.v.resolve('{label}/service-account-token') &&
      one
        .members('metadata.annotations')
        .some(([key, value]) => key === mark && value.text() === scene.name),
  )
  page.column(0, 'Image pull secrets', shown('imagePullSecrets'))
  page.column(0, 'Mountable secrets', shown('secrets'))
  page.column(
    0,
    'Tokens',
    tokens.map((one) => one.textAt('metadata.name')),
  )
}

const top = (page: Page, { object, name }: Scene): Page =>
  page
    .add(0, 'Name:', name)
    .labels(0, object.at('metadata.labels'))
    .annotations(0, object.at('metadata.annotations'))

/** What is allowed on one resource, object or path. */
interface Allowed {
  readonly verbs: string[]
  readonly group: string
  readonly resource: string
  readonly name: string
  readonly url: string
}

/** role, clusterrole: one row for each resource and name, with all of their verbs. */
export function role(page: Page, scene: Scene): void {
  const all = new Map<string, Allowed>()
  for (const one of scene.object.items('rules').flatMap(brokenDown)) {
    const { group, resource, name, url, verbs } = one
    // Verbs of paths stay apart.
    const key = [group, resource, name, url, url === '' ? '' : verbs[0]].join('\u0000')
    const found = all.get(key)
    if (!found) all.set(key, one)
    else if (!found.verbs.includes(verbs[0]!)) found.verbs.push(verbs[0]!)
  }
  const listed = (text: string) => bracketed(text === '' ? [] : [text])
  const place = (one: Allowed) =>
    `${bracketed(one.verbs)},${listed(one.group)},${listed(one.resource)},${listed(one.name)},${one.url}`
  const rows = [...all.values()].sort((a, b) => (place(a) < place(b) ? -1 : 1))
  top(page, scene).add(0, 'PolicyRule:')
  page.table(
    1,
    ['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs'],
    rows.map((one) => {
      const [type = '', ...sub] = one.resource.split('/')
      const full = one.group === '' ? type : `${type}.${one.group}`
      return [[full, ...sub].join('/'), listed(one.url), listed(one.name), bracketed(one.verbs)]
    }),
  )
}

function brokenDown(rule: Value): Allowed[] {
  const orNone = (path: string) => (rule.items(path).length === 0 ? [''] : rule.texts(path))
  return rule.texts('verbs').flatMap((verb) => [
    ...rule
      .texts('nonResourceURLs')
      .map((url) => ({ verbs: [verb], group: '', resource: '', name: '', url })),
    ...rule.texts('apiGroups').flatMap((group) =>
      rule.texts('resources').flatMap((resource) =>
        orNone('resourceNames').map((name) => ({
          verbs: [verb],
          group,
          resource,
          name,
          url: '',
        })),
      ),
    ),
  ])
}

/** rolebinding, clusterrolebinding */
export function binding(page: Page, scene: Scene): void {
  const { object } = scene
  top(page, scene).add(0, 'Role:')
  page.add(1, 'Kind:', object.textAt('roleRef.kind')).add(1, 'Name:', object.textAt('roleRef.name'))
  page.add(0, 'Subjects:')
  const rows = object
    .items('subjects')
    .map((one) => [one.textAt('kind'), one.textAt('name'), one.textAt('namespace')])
  page.table(1, ['Kind', 'Name', 'Namespace'], rows)
}

export function secret(page: Page, scene: Scene): void {
  const { object } = scene
  page.add(0, 'Name:', scene.name).add(0, 'Namespace:', scene.namespace)
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.add(0, '').add(0, 'Type:', object.textAt('type'))
  page.add(0, '').add(0, 'Data').add(0, '====')
  const token = scene.v.resolve('{label}/service-account-token')
  for (const [name, value] of object.members('data')) {
    const bytes = Buffer.from(value.text(), 'base64')
    const isShown = name === 'token' && object.textAt('type') === token
    page.add(0, `${name}:`, isShown ? bytes.toString('utf8') : `${bytes.length} bytes`)
  }
}

export function configMap(page: Page, scene: Scene): void {
  const { object } = scene
  page.add(0, 'Name:', scene.name).add(0, 'Namespace:', scene.namespace)
  page.labels(0, object.at('metadata.labels')).annotations(0, object.at('metadata.annotations'))
  page.add(0, '').add(0, 'Data').add(0, '====')
  for (const [name, value] of object.members('data'))
    page.add(0, `${name}:`).add(0, '----').add(0, value.text())
  page.add(0, '').add(0, 'BinaryData').add(0, '====')
  for (const [name, value] of object.members('binaryData'))
    page.add(0, `${name}: ${Buffer.from(value.text(), 'base64').length} bytes`)
  page.add(0, '')
}

export async function signingRequest(page: Page, scene: Scene): Promise<void> {
  const { object } = scene
  const all = object.items('status.conditions').map((one) => one.textAt('type'))
  const hasCertificate = object.textAt('status.certificate') !== ''
  const decided = all.includes('Denied')
    ? 'Denied'
    : all.includes('Approved')
      ? 'Approved'
      : 'Pending'
  const status = [
    decided,
    ...(all.includes('Failed') ? ['Failed'] : []),
    ...(hasCertificate ? ['Issued'] : []),
  ]
  top(page, scene).created(object)
  page.add(0, 'Requesting User:', object.textAt('spec.username'))
  page.maybe(0, 'Signer', object.textAt('spec.signerName'))
  const seconds = object.at('spec.expirationSeconds')
  if (seconds.isSet) page.add(0, 'Requested Duration:', `${seconds.text()}s`)
  page.add(0, 'Status:', status.join(','))
  await addSubject(page, object.textAt('spec.request'))
}

const SERIAL_NUMBER = '2.5.4.5'

async function addSubject(page: Page, request: string): Promise<void> {
  const { requestContent } = await import('../../kinds/certificates/signed-request.ts')
  const { commonName, organizations, subject, ...names } = requestContent(request)
  const list = (name: string, values: readonly string[]) => {
    for (const [i, value] of values.entries()) page.add(0, '', i === 0 ? `${name}:` : '', value)
  }
  page.add(0, 'Subject:').add(0, '', 'Common Name:', commonName)
  page.add(0, '', 'Serial Number:', subject.find(([type]) => type === SERIAL_NUMBER)?.[1] ?? '')
  list('Organization', organizations)
  const others = [
    ['DNS Names', names.dnsNames],
    ['Email Addresses', names.emailAddresses],
    ['URIs', names.uris],
    ['IP Addresses', names.ipAddresses.map((bytes) => addressText(bytes))],
  ] as const
  if (others.some(([, values]) => values.length > 0)) page.add(0, 'Subject Alternative Names:')
  for (const [name, values] of others) list(name, values)
}

/** Four bytes with dots, or sixteen in groups. */
function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.')
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
