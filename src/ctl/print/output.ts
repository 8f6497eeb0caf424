/** The formats of `-o` that show objects themselves. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatJson } from '../../codec/json-text.ts'
import { keysInOrder } from '../base/keys-in-order.ts'
import { escapedJson } from './json-text.ts'
import type { ApiObject } from '../../client/transport.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import type { FlagSpecs } from '../base/flags.ts'

/** Flags of commands that print objects. */
export const outputFlags = {
  output: {
    type: 'text',
    short: 'o',
    help: 'Output format. One of: (json, yaml, name, jsonpath, jsonpath-as-json, jsonpath-file).',
  },
  template: {
    type: 'text',
    help: 'Template string, or path of a file with it, for -o=jsonpath and -o=jsonpath-file.',
  },
  'allow-missing-template-keys': {
    type: 'bool',
    default: 'true',
    help: 'If true, ignore any errors in templates when a field or map key is missing in the template.',
  },
  'show-managed-fields': {
    type: 'bool',
    help: 'If true, keep the managedFields when printing objects in JSON or YAML format.',
  },
} as const satisfies FlagSpecs

/** An object, or a list of objects. */
export type Printable = ApiObject & { items?: ApiObject[] }

/** Prints one object or list. */
export type Print = (object: Printable) => Promise<string> | string

const MORE_FORMATS =
  'custom-columns,custom-columns-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,wide,yaml'
const FORMATS = 'json,jsonpath,jsonpath-as-json,jsonpath-file,name,yaml'

/** Format and template of `-o`. */
export interface Format {
  readonly name: string
  readonly template: string
}

/** Reads `-o` and `--template`; an empty name for none. Throws for formats that there are not. */
export function formatOf(c: Context, hasTables: boolean): Format {
  const text = c.flags.text('output')
  const equals = text.indexOf('=')
  let name = equals === -1 ? text : text.slice(0, equals)
  let template = equals === -1 ? '' : text.slice(equals + 1)
  if (template === '') template = c.flags.text('template')
  if (name === '' && template !== '') name = 'go-template'
  if (/^(go-template|go-template-file|template|templatefile)$/.test(name)) {
    throw new Fault(
      `error: the output format "${name}" is not supported: use -o jsonpath='{...}' or -o custom-columns=NAME:.path instead`,
    )
  }
  const known = hasTables ? MORE_FORMATS : FORMATS
  if (name !== '' && !known.split(',').includes(name)) {
    throw new Fault(
      `error: unable to match a printer suitable for the output format "${name}", allowed formats are: ${known}`,
    )
  }
  if (name.startsWith('jsonpath') || name.startsWith('custom-columns')) {
    if (template === '') {
      throw new Fault(
        name.startsWith('jsonpath')
          ? 'error: template format specified but no template given'
          : 'error: custom-columns format specified but no custom columns given',
      )
    }
    if (name.endsWith('-file')) {
      const what = name.startsWith('jsonpath') ? '--template' : 'template'
      template = readTemplate(resolve(c.io.cwd, template), `${what} ${template}, open ${template}`)
      name = name.slice(0, -'-file'.length)
    }
  }
  return { name, template }
}

function readTemplate(path: string, named: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new Fault(`error: error reading ${named}: no such file or directory`)
  }
}

/** Whether a format shows tables of the server. */
export const isTable = ({ name }: Format): boolean => name === '' || name === 'wide'

/** A printer of objects. `names` gives the word for an object of `-o name`. */
export async function printerOf(c: Context, format: Format): Promise<Print> {
  const { name } = format
  const keepsManagers = c.flags.has('show-managed-fields') && c.flags.is('show-managed-fields')
  switch (name) {
    case 'json':
      return (object) => `${jsonText(shown(object, keepsManagers))}\n`
    case 'yaml':
      return yamlPrinter(keepsManagers)
    case 'name':
      return (object) =>
        itemsOf(object)
          .map((one) => `${nameOf(one)}\n`)
          .join('')
    case 'jsonpath':
    case 'jsonpath-as-json':
      return jsonPathPrinter(c, format)
    default:
      throw new Error(`no printer for ${name}`)
  }
}

async function yamlPrinter(keepsManagers: boolean): Promise<Print> {
  const { toYaml } = await import('../../codec/yaml.ts')
  let isFirst = true
  return async (object) => {
    const text = await toYaml(shown(object, keepsManagers))
    const separator = isFirst ? '' : '---\n'
    isFirst = false
    return separator + text
  }
}

async function jsonPathPrinter(c: Context, { name, template }: Format): Promise<Print> {
  const { JsonPath, JsonPathFault } = await import('./json-path.ts')
  const fault = (error: unknown, head: string) =>
    error instanceof JsonPathFault ? new Fault(`error: ${head}${error.message}`) : error
  const allowMissing = c.flags.is('allow-missing-template-keys')
  let path: InstanceType<typeof JsonPath>
  try {
    path = new JsonPath(template, { allowMissing })
  } catch (error) {
    throw fault(error, `error parsing jsonpath ${template}, `)
  }
  return (object) => {
    try {
      if (name === 'jsonpath') return path.text(object)
      return `${jsonText(path.values(object).flat())}\n`
    } catch (error) {
      throw fault(error, `error executing jsonpath ${JSON.stringify(template)}: `)
    }
  }
}

/** Objects of a list, or the object itself. */
const itemsOf = (object: Printable): readonly ApiObject[] =>
  Array.isArray(object.items) && (object.kind ?? '').endsWith('List') ? object.items : [object]

/** `deployment.apps/web`. */
function nameOf({ apiVersion = '', kind = '', metadata }: ApiObject): string {
  const slash = apiVersion.indexOf('/')
  const group = slash === -1 ? '' : `.${apiVersion.slice(0, slash)}`
  return `${kind.toLowerCase()}${group}/${metadata?.name ?? ''}`
}

/** Without what people seldom want to read. */
function shown(object: Printable, keepsManagers: boolean): unknown {
  if (keepsManagers) return object
  const without = (one: ApiObject): ApiObject => {
    if (one.metadata?.managedFields === undefined) return one
    const { managedFields: _, ...metadata } = one.metadata
    return { ...one, metadata }
  }
  const items = itemsOf(object)
  return items[0] === object ? without(object) : { ...object, items: items.map(without) }
}

/** JSON with keys in order, four blanks for each level. */
export function jsonText(value: unknown): string {
  return escapedJson(formatJson(keysInOrder(value), 4))
}
