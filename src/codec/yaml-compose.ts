import type * as Library from 'js-yaml'
import type { Steps } from '../base/steps.ts'
import { tooLarge } from '../meta/errors.ts'
import { ValueRoom } from '../meta/value-count.ts'
import { JsonCloner } from './json-clone.ts'
import { MAX_DEPTH, setOwn } from './json-scanner.ts'
import { readPlain } from './yaml-scalars.ts'

/** Text that is not YAML, or that JSON cannot represent; the message is meant for the client. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

export interface ComposeOptions {
  /**
   * Called with `line 5: key "x" already set in map` for each duplicate key, and the last value wins; without it a
   * duplicate key is an error.
   */
  readonly onDuplicate?: ((message: string) => void) | undefined
  /** Whether a document may have as many values as a request; without it there is no limit. */
  readonly isLimited?: boolean
}

/** Maximum bytes of JSON that aliases may expand to. */
const MAX_EXPANDED_BYTES = 3_145_728

/** Keys of other maps that merge keys may look at: the same large map may be merged again and again. */
const MAX_MERGED = 300_000

/** Events between two pauses. */
const STEP_EVENTS = 5_000

/** Maximum number of duplicates reported for one text. */
const MAX_DUPLICATES = 100

/** Makes JSON values from the events of a YAML text, one for each document. Throws YamlError, and 413 beyond a limit. */
export function compose(
  library: typeof Library,
  source: string,
  events: readonly Library.Event[],
  options: ComposeOptions,
): Steps<unknown[]> {
  return new Composer(library, source, options).run(events)
}

interface Anchored {
  readonly value: unknown
}

interface ListFrame {
  readonly kind: 'list'
  readonly value: unknown[]
  readonly anchor: string
  /** Whether it lists what a merge key merges. */
  readonly isMerged: boolean
}

interface MapFrame {
  readonly kind: 'map'
  readonly value: Record<string, unknown>
  readonly anchor: string
  /** Key whose value is still to come; MERGE for `<<`. */
  key: string | typeof MERGE | null
  /** Keys in the text of the map, as opposed to merged ones. */
  readonly named: Set<string>
  /** Maps that were merged: once more they would add nothing. */
  merged: Set<object> | null
}

interface DocumentFrame {
  readonly kind: 'document'
  value: unknown
}

const MERGE = Symbol('merge key')

class Composer {
  readonly #library: typeof Library
  readonly #source: string
  readonly #options: ComposeOptions
  readonly #copies = new JsonCloner(
    (why) => new YamlError(`document contains excessive aliasing: ${why}`),
    MAX_EXPANDED_BYTES,
  )
  readonly #frames: (ListFrame | MapFrame | DocumentFrame)[] = []
  /** Null while the anchored container is still open. */
  #anchors = new Map<string, Anchored | null>()
  #duplicates = 0
  #merged = 0
  /** Of the current document; managedFields have room of their own. */
  #rest: ValueRoom | undefined
  #entries: ValueRoom | undefined

  constructor(library: typeof Library, source: string, options: ComposeOptions) {
    this.#library = library
    this.#source = source
    this.#options = options
  }

  *run(events: readonly Library.Event[]): Steps<unknown[]> {
    const documents: unknown[] = []
    for (const [i, event] of events.entries()) {
      if (i % STEP_EVENTS === STEP_EVENTS - 1) yield
      this.#take(event, documents)
    }
    return documents
  }

  #take(event: Library.Event, documents: unknown[]): void {
    const { EVENT_ID } = this.#library
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        this.#begin()
        break
      case EVENT_ID.SCALAR:
        this.#scalar(event)
        break
      case EVENT_ID.SEQUENCE:
        this.#frames.push({
          kind: 'list',
          value: [],
          isMerged: this.#isAtMerge,
          anchor: this.#open(event),
        })
        break
      case EVENT_ID.MAPPING: {
        const anchor = this.#open(event)
        this.#frames.push({
          kind: 'map',
          value: {},
          anchor,
          key: null,
          named: new Set(),
          merged: null,
        })
        break
      }
      case EVENT_ID.ALIAS:
        this.#add(
          this.#alias(this.#source.slice(event.anchorStart, event.anchorEnd)),
          event.anchorStart,
        )
        break
      case EVENT_ID.POP: {
        const frame = this.#frames.pop()!
        if (frame.kind === 'document') documents.push(frame.value)
        else {
          if (frame.anchor !== '') this.#anchors.set(frame.anchor, { value: frame.value })
          this.#add(frame.value, -1)
        }
        break
      }
    }
  }

  #begin(): void {
    this.#anchors = new Map()
    if (this.#options.isLimited === true)
      [this.#rest, this.#entries] = [new ValueRoom(), new ValueRoom()]
    this.#frames.push({ kind: 'document', value: null })
  }

  /** Room for the next value of the innermost container. */
  get #values(): ValueRoom | undefined {
    const [, first, second] = this.#frames
    const isEntry =
      this.#frames.length > 3 &&
      first!.kind === 'map' &&
      first!.key === 'metadata' &&
      second!.kind === 'map' &&
      second!.key === 'managedFields'
    return isEntry ? this.#entries : this.#rest
  }

  /** Whether the next value is what a merge key merges. */
  get #isAtMerge(): boolean {
    const frame = this.#frames.at(-1)!
    return frame.kind === 'list' ? frame.isMerged : frame.kind === 'map' && frame.key === MERGE
  }

  #open(event: Library.SequenceEvent | Library.MappingEvent): string {
    const frame = this.#frames.at(-1)
    if (frame?.kind === 'map' && frame.key === null) {
      throw this.#error('a list or map cannot be a key', event.start)
    }
    const anchor = this.#anchorOf(event)
    if (anchor !== '') this.#anchors.set(anchor, null)
    return anchor
  }

  #anchorOf(event: { readonly anchorStart: number; readonly anchorEnd: number }): string {
    return event.anchorStart === -1 ? '' : this.#source.slice(event.anchorStart, event.anchorEnd)
  }

  #alias(name: string): unknown {
    const anchored = this.#anchors.get(name)
    if (anchored === undefined) throw new YamlError(`unknown anchor '${name}' referenced`)
    if (anchored === null) throw new YamlError(`anchor '${name}' value contains itself`)
    // Of what is merged, those members are copied that are missing.
    if (this.#isAtMerge) return anchored.value
    // A copy, since users of the document may change one place and not the other.
    return this.#copies.clone(anchored.value, this.#room(), this.#values)
  }

  #room(): number {
    return MAX_DEPTH - this.#frames.length
  }

  #scalar(event: Library.ScalarEvent): void {
    const { SCALAR_STYLE, getScalarValue } = this.#library
    const text = getScalarValue(this.#source, event)
    const tag = event.tagStart === -1 ? '' : this.#source.slice(event.tagStart, event.tagEnd)
    const plain = event.style === SCALAR_STYLE.PLAIN
    const at = event.valueStart === -1 ? event.tagStart : event.valueStart
    const frame = this.#frames.at(-1)
    const isMergeKey =
      frame?.kind === 'map' && frame.key === null && text === '<<' && plain && tag === ''
    if (isMergeKey) {
      frame.key = MERGE
      return
    }
    const value = tag === '' ? (plain ? readPlain(text) : text) : this.#tagged(tag, text, at)
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw this.#error(`JSON has no number ${text}`, at)
    }
    const anchor = this.#anchorOf(event)
    if (anchor !== '') this.#anchors.set(anchor, { value })
    this.#add(value, at)
  }

  #tagged(tag: string, text: string, at: number): unknown {
    const name = tag.startsWith(LONG_TAG) ? `!!${tag.slice(LONG_TAG.length, -1)}` : tag
    const wanted = TYPES[name]
    if (wanted !== undefined) {
      const value = readPlain(text)
      if (wanted(value)) return value
      throw this.#error(`cannot decode \`${text}\` as a ${name}`, at)
    }
    if (name !== '!!binary') return text
    const packed = text.replaceAll(/\s/g, '')
    if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) {
      throw this.#error('!!binary value contains invalid base64 data', at)
    }
    return Buffer.from(packed, 'base64').toString('utf8')
  }

  #add(value: unknown, at: number): void {
    const frame = this.#frames.at(-1)!
    if (frame.kind === 'document') frame.value = value
    else if (frame.kind === 'list') {
      this.#values?.take()
      frame.value.push(value)
    } else if (frame.key === null) frame.key = this.#key(frame, value, at)
    else if (frame.key === MERGE) {
      this.#merge(frame, value)
      frame.key = null
    } else {
      this.#values?.take()
      setOwn(frame.value, frame.key, value)
      frame.key = null
    }
  }

  /** The name of a key in JSON; numbers and booleans become text. */
  #key(frame: MapFrame, value: unknown, at: number): string {
    if (value === null || typeof value === 'object') {
      throw this.#error(`unsupported map key: ${JSON.stringify(value)}`, at)
    }
    const key = String(value)
    if (frame.named.has(key) && this.#duplicates < MAX_DUPLICATES) {
      const shown = typeof value === 'string' ? JSON.stringify(value) : key
      const message = `line ${this.#lineOf(at)}: key ${shown} already set in map`
      if (this.#options.onDuplicate === undefined) throw new YamlError(message)
      this.#options.onDuplicate(message)
      this.#duplicates++
    }
    frame.named.add(key)
    return key
  }

  /** Adds keys that the map does not contain; of several sources the first wins. */
  #merge(frame: MapFrame, source: unknown): void {
    for (const part of Array.isArray(source) ? source : [source]) {
      if (typeof part !== 'object' || part === null || Array.isArray(part)) {
        throw new YamlError('map merge requires map or sequence of maps as the value')
      }
      frame.merged ??= new Set()
      if (frame.merged.has(part)) continue
      frame.merged.add(part)
      for (const key in part) {
        if (++this.#merged > MAX_MERGED)
          throw tooLarge(`YAML may merge at most ${MAX_MERGED} keys of other maps`)
        if (Object.hasOwn(frame.value, key)) continue
        this.#values?.take()
        const value = (part as Record<string, unknown>)[key]
        setOwn(frame.value, key, this.#copies.clone(value, this.#room(), this.#values))
      }
    }
  }

  #lineOf(position: number): number {
    let line = 1
    for (let i = this.#source.indexOf('\n'); i !== -1 && i < position;) {
      line++
      i = this.#source.indexOf('\n', i + 1)
    }
    return line
  }

  #error(message: string, at: number): YamlError {
    return new YamlError(at === -1 ? message : `line ${this.#lineOf(at)}: ${message}`)
  }
}

const LONG_TAG = '!<tag:yaml.org,2002:'

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  '!!int': (value) => typeof value === 'bigint' || Number.isInteger(value),
  '!!float': (value) => typeof value === 'bigint' || typeof value === 'number',
  '!!bool': (value) => typeof value === 'boolean',
  '!!null': (value) => value === null,
}
