/** The `scale` sub-resource: a Scale maps to three fields of the object that owns the replicas. */
import { finishIfSteps } from '../base/steps.ts'
import { Scale, validateScale } from '../kinds/autoscaling/scale.ts'
import { ageColumn } from '../kinds/columns.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import { badRequest, conflict, internalError, plainError } from '../meta/errors.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import { NestedFieldError, nestedInteger, setNestedField } from '../codec/nested-field.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { column, type HookContext, type ScaleSubresource } from '../catalogue/resource.ts'
import { type ActionDependencies, type WriteDependencies, type Call } from './context.ts'
import { shownDocument, shownVersions, toStored } from './conversion.ts'
import { existing } from './get.ts'
import { decodeStored } from './objects.ts'
import type { WriteOptions } from './options.ts'
import { Made, type Result } from './results.ts'
import { CallAttributes, mutatedBy } from './admission.ts'
import { updateObject } from './update-object.ts'
import { refuseInvalid } from './write.ts'

const columns = [
  column<Scale>('Name', 'string', ({ metadata }) => metadata.name ?? '', {
    description: 'Name of the object.',
  }),
  column<Scale>('Desired', 'integer', ({ spec }) => spec.replicas ?? 0, {
    description: 'Wanted number of replicas.',
  }),
  column<Scale>('Available', 'integer', ({ status }) => status.replicas, {
    description: 'Observed number of replicas.',
  }),
  ageColumn,
]

/** The kind of the body, served under the autoscaling group. */
export function scaleKind(api: ActionDependencies): ResourceEntry {
  const body = api.catalogue.body(Scale)
  let kind = shown.get(body)
  if (!kind) shown.set(body, (kind = { ...body, table: { ...body.table, columns } }))
  return kind
}

/** The kind of each catalogue, with its columns. */
const shown = new WeakMap<ResourceEntry, ResourceEntry>()

/** Reads the current and the desired number of replicas. Throws 404. */
export async function getScale(
  api: ActionDependencies,
  call: Call,
  scale: ScaleSubresource<Typed>,
): Promise<Result> {
  const owner = await readOwner(call, await existing(api, call))
  const shown = scaleOf(api, owner, scale)
  if (isLacking(shown)) {
    const path = JSON.stringify(scale.mayLack)
    throw internalError(`the spec replicas field ${path} does not exist`)
  }
  return made(api, 200, shown)
}

/** The fields that an update writes, and the source of the number of replicas. */
export interface ScaleSource {
  readonly scale: ScaleSubresource<Typed>
  /** The owner already contains its managedFields. */
  readonly tracked?: boolean
  /** Makes the desired Scale from the present one. */
  readonly next?: (present: Scale) => Scale | Promise<Scale>
  /** Or makes the object with its new number from the present one. */
  readonly owner?: (old: Typed) => Promise<Typed>
  /** Metadata in the body. */
  readonly metadata?: JsonObject
  /** uid that the owner must have; undefined: any. */
  readonly uid?: string | undefined
}

/** Writes the desired number of replicas; the owner is updated by its own rules. Throws 4xx. */
export async function updateScale(
  api: WriteDependencies,
  call: Call,
  source: ScaleSource,
  options: WriteOptions,
): Promise<Result> {
  const c = call.context()
  const { scale } = source
  const { served } = call
  const mustWait = served.conversion?.waiting !== undefined
  let attributes: CallAttributes
  // Of objects whose conversion must be waited for, what was made of them before.
  const views = new Map<Typed, Scale>()
  const view = (owner: Typed): Typed => views.get(owner) ?? scaleOf(api, owner, scale)
  const result = await updateObject(
    api,
    call,
    {
      fresh: null,
      uid: source.uid,
      view,
      tracked: source.tracked === true,
      attributes: () => attributes,
      async next({ old, release }) {
        const { present, owner, sent } = await sentScale(api, call, source, old)
        attributes = new CallAttributes(api, call, {
          operation: 'UPDATE',
          object: sent,
          old: present,
          dryRun: options.dryRun,
          body: scaleKind(api),
          release,
        })
        const wanted = await mutatedBy<Scale>(api, attributes)
        checkScale(api, call, wanted, old)
        nested(() => {
          const path = scale.replicas.split('.')
          setNestedField(owner as unknown as JsonObject, path, wanted.spec.replicas ?? 0)
        })
        // Without one the call is `versionless`, and repeated while others write.
        if (wanted.metadata.resourceVersion !== undefined)
          owner.metadata.resourceVersion = wanted.metadata.resourceVersion
        if (!mustWait) return owner
        const next = await toStored(served, owner, c, 'scale')
        views.set(old, present).set(next, scaleOf(api, owner, scale))
        return next
      },
    },
    options,
  )
  if (result.is !== 'object') return result
  return made(api, 200, scaleOf(api, await readOwner(call, result.version), scale))
}

/** The present Scale, the object that gets the new number, and the Scale as sent. Throws 400. */
async function sentScale(
  api: ActionDependencies,
  { served, context }: Call,
  { scale, owner: made, next, metadata }: ScaleSource,
  old: Typed,
): Promise<{ readonly present: Scale; readonly owner: Typed; readonly sent: Scale }> {
  const before = await shownOwner(served, old, context())
  const present = withNumber(scaleOf(api, before, scale))
  const owner = made
    ? await shownOwner(served, await made(old), context())
    : structuredClone(before)
  const sent = next ? await next(scaleOf(api, before, scale)) : scaleOf(api, owner, scale)
  if (isLacking(sent)) {
    const path = JSON.stringify(scale.mayLack)
    throw badRequest(`the spec replicas field ${path} cannot be empty`)
  }
  if (metadata) Object.assign(sent.metadata, versionOf(metadata))
  return { present, owner, sent }
}

/** A stored owner, in the version of the request where a webhook converts it. Rejects with StatusError. */
async function readOwner({ served, context }: Call, version: StoredObject): Promise<Typed> {
  const waiting = served.conversion?.waiting
  if (!waiting) return decodeStored(served, version, context())
  const [shown] = await shownVersions(waiting, [version])
  return decodeStored(waiting.shown, shown!, context())
}

/** The same for an owner that need not be stored. */
async function shownOwner(served: ResourceEntry, owner: Typed, c: HookContext): Promise<Typed> {
  if (!served.conversion?.waiting) return owner
  const document = await shownDocument(served, owner, c)
  return served.codec.decode(document, new Decoding()) as unknown as Typed
}

/** Checks a Scale against its owner. Throws 409 and 422. */
function checkScale(api: ActionDependencies, call: Call, wanted: Scale, { metadata }: Typed): void {
  const kind = scaleKind(api)
  const errors = new FieldErrors()
  finishIfSteps(kind.check(wanted, errors))
  validateScale(wanted, errors)
  refuseInvalid(kind, call.name, errors)
  const { uid } = wanted.metadata
  if (uid === undefined || uid === metadata.uid) return
  throw conflict(
    { group: call.served.group, resource: `${call.served.resource}/scale` },
    call.name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ''}`,
  )
}

/** uid and resourceVersion in a body. */
const versionOf = ({ uid, resourceVersion }: JsonObject): JsonObject => ({
  ...(uid === undefined ? {} : { uid }),
  ...(resourceVersion === undefined ? {} : { resourceVersion }),
})

const made = (api: ActionDependencies, status: number, scale: Scale): Result => {
  const served = scaleKind(api)
  return { is: 'made', status, served, object: new Made(served.codec.plain(scale as never)) }
}

function scaleOf(api: ActionDependencies, owner: Typed, scale: ScaleSubresource<Typed>): Scale {
  const kind = scaleKind(api)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = owner.metadata
  const { replicas, observed, selector } = nested(() => ({
    replicas: nestedInteger(owner, scale.replicas.split('.')),
    observed: nestedInteger(owner, scale.observed.split('.')),
    selector: scale.selector(owner),
  }))
  // Stored before the rules were, a number may have more bits: it is shown as in the reference.
  return kind.codec.decode(
    {
      kind: kind.kind,
      apiVersion: kind.groupVersion,
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: replicas === undefined ? lacking(scale) : replicas | 0 },
      status: { replicas: (observed ?? 0) | 0, ...(selector === '' ? {} : { selector }) },
    },
    new Decoding(),
  ) as unknown as Scale
}

/** Replicas of an owner that has none: a write must not leave it at that. No valid number, so no client means it. */
const LACKING = -(2 ** 31)

const lacking = ({ mayLack }: ScaleSubresource<Typed>): number =>
  mayLack === undefined ? 0 : LACKING

const isLacking = ({ spec }: Scale): boolean => spec.replicas === LACKING

const withNumber = (scale: Scale): Scale =>
  isLacking(scale) ? { ...scale, spec: { ...scale.spec, replicas: 0 } } : scale

/** Throws 500 for fields of the owner that are no numbers or texts. */
function nested<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof NestedFieldError ? plainError(error.message) : error
  }
}
