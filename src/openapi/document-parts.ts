/**
 * Documents put together from parts. The declared kinds are one part, which never changes; each kind of a user is
 * another, made again only when its entry changes. Parts are kept compressed, and joined as they are.
 */
import type { ResourceEntry } from '../catalogue/entry.ts'
import { formatJson } from '../codec/json-text.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { DocumentOptions, Json } from './document.ts'
import type { CompressedDocument } from './compressed-document.ts'
import { publishedName } from './names.ts'
import { joined, literal, Packer, separated, type Piece } from './pieces.ts'
import type { PlacePart } from './places.ts'
import type { Around } from './protobuf.ts'
import { withRests } from './steps.ts'
import { walk, type Dialect } from './walk.ts'

/** How a version of the format writes documents. */
export interface DocumentForm {
  readonly dialect: Dialect
  /** The text around the paths and the definitions. */
  json(v: Vocabulary, options: DocumentOptions): readonly [string, string, string]
  /** The bytes around them, whose lengths are given. */
  protobuf(v: Vocabulary, options: DocumentOptions, lengths: readonly [number, number]): Around
  readonly pathField: (entry: readonly [string, Json]) => Uint8Array
  readonly definitionField: (entry: readonly [string, Json]) => Uint8Array
}

/** Entries of a map in both forms. */
interface Entries {
  readonly json: Piece
  readonly protobuf: Piece
}

interface Part {
  readonly paths: Entries
  /** Definitions that no other part has. */
  readonly definitions: Entries
  /** Names of the others that it refers to. */
  readonly shared: readonly string[]
}

/** The part of the declared kinds. */
interface DeclaredPart extends Part {
  readonly of: readonly PlacePart['of'][]
  readonly names: ReadonlySet<string>
}

/** Where documents are put together, with everything that they can have in common. */
export class DocumentParts {
  readonly #form: DocumentForm
  readonly #v: Vocabulary
  readonly #ofEntries = new WeakMap<ResourceEntry, Part>()
  readonly #constant = new Map<string, Part>()
  readonly #packers = [new Packer(), new Packer()] as const
  /** Definitions that several parts refer to; all are of declared shapes. */
  readonly #shared = new Map<string, Entries>()
  #declared: DeclaredPart | null = null

  constructor(form: DocumentForm, v: Vocabulary) {
    this.#form = form
    this.#v = v
  }

  /** Drops the parts of paths that are gone; those of entries go with them. */
  retain(paths: ReadonlySet<string>): void {
    for (const path of this.#constant.keys()) if (!paths.has(path)) this.#constant.delete(path)
  }

  /** One document of the parts. Not to be called while another one is made. */
  async document(
    parts: readonly PlacePart[],
    options: DocumentOptions,
  ): Promise<CompressedDocument> {
    const declared = parts.filter(({ isCustom }) => !isCustom)
    const all: Part[] = declared.length === 0 ? [] : [await this.#declaredPart(declared, options)]
    for (const part of parts) if (part.isCustom) all.push(await this.#custom(part, options))
    const known = declared.length === 0 ? NO_NAMES : this.#declared!.names
    const names = new Set(all.flatMap(({ shared }) => shared))
    const shared = [...names].filter((name) => !known.has(name)).sort()
    const paths = all.map((part) => part.paths)
    const definitions = all.map((part) => part.definitions)
    for (const name of shared) definitions.push(this.#shared.get(name)!)
    for (const packer of this.#packers) packer.rest()
    return this.#joined(paths, definitions, options)
  }

  async #joined(
    paths: readonly Entries[],
    definitions: readonly Entries[],
    options: DocumentOptions,
  ): Promise<CompressedDocument> {
    const [first, second, third] = this.#form.json(this.#v, options)
    const json = await withRests(
      joined([
        literal(first),
        ...separated(filled(paths, 'json'), COMMA),
        literal(second),
        ...separated(filled(definitions, 'json'), COMMA),
        literal(third),
      ]),
    )
    const [a, b] = [filled(paths, 'protobuf'), filled(definitions, 'protobuf')]
    const { before, between, after } = this.#form.protobuf(this.#v, options, [size(a), size(b)])
    const protobuf = await withRests(
      joined([literal(before), ...a, literal(between), ...b, literal(after)]),
    )
    return { hash: json.hash, json: json.gzip, protobuf: protobuf.gzip }
  }

  async #declaredPart(
    parts: readonly PlacePart[],
    options: DocumentOptions,
  ): Promise<DeclaredPart> {
    const of = parts.map((part) => part.of)
    const before = this.#declared
    if (before?.of.length === of.length && before.of.every((one, i) => one === of[i])) return before
    const { dialect } = this.#form
    const walked = await withRests(walk(dialect, parts, this.#v, options))
    const { paths, definitions } = await this.#part(walked.paths, walked.definitions)
    const names = new Set(Object.keys(walked.definitions))
    return (this.#declared = { paths, definitions, shared: [], of, names })
  }

  async #custom(part: PlacePart, options: DocumentOptions): Promise<Part> {
    const { of } = part
    const before = typeof of === 'string' ? this.#constant.get(of) : this.#ofEntries.get(of)
    if (before) return before
    const { dialect } = this.#form
    const walked = await withRests(walk(dialect, [part], this.#v, options))
    const isOwn = ownNames(of, this.#v)
    const own: Record<string, Json> = {}
    const shared: string[] = []
    for (const [name, definition] of Object.entries(walked.definitions)) {
      if (isOwn.has(name)) own[name] = definition
      else {
        shared.push(name)
        if (!this.#shared.has(name)) this.#shared.set(name, await this.#entriesOf(name, definition))
      }
    }
    const made: Part = { ...(await this.#part(walked.paths, own)), shared }
    if (typeof of === 'string') this.#constant.set(of, made)
    else this.#ofEntries.set(of, made)
    return made
  }

  async #part(paths: Record<string, Json>, definitions: Record<string, Json>) {
    const { pathField, definitionField } = this.#form
    return {
      paths: await this.#packed(paths, pathField),
      definitions: await this.#packed(definitions, definitionField),
    }
  }

  async #packed(
    map: Record<string, Json>,
    fieldOf: DocumentForm['definitionField'],
  ): Promise<Entries> {
    const bytes = await withRests(entrySteps(map, fieldOf))
    const [forJson, forProtobuf] = this.#packers
    const [json, protobuf] = await Promise.all([
      forJson.piece(bytes.json),
      forProtobuf.piece(bytes.protobuf),
    ])
    return { json, protobuf }
  }

  #entriesOf(name: string, definition: Json): Promise<Entries> {
    return this.#packed({ [name]: definition }, this.#form.definitionField)
  }
}

const NO_NAMES: ReadonlySet<string> = new Set()
const COMMA = literal(',')

/** Names of the definitions that belong to one kind of a user. */
const ownNames = (of: PlacePart['of'], v: Vocabulary): ReadonlySet<string> =>
  typeof of === 'string'
    ? NO_NAMES
    : new Set([publishedName(of, of.kind, v), publishedName(of, of.listKind, v)])

const filled = (entries: readonly Entries[], form: keyof Entries): Piece[] =>
  entries.map((one) => one[form]).filter(({ length }) => length > 0)

const size = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0)

function* entrySteps(
  map: Record<string, Json>,
  fieldOf: DocumentForm['definitionField'],
): Generator<void, { readonly json: Buffer; readonly protobuf: Buffer }> {
  const json: Buffer[] = []
  const protobuf: Uint8Array[] = []
  for (const [name, value] of Object.entries(map)) {
    const before = json.length === 0 ? '' : ','
    json.push(Buffer.from(`${before}${JSON.stringify(name)}:${formatJson(value)}`))
    protobuf.push(fieldOf([name, value]))
    yield
  }
  return { json: Buffer.concat(json), protobuf: Buffer.concat(protobuf) }
}
