/** Commands that create one object from flags. */
import type { ApiObject } from '../../client/transport.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { StatusError } from '../../meta/errors.ts'
import type { FlagSpecs } from '../base/flags.ts'
import { lastApplied, withLastApplied } from './last-applied.ts'
import { findKind } from './resources.ts'
import { create, Done, dryRunOf, validateFlag, writeFlags, writeQuery } from './writing.ts'

/** An object as a generator makes it. */
export type Made = Record<string, unknown> & {
  apiVersion: string
  kind: string
  metadata: { name: string } & Record<string, unknown>
}

/** What a generator is made of. */
export interface Generator {
  readonly use: string
  readonly text: string
  readonly examples?: Command['examples']
  readonly flags?: FlagSpecs
  /** Makes the object of the arguments. Throws a Fault for those that do not fit. */
  readonly make: (c: Context, v: Vocabulary) => Made | Promise<Made>
}

/** A command that creates what a generator makes. */
export const generatorCommand = (generator: Generator): Command => ({
  use: generator.use,
  text: generator.text,
  ...(generator.examples ? { examples: generator.examples } : {}),
  flags: {
    ...writeFlags,
    ...validateFlag,
    'save-config': {
      type: 'bool',
      help: 'If true, the configuration of the object is saved in its annotation, for a later apply.',
    },
    ...generator.flags,
  },
  run: async (c) => send(c, await generator.make(c, await c.words()), 'create'),
})

/** Creates a made object, in the namespace of the command where it has one. */
export async function send(
  c: Context,
  made: Made,
  command: string,
  what = 'created',
): Promise<void> {
  const dryRun = dryRunOf(c)
  const of = await findKind(await c.discovery(), made.apiVersion, made.kind)
  if (!of)
    throw new Fault(`error: no matches for kind "${made.kind}" in version "${made.apiVersion}"`)
  const { name, isExplicit } = await c.namespace()
  const namespace = of.namespaced && (isExplicit || dryRun !== 'client') ? { namespace: name } : {}
  let object = {
    ...made,
    metadata: { creationTimestamp: null, ...made.metadata, ...namespace },
  } as unknown as ApiObject
  const saves = c.flags.has('save-config') && c.flags.is('save-config')
  if (saves) object = withLastApplied(object, lastApplied(await c.words()))
  const done = await Done.of(c)
  if (dryRun === 'client') return done.say(object, what)
  const query = await writeQuery(c, command)
  const created = await create(c, of, object, query).catch((error: unknown) => {
    const word = command === 'create' ? wordOf(made) : null
    if (word === null || !(error instanceof StatusError)) throw error
    throw new Fault(`error: failed to create ${word} ${error.message}`)
  })
  await done.say(created, what)
}

/** What a failure calls an object; null where the response is shown as it is. */
function wordOf({ kind, spec }: Made): string | null {
  if (['Namespace', 'Role', 'ClusterRole'].includes(kind)) return null
  if (kind === 'Secret') return 'secret'
  if (kind === 'ResourceQuota') return 'quota:'
  if (kind === 'PodDisruptionBudget') return 'poddisruptionbudgets:'
  if (kind !== 'Service') return `${kind.toLowerCase()}:`
  return `${(spec as { readonly type?: string }).type ?? 'ClusterIP'} service:`
}

/** The one argument of a generator. Throws when there is none, or more. */
export function nameArg(c: Context): string {
  if (c.args.length !== 1) {
    throw c.misuse(`exactly one NAME is required, got ${c.args.length}`)
  }
  return c.args[0]!
}

/** Fails when a required flag is missing. */
export function requireFlags(c: Context, ...names: string[]): void {
  const missing = names.filter((name) => !c.flags.isSet(name))
  if (missing.length > 0) {
    throw new Fault(
      `error: required flag(s) ${missing.map((name) => `"${name}"`).join(', ')} not set`,
    )
  }
}

/** The same, with amounts as values. */
export function quantities(text: string): Record<string, string> | undefined {
  const list = resourceList(text)
  for (const value of Object.values(list ?? {}))
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/.test(value))
      throw new Fault(
        "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      )
  return list
}

/** Values of a list flag of the form `name=value`. */
export function resourceList(text: string): Record<string, string> | undefined {
  if (text === '') return undefined
  const pairs = text.split(',').map((part) => {
    const [name = '', value = '', ...more] = part.split('=')
    if (name === '' || value === '' || more.length > 0) {
      throw new Fault(`error: Invalid argument syntax ${part}, expected <resource>=<value>`)
    }
    return [name.trim(), value.trim()] as const
  })
  return Object.fromEntries(pairs)
}
