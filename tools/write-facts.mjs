// Writes test/facts/: what suites compare declarations with, out of a folder of full tables about the release.
//
//   node tools/write-facts.mjs FOLDER
//
// Names, numbers and marks are kept by name; all else stays out, texts above all.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KEPT = {
  file: 'ref group branded version served enabledByDefault kinds types',
  kind: 'kind resource shortNames categories namespaced verbs deleteReturns subresources',
  subresource: 'name kind verbs',
  type: 'structType alias special openapi inlines fields protoFields unions protoMessage',
  field:
    'name brandedName type pointer omitempty required inlineOf default enum list listKeys mapType ' +
    'patchStrategy patchMergeKey proto protoType',
  tables: 'default columns',
  column: 'name type format priority',
  selectors: 'accepted',
}
const kept = Object.fromEntries(
  Object.entries(KEPT).map(([what, names]) => [what, new Set(names.split(' '))]),
)

const pick = (object, what) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => kept[what].has(name)))

const mapValues = (object, of) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, of(value)]))

const kindOf = ({ subresources, ...kind }) => ({
  ...pick(kind, 'kind'),
  ...(subresources && { subresources: subresources.map((one) => pick(one, 'subresource')) }),
})

const typeOf = (type) => {
  const { fields, ...rest } = pick(type, 'type')
  return { ...rest, ...(fields && { fields: fields.map((field) => pick(field, 'field')) }) }
}

const tableOf = (table) => {
  const { columns, ...rest } = pick(table, 'tables')
  return { ...rest, ...(columns && { columns: columns.map((one) => pick(one, 'column')) }) }
}

/** What is kept of a file. */
function reduced(file, content) {
  if (file === 'tables.json') return { kinds: mapValues(content.kinds, tableOf) }
  if (file === 'fields-selectable.json')
    return { kinds: mapValues(content.kinds, (one) => pick(one, 'selectors')) }
  if (file === 'bootstrap-policy.json') return { items: content.items }
  if (file === 'flowcontrol-bootstrap.json')
    return mapValues(content, (list) => list.map(({ name, spec }) => ({ name, spec })))
  const { kinds, types, ...rest } = pick(content, 'file')
  return {
    ...rest,
    ...(kinds?.length > 0 && { kinds: kinds.map(kindOf) }),
    ...(types && { types: mapValues(types, typeOf) }),
  }
}

/** JSON on one line. */
const line = (value) => {
  if (Array.isArray(value)) return `[${value.map(line).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${line(one)}`,
  )
  return `{${members.join(', ')}}`
}

const block = (lines, [open, close], indent) =>
  lines.length === 0
    ? `${open}${close}`
    : `${open}\n${lines.map((one) => `${indent}  ${one}`).join(',\n')}\n${indent}${close}`

/** A type, with a line for each field. */
const typeText = (type) => {
  const members = Object.entries(type).map(
    ([name, value]) =>
      `${JSON.stringify(name)}: ${name === 'fields' ? block(value.map(line), '[]', '      ') : line(value)}`,
  )
  return `{${members.join(', ')}}`
}

const text = (content) =>
  `${block(
    Object.entries(content).map(([name, value]) => {
      const textOf = name === 'types' ? typeText : line
      const shown = Array.isArray(value)
        ? block(value.map(textOf), '[]', '  ')
        : typeof value === 'object'
          ? block(
              Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${textOf(one)}`),
              '{}',
              '  ',
            )
          : line(value)
      return `${JSON.stringify(name)}: ${shown}`
    }),
    '{}',
    '',
  )}\n`

const [source] = process.argv.slice(2)
if (source === undefined) {
  process.stderr.write('usage: node tools/write-facts.mjs FOLDER\n')
  process.exit(2)
}
const target = join(import.meta.dirname, '..', 'test', 'facts')
for (const file of readdirSync(target))
  writeFileSync(
    join(target, file),
    text(reduced(file, JSON.parse(readFileSync(join(source, file), 'utf8')))),
  )
