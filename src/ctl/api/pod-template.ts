/** Changes to the pods that workloads describe. */
import { StatusError } from '../../meta/errors.ts'
import type { ApiObject } from '../../client/transport.ts'
import { sameJson, type JsonObject } from '../../patch/json-value.ts'
import { mergePatch, strategicPatch } from '../apply/three-way.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { shapeOf } from './declarations.ts'
import { findObjects, manyFlags, type Found, type LiveObject } from './find-objects.ts'
import { resourcePath } from './resources.ts'
import { Done, dryRunOf, forEach, writeFlags, writeQuery } from './writing.ts'

/** A container as commands change it. */
export interface Container extends Record<string, unknown> {
  name: string
  image?: string
  env?: { name: string; value?: string; valueFrom?: object }[]
  envFrom?: object[]
  resources?: { limits?: Record<string, string>; requests?: Record<string, string> }
}

/** The part of a pod that commands change. */
export interface PodSpec extends Record<string, unknown> {
  containers: Container[]
  initContainers?: Container[]
  serviceAccountName?: string
}

/** Flags of commands that change workloads. */
export const templateFlags = {
  ...writeFlags,
  ...manyFlags,
  local: {
    type: 'bool',
    help: 'If true, the command will NOT contact the api-server but run locally.',
  },
} as const

/** The pod of a workload, or of a pod itself; null for other objects. */
function podSpecOf(object: ApiObject): PodSpec | null {
  const { kind } = object
  const { spec } = object as { spec?: Record<string, unknown> }
  if (kind === 'Pod') return (spec as PodSpec | undefined) ?? null
  const outer =
    kind === 'CronJob' ? (spec?.jobTemplate as { spec?: object } | undefined)?.spec : spec
  return (outer as { template?: { spec?: PodSpec } } | undefined)?.template?.spec ?? null
}

/** Changes each object that the arguments name and sends what differs. */
export async function changeEach(
  c: Context,
  options: {
    readonly words: readonly string[]
    readonly manager: string
    readonly what: string
    /** What a failure of the server calls the change. */
    readonly failure?: string
    /** Changes a copy in place. */
    readonly change: (object: LiveObject) => void
  },
): Promise<void> {
  const { words, manager, what, change, failure } = options
  const dryRun = dryRunOf(c)
  const done = await Done.of(c)
  const isLocal = c.flags.has('local') && c.flags.is('local')
  const found = isLocal ? await localObjects(c) : await findObjects(c, words)
  const query = await writeQuery(c, manager)
  await forEach(found, async (one) => {
    const changed = structuredClone(one.object)
    change(changed)
    if (isLocal || dryRun === 'client') return done.say(changed, what)
    if (sameJson(changed, one.object))
      return c.flags.text('output') === '' ? undefined : done.say(changed, what)
    const stored = await sendChange(c, one, { changed, query }).catch((error: unknown) => {
      if (failure === undefined || !(error instanceof StatusError)) throw error
      throw new Fault(`error: failed to patch ${failure} to pod template: ${error.message}`)
    })
    await done.say(stored, what)
  })
}

/** Sends the difference between a live object and a changed copy. */
export async function sendChange(
  c: Context,
  { of, namespace, name, object }: Found,
  {
    changed,
    query,
  }: { readonly changed: LiveObject; readonly query: Readonly<Record<string, string>> },
): Promise<ApiObject> {
  const v = await c.words()
  const shape = await shapeOf(object.apiVersion ?? '', object.kind ?? '', v)
  const states = {
    original: object as JsonObject,
    modified: changed as JsonObject,
    current: object as JsonObject,
  }
  const api = await c.api()
  return api.json<ApiObject>({
    method: 'PATCH',
    path: resourcePath(of, namespace, name),
    query,
    body: shape ? strategicPatch(shape, states, v) : mergePatch(states),
    type: shape ? 'application/strategic-merge-patch+json' : 'application/merge-patch+json',
  })
}

async function localObjects(c: Context): Promise<Found[]> {
  const { readObjects } = await import('./builder.ts')
  return (await readObjects(c)).map(({ of, namespace, object }) => ({
    of,
    namespace,
    name: object.metadata.name ?? '',
    object: object as LiveObject,
  }))
}

/** The pod of a workload. Throws a Fault for other objects. */
export function needPodSpec(object: ApiObject): PodSpec {
  const spec = podSpecOf(object)
  if (!spec) throw new Fault(`error: the object of kind ${object.kind} does not describe pods`)
  return spec
}

/** Containers that a pattern of names means: `*` any letters. */
export function containersOf(spec: PodSpec, pattern: string): Container[] {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const isLike = new RegExp(`^${parts.join('.*')}$`)
  return [...spec.containers, ...(spec.initContainers ?? [])].filter(({ name }) =>
    isLike.test(name),
  )
}
