/** explain: shows the documentation of types, from the documents that the server publishes. */
import { groupPath } from '../api/discovery.ts'
import { apiVersionOf, findKind, findResource } from '../api/resources.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { indented, wrapped } from '../print/wrap.ts'

interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly [extension: string]: unknown
}

export const explain: Command = {
  use: 'RESOURCE [--recursive=false] [--api-version=api-version-group]',
  text: 'Shows the fields of a type and their documentation. A path after the type names a field, such as pods.spec.containers.',
  examples: [
    ['A type', 'explain pods'],
    ['A field', 'explain pods.spec.containers'],
  ],
  flags: {
    'api-version': {
      type: 'text',
      help: 'Get different explanations for particular API version (API group/version)',
    },
    recursive: { type: 'bool', help: 'Print the fields of fields (Currently only 1 level deep)' },
  },
  async run(c) {
    const [text = ''] = c.args
    if (c.args.length === 0)
      throw new Fault(
        'error: You must specify the type of resource to explain. Use "' +
          c.program +
          ' api-resources" for a complete list of supported resources.',
      )
    if (c.args.length > 1) throw new Fault('error: We accept only this format: explain RESOURCE')
    const [word = '', ...path] = text.split('.')
    const of = await resourceOf(c, word)
    const { components } = await documentOf(c, of.group, of.version)
    const root = rootOf(components, of)
    if (!root)
      throw new Fault(
        `error: couldn't find resource for "${of.group}/${of.version}, Kind=${of.kind}"`,
      )
    const reader = new Reader(components)
    const head = `KIND:     ${of.kind}\nVERSION:  ${apiVersionOf(of)}\n\n`
    if (path.length === 0) {
      c.out(head + reader.description(root))
      c.out(reader.fields(root, c.flags.is('recursive')))
      return
    }
    const { name, schema } = reader.at(root, path)
    const object = reader.objectOf(schema)
    if (object) {
      c.out(`${head}RESOURCE: ${name} <${reader.typeName(schema)}>\n\n`)
      c.out(reader.description(schema, object))
      c.out(reader.fields(object, c.flags.is('recursive')))
    } else {
      c.out(`${head}FIELD:    ${name} <${reader.typeName(schema)}>\n\n`)
      c.out(reader.description(schema))
    }
  },
}

async function resourceOf(c: Context, word: string) {
  const discovery = await c.discovery()
  const found = await findResource(discovery, word, '')
  const apiVersion = c.flags.text('api-version')
  if (apiVersion === '') return found
  const other = await findKind(discovery, apiVersion, found.kind)
  if (!other)
    throw new Fault(`error: couldn't find resource for "${apiVersion}, Kind=${found.kind}"`)
  return other
}

type Schemas = Readonly<Record<string, Schema>>

async function documentOf(
  c: Context,
  group: string,
  version: string,
): Promise<{ components: Schemas }> {
  const api = await c.api()
  const document = await api.json<{ components?: { schemas?: Schemas } }>({
    path: `/openapi/v3${groupPath(group, version)}`,
  })
  return { components: document.components?.schemas ?? {} }
}

interface KindName {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** The schema of a kind, which is marked with it. */
function rootOf(schemas: Schemas, of: KindName): Schema | null {
  for (const schema of Object.values(schemas)) {
    for (const [name, value] of Object.entries(schema)) {
      if (!name.endsWith('-group-version-kind') || !Array.isArray(value)) continue
      const marks = value as KindName[]
      if (
        marks.some(
          (one) => one.group === of.group && one.version === of.version && one.kind === of.kind,
        )
      )
        return schema
    }
  }
  return null
}

const MAX_DEPTH = 30

class Reader {
  readonly #schemas: Schemas

  constructor(schemas: Schemas) {
    this.#schemas = schemas
  }

  /** The schema that a reference means. */
  resolve(schema: Schema): Schema {
    const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]!.$ref : undefined)
    if (ref === undefined) return schema
    const name = ref.slice(ref.lastIndexOf('/') + 1)
    return Object.hasOwn(this.#schemas, name) ? this.#schemas[name]! : schema
  }

  /** The object that a schema holds, in lists and maps too; null for plain values. */
  objectOf(schema: Schema): Schema | null {
    const full = this.resolve(schema)
    if (full.items) return this.objectOf(full.items)
    if (full.properties) return full
    const { additionalProperties: more } = full
    return typeof more === 'object' ? this.objectOf(more) : null
  }

  at(root: Schema, path: readonly string[]): { name: string; schema: Schema } {
    let schema = root
    for (const name of path) {
      const object = this.objectOf(schema)
      const next =
        object?.properties && Object.hasOwn(object.properties, name)
          ? object.properties[name]!
          : null
      if (!next) throw new Fault(`error: field "${name}" does not exist`)
      schema = next
    }
    return { name: path.at(-1)!, schema }
  }

  typeName(schema: Schema): string {
    const full = this.resolve(schema)
    if (full.items) return `[]${this.typeName(full.items)}`
    if (typeof full.additionalProperties === 'object') {
      return `map[string]${this.typeName(full.additionalProperties)}`
    }
    if (full.properties) return 'Object'
    if (Object.keys(full).some((key) => key.endsWith('-int-or-string')) || full.oneOf)
      return 'string'
    if (full.type === 'object') return 'map[string]'
    return full.type ?? 'string'
  }

  description(schema: Schema, inner: Schema | null = null): string {
    const own = schema.description ?? this.resolve(schema).description ?? ''
    const texts = [own, inner?.description ?? ''].filter(
      (text, i, all) => text !== '' && all.indexOf(text) === i,
    )
    const shown = texts.length === 0 ? ['<empty>'] : texts
    return `DESCRIPTION:\n${shown.map((text) => indented(wrapped(text, 75), 5)).join('\n\n')}\n`
  }

  fields(schema: Schema, isRecursive: boolean): string {
    const object = this.objectOf(schema)
    if (!object?.properties) return ''
    const lines = isRecursive ? this.#names(object, 3, []) : this.#documented(object)
    return `FIELDS:\n${lines.join('')}`.replace(/^/, '\n')
  }

  #documented({ properties = {}, required = [] }: Schema): string[] {
    return Object.keys(properties)
      .sort()
      .map((name) => {
        const schema = properties[name]!
        const mark = required.includes(name) ? ' -required-' : ''
        const text = schema.description ?? this.resolve(schema).description ?? ''
        const about = text === '' ? '' : `${indented(wrapped(text, 75), 5)}\n`
        return `   ${name}\t<${this.typeName(schema)}>${mark}\n${about}\n`
      })
  }

  #names({ properties = {} }: Schema, indent: number, above: readonly Schema[]): string[] {
    return Object.keys(properties)
      .sort()
      .flatMap((name) => {
        const schema = properties[name]!
        const inner = this.objectOf(schema)
        const line = `${' '.repeat(indent)}${name}\t<${this.typeName(schema)}>\n`
        const isDeeper = inner && !above.includes(inner) && above.length < MAX_DEPTH
        return [line, ...(isDeeper ? this.#names(inner, indent + 3, [...above, inner]) : [])]
      })
  }
}
