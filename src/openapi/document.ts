/** A JSON object that is being put together. */
export type Json = Record<string, unknown>

/** A query or path parameter as version 2 writes it. */
export interface Parameter {
  readonly description?: string
  readonly in: 'body' | 'path' | 'query'
  readonly name: string
  readonly required?: true
  readonly type?: 'boolean' | 'integer' | 'string'
  readonly uniqueItems?: true
  readonly schema?: Json
}

/** An operation, independent of the version of the format. */
export interface Operation {
  /** Media types of bodies; omitted when empty. */
  readonly consumes: readonly string[]
  /** Media types of responses, as above. */
  readonly produces: readonly string[]
  /** May be empty. */
  readonly description: string
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly responses: readonly Response[]
  readonly tag: string
  /** Extensions, spelled. */
  readonly extensions: Json
}

/** One possible response of an operation. */
export interface Response {
  readonly code: string
  readonly description: string
  readonly schema?: Json
}

/** HTTP method in lower case. */
export type Method = 'delete' | 'get' | 'head' | 'options' | 'patch' | 'post' | 'put'

/** The operations of one path. */
export type PathItem = Partial<Record<Method, Operation>>

/** A document in version 2 of the format. */
export interface DocumentV2 {
  readonly swagger: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Record<string, Json>
  readonly definitions: Record<string, Json>
  readonly securityDefinitions: Record<string, Json>
  readonly security: readonly Record<string, readonly string[]>[]
}

/** A document in version 3 of the format. */
export interface DocumentV3 {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Record<string, Json>
  readonly components: {
    readonly schemas: Record<string, Json>
    readonly securitySchemes: Record<string, Json>
  }
}

/** Inputs of documents beside the catalogue. */
export interface DocumentOptions {
  /** Release in the documents. */
  readonly version?: string
  /** Documentation by `home#Shape` and `home#Shape.field`. */
  readonly docs?: ReadonlyMap<string, string>
}

/** The entries sorted by key. */
export function sorted<T>(entries: Iterable<readonly [string, T]>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
