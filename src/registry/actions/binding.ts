import { formatTime } from '../../base/time.ts'
import { Binding } from '../../kinds/core/binding.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import { badRequest, conflict, plainError } from '../../meta/errors.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { ActionSubresource, PartSubresource } from '../../catalogue/resource.ts'
import { type WriteDependencies, type Call } from '../context.ts'
import { InternalWriter } from '../internal-writer.ts'
import type { Typed } from '../../meta/object-meta.ts'
import { writeOptions } from '../options.ts'
import { success, type Result } from '../results.ts'
import { CallAttributes, mutatedBy } from '../admission.ts'
import { readActionBody } from './body.ts'

/** The parts of a pod that a binding writes. */
const BOUND: PartSubresource<Typed> = {
  serves: 'part',
  of: ['spec.nodeName', 'metadata.annotations', 'status.conditions'],
}

/** POST on `pods/binding`: assigns a pod to a node. Throws 4xx. */
export const bindPod = (
  api: WriteDependencies,
  call: Call,
  action: ActionSubresource,
): Promise<Result> => bind(api, call, action, { pods: call.served, urlName: call.name })

/** POST on `bindings`, which names the pod in the body only. Throws 4xx. */
export function createBinding(api: WriteDependencies, call: Call): Promise<Result> {
  const { validate } = call.served.strategy
  return bind(
    api,
    call,
    { input: Binding, ...(validate ? { validate } : {}) },
    { pods: api.catalogue.find('', 'v1', 'pods')!, urlName: '' },
  )
}

/** Where a binding is posted. */
interface BindingPlace {
  readonly pods: ResourceEntry
  /** Name of the pod; empty where only the body names it. */
  readonly urlName: string
}

async function bind(
  api: WriteDependencies,
  call: Call,
  action: Pick<ActionSubresource, 'input' | 'validate'>,
  { pods, urlName }: BindingPlace,
): Promise<Result> {
  const options = writeOptions(call.query, api.v, 'CreateOptions')
  const c = call.context()
  const { object: sent, kind } = await readActionBody<Binding>(api, call, action, options)
  const name = urlName === '' ? (sent.metadata.name ?? '') : urlName
  if (sent.metadata.name !== undefined ? sent.metadata.name !== name : urlName !== '')
    throw badRequest('name in URL does not match name in Binding object')
  // The uid is a precondition only on the sub-resource of the pod.
  if (urlName === '') delete sent.metadata.uid
  const attributes = new CallAttributes(api, call, {
    operation: 'CREATE',
    object: sent,
    old: null,
    dryRun: options.dryRun,
    body: kind,
    name,
  })
  const binding = await mutatedBy<Binding>(api, attributes)
  const errors = new FieldErrors()
  action.validate?.(binding, errors, c)
  // As in the reference: neither 400 nor 422.
  if (errors.list.length > 0) {
    const texts = errors.list.map((e) => `${e.field}: ${e.message}`)
    throw plainError(texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`)
  }
  await api.admission.validate(attributes)
  if (name === '') throw badRequest('Name parameter required.')
  await new InternalWriter(api, { isPart: true }).change<Pod>(
    { served: pods, namespace: call.namespace, name, subresource: 'binding' },
    (pod) => {
      checkPreconditions(pods, binding, pod)
      assign(pod, name, binding)
      markScheduled(pod, c.now)
    },
    { dryRun: options.dryRun, action: BOUND },
  )
  return success(201)
}

/** Checks the uid and resourceVersion of the binding against the pod. Throws 409. */
function checkPreconditions(pods: ResourceEntry, { metadata: wanted }: Binding, pod: Pod): void {
  for (const [name, field] of [
    ['UID', 'uid'],
    ['ResourceVersion', 'resourceVersion'],
  ] as const) {
    const [value, live] = [wanted[field], pod.metadata[field]]
    if (value === undefined || value === live) continue
    throw conflict(
      pods.name,
      pod.metadata.name ?? '',
      `Precondition failed: ${name} in precondition: ${value}, ${name} in object meta: ${live ?? ''}`,
    )
  }
}

/** Writes the node of a binding into the pod. Throws 409 when the pod is terminating or already has a node. */
function assign({ metadata, spec }: Pod, name: string, { target, metadata: sent }: Binding): void {
  const refused = (why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why)
  if (metadata.deletionTimestamp !== undefined)
    throw refused(`pod ${name} is being deleted, cannot be assigned to a host`)
  if (spec.nodeName !== undefined)
    throw refused(`pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`)
  spec.nodeName = target.name ?? ''
  if (!sent.annotations) return
  metadata.annotations = Object.fromEntries([
    ...Object.entries(metadata.annotations ?? {}),
    ...Object.entries(sent.annotations),
  ]) as Record<string, string>
}

function markScheduled(pod: Pod, now: number): void {
  const conditions = (pod.status.conditions ??= [])
  const at = conditions.findIndex((condition) => condition.type === 'PodScheduled')
  const known = conditions[at]
  const since = known?.status === 'True' ? known.lastTransitionTime : undefined
  const scheduled = {
    type: 'PodScheduled',
    status: 'True' as const,
    lastTransitionTime: since ?? formatTime(now),
  }
  if (known) conditions[at] = scheduled
  else conditions.push(scheduled)
}
