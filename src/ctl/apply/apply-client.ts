/** Apply on the client's side: the configuration that was applied last is in an annotation of the object. */
import type { ApiObject } from '../../client/transport.ts'
import { formatJson, parseJson } from '../../codec/json-text.ts'
import { StatusError } from '../../meta/errors.ts'
import { isObject, type JsonObject } from '../../patch/json-value.ts'
import type { FileObject } from '../api/builder.ts'
import { shapeOf } from '../api/declarations.ts'
import { lastApplied, withLastApplied } from '../api/last-applied.ts'
import { qualifiedName, resourcePath } from '../api/resources.ts'
import { create, fromSource, type DryRun } from '../api/writing.ts'
import type { Context } from '../base/context.ts'
import { mergePatch, strategicPatch, type States } from './three-way.ts'

/** How an object was applied. */
export interface Applied {
  readonly object: ApiObject
  readonly what: 'created' | 'configured' | 'unchanged' | 'serverside-applied'
}

/** A patch and its media type. */
export interface MadePatch {
  readonly patch: JsonObject
  readonly type: string
}

const MAX_TRIES = 5

/** Applies one object. Conflicts are tried again with the new state. */
export async function applyClient(
  c: Context,
  item: FileObject,
  {
    dryRun,
    query,
    keepsAnnotation = false,
  }: {
    readonly dryRun: DryRun
    readonly query: Readonly<Record<string, string>>
    /** Whether the annotation stays as it is, for a diff of what people wrote. */
    readonly keepsAnnotation?: boolean
  },
): Promise<Applied> {
  const key = lastApplied(await c.words())
  const { of, namespace, source } = item
  const api = await c.api()
  const path = resourcePath(of, namespace, item.object.metadata.name)
  const applied = keepsAnnotation ? item.object : withLastApplied(item.object, key)
  for (let i = 1; ; i++) {
    const live = await liveObject(c, path, source)
    const old = live?.metadata?.annotations?.[key]
    const modified =
      keepsAnnotation && old !== undefined ? withAnnotation(applied, key, old) : applied
    if (live === null) {
      if (dryRun === 'client') return { object: modified, what: 'created' }
      try {
        return { object: await create(c, of, modified, query), what: 'created' }
      } catch (error) {
        throw fromSource(error, 'creating', source)
      }
    }
    warnWithoutAnnotation(c, item, live, key)
    const made = await applyPatch(c, live, modified, key)
    if (Object.keys(made.patch).length === 0) return { object: live, what: 'unchanged' }
    if (dryRun === 'client')
      return { object: await patchedLocally(c, live, made), what: 'configured' }
    try {
      const object = await api.json<ApiObject>({
        method: 'PATCH',
        path,
        query,
        body: made.patch,
        type: made.type,
      })
      return { object, what: 'configured' }
    } catch (error) {
      const isConflict = error instanceof StatusError && error.reason === 'Conflict'
      if (!isConflict || i >= MAX_TRIES)
        throw fromSource(
          error,
          'applying patch:\n' + formatJson(made.patch) + '\nto:\n' + describe(item) + 'for:',
          source,
        )
    }
  }
}

const withAnnotation = <T extends ApiObject>(object: T, key: string, text: string): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata?.annotations, [key]: text },
  },
})

function describe({ of, namespace, object }: FileObject): string {
  const { apiVersion = '', kind = '' } = object
  const name = JSON.stringify(object.metadata.name ?? '')
  const group = of.group === '' ? '' : apiVersion.slice(0, apiVersion.indexOf('/'))
  return `Resource: "${group === '' ? '' : `${group}/`}${of.version}, Resource=${of.name}", GroupVersionKind: "${group}/${of.version}, Kind=${kind}"\nName: ${name}, Namespace: ${JSON.stringify(namespace)}\n`
}

async function liveObject(c: Context, path: string, source: string): Promise<ApiObject | null> {
  try {
    return await (await c.api()).json<ApiObject>({ path })
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'NotFound') return null
    throw fromSource(error, 'retrieving current configuration of', source)
  }
}

function warnWithoutAnnotation(
  c: Context,
  { of, object }: FileObject,
  live: ApiObject,
  key: string,
): void {
  if (live.metadata?.annotations?.[key] !== undefined) return
  c.err(
    `Warning: resource ${qualifiedName({ name: of.name, group: '' })}/${object.metadata.name} is missing the ${key} annotation which is required by ${c.program} apply. ${c.program} apply should only be used on resources created declaratively by either ${c.program} create --save-config or ${c.program} apply. The missing annotation will be patched automatically.\n`,
  )
}

/** The patch that applies an object to the live one. */
async function applyPatch(
  c: Context,
  live: ApiObject,
  modified: ApiObject,
  key: string,
): Promise<MadePatch> {
  const text = live.metadata?.annotations?.[key]
  const original = text === undefined ? {} : parsed(text)
  const states: States = {
    original,
    modified: modified as JsonObject,
    current: live as JsonObject,
  }
  const shape = await shapeOf(live.apiVersion ?? '', live.kind ?? '', await c.words())
  if (!shape) return { patch: mergePatch(states), type: 'application/merge-patch+json' }
  return {
    patch: strategicPatch(shape, states, await c.words()),
    type: 'application/strategic-merge-patch+json',
  }
}

function parsed(text: string): JsonObject {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The live object with a patch, as the server would merge it. */
export async function patchedLocally(
  c: Context,
  live: ApiObject,
  { patch, type }: MadePatch,
): Promise<ApiObject> {
  if (type.includes('strategic')) {
    const { strategicMerge } = await import('../../patch/strategic-merge.ts')
    const v = await c.words()
    const shape = await shapeOf(live.apiVersion ?? '', live.kind ?? '', v)
    if (shape) return strategicMerge(shape, live, patch, v) as ApiObject
  }
  const { applyMergePatch } = await import('../../patch/merge-patch.ts')
  return applyMergePatch(live, patch) as ApiObject
}
