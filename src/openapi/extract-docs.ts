/**
 * Reads documentation from the comments above classes and fields of the notation (`notation/shape.ts`). Used when the
 * product is built, and from the sources themselves in tests.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders and files below `src` in which shapes are declared. */
const PLACES = ['kinds', 'meta/object-meta.ts', 'structural/json-schema-props.ts']

/** All documentation below `src`, by `home#Shape` and `home#Shape.field`. */
export function extractDocs(src: string): Map<string, string> {
  const docs = new Map<string, string>()
  for (const place of PLACES) {
    const files = place.endsWith('.ts')
      ? [place]
      : readdirSync(join(src, place), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts') && !/\.(test|fixture|d)\.ts$/.test(file))
          .map((file) => join(place, file))
    for (const file of files) {
      for (const [key, text] of readDocs(readFileSync(join(src, file), 'utf8'))) docs.set(key, text)
    }
  }
  return docs
}

const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[\w$]+|[^\s\w]/g

/** Documentation in one source text. */
export function readDocs(source: string): Map<string, string> {
  const docs = new Map<string, string>()
  const tokens = source.match(TOKEN) ?? []
  const homes = homesOf(tokens)
  const fieldLists = fieldListsOf(tokens)
  for (let i = 0; i < tokens.length; i++) {
    // class Name extends maker ( fields , options )
    if (tokens[i] !== 'class' || tokens[i + 2] !== 'extends' || tokens[i + 4] !== '(') continue
    const home = homes.get(tokens[i + 3]!)
    if (home === undefined) continue
    const at = i + 5
    const fields = tokens[at] === '{' ? readFields(tokens, at) : fieldLists.get(tokens[at] ?? '')
    const after = tokens[at] === '{' ? endOf(tokens, at) : at
    const name = givenName(tokens, after + 1) ?? tokens[i + 1]!
    const above = commentAbove(tokens, tokens[i - 1] === 'export' ? i - 2 : i - 1)
    if (above) docs.set(`${home}#${name}`, above)
    for (const [field, text] of fields ? expand(fields, fieldLists) : []) {
      docs.set(`${home}#${name}.${field}`, text)
    }
  }
  return docs
}

/** `const { shape, kind: metaKind } = group('home')`: the makers by their local names. */
function homesOf(tokens: readonly string[]): Map<string, string> {
  const homes = new Map<string, string>()
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i] !== 'const' || tokens[i + 1] !== '{') continue
    const end = tokens.indexOf('}', i)
    const [equals, maker, open, text] = tokens.slice(end + 1, end + 5)
    if (equals !== '=' || (maker !== 'home' && maker !== 'group') || open !== '(') continue
    // It uses a variable: a factory of makers, which declares nothing itself.
    if (!text?.startsWith("'")) continue
    const home = unquote(text)
    const names = tokens.slice(i + 2, end)
    names.forEach((name, j) => {
      // In `shape: other` the second word is the local name.
      if (name !== ',' && name !== ':' && names[j + 1] !== ':') homes.set(name, home)
    })
  }
  return homes
}

/** Fields with their comments; `...name` includes the fields of a constant. */
type Fields = readonly (readonly [field: string, text: string])[]

/** Constants that hold fields, by name. */
function fieldListsOf(tokens: readonly string[]): Map<string, Fields> {
  const lists = new Map<string, Fields>()
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i] === 'const' && tokens[i + 2] === '=' && tokens[i + 3] === '{') {
      lists.set(tokens[i + 1]!, readFields(tokens, i + 3))
    }
  }
  return lists
}

function expand(fields: Fields, lists: ReadonlyMap<string, Fields>): Fields {
  return fields.flatMap(([field, text]) =>
    field.startsWith('...') ? expand(lists.get(field.slice(3)) ?? [], lists) : [[field, text]],
  )
}

/** Reads the object literal whose brace is at `open`. */
function readFields(tokens: readonly string[], open: number): Fields {
  const fields: [string, string][] = []
  const end = endOf(tokens, open)
  let depth = 0
  let comment = ''
  for (let i = open; i < end; i++) {
    const token = tokens[i]!
    if ('([{'.includes(token)) depth++
    else if (')]}'.includes(token)) depth--
    else if (depth !== 1) continue
    else if (token.startsWith('/*')) comment = token
    else if (token === '.' && tokens[i + 1] === '.' && tokens[i + 2] === '.') {
      fields.push([`...${tokens[i + 3]}`, ''])
      i += 3
    } else if (tokens[i + 1] === ':') {
      if (comment.startsWith('/**')) fields.push([unquote(token), textOf(comment)])
      comment = ''
    }
  }
  return fields
}

/** Place of the bracket that closes the one at `open`. */
function endOf(tokens: readonly string[], open: number): number {
  let depth = 0
  for (let i = open; i < tokens.length; i++) {
    if ('([{'.includes(tokens[i]!)) depth++
    else if (')]}'.includes(tokens[i]!) && --depth === 0) return i
  }
  return tokens.length
}

/** `, { name: 'Other' })`: the published name where it is not that of the class. */
function givenName(tokens: readonly string[], from: number): string | undefined {
  const end = tokens.indexOf('}', from)
  const close = tokens.indexOf(')', from)
  if (close < end) return undefined
  const at = tokens.indexOf('name', from)
  return at !== -1 && at < end && tokens[at + 1] === ':' ? unquote(tokens[at + 2]!) : undefined
}

function commentAbove(tokens: readonly string[], at: number): string {
  let i = at
  while (tokens[i]?.startsWith('//')) i--
  const token = tokens[i] ?? ''
  return token.startsWith('/**') ? textOf(token) : ''
}

const unquote = (text: string) => (/^['"]/.test(text) ? text.slice(1, -1) : text)

/** The text of a comment on one line; empty lines begin a paragraph. */
function textOf(comment: string): string {
  return comment
    .slice(3, -2)
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^\*\s?/, '')
        .trim(),
    )
    .join('\n')
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '))
    .join('\n\n')
}
