import { formatTime } from '../../base/time.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Eviction } from '../../kinds/policy/eviction.ts'
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget.ts'
import {
  badRequest,
  evictionRefused,
  forbidden,
  notFound,
  plainError,
  StatusError,
  timeout,
} from '../../meta/errors.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { ActionSubresource } from '../../catalogue/resource.ts'
import { isEverything, matchesLabels, selectorFromObject } from '../../meta/selectors.ts'
import { keyOf, type WriteDependencies, type Call } from '../context.ts'
import { deleteObject, deletionFrom, type Deletion } from '../delete.ts'
import { InternalWriter } from '../internal-writer.ts'
import { decodeStored } from '../objects.ts'
import { writeOptions } from '../options.ts'
import { success, type Result } from '../results.ts'
import { CallAttributes, mutatedBy } from '../admission.ts'
import { readActionBody } from './body.ts'

// Beyond this the controller that clears the map does not keep up.
const MAX_DISRUPTED = 2000
const ATTEMPTS = 20
const RETRY_SECONDS = 10

/**
 * POST on `pods/eviction`: deletes a pod when its disruption budget allows it. Throws 4xx, 429
 * with the reason, 500 when several budgets select the pod.
 */
export async function evictPod(
  api: WriteDependencies,
  call: Call,
  action: ActionSubresource,
): Promise<Result> {
  const options = writeOptions(call.query, api.v, 'CreateOptions')
  const c = call.context()
  const { object: sent } = await readActionBody<Eviction>(api, call, action, options)
  if (sent.metadata.name !== call.name)
    throw badRequest('name in URL does not match name in Eviction object')
  const dryRun = unifiedDryRun(options.dryRun, sent)
  const attributes = new CallAttributes(api, call, {
    operation: 'CREATE',
    object: sent,
    old: null,
    dryRun,
    // The older version of the body has the same form.
    body: api.catalogue.body(action.input),
  })
  const eviction = await mutatedBy<Eviction>(api, attributes)
  const errors = new FieldErrors()
  action.validate?.(eviction, errors, c)
  await api.admission.validate(attributes)

  const deletion: Deletion = {
    ...deletionFrom(api, eviction.deleteOptions ?? {}),
    dryRun,
    isAdmitted: true,
  }
  for (let left = ATTEMPTS; ; left--) {
    const pod = await readPod(api, call)
    if (!needsNoBudget(pod)) return evictWithin(api, call, pod, deletion)
    // A pod that may still start must not be running by the time it is deleted.
    const isOver = pod.status.phase !== 'Pending' || pod.metadata.deletionTimestamp !== undefined
    try {
      return await remove(api, call, deletion, isOver ? undefined : pod)
    } catch (error) {
      if (!isConflict(error) || deletion.resourceVersion !== undefined || left <= 1) throw error
    }
  }
}

/** Evicts a pod that a disruption budget may protect. */
async function evictWithin(
  api: WriteDependencies,
  call: Call,
  pod: Pod,
  deletion: Deletion,
): Promise<Result> {
  const budgets = await budgetsOf(api, call, pod)
  if (budgets.length > 1) {
    throw plainError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  const [budget] = budgets
  if (!budget) return remove(api, call, deletion)
  const { currentHealthy, desiredHealthy } = budget.status
  if (!isReady(pod) && currentHealthy >= desiredHealthy && desiredHealthy > 0) {
    try {
      return await remove(api, call, deletion, pod)
    } catch (error) {
      // The pod may be ready by now: the client retries, and the budget decides.
      if (isConflict(error) && deletion.resourceVersion === undefined)
        throw stillProcessed(budget.metadata.name ?? '')
      throw error
    }
  }
  await spend(api, call, budget, { pod, dryRun: deletion.dryRun })
  return remove(api, call, deletion)
}

const isConflict = (error: unknown) => error instanceof StatusError && error.reason === 'Conflict'

/** Deletes the pod; `unchanged` is the state that the pod must still have. Throws 404 and 409. */
async function remove(
  api: WriteDependencies,
  call: Call,
  deletion: Deletion,
  unchanged?: Pod,
): Promise<Result> {
  const resourceVersion = deletion.resourceVersion ?? unchanged?.metadata.resourceVersion
  await deleteObject(api, { ...call, subresource: '' }, { ...deletion, resourceVersion })
  return success(201)
}

async function readPod(api: WriteDependencies, call: Call): Promise<Pod> {
  const table = await api.cache.resourceCache(call.served.storage)
  const version = table.get(keyOf(call.served, call.namespace, call.name))
  if (!version) throw notFound(call.served.name, call.name)
  return decodeStored<Pod>(call.served, version, call.context())
}

/** The query and the body may both set dry run; if both do, they must agree. */
function unifiedDryRun(query: boolean, eviction: Eviction): boolean {
  const body = (eviction.deleteOptions?.dryRun ?? []).filter((value) => value !== '')
  if (query && body.length > 0 && !body.includes('All')) {
    throw plainError(
      `Non-matching dry-run options in request and content: [All] and [${body.join(' ')}]`,
    )
  }
  return query || body.length > 0
}

function needsNoBudget({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return true
  return ['Succeeded', 'Failed', 'Pending'].includes(status.phase ?? '')
}

const isReady = ({ status }: Pod) =>
  (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')

const budgetKind = (api: WriteDependencies) =>
  api.catalogue.find('policy', 'v1', 'poddisruptionbudgets')

async function budgetsOf(
  api: WriteDependencies,
  call: Call,
  pod: Pod,
): Promise<PodDisruptionBudget[]> {
  const served = budgetKind(api)
  if (!served) return []
  const c = call.context()
  const prefix = keyOf(served, call.namespace, '')
  const { items } = await api.cache.list(served.storage, prefix, {})
  const labels = pod.metadata.labels ?? {}
  return [...items]
    .map((version) => decodeStored<PodDisruptionBudget>(served, version, c))
    .filter(({ spec }) => {
      if (!spec.selector) return false
      const selector = selectorFromObject(spec.selector)
      return isEverything(selector) || matchesLabels(selector, labels)
    })
}

const stillProcessed = (name: string) =>
  evictionRefused(
    `The disruption budget ${name} is still being processed by the server.`,
    RETRY_SECONDS,
  )

const refusal = ({ metadata, status }: PodDisruptionBudget) =>
  `The disruption budget ${metadata.name ?? ''} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`

/** Takes one disruption off the budget, so that no two evictions spend the same one. */
async function spend(
  api: WriteDependencies,
  call: Call,
  budget: PodDisruptionBudget,
  { pod, dryRun }: { readonly pod: Pod; readonly dryRun: boolean },
): Promise<void> {
  const served = budgetKind(api)!
  const name = budget.metadata.name ?? ''
  const write = new InternalWriter(api, { isPart: true }).change<PodDisruptionBudget>(
    { served, namespace: call.namespace, name, subresource: 'status' },
    (live) => {
      checkAllows(live, name)
      disrupt(live, pod, call.context().now)
    },
    { dryRun, attempts: ATTEMPTS },
  )
  try {
    await write
  } catch (problem) {
    // A deleted pod needs no protection.
    if (problem instanceof StatusError && problem.code === 404) return
    if (!isConflict(problem)) throw problem
    const error = timeout(
      `couldn't update PodDisruptionBudget ${JSON.stringify(name)} due to conflicts`,
    )
    throw new StatusError(error.code, error.reason, error.message, {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
}

/** Whether a budget allows one disruption more. Throws 403 and 429. */
function checkAllows(budget: PodDisruptionBudget, name: string): void {
  const { status, metadata } = budget
  const denied = (why: string) =>
    forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, why)
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(name)
  if (status.disruptionsAllowed < 0) throw denied('pdb disruptions allowed is negative')
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED)
    throw denied('DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  if (status.disruptionsAllowed === 0) throw evictionRefused(refusal(budget), undefined)
}

/** Counts a disruption of a pod. */
function disrupt(budget: PodDisruptionBudget, pod: Pod, now: number): void {
  const { status } = budget
  status.disruptionsAllowed--
  status.disruptedPods = Object.fromEntries([
    ...Object.entries(status.disruptedPods ?? {}),
    [pod.metadata.name ?? '', formatTime(now)],
  ])
  if (status.disruptionsAllowed === 0) closeBudget(budget, now)
}

/** Shows that nothing more may be disrupted. */
function closeBudget({ status, metadata }: PodDisruptionBudget, now: number): void {
  const conditions = (status.conditions ??= [])
  // A budget's generation counts from one.
  const observedGeneration =
    metadata.generation === undefined ? undefined : Number(metadata.generation)
  const known = conditions.find(({ type }) => type === 'DisruptionAllowed')
  const next = {
    type: 'DisruptionAllowed',
    status: 'False' as const,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : formatTime(now),
    reason: 'InsufficientPods',
    message: '',
  }
  if (known) Object.assign(known, next)
  else conditions.push(next)
}
