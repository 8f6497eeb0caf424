import type { Verb } from '../catalogue/resource.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Json, Method, Parameter, Response } from './document.ts'
import type { GroupVersionKind } from './names.ts'
import { pathParameter, query } from './parameters.ts'

/** Attributes of an operation. */
export interface Options {
  /** Description of the `name` in the path; none: the path has no name. */
  readonly name?: string
  readonly parameters?: readonly Parameter[]
  readonly consumes?: readonly string[]
  readonly produces?: readonly string[]
  readonly gvk?: GroupVersionKind
  /** Part of the operation id. */
  readonly id?: {
    readonly before?: string
    readonly between?: string
    readonly after?: string
    /** Over all namespaces. */
    readonly everywhere?: boolean
  }
  /** The response cannot be indented. */
  readonly plain?: boolean
}

/** The namespace in the path. */
export const NAMESPACE = pathParameter('namespace', 'namespace of the object')

/** Query parameters by name. */
export const queries = (names: readonly string[]): readonly Parameter[] => names.map(query)

/** `a` or `an`. */
export const article = (kind: string) => (/^[AEIOU]/.test(kind) ? 'an' : 'a')

/** The binary form of objects. */
export const protobufOf = (v: Vocabulary) => v.resolve('application/vnd.{brand}.protobuf')

/** Formats of objects in responses. */
export const formsOf = (v: Vocabulary): readonly string[] => [
  'application/json',
  'application/yaml',
  protobufOf(v),
]

const OUTCOMES: Readonly<Record<string, string>> = {
  '200': 'OK',
  '201': 'Created',
  '202': 'Accepted',
}

/** The same response under each of the codes. */
export const responses = (schema: Json, codes: readonly string[]): readonly Response[] =>
  codes.map((code) => ({ code, description: OUTCOMES[code]!, schema }))

const METHODS: Readonly<Partial<Record<Verb, readonly Method[]>>> = {
  create: ['post'],
  delete: ['delete'],
  get: ['get'],
  patch: ['patch'],
  // Proxies accept every method.
  update: ['put', 'head', 'options'],
}

/** HTTP methods of the verbs of a stream. */
export const methodsOf = (verbs: readonly Verb[]): readonly Method[] =>
  verbs.flatMap((verb) => METHODS[verb] ?? [])
