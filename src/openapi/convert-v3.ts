/** Documents in version 3 of servers that have them in version 2 only. */
import type { DocumentV3, Json } from './document.ts'
import { isObject, withReferences, type PartV2 } from './merge-v2.ts'
import { securitySchemes } from './walk.ts'

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])
const ANY_TYPE = ['application/json']
/** Members of a parameter that belong to its schema in version 3. */
const OF_SCHEMA = new Set([
  ...['type', 'format', 'items', 'default', 'enum', 'uniqueItems', 'pattern'],
  ...['maximum', 'minimum', 'maxLength', 'minLength', 'maxItems', 'minItems', 'multipleOf'],
])

/** The same document in version 3. */
export function convertedV3(part: PartV2, info: Json): DocumentV3 {
  const { paths, definitions } = withReferences(part, (reference) =>
    reference.replace(/^#\/definitions\//, '#/components/schemas/'),
  ) as PartV2
  return {
    openapi: '3.0.0',
    info: info as DocumentV3['info'],
    paths: mapped(paths, pathItem),
    components: { schemas: definitions, securitySchemes },
  }
}

const mapped = (map: Json, change: (value: Json) => Json): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(map).flatMap(([name, value]) =>
      isObject(value) ? [[name, change(value)] as const] : [],
    ),
  )

const pathItem = (item: Json): Json =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      if (METHODS.has(name) && isObject(value)) return [name, operation(value)]
      return name === 'parameters' ? [name, listOf(value).map(parameter)] : [name, value]
    }),
  )

function operation(old: Json): Json {
  const { consumes, produces, schemes: _, parameters, responses, ...rest } = old
  const all = listOf(parameters)
  const body = all.find((one) => one['in'] === 'body')
  const others = all.filter((one) => one['in'] !== 'body').map(parameter)
  const { description, required, schema = {} } = body ?? {}
  return {
    ...rest,
    ...(others.length > 0 ? { parameters: others } : {}),
    ...(body
      ? {
          requestBody: {
            ...(description === undefined ? {} : { description }),
            ...(required === true ? { required } : {}),
            content: contentOf(consumes, schema),
          },
        }
      : {}),
    responses: mapped(isObject(responses) ? responses : {}, ({ schema: answer, ...response }) =>
      answer === undefined ? response : { ...response, content: contentOf(produces, answer) },
    ),
  }
}

function parameter(old: Json): Json {
  const entries = Object.entries(old)
  return {
    ...Object.fromEntries(
      entries.filter(([name]) => !OF_SCHEMA.has(name) && name !== 'collectionFormat'),
    ),
    schema: Object.fromEntries(entries.filter(([name]) => OF_SCHEMA.has(name))),
  }
}

function contentOf(types: unknown, schema: unknown): Json {
  const named = Array.isArray(types) ? types.filter((type) => typeof type === 'string') : []
  return Object.fromEntries(
    (named.length > 0 ? named : ANY_TYPE).map((type) => [type, { schema }] as const),
  )
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
