import type * as Library from 'js-yaml'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { tooLarge } from '../meta/errors.ts'
import { JsonError, MAX_DEPTH, scanJson } from './json-scanner.ts'
import { compose, type ComposeOptions, YamlError } from './yaml-compose.ts'
import { readPlain } from './yaml-scalars.ts'

export { YamlError } from './yaml-compose.ts'

/**
 * Parses one YAML document as a JSON value: YAML 1.1 booleans, dates as text, integers beyond 2^53 as `bigint`, aliases
 * as copies. Duplicate keys are refused unless `onDuplicate` is given. Throws YamlError, and 413 for YAML that would
 * take too long to parse in one step; JSON may be longer.
 */
export async function parseYaml(text: string, options: ComposeOptions = {}): Promise<unknown> {
  const json = readAsJson(text)
  if (json !== undefined) return json
  refuseLong(text)
  const documents = await parseYamlDocuments(text, options)
  if (documents.length > 1) {
    throw new YamlError(`${PREFIX}expected one document, found ${documents.length}`)
  }
  return documents[0] ?? null
}

/** Refuses text that the library would take too long to parse. Throws 413. */
function refuseLong(text: string): void {
  if (text.length > MAX_YAML)
    throw tooLarge(`YAML may have at most ${MAX_YAML} characters; send more as JSON`)
  if (text.length < LONG) return
  let marks = 0
  for (const _ of text.matchAll(MARK))
    if (++marks > MAX_MARKS)
      throw tooLarge(`YAML may have at most ${MAX_MARKS} documents, anchors and tags`)
}

/** Parses a text of any number of documents; empty ones are dropped. Throws YamlError. */
export async function parseYamlDocuments(
  text: string,
  options: ComposeOptions = {},
): Promise<unknown[]> {
  const library = await load()
  try {
    const events = library.parseEvents(text, { maxDepth: MAX_DEPTH })
    if (text.length > LONG) await yieldToEventLoop()
    return compose(library, text, events, options).filter((document) => document !== null)
  } catch (cause) {
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

/** Above this many characters it is worth yielding to the event loop between parsing and composing. */
const LONG = 64 << 10
/** Maximum length: the library parses a text in one step, ten times slower than JSON. */
const MAX_YAML = 1 << 20
/** A document start, an anchor or a tag, each of which costs more than a value. */
const MARK = /^---|(?<=[\s[{,:-])[&!]/gm
const MAX_MARKS = 20_000

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
    const value = scanJson(text, { onDuplicate: () => (repeated = true) })
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
