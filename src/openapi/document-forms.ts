/** How each version of the format writes a document around its paths and definitions. */
import type { DocumentForm } from './document-parts.ts'
import { aroundV2, definitionFieldV2, pathFieldV2 } from './protobuf-v2.ts'
import { aroundV3, pathFieldV3, schemaFieldV3 } from './protobuf-v3.ts'
import { dialectV2, frameV2 } from './v2.ts'
import { dialectV3 } from './v3.ts'
import { infoOf, securitySchemes } from './walk.ts'

/** Version 2. */
export const formV2: DocumentForm = {
  dialect: dialectV2,
  json(v, options) {
    const { swagger, info, ...rest } = frameV2(v, options)
    return [
      `${opened({ swagger, info })},"paths":{`,
      '},"definitions":{',
      `},${JSON.stringify(rest).slice(1)}`,
    ]
  },
  protobuf: (v, options, [paths, definitions]) => aroundV2(frameV2(v, options), paths, definitions),
  pathField: pathFieldV2,
  definitionField: definitionFieldV2,
}

const OPENAPI = '3.0.0'

/** Version 3. */
export const formV3: DocumentForm = {
  dialect: dialectV3,
  json: (v, options) => [
    `${opened({ openapi: OPENAPI, info: infoOf(v, options) })},"paths":{`,
    '},"components":{"schemas":{',
    `},${JSON.stringify({ securitySchemes }).slice(1)}}`,
  ],
  protobuf(v, options, [paths, schemas]) {
    const frame = { openapi: OPENAPI, info: infoOf(v, options), securitySchemes }
    return aroundV3(frame, paths, schemas)
  },
  pathField: pathFieldV3,
  definitionField: schemaFieldV3,
}

/** The text of an object without its end. */
const opened = (object: object): string => JSON.stringify(object).slice(0, -1)
