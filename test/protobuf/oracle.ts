/**
 * Messages made and read by another library, with descriptors built of the facts about the release and nothing of our
 * declarations: what both agree on is the wire form.
 */
import protobuf from 'protobufjs'
import type { Vocabulary } from '../../src/vocabulary/vocabulary.ts'
import { factFiles, factsOf } from '../facts.ts'

interface Field {
  readonly name: string
  readonly brandedName?: string
  readonly type: string
  readonly proto?: number
  readonly protoType?: string
  readonly pointer?: boolean
  readonly omitempty?: boolean
  readonly inlineOf?: string
}
interface Type {
  readonly fields?: readonly Field[]
  readonly inlines?: readonly { type: string; proto?: number; protoType?: string }[]
  readonly special?: boolean
  readonly protoFields?: readonly { name: string; proto: number; protoType: string }[]
  readonly alias?: string
  readonly protoMessage?: boolean
}

type Json = Record<string, any>

const WORDS: Readonly<Record<string, string>> = { nodeagent: 'agent' }

/** All messages of the facts. */
export class Oracle {
  readonly #root = new protobuf.Root()
  readonly #types = new Map<string, Type>()
  readonly #v: Vocabulary

  constructor(v: Vocabulary) {
    this.#v = v
    for (const file of factFiles) {
      const { ref, types } = factsOf<{ ref?: string; types?: Record<string, Type> }>(file)
      if (ref === undefined || types === undefined) continue
      for (const [name, type] of Object.entries(types)) this.#types.set(`${ref}.${name}`, type)
    }
    for (const [full, type] of this.#types) this.#define(full, type)
  }

  #define(full: string, type: Type): void {
    const message = new protobuf.Type(messageName(full))
    const add = (number: number, protoType: string) => {
      const map = /^map<(\w+),(.*)>$/.exec(protoType)
      const name = `f${number}`
      if (map) {
        message.add(new protobuf.MapField(name, number, map[1]!, this.#proto(map[2]!, full)))
        return
      }
      const repeated = protoType.startsWith('repeated ')
      const of = this.#proto(repeated ? protoType.slice(9) : protoType, full)
      message.add(
        new protobuf.Field(name, number, of, repeated ? 'repeated' : 'optional', undefined, {
          packed: false,
        }),
      )
    }
    for (const { proto, protoType } of type.protoFields ?? []) add(proto, protoType)
    for (const { proto, protoType } of type.inlines ?? [])
      if (proto !== undefined) add(proto, protoType!)
    for (const { proto, protoType, inlineOf } of type.fields ?? [])
      if (proto !== undefined && inlineOf === undefined) add(proto, protoType!)
    this.#root.add(message)
  }

  /** A scalar's name stays; messages are looked for in the same file first. */
  #proto(name: string, full: string): string {
    if (/^(?:string|bool|int32|int64|double|bytes)$/.test(name)) return name
    const own = `${full.slice(0, full.lastIndexOf('.'))}.${name}`
    return messageName(this.#types.has(own) ? own : name)
  }

  /** Whether the facts tell of a type. */
  has(type: string): boolean {
    return this.#types.has(type)
  }

  /** The message of a plain JSON object. */
  encode(type: string, json: Json): Buffer {
    const message = this.#root.lookupType(messageName(type))
    return Buffer.from(message.encode(message.create(this.#toMessage(type, json))).finish())
  }

  /** The plain JSON object of a message; scalars are told only where they are not zero, or where zero differs. */
  decode(type: string, bytes: Uint8Array): Json {
    return this.#fromMessage(type, this.#root.lookupType(messageName(type)).decode(bytes))
  }

  #name({ name, brandedName }: Field): string {
    const template = (brandedName ?? name).replace(
      /\{(\w+)\}/g,
      (_, w: string) => `{${WORDS[w] ?? w}}`,
    )
    return this.#v.resolve(template)
  }

  #parts(type: string): { field: Field; path: number[] }[] {
    const known = this.#types.get(type)!
    return (known.fields ?? [])
      .filter(({ proto }) => proto !== undefined)
      .map((field) => ({ field, path: this.#pathOf(type, field) }))
  }

  /** Numbers of the inlined messages that a field stands in; `A/B` is B inside A. */
  #pathOf(type: string, { inlineOf }: Field): number[] {
    const path: number[] = []
    let at = type
    for (const step of inlineOf?.split('/') ?? []) {
      const inline = this.#types.get(at)!.inlines!.find((one) => one.type === step)!
      path.push(inline.proto!)
      at = this.#full(step, at)
    }
    return path
  }

  #full(name: string, from: string): string {
    const own = `${from.slice(0, from.lastIndexOf('.'))}.${name}`
    return this.#types.has(own) ? own : name
  }

  #toMessage(type: string, json: Json): Json {
    const message: Json = {}
    // Structs that are no pointers are always written.
    for (const { proto } of this.#types.get(type)!.inlines ?? [])
      if (proto !== undefined) message[`f${proto}`] = {}
    for (const { field, path } of this.#parts(type)) {
      let target = message
      for (const number of path) target = target[`f${number}`] ??= {}
      const value = Object.hasOwn(json, this.#name(field)) ? json[this.#name(field)] : undefined
      const made = this.#value(field, value, type)
      if (made !== undefined) target[`f${field.proto}`] = made
    }
    return message
  }

  #value(field: Field, value: unknown, type: string): unknown {
    const list = /^\[\](.*)$/.exec(field.type)
    if (list)
      return ((value as unknown[] | null | undefined) ?? []).map((one) =>
        this.#one(list[1]!, one, type),
      )
    const map = /^map\[string\](.*)$/.exec(field.type)
    if (map) {
      const entries = Object.entries((value as Json | null | undefined) ?? {}).sort(([a], [b]) =>
        a < b ? -1 : 1,
      )
      return Object.fromEntries(entries.map(([key, one]) => [key, this.#one(map[1]!, one, type)]))
    }
    if (value === undefined || value === null) {
      // A list that is a message of its own can be none, as bytes can.
      if (field.pointer || field.type === 'bytes' || this.#isListMessage(field.type, type))
        return undefined
      return this.#one(field.type, undefined, type)
    }
    return this.#one(field.type, value, type)
  }

  #isListMessage(name: string, from: string): boolean {
    const type = this.#types.get(this.#full(name, from))
    return type?.alias !== undefined && type.protoMessage === true
  }

  #one(of: string, value: unknown, from: string): unknown {
    switch (of) {
      case 'string':
        return value ?? ''
      case 'bool':
        return value ?? false
      case 'int32':
      case 'float64':
        return value ?? 0
      case 'int64':
        return value ?? 0
      case 'bytes':
        return Buffer.from((value as string) ?? '', 'base64')
      case '[]string':
        return { f1: value ?? [] }
    }
    const full = this.#full(of, from)
    const name = full.slice(full.lastIndexOf('.') + 1)
    switch (name) {
      case 'Time':
      case 'MicroTime': {
        if (value === undefined || value === null) return {}
        const text = value as string
        const part = /\.(\d+)Z$/.exec(text)?.[1] ?? ''
        const seconds = Math.floor(Date.parse(text) / 1000)
        return { f1: this.#one('int64', seconds, from), f2: Number(part.padEnd(9, '0')) }
      }
      case 'Quantity':
        return { f1: value ?? '0' }
      case 'IntOrString':
        return typeof value === 'string'
          ? { f1: this.#one('int64', 1, from), f2: 0, f3: value }
          : { f1: this.#one('int64', 0, from), f2: value ?? 0, f3: '' }
      case 'RawExtension':
      case 'FieldsV1':
      case 'JSON':
        return value === undefined || value === null
          ? {}
          : { f1: Buffer.from(JSON.stringify(value)) }
      case 'JSONSchemaPropsOrBool':
        return typeof value === 'boolean'
          ? { f1: value }
          : { f1: true, f2: this.#one('JSONSchemaProps', value, from) }
      case 'JSONSchemaPropsOrArray':
        return Array.isArray(value)
          ? { f2: value.map((one) => this.#one('JSONSchemaProps', one, from)) }
          : { f1: this.#one('JSONSchemaProps', value, from) }
      case 'JSONSchemaPropsOrStringArray':
        return Array.isArray(value)
          ? { f2: value }
          : { f1: this.#one('JSONSchemaProps', value, from) }
    }
    const { alias, protoMessage } = this.#types.get(full)!
    if (alias !== undefined && protoMessage) return { f1: value ?? [] }
    return this.#toMessage(full, (value as Json) ?? {})
  }

  #fromMessage(type: string, message: Json): Json {
    const out: Json = {}
    for (const { field, path } of this.#parts(type)) {
      let source: Json | undefined = message
      for (const number of path) source = own(source, `f${number}`) as Json | undefined
      const value = own(source, `f${field.proto}`)
      if (value === undefined || value === null) continue
      const read = this.#read(field, value, type)
      if (read !== undefined) put(out, this.#name(field), read)
    }
    return out
  }

  #read(field: Field, value: unknown, type: string): unknown {
    const list = /^\[\](.*)$/.exec(field.type)
    if (list) {
      const all = value as unknown[]
      return all.length === 0 ? undefined : all.map((one) => this.#readOne(list[1]!, one, type))
    }
    const map = /^map\[string\](.*)$/.exec(field.type)
    if (map) {
      const entries = Object.entries(value as Json)
      if (entries.length === 0) return undefined
      return Object.fromEntries(
        entries.map(([key, one]) => [key, this.#readOne(map[1]!, one, type)]),
      )
    }
    return this.#readOne(field.type, value, type)
  }

  #readOne(of: string, value: any, from: string): unknown {
    switch (of) {
      case 'string':
      case 'bool':
      case 'int32':
      case 'float64':
        return value
      case 'int64':
        return typeof value === 'number' ? value : value.toNumber()
      case 'bytes':
        return Buffer.from(value).toString('base64')
      case '[]string':
        return value.f1
    }
    const full = this.#full(of, from)
    const name = full.slice(full.lastIndexOf('.') + 1)
    switch (name) {
      case 'Time':
      case 'MicroTime': {
        if (own(value, 'f1') === undefined) return undefined
        const whole = new Date(Number(value.f1) * 1000).toISOString().slice(0, 19)
        return name === 'Time'
          ? `${whole}Z`
          : `${whole}.${String(value.f2 / 1000).padStart(6, '0')}Z`
      }
      case 'Quantity':
        return value.f1
      case 'IntOrString':
        return Number(value.f1) === 1 ? value.f3 : value.f2
      case 'RawExtension':
      case 'FieldsV1':
      case 'JSON':
        return own(value, 'f1') === undefined
          ? undefined
          : JSON.parse(Buffer.from(value.f1).toString())
      case 'JSONSchemaPropsOrBool':
        return own(value, 'f2') === undefined
          ? value.f1
          : this.#readOne('JSONSchemaProps', value.f2, from)
      case 'JSONSchemaPropsOrArray':
        return value.f2.length > 0
          ? value.f2.map((one: unknown) => this.#readOne('JSONSchemaProps', one, from))
          : this.#readOne('JSONSchemaProps', value.f1, from)
      case 'JSONSchemaPropsOrStringArray':
        return value.f2.length > 0 ? value.f2 : this.#readOne('JSONSchemaProps', value.f1, from)
    }
    const { alias, protoMessage } = this.#types.get(full)!
    if (alias !== undefined && protoMessage) return value.f1
    return this.#fromMessage(full, value)
  }
}

const messageName = (full: string) => full.replaceAll('.', '_')

const own = (object: Json | undefined, name: string): unknown =>
  object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined

function put(object: Json, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
