/** create namespace, serviceaccount, token, quota, priorityclass, poddisruptionbudget, ingress. */
import type { ApiObject } from '../../../client/transport.ts'
import { generatorCommand, nameArg, quantities, resourceList } from '../../api/generate.ts'
import { findResource, resourcePath } from '../../api/resources.ts'
import type { Command } from '../../base/command.ts'
import { StatusError } from '../../../meta/errors.ts'
import { Fault } from '../../base/faults.ts'
import { durationOf } from '../../base/flags.ts'
import { formatOf, outputFlags, printerOf } from '../../print/output.ts'

export const createNamespace = generatorCommand({
  use: 'NAME [--dry-run=server|client|none]',
  text: 'Creates a namespace.',
  make: (c) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: nameArg(c) },
    spec: {},
    status: {},
  }),
})

export const createServiceAccount = generatorCommand({
  use: 'NAME [--dry-run=server|client|none]',
  text: 'Creates a service account.',
  make: (c) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: nameArg(c) } }),
})

export const createToken: Command = {
  use: 'SERVICE_ACCOUNT_NAME',
  text: 'Requests a token of a service account and shows it.',
  examples: [['For an hour', 'create token robot --duration 1h']],
  flags: {
    ...outputFlags,
    audience: {
      type: 'array',
      help: 'Audience of the requested token. May be repeated to request a token valid for multiple audiences.',
    },
    'bound-object-kind': {
      type: 'text',
      help: 'Kind of an object to bind the token to. Supported kinds are Pod, Secret.',
    },
    'bound-object-name': { type: 'text', help: 'Name of an object to bind the token to.' },
    'bound-object-uid': { type: 'text', help: 'UID of an object to bind the token to.' },
    duration: { type: 'text', help: 'Requested lifetime of the issued token.' },
  },
  async run(c) {
    const name = nameArg(c)
    const v = await c.words()
    const { name: namespace } = await c.namespace()
    const of = await findResource(await c.discovery(), 'serviceaccounts')
    const duration = c.flags.text('duration')
    const kind = c.flags.text('bound-object-kind')
    if (kind !== '' && kind !== 'Pod' && kind !== 'Secret') {
      throw new Fault('error: supported --bound-object-kind values are Pod, Secret')
    }
    for (const part of ['name', 'uid'])
      if (kind === '' && c.flags.text(`bound-object-${part}`) !== '')
        throw new Fault(
          `error: --bound-object-${part} can only be set if --bound-object-kind is provided`,
        )
    if (kind !== '' && c.flags.text('bound-object-name') === '')
      throw new Fault('error: --bound-object-name is required if --bound-object-kind is provided')
    if (duration !== '' && durationOf(duration) < 0)
      throw new Fault('error: --duration must be positive')
    const audiences = c.flags.list('audience')
    const uid = c.flags.text('bound-object-uid')
    const api = await c.api()
    const request = {
      method: 'POST' as const,
      path: `${resourcePath(of, namespace, name)}/token`,
      body: {
        apiVersion: v.resolve('authentication{api}/v1'),
        kind: 'TokenRequest',
        spec: {
          audiences: audiences.length > 0 ? audiences : null,
          ...(duration === '' ? {} : { expirationSeconds: durationOf(duration) / 1000 }),
          ...(kind === ''
            ? {}
            : {
                boundObjectRef: {
                  apiVersion: 'v1',
                  kind,
                  name: c.flags.text('bound-object-name'),
                  ...(uid === '' ? {} : { uid }),
                },
              }),
        },
      },
    }
    const token = await api
      .json<ApiObject & { status?: { token?: string } }>(request)
      .catch((error: unknown) => {
        if (error instanceof StatusError)
          throw new Fault(`error: failed to create token: ${error.message}`)
        throw error
      })
    const format = formatOf(c, false)
    if (format.name === '') return c.out(`${token.status?.token ?? ''}\n`)
    c.out(await (await printerOf(c, format))(token))
  },
}

export const createQuota = generatorCommand({
  use: 'NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]',
  text: 'Creates a resource quota.',
  flags: {
    hard: {
      type: 'text',
      help: 'A comma-delimited set of resource=quantity pairs that define a hard limit.',
    },
    scopes: {
      type: 'text',
      help: 'A comma-delimited set of quota scopes that must all match each object tracked by the quota.',
    },
  },
  make(c) {
    const scopes = c.flags.text('scopes')
    const hard = quantities(c.flags.text('hard'))
    return {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: nameArg(c) },
      spec: { ...(hard ? { hard } : {}), ...(scopes === '' ? {} : { scopes: scopes.split(',') }) },
      status: {},
    }
  },
})

export const createPriorityClass = generatorCommand({
  use: 'NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]',
  text: 'Creates a priority class.',
  flags: {
    description: {
      type: 'text',
      help: 'description is an arbitrary string that usually provides guidelines on when this priority class should be used.',
    },
    'global-default': {
      type: 'bool',
      help: 'global-default specifies whether this PriorityClass should be considered as the default priority.',
    },
    'preemption-policy': {
      type: 'text',
      default: 'PreemptLowerPriority',
      help: 'preemption-policy is the policy for preempting pods with lower priority.',
    },
    value: { type: 'int', default: '0', help: 'the value of this priority class.' },
  },
  make: (c, v) => ({
    apiVersion: v.resolve('scheduling{api}/v1'),
    kind: 'PriorityClass',
    metadata: { name: nameArg(c) },
    value: c.flags.int('value'),
    ...(c.flags.is('global-default') ? { globalDefault: true } : {}),
    ...(c.flags.text('description') === '' ? {} : { description: c.flags.text('description') }),
    preemptionPolicy: c.flags.text('preemption-policy'),
  }),
})

export const createBudget = generatorCommand({
  use: 'NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]',
  text: 'Creates a pod disruption budget.',
  flags: {
    'max-unavailable': {
      type: 'text',
      help: 'The maximum number or percentage of unavailable pods this budget requires.',
    },
    'min-available': {
      type: 'text',
      help: 'The minimum number or percentage of available pods this budget requires.',
    },
    selector: {
      type: 'text',
      help: 'A label selector to use for this budget. Only equality-based selector requirements are supported.',
    },
  },
  make(c) {
    const [min, max] = ['min-available', 'max-unavailable'].map((flag) => c.flags.text(flag))
    const metadata = { name: nameArg(c) }
    if (c.flags.text('selector') === '') throw new Fault('error: a selector must be specified')
    if (min === '' && max === '')
      throw new Fault('error: one of min-available or max-unavailable must be specified')
    if (min !== '' && max !== '')
      throw new Fault('error: min-available and max-unavailable cannot be both specified')
    const amount = (text: string) => (/^\d+$/.test(text) ? Number(text) : text)
    const matchLabels = resourceList(c.flags.text('selector'))
    return {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: {
        ...(min === '' ? { maxUnavailable: amount(max!) } : { minAvailable: amount(min!) }),
        selector: { matchLabels },
      },
      status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
    }
  },
})

const RULE = /^(?:([^/=,]*))?(\/[^=,]*)?=([^:,]+):([^,]+)(?:,(tls(?:=(.*))?))?$/

export const createIngress = generatorCommand({
  use: 'NAME --rule=host/path=service:port[,tls[=secret]]',
  text: 'Creates an ingress.',
  examples: [['One rule', 'create ingress web --rule="example.com/*=web:80,tls=cert"']],
  flags: {
    annotation: {
      type: 'array',
      help: 'Annotation to insert in the ingress object, in the format annotation=value',
    },
    class: { type: 'text', help: 'Ingress Class to be used' },
    'default-backend': {
      type: 'text',
      help: 'Default service for backend, in format of svcname:port',
    },
    rule: {
      type: 'array',
      help: "Rule in format host/path=service:port[,tls=secretname]. Paths containing the leading character '*' are considered pathType=Prefix.",
    },
  },
  make(c, v) {
    const name = nameArg(c)
    const texts = c.flags.list('rule')
    const fallback = c.flags.text('default-backend')
    if (texts.length === 0 && fallback === '') {
      throw new Fault(
        'error: not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)',
      )
    }
    const rules = texts.map(ruleOf)
    const hosts = [...new Set(rules.map(({ host }) => host))]
    const annotations = Object.fromEntries(
      c.flags.list('annotation').map((text) => text.split(/=(.*)/s).slice(0, 2)),
    )
    const tls = tlsOf(rules)
    return {
      apiVersion: v.resolve('networking{api}/v1'),
      kind: 'Ingress',
      metadata: {
        name,
        ...(Object.keys(annotations).length > 0 ? { annotations: annotations as object } : {}),
      },
      spec: {
        ...(fallback === '' ? {} : { defaultBackend: backendOf(...split(fallback)) }),
        ...(c.flags.text('class') === '' ? {} : { ingressClassName: c.flags.text('class') }),
        ...(rules.length === 0
          ? {}
          : {
              rules: hosts.map((host) => ({
                ...(host === '' ? {} : { host }),
                http: { paths: rules.filter((one) => one.host === host).map(({ path }) => path) },
              })),
            }),
        ...(tls.length > 0 ? { tls } : {}),
      },
      status: { loadBalancer: {} },
    }
  },
})

interface Rule {
  readonly host: string
  readonly path: object
  readonly tls: string | null
}

function ruleOf(text: string): Rule {
  const match = RULE.exec(text)
  if (!match)
    throw new Fault(
      `error: rule ${text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`,
    )
  const [, host = '', path = '', service = '', port = '', hasTls, secret = ''] = match
  const isPrefix = path.endsWith('*')
  return {
    host,
    path: {
      backend: backendOf(service, port),
      path: isPrefix ? path.slice(0, -1) : path,
      pathType: isPrefix ? 'Prefix' : 'Exact',
    },
    tls: hasTls === undefined ? null : secret,
  }
}

function tlsOf(rules: readonly Rule[]): object[] {
  const bySecret = new Map<string, Set<string>>()
  for (const { host, tls } of rules) {
    if (tls === null) continue
    const hosts = bySecret.get(tls) ?? new Set()
    if (host !== '') hosts.add(host)
    bySecret.set(tls, hosts)
  }
  return [...bySecret].map(([secretName, hosts]) => ({
    ...(hosts.size > 0 ? { hosts: [...hosts] } : {}),
    ...(secretName === '' ? {} : { secretName }),
  }))
}

function split(text: string): [string, string] {
  const [service = '', port = '', ...more] = text.split(':')
  if (service === '' || port === '' || more.length > 0)
    throw new Fault('error: default-backend should be in format servicename:serviceport')
  return [service, port]
}

const backendOf = (name: string, port: string) => ({
  service: { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } },
})
