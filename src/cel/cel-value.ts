/** Values of JSON as values of expressions. */
import { parseDuration } from '../base/duration.ts'
import { parseNanoTime } from '../base/time.ts'
import type { DeclaredType, ObjectType } from './declared-type.ts'
import { escapeFieldName } from './field-names.ts'
import { asInt, Double } from './numbers.ts'
import { markList } from './same-value.ts'
import { Span, Time } from './time-value.ts'
import { type FieldForm, JsonMap, type ObjectForm, ObjectValue } from './values.ts'

/** Converts a value of JSON. One that does not fit its type stays as it is, so that expressions fail on it. */
export type Convert = (json: unknown) => unknown

type JsonRecord = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** How values of declared types are converted. */
export class Converters {
  readonly #known = new Map<DeclaredType, Convert>()
  readonly #forms = new Map<ObjectType, ObjectForm>()

  /** The conversion of values of a type. */
  of(type: DeclaredType): Convert {
    let convert = this.#known.get(type)
    if (!convert) this.#known.set(type, (convert = this.#make(type)))
    return convert
  }

  #make(type: DeclaredType): Convert {
    switch (type.is) {
      case 'list': {
        const of = this.of(type.of)
        return (json) => {
          if (!Array.isArray(json)) return plainValue(json)
          const items = json.map(of)
          markList(items, type.merge)
          return items
        }
      }
      case 'map': {
        const of = this.of(type.of)
        return (json) => (isRecord(json) ? new JsonMap(json, of) : plainValue(json))
      }
      case 'object': {
        const form = this.#formOf(type)
        return (json) => (isRecord(json) ? new ObjectValue(form, json) : plainValue(json))
      }
      default:
        return SCALARS[type.is]
    }
  }

  #formOf(type: ObjectType): ObjectForm {
    const known = this.#forms.get(type)
    if (known) return known
    const fields = new Map<string, FieldForm>()
    for (const [name, field] of type.fields) {
      const escaped = escapeFieldName(name)
      if (escaped === null) continue
      fields.set(escaped, new LazyField(fields.size, name, () => this.of(field.type)))
    }
    const form: ObjectForm = { typeName: 'object', fields }
    this.#forms.set(type, form)
    return form
  }
}

/** A field whose conversion is made when it is needed. */
class LazyField implements FieldForm {
  readonly index: number
  readonly name: string
  readonly #make: () => Convert
  #convert: Convert | null = null

  constructor(index: number, name: string, make: () => Convert) {
    this.index = index
    this.name = name
    this.#make = make
  }

  get convert(): Convert {
    return (this.#convert ??= this.#make())
  }
}

/** A value of no declared type. */
function plainValue(json: unknown): unknown {
  switch (typeof json) {
    case 'number':
      return Number.isInteger(json) ? wholeNumber(json) : new Double(json)
    case 'bigint':
      return asInt(json)
    case 'object':
      if (json === null) return null
      return Array.isArray(json)
        ? json.map(plainValue)
        : new JsonMap(json as JsonRecord, plainValue)
    default:
      return json
  }
}

const wholeNumber = (json: number): number | bigint =>
  Number.isSafeInteger(json) ? json : BigInt(json)

const doubleValue: Convert = (json) =>
  typeof json === 'number' || typeof json === 'bigint' ? new Double(Number(json)) : plainValue(json)

/** The conversion of texts; one that cannot be read stays a text. */
const read =
  (parse: (text: string) => unknown): Convert =>
  (json) => {
    if (typeof json !== 'string') return plainValue(json)
    try {
      return parse(json)
    } catch {
      return json
    }
  }

function timeOf(text: string): Time {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const { seconds, nanos } = parseNanoTime(isDate ? `${text}T00:00:00Z` : text)
  return new Time(seconds, nanos)
}

const SCALARS = {
  bool: plainValue,
  int: plainValue,
  string: plainValue,
  dyn: plainValue,
  double: doubleValue,
  bytes: read((text) => new Uint8Array(Buffer.from(text, 'base64'))),
  timestamp: read(timeOf),
  duration: read((text) => new Span(parseDuration(text))),
} satisfies Record<string, Convert>
