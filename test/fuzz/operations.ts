/** What a server says that can be asked of it: the operations of its published documents. */

type Json = Readonly<Record<string, unknown>>

/** A schema as OpenAPI has it, of either version. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

/** Finds a schema by the text of its reference. */
export type Schemas = (reference: string) => Schema | undefined

export interface Operation {
  /** Upper case. */
  readonly method: string
  /** With `{name}` and the like. */
  readonly path: string
  /** Names and types of its query parameters. */
  readonly query: readonly { readonly name: string; readonly type: string }[]
  /** Of the body; null where none is taken. */
  readonly body: Schema | null
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  /** The verb, such as `patch` or `connect`; empty for what is no resource. */
  readonly action: string
  /** Of the body's or the answer's kind; null for what is no resource. */
  readonly type: { readonly group: string; readonly version: string; readonly kind: string } | null
}

export interface Grammar {
  readonly operations: readonly Operation[]
  readonly schemas: Schemas
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/** The operations of a document of version 2. */
export function grammarOfV2(document: unknown): Grammar {
  const { paths, definitions } = document as { paths: Record<string, Json>; definitions: Json }
  const operations = eachOperation(paths, (method, path, operation, parameters) => {
    const body = parameters.find((p) => p['in'] === 'body')
    return {
      ...common(method, path, operation),
      query: queryOf(parameters, (p) => p),
      body: (body?.['schema'] as Schema | undefined) ?? null,
      consumes: texts(operation['consumes']),
      produces: texts(operation['produces']),
    }
  })
  const schemas = (reference: string) =>
    definitions[reference.replace('#/definitions/', '')] as Schema | undefined
  return { operations, schemas }
}

/** The operations of a document of version 3, one of several. */
export function grammarOfV3(document: unknown): Grammar {
  const { paths, components } = document as {
    paths: Record<string, Json>
    components?: { schemas?: Json }
  }
  const operations = eachOperation(paths, (method, path, operation, parameters) => {
    const content = ((operation['requestBody'] as Json | undefined)?.['content'] ?? {}) as Json
    const [media] = Object.values(content) as Json[]
    const answer = ((operation['responses'] as Json | undefined)?.['200'] as Json | undefined)?.[
      'content'
    ]
    return {
      ...common(method, path, operation),
      query: queryOf(parameters, (p) => (p['schema'] ?? {}) as Json),
      body: (media?.['schema'] as Schema | undefined) ?? null,
      consumes: Object.keys(content),
      produces: Object.keys(answer ?? {}),
    }
  })
  const schemas = (reference: string) =>
    components?.schemas?.[reference.replace('#/components/schemas/', '')] as Schema | undefined
  return { operations, schemas }
}

function eachOperation(
  paths: Readonly<Record<string, Json>>,
  make: (method: string, path: string, operation: Json, parameters: readonly Json[]) => Operation,
): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const shared = (item['parameters'] ?? []) as Json[]
    return METHODS.filter((method) => method in item).map((method) => {
      const operation = item[method] as Json
      const own = (operation['parameters'] ?? []) as Json[]
      return make(method, path, operation, [...shared, ...own])
    })
  })
}

function common(
  method: string,
  path: string,
  operation: Json,
): Pick<Operation, 'method' | 'path' | 'action' | 'type'> {
  // The brand is part of the name, so it is found by its end.
  const extension = (end: string) =>
    Object.entries(operation).find(([name]) => name.startsWith('x-') && name.endsWith(end))?.[1]
  return {
    method: method.toUpperCase(),
    path,
    action: (extension('-action') as string | undefined) ?? '',
    type: (extension('-group-version-kind') as Operation['type'] | undefined) ?? null,
  }
}

const queryOf = (parameters: readonly Json[], typed: (parameter: Json) => Json) =>
  parameters
    .filter((p) => p['in'] === 'query')
    .map((p) => ({
      name: String(p['name']),
      type: typeof typed(p)['type'] === 'string' ? (typed(p)['type'] as string) : 'string',
    }))

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
