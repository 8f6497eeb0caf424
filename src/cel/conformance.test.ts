/**
 * The public conformance data of the language, which lies beside the project and is read from there. Texts of errors are
 * not compared. What no release has is listed here with the reason.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Budget } from './budget.ts'
import { Environment } from './environment.ts'
import { type FunctionDeclaration, global, type OverloadParts } from './function-declaration.ts'
import { asInt, Double, Uint } from './numbers.ts'
import { compileProgram } from './program.ts'
import { finish } from '../base/steps.ts'
import { allLibraries } from './releases.ts'
import { type Field, type Message, readTextProto } from './text-proto.fixture.ts'
import * as types from './type.ts'
import { EntryMap, keyOf, MapValue, OptionalValue, TypeValue, typeNameOf } from './values.ts'

const FOLDER = ['..', '../..']
  .map((way) => join(import.meta.dirname, '../..', way, 'shared/facts/cel-conformance'))
  .find((folder) => existsSync(folder))

/** Files about libraries that no release has. */
const NO_LIBRARY: Readonly<Record<string, string>> = {
  'bindings_ext.textproto': 'no release has cel.bind()',
  'block_ext.textproto': 'no release has cel.block()',
  'encoders_ext.textproto': 'no release has base64',
  'math_ext.textproto': 'no release has math',
}

/** Everything that releases have, and functions that a line declares. */
const environmentWith = (functions: readonly FunctionDeclaration[]) =>
  new Environment([...allLibraries(), { functions }], {
    hasOptionals: true,
    hasEscapedNames: true,
    literalsAreOfOneType: false,
    literalsAreChecked: false,
    resultsHaveSizes: true,
    presenceCostsOperand: true,
    libraryValuesCompareAtOnce: true,
  })

const environment = environmentWith([])

const one = (message: Message, name: string): Field | undefined => message.get(name)?.[0]
const inside = (message: Message, ...path: string[]): Message | undefined =>
  path.reduce<Message | undefined>(
    (of, name) => of && (one(of, name) as Message | undefined),
    message,
  )
const word = (message: Message, name: string): string => String(one(message, name) ?? '')

function typeOf(message: Message): types.Type {
  const [[kind, [field]]] = [...message] as unknown as [[string, Field[]]]
  const of = (name: string) => typeOf(inside(field as Message, name)!)
  switch (kind) {
    case 'primitive':
      return PRIMITIVES[String(field)]!
    case 'well_known':
      return String(field) === 'TIMESTAMP' ? types.TIMESTAMP : types.DURATION
    case 'list_type':
      return types.listOf(of('elem_type'))
    case 'map_type':
      return types.mapOf(of('key_type'), of('value_type'))
    case 'null':
      return types.NULL
    case 'dyn':
      return types.DYN
    case 'message_type':
      return types.opaque(String(field))
    case 'type_param':
      return types.param(String(field))
    case 'type':
      return types.typeOfType(typeOf(field as Message))
    case 'abstract_type': {
      const given = ((field as Message).get('parameter_types') ?? []) as Message[]
      return types.opaque(word(field as Message, 'name'), ...given.map(typeOf))
    }
    default:
      throw new Error(`a type of kind ${kind}`)
  }
}

const PRIMITIVES: Readonly<Record<string, types.Type>> = {
  BOOL: types.BOOL,
  INT64: types.INT,
  UINT64: types.UINT,
  DOUBLE: types.DOUBLE,
  STRING: types.STRING,
  BYTES: types.BYTES,
}

function valueOf(message: Message): unknown {
  const [[kind, [field]]] = [...message] as unknown as [[string, Field[]]]
  switch (kind) {
    case 'null_value':
      return null
    case 'bool_value':
      return field === 'true'
    case 'int64_value':
      return asInt(BigInt(field as string))
    case 'uint64_value':
      return new Uint(asInt(BigInt(field as string)))
    case 'double_value':
      return new Double(Number(String(field).replace(/^(-?)inf(inity)?$/i, '$1Infinity')))
    case 'string_value':
      return String(field)
    case 'bytes_value':
      return new Uint8Array(field as Buffer)
    case 'type_value':
      return new TypeValue(String(field))
    case 'list_value':
      return ((field as Message).get('values') ?? []).map((item) => valueOf(item as Message))
    case 'map_value': {
      const entries = (((field as Message).get('entries') ?? []) as Message[]).map((entry) => {
        const key = valueOf(inside(entry, 'key')!)
        return [keyOf(key)!, [key, valueOf(inside(entry, 'value')!)] as const] as const
      })
      return new EntryMap(new Map(entries))
    }
    default:
      throw new Error(`a value of kind ${kind}`)
  }
}

/** A value in a form that test failures show well. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown)
  if (value instanceof MapValue) {
    const entries = value.keys().map((key) => [shown(key), shown(value.get(key))])
    return { map: entries.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) }
  }
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') }
  if (value instanceof OptionalValue) return { optional: shown(value.value) }
  const text = value instanceof Double || value instanceof Uint ? value.value : value
  return { is: typeNameOf(value), value: value instanceof TypeValue ? value.name : String(text) }
}

interface Case {
  readonly title: string
  readonly message: Message
  readonly expression: string
}

function* casesOf(file: string): Generator<Case> {
  const whole = readTextProto(readFileSync(join(FOLDER!, file), 'utf8'))
  for (const section of (whole.get('section') ?? []) as Message[]) {
    for (const message of (section.get('test') ?? []) as Message[]) {
      const title = `${word(section, 'name')}: ${word(message, 'name')}`
      yield { title, message, expression: word(message, 'expr') }
    }
  }
}

const MESSAGES =
  /TestAllTypes|google\.protobuf\.(?!Timestamp\)|Duration\)|Timestamp$|Duration$)|NestedTestAllTypes|TestRequired/

/** Why a line is about something that no release has; null for one that is to pass. */
function reasonAgainst({ title, message, expression }: Case, file: string): string | null {
  if (message.has('container')) return 'no release has a container or messages'
  if (MESSAGES.test(expression) || hasMessages(message)) return 'no release has messages'
  return LISTED[`${file} ${title.replace(/: .*/s, '')}`] ?? null
}

const hasMessages = (message: Message): boolean =>
  [...message].some(
    ([name, fields]) =>
      name === 'message_type' ||
      name === 'object_value' ||
      name === 'wrapper' ||
      fields.some((field) => field instanceof Map && hasMessages(field)),
  )

/** Sections that no release has. */
const LISTED: Readonly<Record<string, string>> = {
  'string_ext.textproto reverse': 'no release has reverse() of texts',
}

function functionOf(message: Message): FunctionDeclaration {
  const overloads = (inside(message, 'function')!.get('overloads') ?? []) as Message[]
  return global(
    word(message, 'name'),
    ...overloads.map((one): OverloadParts => [
      word(one, 'overload_id'),
      ((one.get('params') ?? []) as Message[]).map(typeOf),
      typeOf(inside(one, 'result_type')!),
      () => null,
    ]),
  )
}

function run({ message, expression }: Case) {
  const declared = (message.get('type_env') ?? []) as Message[]
  const variables = declared
    .filter((one) => one.has('ident'))
    .map((one) => [word(one, 'name'), typeOf(inside(one, 'ident', 'type')!)] as const)
  const functions = declared.filter((one) => one.has('function')).map(functionOf)
  const of = functions.length === 0 ? environment : environmentWith(functions)
  const program = finish(compileProgram(expression, of, new Map(variables)))
  if ('problem' in program) return program
  const bindings = new Map(
    ((message.get('bindings') ?? []) as Message[]).map(
      (one) => [word(one, 'key'), valueOf(inside(one, 'value', 'value')!)] as const,
    ),
  )
  const budget = new Budget()
  const gives = types.formatType(program.gives)
  if (word(message, 'check_only') === 'true') return { gives }
  return { gives, ...program.evaluate((name) => bindings.get(name), budget) }
}

function passes(one: Case): void {
  const { message } = one
  const found = run(one)
  if (word(message, 'disable_check') === 'true' && 'problem' in found) {
    // No release evaluates what does not check.
    expect(found.problem).not.toContain('yntax error')
    return
  }
  if (message.has('eval_error')) {
    expect('problem' in found || 'error' in found).toBe(true)
    return
  }
  const typed = inside(message, 'typed_result')
  const deduced = typed && inside(typed, 'deduced_type')
  if (deduced) expect(found).toMatchObject({ gives: types.formatType(typeOf(deduced)) })
  if (word(message, 'check_only') === 'true') return
  const value = (typed && inside(typed, 'result')) ?? inside(message, 'value')
  const wanted = value ? valueOf(value) : true
  expect('value' in found ? shown(found.value) : found).toEqual(shown(wanted))
}

describe.skipIf(FOLDER === undefined)('the conformance data of the language', () => {
  for (const file of FOLDER === undefined ? [] : readdirSync(FOLDER)) {
    if (!file.endsWith('.textproto') || Object.hasOwn(NO_LIBRARY, file)) continue
    describe(file, () => {
      for (const one of casesOf(file)) {
        if (reasonAgainst(one, file) === null)
          test(`${one.title}: ${one.expression}`, () => passes(one))
      }
    })
  }
})
