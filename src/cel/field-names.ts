// Words that expressions cannot use as names.
const RESERVED = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])

const PARTS: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
])

/** The name by which expressions reach a field; null for one that they cannot reach. */
export function escapeFieldName(name: string): string | null {
  if (RESERVED.has(name)) return `__${name}__`
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return null
  return name.replace(/__|[./-]/g, (part) => PARTS.get(part) ?? part)
}

type Fields = ReadonlyMap<string, unknown>

const reached = new WeakMap<Fields, ReadonlyMap<string, string>>()

/** The field that expressions reach by a name; undefined without one. */
export function unescapedName(written: string, fields: Fields): string | undefined {
  let names = reached.get(fields)
  if (!names) {
    const all = new Map<string, string>()
    for (const name of fields.keys()) {
      const escaped = escapeFieldName(name)
      if (escaped !== null) all.set(escaped, name)
    }
    reached.set(fields, (names = all))
  }
  return names.get(written)
}
