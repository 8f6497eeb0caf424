import { resources } from '../../src/kinds/index.ts'
import { loadDocs } from '../../src/openapi/docs.ts'
import type { DocumentV2, DocumentV3, Json } from '../../src/openapi/document.ts'
import { placesOf } from '../../src/openapi/places.ts'
import { atOnce } from '../../src/openapi/steps.ts'
import { openApiV2 } from '../../src/openapi/v2.ts'
import { placeDocument } from '../../src/openapi/v3.ts'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'

const docs = await loadDocs()
const options = { docs, version: 'v1.25.0' }

export interface Documents {
  readonly v2: DocumentV2
  readonly v3: ReadonlyMap<string, DocumentV3>
  /** Definitions of all version 3 documents together. */
  readonly schemas: Readonly<Record<string, Json>>
}

export function documentsIn(name: 'kubernetes' | 'orch'): Documents {
  const v = vocabularies[name]
  const catalogue = buildCatalogue(resources, v)
  const v3 = new Map(
    placesOf(catalogue).map((place) => [place.path, atOnce(placeDocument(v, place, options))]),
  )
  const schemas = Object.assign({}, ...[...v3.values()].map((d) => d.components.schemas))
  return { v2: openApiV2(catalogue, v, options), v3, schemas }
}

/** The value without descriptions, which tests do not repeat. */
export function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => name !== 'description' || typeof inner !== 'string')
      .map(([name, inner]) => [name, bare(inner)]),
  )
}

/** All texts under `$ref`, anywhere inside. */
export function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  )
}
