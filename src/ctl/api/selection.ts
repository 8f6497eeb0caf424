/** Objects that the arguments of a command name: `pods`, `pods a b`, `pod/a svc/b`, `pods,services`, and files. */
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import type { FlagSpecs } from '../base/flags.ts'
import type { ServedResource } from './discovery.ts'
import { folderFlags, refuseKustomize } from './kustomize.ts'
import { findResource, inCategory } from './resources.ts'

/** Files and selectors. */
export const selectionFlags = {
  filename: {
    type: 'list',
    short: 'f',
    help: 'Filename, directory, or URL to files identifying the resource.',
  },
  ...folderFlags,
  selector: {
    type: 'text',
    short: 'l',
    help: "Selector (label query) to filter on, supports '=', '==', '!=', in, notin.",
  },
  'field-selector': {
    type: 'text',
    help: "Selector (field query) to filter on, supports '=', '==', and '!='.",
  },
} as const satisfies FlagSpecs

export const NOTHING_NAMED =
  "error: You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'"

/** One object, or all of a resource. */
export interface Selected {
  readonly of: ServedResource
  /** Empty for all namespaces and at the cluster scope. */
  readonly namespace: string
  /** Empty for all. */
  readonly name: string
}

/** What the arguments and files name. */
export async function findSelected(
  c: Context,
  words = c.args,
  { selectorIsOther = false }: { readonly selectorIsOther?: boolean } = {},
): Promise<Selected[]> {
  refuseKustomize(c)
  if (c.flags.has('filename') && c.flags.list('filename').length > 0) return fromFiles(c, words)
  const named = await findNamed(c, words)
  const given = (name: string) => c.flags.has(name) && c.flags.text(name) !== ''
  const hasSelector = !selectorIsOther && (given('selector') || given('field-selector'))
  if (hasSelector && named.some(({ name }) => name !== '')) {
    throw new Fault('error: name cannot be provided when a selector is specified')
  }
  const isAll = c.flags.has('all-namespaces') && c.flags.is('all-namespaces')
  const namespace = isAll ? '' : (await c.namespace()).name
  if (isAll && named.some(({ name, of }) => name !== '' && of.namespaced)) {
    throw new Fault('error: a resource cannot be retrieved by name across all namespaces')
  }
  return named.map(({ of, name }) => ({ of, name, namespace: of.namespaced ? namespace : '' }))
}

async function fromFiles(c: Context, words: readonly string[]): Promise<Selected[]> {
  if (words.length > 0) {
    throw new Fault(
      'error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
    )
  }
  const { readObjects } = await import('./builder.ts')
  return (await readObjects(c)).map(({ of, namespace, object }) => ({
    of,
    namespace,
    name: object.metadata?.name ?? '',
  }))
}

interface Named {
  readonly of: ServedResource
  readonly name: string
}

/** Resources and names of words. */
async function findNamed(c: Context, words: readonly string[]): Promise<Named[]> {
  const discovery = await c.discovery()
  if (words.some((word) => word.includes('/'))) return byPairs(c, words)
  const [types = '', ...names] = words
  const found: ServedResource[] = []
  for (const type of types.split(',')) {
    if (type === '') {
      throw new Fault('error: arguments in resource/name form must have a single resource and name')
    }
    const category = await inCategory(discovery, type)
    found.push(...(category.length > 0 ? category : [await findResource(discovery, type)]))
  }
  const unique = found.filter((one, i) => found.indexOf(one) === i)
  if (names.length === 0) return unique.map((of) => ({ of, name: '' }))
  return unique.flatMap((of) => names.map((name) => ({ of, name })))
}

async function byPairs(c: Context, words: readonly string[]): Promise<Named[]> {
  const discovery = await c.discovery()
  const found: Named[] = []
  for (const word of words) {
    const [type = '', name = '', ...more] = word.split('/')
    if (!word.includes('/')) {
      throw new Fault(
        `error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. '${c.program} get resource/<resource_name>' instead of '${c.program} get resource resource/<resource_name>'`,
      )
    }
    if (type === '' || name === '' || more.length > 0) {
      throw new Fault('error: arguments in resource/name form must have a single resource and name')
    }
    found.push({ of: await findResource(discovery, type), name })
  }
  return found
}

/** Flags of what shows the objects of all namespaces. */
export const everywhereFlags = {
  'all-namespaces': {
    type: 'bool',
    short: 'A',
    help: 'If present, list the requested object(s) across all namespaces.',
  },
  'chunk-size': {
    type: 'int',
    default: '500',
    help: 'Accepted for compatibility.',
    isHidden: true,
  },
} as const satisfies FlagSpecs
