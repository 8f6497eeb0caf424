/** Operations of discovery: versions, groups, resources, the release. */
import type { ShapeClass } from '../notation/shape.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Definitions } from './definitions.ts'
import type { Operation, PathItem } from './document.ts'
import {
  APIGroup,
  APIGroupList,
  APIResourceList,
  APIVersions,
  Info,
} from '../kinds/meta/documents.ts'
import { capital, groupWord, tagOf } from './names.ts'
import { formsOf } from './operation-words.ts'

/** Writes these operations. */
export class DiscoveryOperations {
  readonly #v: Vocabulary
  readonly #definitions: Definitions

  constructor(v: Vocabulary, definitions: Definitions) {
    this.#v = v
    this.#definitions = definitions
  }

  /** `/api/` */
  core(): PathItem {
    return this.#get('get available API versions', 'getCoreAPIVersions', 'core', APIVersions)
  }

  /** `/apis/` */
  groups(): PathItem {
    return this.#get('get available API versions', 'getAPIVersions', 'apis', APIGroupList)
  }

  /** `/apis/{group}/` */
  group(group: string): PathItem {
    const id = `get${groupWord(group, this.#v)}APIGroup`
    return this.#get('get information of a group', id, tagOf(group, null, this.#v), APIGroup)
  }

  /** `/api/v1/` and `/apis/{group}/{version}/` */
  resources(group: string, version: string): PathItem {
    const id = `get${groupWord(group, this.#v)}${capital(version)}APIResources`
    const tag = tagOf(group, version, this.#v)
    return this.#get('get available resources', id, tag, APIResourceList)
  }

  /** `/version/` */
  release(): PathItem {
    const item = this.#get('get the code version', 'getCodeVersion', 'version', Info)
    const json = ['application/json']
    return { get: { ...item.get, consumes: json, produces: json } }
  }

  #get(
    description: string,
    operationId: string,
    tag: string,
    answer: ShapeClass<unknown>,
  ): { get: Operation } {
    const forms = formsOf(this.#v)
    const schema = this.#definitions.shape(answer.shape)
    return {
      get: {
        consumes: forms,
        produces: forms,
        description,
        operationId,
        parameters: [],
        responses: [
          { code: '200', description: 'OK', schema },
          { code: '401', description: 'Unauthorized' },
        ],
        tag,
        extensions: {},
      },
    }
  }
}
