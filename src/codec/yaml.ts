import type * as Library from 'js-yaml'
import { Pace } from '../base/event-loop.ts'
import { paced } from '../base/steps.ts'
import { StatusError, tooLarge } from '../meta/errors.ts'
import { ValueRoom } from '../meta/value-count.ts'
import { JsonError, MAX_DEPTH, scanJson } from './json-scanner.ts'
import { compose, type ComposeOptions, YamlError } from './yaml-compose.ts'
import { readPlain } from './yaml-scalars.ts'

export { YamlError } from './yaml-compose.ts'

/**
 * Parses one YAML document as a JSON value: YAML 1.1 booleans, dates as text, integers beyond 2^53 as `bigint`, aliases
 * as copies. Duplicate keys are refused unless `onDuplicate` is given. Throws YamlError, and 413 for more values than a
 * document may have and for YAML that would take too long to parse in one step.
 */
export async function parseYaml(text: string, options: ComposeOptions = {}): Promise<unknown> {
  const pace = new Pace()
  const json = readAsJson(text)
  if (json !== undefined) return json
  refuseLong(text)
  await pace.pause()
  const documents = await parseYamlDocuments(text, { ...options, isLimited: true })
  if (documents.length > 1) {
    throw new YamlError(`${PREFIX}expected one document, found ${documents.length}`)
  }
  return documents[0] ?? null
}

/** Refuses text that the library would take too long to parse. Throws 413. */
function refuseLong(text: string): void {
  if (text.length < LONG) return
  if (hasManySigns(text))
    throw tooLarge(
      `YAML may have at most ${MAX_SIGNS} lines, colons, commas, brackets, quotes and escapes; send more as JSON`,
    )
  let marks = 0
  for (const _ of text.matchAll(MARK))
    if (++marks > MAX_MARKS)
      throw tooLarge(`YAML may have at most ${MAX_MARKS} documents, anchors and tags`)
}

/** Whether a text has more than MAX_SIGNS. Blank lines and comments cost little. */
function hasManySigns(text: string): boolean {
  let left = MAX_SIGNS
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === NEWLINE) {
      const next = text.charCodeAt(i + 1)
      if (next === NEWLINE || next === COMMENT) continue
    } else if (!isSign(code)) continue
    if (--left < 0) return true
  }
  return false
}

/** Parses a text of any number of documents; empty ones are dropped. Throws YamlError. */
export async function parseYamlDocuments(
  text: string,
  options: ComposeOptions = {},
): Promise<unknown[]> {
  const library = await load()
  const pace = new Pace()
  try {
    const events = library.parseEvents(text, { maxDepth: MAX_DEPTH })
    await pace.pause()
    const documents = await paced(compose(library, text, events, options), pace)
    return documents.filter((document) => document !== null)
  } catch (cause) {
    if (cause instanceof StatusError) throw cause
    throw new YamlError(`${PREFIX}${reasonOf(library, cause)}`, { cause })
  }
}

/**
 * Writes a JSON value as YAML: keys in alphabetical order, lists not indented, ambiguous text in quotes. Undefined
 * members are omitted.
 */
export const toYaml = async (value: unknown): Promise<string> => (await yamlWriter())(value)

/** Writes a JSON value as YAML. */
export type WriteYaml = (value: unknown) => string

/** What `toYaml` writes with, for many values. */
export async function yamlWriter(): Promise<WriteYaml> {
  const library = await load()
  const options = {
    schema: (writing ??= writingSchema(library)),
    scalarStyleRules: (rules ??= styleRules(library)),
    sortKeys: true,
    noRefs: true,
    skipInvalid: true,
    lineWidth: -1,
    seqNoIndent: true,
  }
  return (value) => library.dump(value, options)
}

/** Shorter texts are parsed in no time. */
const LONG = 64 << 10
/**
 * The library parses a text in one step. Its time depends on the number of values and escapes, each of which has a sign
 * before it, and little on the length.
 */
const MAX_SIGNS = 325_000
/** A document start, an anchor or a tag, each of which costs more than a value. */
const MARK = /^---|(?<=[\s[{,:-])[&!]/gm
const MAX_MARKS = 20_000
const NEWLINE = 0x0a
const COMMENT = 0x23
/** Colon, comma, double quote, backslash, brackets and braces. */
const isSign = (code: number) =>
  code === 0x3a ||
  code === 0x2c ||
  code === 0x22 ||
  (code >= 0x5b && code <= 0x5d) ||
  code === 0x7b ||
  code === 0x7d

const PREFIX = 'error converting YAML to JSON: yaml: '

let loading: Promise<typeof Library> | null = null
let writing: Library.Schema | null = null
let rules: readonly Library.ScalarStyleRule[] | null = null

/** The library is loaded on first use: most requests are JSON. */
const load = () => (loading ??= import('js-yaml'))

/** JSON is YAML too, and parsed faster; undefined when the text is not JSON or has duplicate keys. */
function readAsJson(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined
  let repeated = false
  try {
    const room = { rest: new ValueRoom(), entries: new ValueRoom() }
    const value = scanJson(text, { onDuplicate: () => (repeated = true), room })
    return repeated ? undefined : value
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function reasonOf(library: typeof Library, error: unknown): string {
  if (error instanceof library.YAMLException) {
    return error.mark === undefined ? error.reason : `line ${error.mark.line + 1}: ${error.reason}`
  }
  return error instanceof Error ? error.message : String(error)
}

/** Writes `bigint` as integers, and floats like JSON. */
function writingSchema(library: typeof Library): Library.Schema {
  const tags = library.DUMP_SCHEMA.tags.map((tag): Library.TagDefinition => {
    if (tag.nodeKind !== 'scalar') return tag
    if (tag.tagName === 'tag:yaml.org,2002:int') {
      return {
        ...tag,
        identify: (data) => typeof data === 'bigint' || tag.identify(data),
        represent: String,
      }
    }
    return tag.tagName === 'tag:yaml.org,2002:float' ? { ...tag, represent: String } : tag
  })
  return new library.Schema(tags)
}

/** Text that other parsers could read as another type gets double quotes, other text only the quotes it needs. */
function styleRules(library: typeof Library): readonly Library.ScalarStyleRule[] {
  const { SCALAR_STYLE, DUMP_SCHEMA, DEFAULT_SCALAR_STYLE_RULES: standard } = library
  const isAllowed = (layout: Library.ScalarLayout, style: number) =>
    (layout.allowedStylesMask & (1 << style)) !== 0
  const styleText: Library.ScalarStyleRule = (layout) => {
    const { tag, value } = layout.node
    if (tag !== 'tag:yaml.org,2002:str' || layout.style !== SCALAR_STYLE.PLAIN) return
    const { tag: read } = DUMP_SCHEMA.resolveImplicitScalarTag(value)
    if (readPlain(value) !== value || read.tagName !== tag)
      layout.style = SCALAR_STYLE.DOUBLE_QUOTED
    else if (value.includes('\n') && isAllowed(layout, SCALAR_STYLE.LITERAL_BLOCK)) {
      layout.style = SCALAR_STYLE.LITERAL_BLOCK
    }
  }
  return [
    standard.doubleQuoteForInvisibles,
    standard.doubleQuoteWhitespaceOnly,
    styleText,
    standard.quoteInvalidPlain,
    standard.fallbackToDoubleQuoted,
  ]
}
