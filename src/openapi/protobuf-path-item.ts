/** Paths and their operations as messages, which both versions of the format encode with different field numbers. */
import type { Json } from './document.ts'
import {
  around,
  each,
  members,
  one,
  type Fields,
  type WriteField,
  type WriteMessage,
} from './protobuf.ts'

/** In the order of their numbers, which follow each other. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** How a version of the format numbers the fields of a path. */
export interface PathItemNumbers {
  /** That of `get`. */
  readonly firstMethod: number
  readonly parameters: number
}

/** Writes a path, whose operations have the given field numbers. */
export function pathItemOf(
  { firstMethod, parameters }: PathItemNumbers,
  operation: Fields,
  parameter: WriteMessage<Json>,
): WriteMessage<Json> {
  const write: WriteMessage<Json> = (writer, o) => members(writer, o, operation, EXTENSIONS)
  const fields: Fields = [
    ...METHODS.map((method, i) => [method, firstMethod + i, one(write)] as const),
    ['parameters', parameters, parametersOf(parameter)],
  ]
  return (writer, item) => members(writer, item, fields)
}

const EXTENSIONS = 13

/** The list of parameters, each of which could be a reference instead. */
export const parametersOf = (parameter: WriteMessage<Json>): WriteField =>
  each(around(1, one(parameter)))
