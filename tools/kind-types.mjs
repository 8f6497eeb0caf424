// Writes the TypeScript types of the built-in kinds, as they stand on the wire, from their declarations.
// `npx vitest run src/client/kinds.test.ts -u` writes the file anew; the same test tells when it is not up to date.

const HEAD = `/**
 * Types of the built-in kinds under the names of the wire, made of their declarations: \`npx vitest run
 * src/client/kinds.test.ts -u\` writes this file. What clients need not send is optional.
 */
import type { Spelled } from '../vocabulary/spelled.ts'
import type { Metadata } from './transport.ts'
`

const SCALARS = {
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  any: 'unknown',
  raw: 'unknown',
  intOrString: 'number | string',
  strings: 'string[]',
}

const FORMS = {
  schemaOrBool: (name) => `${name} | boolean`,
  schemaOrArray: (name) => `${name} | ${name}[]`,
  schemaOrStrings: (name) => `${name} | string[]`,
}

/** The text of the file, for declared resources in their order. */
export function kindTypes(resources) {
  const writer = new Types()
  const kinds = new Map()
  const add = (shape, plural) => {
    const groupVersion = shape.home.replace(/^core\//, '')
    const resourcesOf = kinds.get(groupVersion) ?? new Map()
    kinds.set(groupVersion, resourcesOf.set(plural, writer.name(shape)))
  }
  // The versions that are stored have the plain names.
  for (const { storage, plural } of resources) add(storage.shape, plural)
  for (const { versions = {}, plural } of resources)
    for (const [home, { shape }] of Object.entries(versions))
      add({ ...shape.shape, fields: shape.shape.fields, home }, plural)
  const all = writer.text()
  return `${HEAD}\n${all}\n${tableOf(kinds)}`
}

function tableOf(kinds) {
  const groups = [...kinds].sort(byName).map(([groupVersion, resources]) => {
    const rows = [...resources].sort(byName).map(([plural, name]) => `    ${plural}: ${name}\n`)
    return `  '${groupVersion}': {\n${rows.join('')}  }\n`
  })
  return `/** Kinds by group version, as a template, and resource. */
interface Declared {
${groups.join('')}}

/** Kinds by \`apiVersion\` and resource, in the spelling of either vocabulary. */
export type BuiltInKinds = { [G in keyof Declared as Spelled<G>]: Declared[G] }
`
}

const byName = ([a], [b]) => (a < b ? -1 : 1)

/** Types under names of which each is one's own. */
class Types {
  #names = new Map()
  #taken = new Set()
  #texts = []

  name(shape) {
    if (shape.home === 'meta/v1' && shape.name === 'ObjectMeta') return 'Metadata'
    const key = `${shape.home} ${shape.name} ${[...shape.fields.keys()].join()}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = [shape.name, `${prefixOf(shape.home)}${shape.name}`].find(
      (one) => !this.#taken.has(one),
    )
    if (name === undefined) throw new Error(`${shape.home} ${shape.name} has no name of its own`)
    this.#names.set(key, name)
    this.#taken.add(name)
    const at = this.#texts.push('') - 1
    this.#texts[at] = this.#declaration(name, shape)
    return name
  }

  text() {
    return this.#texts.join('\n')
  }

  #declaration(name, shape) {
    const plain = []
    const branded = []
    if (shape.typed) plain.push('  apiVersion?: string', '  kind?: string')
    for (const [field, facts] of this.#fieldsOf(shape)) {
      const optional = facts.presence === 'always' || facts.mandatory ? '' : '?'
      const type = this.#typeOf(facts.holds, facts.oneOf)
      if (field.includes('{')) branded.push(`{ [K in Spelled<'${field}'>]?: ${type} }`)
      else plain.push(`  ${/^\w+$/.test(field) ? field : `'${field}'`}${optional}: ${type}`)
    }
    const body = plain.length === 0 ? '{}' : `{\n${plain.join('\n')}\n}`
    const more = branded.map((one) => ` & ${one}`).join('')
    return `export type ${name} = ${body}${more}\n`
  }

  *#fieldsOf(shape) {
    for (const [name, facts] of shape.fields) {
      if (facts.inline) yield* this.#fieldsOf(facts.holds.to())
      else yield [name, facts]
    }
  }

  #typeOf(holds, oneOf) {
    if (holds.is === 'object') return this.name(holds.to())
    if (holds.is === 'list') return listOf(this.#typeOf(holds.of, oneOf))
    if (holds.is === 'map') return `Record<string, ${this.#typeOf(holds.of)}>`
    if (holds.special) return FORMS[holds.special.form](this.name(holds.special.of()))
    if (oneOf && !oneOf.some((word) => word.includes('{')))
      return oneOf.map((word) => `'${word}'`).join(' | ')
    return SCALARS[holds.is] ?? 'string'
  }
}

const listOf = (item) => (/[ |]/.test(item) ? `(${item})[]` : `${item}[]`)

/** `storage{api}/v1beta1` as the beginning of a name. */
const prefixOf = (home) =>
  home
    .replace(/\{\w+\}/g, '')
    .split(/[./]/)
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('')
