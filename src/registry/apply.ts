/** Server-side apply. */
import { whenKnown, type NowOrLater } from '../admission/now-or-later.ts'
import { clientApplySteps } from '../patch/last-applied.ts'
import { paced, type Steps } from '../base/steps.ts'
import { Pace } from '../base/event-loop.ts'
import { applyConflict, type Recorded } from '../patch/managed-fields.ts'
import { ApplyConflict } from '../patch/managers.ts'
import { DEDUCED } from '../notation/topology.ts'
import { checkTyped, TypedValueError } from '../patch/typed-items.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { JsonObject } from '../codec/codec.ts'
import { badRequest, StatusError, conflict, plainError } from '../meta/errors.ts'
import { copyJson } from '../codec/json-clone.ts'
import { parseJsonStrictly } from '../codec/json-text.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { HookContext } from '../catalogue/resource.ts'
import type { ScaleSubresource } from '../catalogue/resource.ts'
import { type WriteDependencies, type Call } from './context.ts'
import { toStored, untilConverted, type Conversions } from './conversion.ts'
import { decodeLikeSteps, type HotObject, isLikeable, shallow } from './hot-objects.ts'
import { decodeServedSteps } from './objects.ts'
import { applyOptions, type ApplyOptions } from './options.ts'
import {
  zeroValueOf,
  checkCount,
  documentOf,
  setEntries,
  versionsOf,
  writerOf,
} from './ownership.ts'
import type { Result } from './results.ts'
import { scaleKind, updateScale } from './scale.ts'
import { checkName } from './update.ts'
import { updateObject } from './update-object.ts'
import { takeNamespace } from './write.ts'

/** Media type of a configuration; JSON is YAML too. */
export const APPLY_PATCH = 'application/apply-patch+yaml'

/** PATCH with a configuration on an object or a status-like sub-resource. Throws 4xx. */
export async function apply(api: WriteDependencies, call: Call): Promise<Result> {
  const options = applyOptions(call.query, api.v)
  const given = await readConfiguration(call, call.served, options)
  checkFits(call, call.served, given)
  const config = call.served.keptConfiguration?.(given) ?? given
  const c = call.context()
  const of = (live: Typed | null, hot: HotObject | null = null) =>
    applied(api, call, config, { live, hot: isLikeable(call.served) ? hot : null, options, c })
  return updateObject(
    api,
    call,
    {
      tracked: true,
      versionless: metadataOf(config)['resourceVersion'] === undefined,
      next: ({ old, hot }) => of(old, hot),
      fresh() {
        const { uid } = metadataOf(config)
        if (uid === undefined) return of(null)
        const why = `uid mismatch: the provided object specified uid ${String(uid)}, and no existing object was found`
        throw conflict(call.served.name, call.name, why)
      },
    },
    options,
  )
}

/** PATCH with a configuration on `scale`: the applier owns the replicas of the object. Throws 4xx. */
export async function applyScale(
  api: WriteDependencies,
  call: Call,
  scale: ScaleSubresource<Typed>,
): Promise<Result> {
  const kind = scaleKind(api)
  const options = applyOptions(call.query, api.v)
  const config = await readConfiguration(call, kind, options)
  checkFits(call, kind, config)
  const metadata = metadataOf(config)
  const { name } = metadata
  if (name !== undefined && name !== call.name) checkName(call, { metadata: { name } } as Typed)
  const c = call.context()
  const { replicas } = (config['spec'] ?? {}) as JsonObject
  const own = replicas === undefined ? {} : nested(scale.replicas.split('.'), replicas)
  const { served } = call
  const ownerConfig = { kind: served.kind, apiVersion: served.groupVersion, ...own }
  return updateScale(
    api,
    { ...call, versionless: metadata['resourceVersion'] === undefined },
    {
      scale,
      tracked: true,
      owner: async (old) => applied(api, call, ownerConfig, { live: old, hot: null, options, c }),
      metadata,
    },
    options,
  )
}

const nested = (path: readonly string[], value: unknown): JsonObject =>
  Object.fromEntries([[path[0]!, path.length === 1 ? value : nested(path.slice(1), value)]])

/** The present object, null where there is none, and how to apply to it. */
interface Applied {
  readonly live: Typed | null
  /** The present object where it is known from its last write. */
  readonly hot: HotObject | null
  readonly options: ApplyOptions
  readonly c: HookContext
}

/**
 * The result of applying a configuration to the live object, in the storage version, with its managedFields. Throws and
 * rejects with 4xx.
 */
function applied(
  api: WriteDependencies,
  call: Call,
  config: JsonObject,
  how: Applied,
): NowOrLater<Typed> {
  const { live, hot, options, c } = how
  const pace = new Pace()
  const merged = untilConverted(call.served, (conversions) =>
    paced(mergeSteps(api, call, config, { live, hot, options, c, conversions }), pace),
  )
  return whenKnown(merged, ({ object: value, entries }) => {
    const owned = (object: Typed): Typed => {
      checkCount(call, object, entries, live)
      setEntries(object, entries)
      return object
    }
    if (value !== null) return whenKnown(decoded(call, value, { hot, c, pace }), owned)
    return owned(hot ? shallow(live!, live!) : copyJson(live!))
  })
}

/** The merged object as JSON, null where it is the live one, and its managedFields. */
function* mergeSteps(
  api: WriteDependencies,
  call: Call,
  config: JsonObject,
  { live, hot, options, c, conversions }: Applied & { readonly conversions: Conversions | null },
): Steps<Recorded> {
  const { served } = call
  const apiVersion = served.groupVersion
  const zero = { object: zeroValueOf(served), apiVersion }
  try {
    const before = live
      ? { object: hot ? hot.json : documentOf(served, live, c, conversions), apiVersion }
      : zero
    yield
    const { object, entries } = yield* clientApplySteps(
      {
        versions: versionsOf(served, call.subresource, { c, conversions }),
        live: before,
        zero,
        config,
        liveEntries: live?.metadata.managedFields,
        force: options.force,
      },
      writerOf(call, options, c),
      api.v,
    )
    yield
    return { object: object === null && live === null ? zero.object : object, entries }
  } catch (error) {
    if (error instanceof ApplyConflict) throw applyConflict(error)
    if (error instanceof TypedValueError) throw misfit(call, served, config, error)
    throw error
  }
}

function decoded(
  call: Call,
  value: unknown,
  { hot, c, pace }: Pick<Applied, 'hot' | 'c'> & { readonly pace: Pace },
): NowOrLater<Typed> {
  const { served } = call
  const steps = hot
    ? decodeLikeSteps(served, value, hot, { c, written: undefined })
    : decodeServedSteps(served, value, c, { keepsNull: true })
  return whenKnown(paced(steps, pace), ({ object }) => {
    checkName(call, object)
    takeNamespace(call, object)
    return toStored(served, object, c, call.subresource)
  })
}

const misfit = (call: Call, served: ResourceEntry, config: JsonObject, error: Error) => {
  const { namespace, name } = metadataOf(config)
  const version = served.group === '' ? `/${served.version}` : served.groupVersion
  const place = `${String(namespace ?? call.namespace)}/${String(name ?? '')}`
  return plainError(
    `failed to create typed patch object (${place}; ${version}, Kind=${served.kind}): ${error.message}`,
  )
}

const metadataOf = (config: JsonObject): JsonObject => {
  const { metadata } = config
  return typeof metadata === 'object' && metadata !== null ? (metadata as JsonObject) : {}
}

/** Checks the type and name in a configuration, and that its fields are declared. Throws 400 and 500. */
function checkFits(call: Call, served: ResourceEntry, config: JsonObject): void {
  const { kind, apiVersion } = config
  if (apiVersion !== served.groupVersion) {
    const given = typeof apiVersion === 'string' ? apiVersion : ''
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${given}, expected: ${served.groupVersion}`,
    )
  }
  if (kind !== served.kind) {
    const given = typeof kind === 'string' ? kind : ''
    throw badRequest(
      `Incorrect kind specified in apply patch. Specified patch kind: ${given}, expected: ${served.kind}`,
    )
  }
  if ((metadataOf(config)['managedFields'] ?? null) !== null) {
    throw badRequest('metadata.managedFields must be nil')
  }
  try {
    checkTyped(served.topology ?? DEDUCED, config)
  } catch (error) {
    throw error instanceof TypedValueError ? misfit(call, served, config, error) : error
  }
}

/** Reads a configuration: JSON or YAML, duplicate keys reported as `fieldValidation` says. Throws 400 and 413. */
async function readConfiguration(
  call: Call,
  served: ResourceEntry,
  options: ApplyOptions,
): Promise<JsonObject> {
  const { bytes, readAs } = await call.body()
  const isLenient = options.fieldValidation === 'Ignore'
  const pace = new Pace()
  const text = bytes.toString('utf8')
  const found: string[] = []
  let value: unknown
  let isRead = false
  if (/^\s*\{/.test(text)) {
    try {
      let isTwice = false
      value = isLenient
        ? parseJsonStrictly(bytes)
        : parseJsonStrictly(bytes, { onDuplicate: () => (isTwice = true) })
      // Duplicate keys are reported with their lines, which only the other reader knows.
      isRead = !isTwice
    } catch (error) {
      if (error instanceof StatusError) throw error
      isRead = false
    }
  }
  if (!isRead) {
    const { parseYaml } = await import('../codec/yaml.ts')
    try {
      value = await parseYaml(text, { onDuplicate: (finding) => void found.push(finding) })
    } catch (error) {
      if (error instanceof StatusError) throw error
      throw badRequest(
        `error decoding YAML: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  await pace.pause()
  readAs?.(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`error decoding YAML: a ${served.kind} must be an object`)
  }
  if (found.length > 0 && !isLenient) {
    if (options.fieldValidation === 'Strict') {
      throw badRequest(`error strict decoding YAML: ${found.join(', ')}`)
    }
    for (const finding of found) call.warn(finding)
  }
  await pace.pause()
  return value as JsonObject
}
