/** Conversions between versions, as changes of JSON. Only what differs between the versions is touched. */
import type { ApiObject } from '../../client/transport.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { Fault } from '../base/faults.ts'

type Tree = Record<string, unknown>

/** A change in place from one version to another. */
type Change = (object: Tree, v: Vocabulary) => void

interface Step {
  readonly kinds: readonly string[]
  readonly from: readonly string[]
  readonly to: string
  readonly change?: Change
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const tree = (value: unknown): Tree => (isTree(value) ? value : {})
const list = (value: unknown): Tree[] => (Array.isArray(value) ? value.filter(isTree) : [])

/** Every removed version, and what replaces it. Group versions are templates. */
const STEPS: readonly Step[] = [
  {
    kinds: ['CSIStorageCapacity', 'CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'],
    from: ['storage{api}/v1beta1'],
    to: 'storage{api}/v1',
  },
  {
    kinds: ['FlowSchema', 'PriorityLevelConfiguration'],
    from: ['flowcontrol.apiserver{api}/v1beta1'],
    to: 'flowcontrol.apiserver{api}/v1beta2',
  },
  { kinds: ['HorizontalPodAutoscaler'], from: ['autoscaling/v2beta2'], to: 'autoscaling/v2' },
  {
    kinds: ['HorizontalPodAutoscaler'],
    from: ['autoscaling/v2beta1'],
    to: 'autoscaling/v2',
    change: autoscaler,
  },
  { kinds: ['CronJob'], from: ['batch/v1beta1'], to: 'batch/v1' },
  {
    kinds: ['EndpointSlice'],
    from: ['discovery{api}/v1beta1'],
    to: 'discovery{api}/v1',
    change: endpointSlice,
  },
  { kinds: ['Event'], from: ['events{api}/v1beta1'], to: 'events{api}/v1' },
  {
    kinds: ['PodDisruptionBudget'],
    from: ['policy/v1beta1'],
    to: 'policy/v1',
    change: budget,
  },
  { kinds: ['Eviction'], from: ['policy/v1beta1'], to: 'policy/v1' },
  { kinds: ['RuntimeClass'], from: ['node{api}/v1beta1'], to: 'node{api}/v1' },
  {
    kinds: ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
    from: ['admissionregistration{api}/v1beta1'],
    to: 'admissionregistration{api}/v1',
    change: webhooks,
  },
  {
    kinds: ['CustomResourceDefinition'],
    from: ['apiextensions{api}/v1beta1'],
    to: 'apiextensions{api}/v1',
    change: definition,
  },
  { kinds: ['APIService'], from: ['apiregistration{api}/v1beta1'], to: 'apiregistration{api}/v1' },
  { kinds: ['TokenReview'], from: ['authentication{api}/v1beta1'], to: 'authentication{api}/v1' },
  {
    kinds: [
      'LocalSubjectAccessReview',
      'SelfSubjectAccessReview',
      'SelfSubjectRulesReview',
      'SubjectAccessReview',
    ],
    from: ['authorization{api}/v1beta1'],
    to: 'authorization{api}/v1',
    change: accessReview,
  },
  {
    kinds: ['CertificateSigningRequest'],
    from: ['certificates{api}/v1beta1'],
    to: 'certificates{api}/v1',
    change: signingRequest,
  },
  { kinds: ['Lease'], from: ['coordination{api}/v1beta1'], to: 'coordination{api}/v1' },
  {
    kinds: ['Ingress'],
    from: ['extensions/v1beta1', 'networking{api}/v1beta1'],
    to: 'networking{api}/v1',
    change: ingress,
  },
  { kinds: ['IngressClass'], from: ['networking{api}/v1beta1'], to: 'networking{api}/v1' },
  {
    kinds: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
    from: ['rbac.authorization{api}/v1beta1'],
    to: 'rbac.authorization{api}/v1',
  },
  { kinds: ['PriorityClass'], from: ['scheduling{api}/v1beta1'], to: 'scheduling{api}/v1' },
  { kinds: ['NetworkPolicy'], from: ['extensions/v1beta1'], to: 'networking{api}/v1' },
  {
    kinds: ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
    from: ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'],
    to: 'apps/v1',
    change: workload,
  },
  { kinds: ['ControllerRevision'], from: ['apps/v1beta1', 'apps/v1beta2'], to: 'apps/v1' },
  {
    kinds: ['PodSecurityPolicy'],
    from: ['extensions/v1beta1', 'policy/v1beta1'],
    to: 'policy/v1',
    change: withoutReplacement,
  },
]

/** An object in the target version; without one, in the version that replaces its own. */
export function converted(object: ApiObject, target: string, v: Vocabulary): ApiObject {
  const { apiVersion = '', kind = '' } = object
  if (apiVersion === target) return object
  const step = STEPS.find(
    ({ kinds, from }) => kinds.includes(kind) && from.some((one) => v.resolve(one) === apiVersion),
  )
  if (!step) {
    if (target === '') return object
    throw new Fault(
      `error: ${kind} of ${apiVersion} cannot be converted to ${target}: only removed versions can be, to those that replace them`,
    )
  }
  const to = v.resolve(step.to)
  if (target !== '' && target !== to)
    throw new Fault(`error: ${kind} of ${apiVersion} can be converted to ${to}, not to ${target}`)
  const copy = structuredClone(object) as Tree
  step.change?.(copy, v)
  return { ...copy, apiVersion: to, kind } as ApiObject
}

/** Moves a member to another name, in place. */
function rename(of: Tree, from: string, to: string): void {
  if (!Object.hasOwn(of, from)) return
  of[to] = of[from]
  delete of[from]
}

function budget(object: Tree): void {
  const spec = tree(object.spec)
  // The old version selected nothing by an empty selector, the new one everything.
  if (isTree(spec.selector) && Object.keys(spec.selector).length === 0) delete spec.selector
}

function withoutReplacement({ kind, apiVersion }: Tree, v: Vocabulary): void {
  throw new Fault(
    `error: ${String(kind)} of ${String(apiVersion)} is replaced by no other kind: label namespaces with ${v.resolve('pod-security.{label}/enforce')} instead`,
  )
}

function autoscaler(object: Tree): void {
  const spec = tree(object.spec)
  for (const metric of list(spec.metrics)) {
    const name = (
      {
        Resource: 'resource',
        ContainerResource: 'containerResource',
        Pods: 'pods',
        Object: 'object',
        External: 'external',
      } as Record<string, string>
    )[String(metric.type)]
    const source = tree(name === undefined ? null : metric[name])
    const goal: Tree = {}
    const take = (member: string, type: string, as: string) => {
      if (!Object.hasOwn(source, member)) return
      Object.assign(goal, { type, [as]: source[member] })
      delete source[member]
    }
    if (name === 'object') {
      rename(source, 'target', 'describedObject')
      take('targetValue', 'Value', 'value')
      take('averageValue', 'AverageValue', 'averageValue')
    } else {
      take('targetAverageUtilization', 'Utilization', 'averageUtilization')
      take('targetValue', 'Value', 'value')
      take('targetAverageValue', 'AverageValue', 'averageValue')
    }
    if (name !== 'resource' && name !== 'containerResource') {
      source.metric = {
        name: source.metricName,
        ...(source.selector ? { selector: source.selector } : {}),
        ...(source.metricSelector ? { selector: source.metricSelector } : {}),
      }
      for (const member of ['metricName', 'selector', 'metricSelector']) delete source[member]
    }
    source.target = goal
  }
  // What the cluster reports is made anew by it.
  delete object.status
}

function endpointSlice(object: Tree): void {
  for (const endpoint of list(object.endpoints)) {
    const topology = tree(endpoint.topology) as Record<string, string>
    for (const [key, value] of Object.entries(topology)) {
      if (key.endsWith('/hostname')) endpoint.nodeName ??= value
      else if (key.startsWith('topology.') && key.endsWith('/zone')) endpoint.zone ??= value
      else endpoint.deprecatedTopology = { ...tree(endpoint.deprecatedTopology), [key]: value }
    }
    delete endpoint.topology
  }
}

function webhooks(object: Tree): void {
  for (const webhook of list(object.webhooks)) {
    // The defaults of the old version, which differ from those of the new one.
    webhook.failurePolicy ??= 'Ignore'
    webhook.matchPolicy ??= 'Exact'
    webhook.timeoutSeconds ??= 30
    webhook.admissionReviewVersions ??= ['v1beta1']
    // The new version requires a promise about side effects; `None` is what it allows beside dry runs.
    if (
      webhook.sideEffects === undefined ||
      webhook.sideEffects === 'Unknown' ||
      webhook.sideEffects === 'Some'
    )
      webhook.sideEffects = 'None'
  }
}

function definition(object: Tree, v: Vocabulary): void {
  const preserve = v.resolve('x-{brand}-preserve-unknown-fields')
  const spec = tree(object.spec)
  const shared = {
    schema: spec.validation,
    subresources: spec.subresources,
    additionalPrinterColumns: spec.additionalPrinterColumns,
  }
  const versions =
    list(spec.versions).length > 0
      ? list(spec.versions)
      : [{ name: spec.version ?? 'v1', served: true, storage: true } as Tree]
  for (const version of versions) {
    for (const [name, value] of Object.entries(shared))
      if (version[name] === undefined && value !== undefined) version[name] = structuredClone(value)
    for (const column of list(version.additionalPrinterColumns))
      rename(column, 'JSONPath', 'jsonPath')
    const schema = tree(tree(version.schema).openAPIV3Schema)
    if (Object.keys(schema).length === 0)
      version.schema = { openAPIV3Schema: { type: 'object', [preserve]: true } }
    else {
      schema.type ??= 'object'
      // The old version kept fields that are not in the schema unless it was told to prune.
      if (spec.preserveUnknownFields !== false) schema[preserve] ??= true
    }
  }
  spec.versions = versions
  const conversion = tree(spec.conversion)
  if (conversion.webhookClientConfig !== undefined || conversion.strategy === 'Webhook') {
    conversion.webhook = {
      clientConfig: conversion.webhookClientConfig,
      conversionReviewVersions: conversion.conversionReviewVersions ?? ['v1beta1'],
    }
    delete conversion.webhookClientConfig
    delete conversion.conversionReviewVersions
  }
  for (const name of [
    'version',
    'validation',
    'subresources',
    'additionalPrinterColumns',
    'preserveUnknownFields',
  ])
    delete spec[name]
  const names = tree(spec.names)
  names.singular ??= String(names.kind ?? '').toLowerCase()
  spec.names = names
  object.spec = spec
}

function accessReview(object: Tree): void {
  const spec = tree(object.spec)
  rename(spec, 'group', 'groups')
}

function signingRequest(object: Tree, v: Vocabulary): void {
  const spec = tree(object.spec)
  if (spec.signerName !== undefined && !String(spec.signerName).endsWith('/legacy-unknown')) return
  throw new Fault(
    `error: a signing request of the old version needs spec.signerName, such as ${v.resolve('{label}/{system}-apiserver-client')}`,
  )
}

function backend(value: unknown): Tree | undefined {
  if (!isTree(value)) return undefined
  const { serviceName, servicePort, ...others } = value
  if (serviceName === undefined) return others
  const port =
    typeof servicePort === 'string' && !/^\d+$/.test(servicePort)
      ? { name: servicePort }
      : { number: Number(servicePort) }
  return { ...others, service: { name: serviceName, port } }
}

function ingress(object: Tree): void {
  const spec = tree(object.spec)
  rename(spec, 'backend', 'defaultBackend')
  if (spec.defaultBackend !== undefined) spec.defaultBackend = backend(spec.defaultBackend)
  for (const rule of list(spec.rules)) {
    for (const path of list(tree(rule.http).paths)) {
      path.backend = backend(path.backend)
      path.pathType ??= 'ImplementationSpecific'
    }
  }
}

function workload(object: Tree): void {
  const spec = tree(object.spec)
  const from = String(object.apiVersion)
  const labels = tree(tree(tree(spec.template).metadata).labels)
  // The old versions took the labels of the template where no selector was given.
  if (spec.selector === undefined && Object.keys(labels).length > 0)
    spec.selector = { matchLabels: labels }
  delete spec.rollbackTo
  delete spec.templateGeneration
  if (object.kind === 'Deployment' && from !== 'apps/v1beta2') {
    // Defaults of the old versions that differ.
    spec.progressDeadlineSeconds ??= from === 'apps/v1beta1' ? 600 : 2_147_483_647
    spec.revisionHistoryLimit ??= from === 'apps/v1beta1' ? 2 : 2_147_483_647
    const strategy = tree(spec.strategy)
    if (strategy.type === undefined || strategy.type === 'RollingUpdate') {
      const most = from === 'apps/v1beta1' ? '25%' : 1
      const given = tree(strategy.rollingUpdate)
      const rolling = { maxSurge: most, maxUnavailable: most, ...given }
      spec.strategy = { ...strategy, type: 'RollingUpdate', rollingUpdate: rolling }
    }
  }
  if (object.kind === 'DaemonSet' && from === 'extensions/v1beta1')
    spec.updateStrategy ??= { type: 'OnDelete' }
  if (object.kind === 'StatefulSet' && from === 'apps/v1beta1')
    spec.updateStrategy ??= { type: 'OnDelete' }
}
