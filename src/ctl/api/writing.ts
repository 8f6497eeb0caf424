/** What commands that change objects share: dry runs, field managers, validation, and the line that says what was done. */
import type { ApiObject } from '../../client/transport.ts'
import { StatusError } from '../../meta/errors.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import type { FlagSpecs } from '../base/flags.ts'
import { formatOf, outputFlags, printerOf, type Print } from '../print/output.ts'
import type { ServedResource } from './discovery.ts'
import { folderFlags } from './kustomize.ts'
import { resourcePath, singularName } from './resources.ts'

export const dryRunFlag = {
  'dry-run': {
    type: 'text',
    default: 'none',
    bare: 'unchanged',
    help: 'Must be "none", "server", or "client". If client strategy, only print the object that would be sent, without sending it. If server strategy, submit server-side request without persisting the resource.',
  },
} as const satisfies FlagSpecs

export const managerFlag = {
  'field-manager': { type: 'text', help: 'Name of the manager used to track field ownership.' },
} as const satisfies FlagSpecs

export const fileFlags = {
  filename: {
    type: 'list',
    short: 'f',
    help: 'Filename, directory, or URL to files with the objects.',
  },
  ...folderFlags,
} as const satisfies FlagSpecs

export const validateFlag = {
  validate: {
    type: 'text',
    default: 'strict',
    bare: 'strict',
    help: 'Must be one of: strict (or true), warn, ignore (or false). Whether unknown and duplicate fields are refused, warned of or ignored by the server.',
  },
} as const satisfies FlagSpecs

/** Flags of commands that change objects. */
export const writeFlags = {
  ...outputFlags,
  ...dryRunFlag,
  ...managerFlag,
} as const satisfies FlagSpecs

export type DryRun = 'none' | 'client' | 'server'

/** The value of `--dry-run`. Throws for another word. */
export function dryRunOf(c: Context): DryRun {
  const text = c.flags.text('dry-run')
  switch (text) {
    case 'none':
    case 'client':
    case 'server':
      return text
    case '':
      return 'none'
    case 'unchanged':
      c.err('W0000 --dry-run is deprecated and can be replaced with --dry-run=client.\n')
      return 'client'
    case 'true':
    case 'false':
      c.err(
        `W0000 --dry-run=${text} is deprecated (boolean value) and can be replaced with --dry-run=${text === 'true' ? 'client' : 'none'}.\n`,
      )
      return text === 'true' ? 'client' : 'none'
    default:
      throw new Fault(
        `error: Invalid dry-run value (${text}). Must be "none", "server", or "client".`,
      )
  }
}

/** The value of `--validate` in the words of the API. */
function fieldValidationOf(c: Context): string {
  const text = c.flags.text('validate')
  switch (text) {
    case 'strict':
    case 'true':
      return 'Strict'
    case 'warn':
      return 'Warn'
    case 'ignore':
    case 'false':
      return 'Ignore'
    default:
      throw new Fault(
        `error: invalid - validate option ${JSON.stringify(text)}; must be one of: strict (or true), warn, ignore (or false)`,
      )
  }
}

/** Parameters of a write. */
export async function writeQuery(c: Context, command: string): Promise<Record<string, string>> {
  return {
    fieldManager: await c.manager(command),
    ...(c.flags.has('validate') ? { fieldValidation: fieldValidationOf(c) } : {}),
    ...(c.flags.has('dry-run') && dryRunOf(c) === 'server' ? { dryRun: 'All' } : {}),
  }
}

/** Says what was done to objects, or prints them with `-o`. */
export class Done {
  readonly #c: Context
  readonly #print: Print | null
  readonly #suffix: string

  private constructor(c: Context, print: Print | null, dryRun: DryRun) {
    this.#c = c
    this.#print = print
    this.#suffix = { none: '', client: ' (dry run)', server: ' (server dry run)' }[dryRun]
  }

  static async of(
    c: Context,
    dryRun = c.flags.has('dry-run') ? dryRunOf(c) : 'none',
  ): Promise<Done> {
    const format = c.flags.has('output') ? formatOf(c, false) : { name: '', template: '' }
    const print = format.name === '' ? null : await printerOf(c, format)
    return new Done(c, print, dryRun)
  }

  /** `configmap/a created`. */
  async say(object: ApiObject, what: string): Promise<void> {
    if (this.#print) return this.#c.out(await this.#print(object))
    const { apiVersion = '', kind = '', metadata } = object
    const slash = apiVersion.indexOf('/')
    const group = slash === -1 ? '' : apiVersion.slice(0, slash)
    this.#c.out(`${singularName({ kind, group })}/${metadata?.name ?? ''} ${what}${this.#suffix}\n`)
  }
}

/** Names the source of an object in the failure of a request about it. */
export function fromSource(error: unknown, doing: string, source: string): unknown {
  if (error instanceof StatusError) {
    const { code, reason, message, details } = error
    return new StatusError(
      code,
      reason,
      `error when ${doing} ${JSON.stringify(source)}: ${message}`,
      details,
    )
  }
  if (error instanceof Error && error.constructor === Error) {
    return new Error(`error when ${doing} ${JSON.stringify(source)}: ${error.message}`)
  }
  return error
}

/** Creates an object. */
export async function create(
  c: Context,
  of: ServedResource,
  object: ApiObject,
  query: Readonly<Record<string, string>>,
): Promise<ApiObject> {
  const api = await c.api()
  const namespace = of.namespaced ? (object.metadata?.namespace ?? '') : ''
  return api.json<ApiObject>({
    method: 'POST',
    path: resourcePath(of, namespace),
    query,
    body: object,
  })
}

/** Calls for each item, and throws the failures together at the end. */
export async function forEach<T>(
  items: readonly T[],
  call: (item: T) => Promise<void>,
): Promise<void> {
  const { throwAll } = await import('../base/faults.ts')
  const errors: unknown[] = []
  for (const item of items) {
    try {
      await call(item)
    } catch (error) {
      errors.push(error)
    }
  }
  throwAll(errors)
}

/** Fails when no file was named. */
export function requireFiles(c: Context): void {
  if (c.flags.isSet('kustomize') || c.flags.list('filename').length > 0) return
  throw new Fault('error: must specify one of -f and -k')
}
