/** The live objects that arguments, selectors and files name. */
import type { ApiObject, ObjectList } from '../../client/transport.ts'
import type { Context } from '../base/context.ts'
import { Fault, throwAll } from '../base/faults.ts'
import type { FlagSpecs } from '../base/flags.ts'
import type { ServedResource } from './discovery.ts'
import { resourcePath } from './resources.ts'
import { findSelected, selectionFlags, type Selected } from './selection.ts'

/** A live object. */
export interface Found {
  readonly of: ServedResource
  readonly namespace: string
  readonly name: string
  readonly object: LiveObject
}

/** An object with metadata, and members by name. */
export type LiveObject = ApiObject & { metadata: NonNullable<ApiObject['metadata']> } & Record<
    string,
    unknown
  >

/** Flags that select several objects. */
export const manyFlags = {
  ...selectionFlags,
  all: {
    type: 'bool',
    help: 'Select all resources, in the namespace of the specified resource types.',
  },
  'all-namespaces': {
    type: 'bool',
    short: 'A',
    help: 'If true, check the specified action in all namespaces.',
  },
} as const satisfies FlagSpecs

/** Reads one object. */
export async function readOne(
  c: Context,
  { of, namespace, name }: Selected,
  subresource = '',
): Promise<LiveObject> {
  const api = await c.api()
  const sub = subresource === '' ? '' : `/${subresource}`
  return api.json<LiveObject>({ path: resourcePath(of, namespace, name) + sub })
}

/** Reads all objects of a resource that a selector matches. */
export async function readAll(
  c: Context,
  { of, namespace }: Selected,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<LiveObject[]> {
  const api = await c.api()
  const found: LiveObject[] = []
  let token: string | undefined
  do {
    const list: ObjectList<LiveObject> = await api.json({
      path: resourcePath(of, namespace),
      query: { limit: '500', ...query, continue: token },
    })
    const apiVersion = list.apiVersion ?? ''
    const kind = (list.kind ?? '').replace(/List$/, '')
    found.push(...list.items.map((item) => ({ apiVersion, kind, ...item })))
    token = list.metadata.continue || undefined
  } while (token !== undefined)
  return found
}

/** Selectors of the flags, where a command has them. */
export function selectorQuery(c: Context): Record<string, string | undefined> {
  const text = (name: string) => (c.flags.has(name) ? c.flags.text(name) || undefined : undefined)
  return { labelSelector: text('selector'), fieldSelector: text('field-selector') }
}

/** The named objects. Without names, `--all` or a selector is required, unless all are meant. */
export async function findObjects(
  c: Context,
  words = c.args,
  {
    areAllMeant = false,
    selectorIsOther = false,
  }: {
    readonly areAllMeant?: boolean
    /** Whether `--selector` says something else than which objects are meant. */
    readonly selectorIsOther?: boolean
  } = {},
): Promise<Found[]> {
  const all = c.flags.has('all') && c.flags.is('all')
  if ((!c.flags.has('filename') || c.flags.list('filename').length === 0) && words.length === 0) {
    throw c.misuse('resource(s) were provided, but no name was specified')
  }
  const found: Found[] = []
  const errors: unknown[] = []
  for (const one of await findSelected(c, words, { selectorIsOther })) {
    try {
      if (one.name !== '') {
        found.push({ ...one, object: await readOne(c, one) })
        continue
      }
      const query = selectorQuery(c)
      const isSelected = query.labelSelector !== undefined || query.fieldSelector !== undefined
      if (!all && !isSelected && !areAllMeant) {
        throw new Fault('error: resource(s) were provided, but no name was specified')
      }
      const objects = await readAll(c, one, query)
      if (objects.length === 0 && areAllMeant) c.err(noneFound(one))
      for (const object of objects) {
        const { name = '', namespace = '' } = object.metadata
        found.push({ of: one.of, namespace, name, object })
      }
    } catch (error) {
      errors.push(error)
    }
  }
  // What was found is worked on all the same, and the failures are shown after it.
  if (found.length === 0) throwAll(errors)
  else c.failLater(errors)
  return found
}

/** What is said where a type or a selector is given and nothing is there. */
export const noneFound = ({ of, namespace }: Selected): string =>
  of.namespaced && namespace !== ''
    ? `No resources found in ${namespace} namespace.\n`
    : 'No resources found\n'
