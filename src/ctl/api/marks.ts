/** Labels and annotations from the command line: `a=1 b- c=2`. */
import type { ApiObject } from '../../client/transport.ts'
import { sameJson } from '../../patch/json-value.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { findObjects, manyFlags, type Found } from './find-objects.ts'
import { resourcePath } from './resources.ts'
import { Done, dryRunOf, forEach, writeFlags, writeQuery } from './writing.ts'

/** What differs between labels and annotations. */
export interface MarkKind {
  readonly field: 'labels' | 'annotations'
  readonly one: 'label' | 'annotation'
  readonly command: 'label' | 'annotate'
  /** The failure for values that are there already. */
  readonly taken: (key: string, value: string) => string
  /** What was done to an object. */
  readonly what: (change: { readonly isSame: boolean; readonly removes: boolean }) => string
}

/** Changes to marks; null removes. */
export interface MarkChanges {
  readonly words: readonly string[]
  readonly changes: ReadonlyMap<string, string | null>
}

const AS_ONE: Readonly<Record<string, string>> = {
  label: 'a label',
  annotation: 'an annotation',
  'environment variable': 'the same environment variable',
}

/** Splits arguments into those that name objects and changes. Throws for a change that is none. */
export function splitMarks(c: Context, one: string): MarkChanges {
  const start = c.args.findIndex(
    (arg) => /.=|^.+-$/.test(arg) && !(arg.includes('/') && !/[=]|-$/.test(arg)),
  )
  const words = start === -1 ? c.args : c.args.slice(0, start)
  const changes = new Map<string, string | null>()
  for (const arg of start === -1 ? [] : c.args.slice(start)) {
    const equals = arg.indexOf('=')
    if (equals > 0) changes.set(arg.slice(0, equals), arg.slice(equals + 1))
    else if (arg.endsWith('-') && arg.length > 1) {
      const key = arg.slice(0, -1)
      if (changes.has(key)) {
        throw new Fault(
          `error: can not both modify and remove ${AS_ONE[one] ?? one} in the same command`,
        )
      }
      changes.set(key, null)
    } else throw new Fault(`error: all resources must be specified before ${one} changes: ${arg}`)
  }
  return { words, changes }
}

/** The command that changes marks of one kind. */
export function markCommand(kind: MarkKind): Command {
  const { field, one, command } = kind
  return {
    use: `[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]`,
    text: `Sets and removes ${field} of objects. A key with a minus sign at its end is removed.`,
    examples: [
      ['Set one', `${command} pods web tier=front`],
      ['Replace a value', `${command} --overwrite pods web tier=back`],
      ['Remove one', `${command} pods web tier-`],
    ],
    flags: {
      ...writeFlags,
      ...manyFlags,
      list: { type: 'bool', help: `If true, display the ${field} for a given resource.` },
      local: {
        type: 'bool',
        help: `If true, ${command} will NOT contact the api-server but run locally.`,
      },
      overwrite: {
        type: 'bool',
        help: `If true, allow ${field} to be overwritten, otherwise reject ${one} updates that overwrite existing ${field}.`,
      },
      'resource-version': {
        type: 'text',
        help: `If non-empty, the ${field} update will only succeed if this is the current resource-version for the object.`,
      },
    },
    run: (c) => run(c, kind),
  }
}

async function run(c: Context, kind: MarkKind): Promise<void> {
  const { one, field, command } = kind
  const { words, changes } = splitMarks(c, one)
  if (words.length === 0 && c.flags.list('filename').length === 0) {
    throw new Fault(
      'error: one or more resources must be specified as <resource> <name> or <resource>/<name>',
    )
  }
  if (changes.size === 0 && !c.flags.is('list')) {
    throw new Fault(`error: at least one ${one} update is required`)
  }
  if (c.flags.is('list') && c.flags.text('output') !== '') {
    throw new Fault('error: --list and --output may not be specified together')
  }
  const dryRun = dryRunOf(c)
  const done = await Done.of(c)
  const query = await writeQuery(c, command)
  const isLocal = c.flags.is('local')
  const found = isLocal ? await localObjects(c) : await findObjects(c, words)
  await forEach(found, async ({ of, namespace, name, object }) => {
    const before = object.metadata[field] ?? {}
    if (c.flags.is('list')) {
      for (const key of Object.keys(before).sort()) c.out(`${key}=${before[key]}\n`)
      return
    }
    checkTaken(c, kind, before, changes)
    const after = changed(c, kind, before, changes)
    const isSame = sameJson(before, after)
    const what = kind.what({ isSame, removes: [...changes.values()].includes(null) })
    const marked = { ...object, metadata: { ...object.metadata, [field]: after } } as ApiObject
    const version = c.flags.text('resource-version')
    if (dryRun === 'client' || isLocal || (isSame && version === '')) return done.say(marked, what)
    const metadata = {
      [field]: Object.fromEntries(changes),
      ...(version === '' ? {} : { resourceVersion: version }),
    }
    const api = await c.api()
    const stored = await api.json<ApiObject>({
      method: 'PATCH',
      path: resourcePath(of, namespace, name),
      query,
      body: { metadata },
      type: 'application/merge-patch+json',
    })
    await done.say(stored, what)
  })
}

async function localObjects(c: Context): Promise<Found[]> {
  const { readObjects } = await import('./builder.ts')
  return (await readObjects(c)).map(({ of, namespace, object }) => ({
    of,
    namespace,
    name: object.metadata.name ?? '',
    object: object as Found['object'],
  }))
}

function checkTaken(
  c: Context,
  kind: MarkKind,
  before: Readonly<Record<string, string>>,
  changes: ReadonlyMap<string, string | null>,
): void {
  if (c.flags.is('overwrite')) return
  for (const [key, value] of changes) {
    const taken = value !== null && Object.hasOwn(before, key) && before[key] !== value
    if (taken) throw new Fault(`error: ${kind.taken(key, before[key]!)}`)
  }
}

function changed(
  c: Context,
  { one }: MarkKind,
  before: Readonly<Record<string, string>>,
  changes: ReadonlyMap<string, string | null>,
): Record<string, string> {
  const after = new Map(Object.entries(before))
  for (const [key, value] of changes) {
    if (value !== null) after.set(key, value)
    else if (!after.delete(key) && one === 'label') c.out(`${one} "${key}" not found.\n`)
  }
  return Object.fromEntries(after)
}
