/** Paths and operations of one resource in one version, with its sub-resources. */
import type { Typed } from '../meta/object-meta.ts'
import { Scale } from '../kinds/autoscaling/scale.ts'
import { DeleteOptions } from '../kinds/meta/delete-options.ts'
import { groupVersionOf } from '../meta/home.ts'
import { verbsOf, type ResourceEntry } from '../catalogue/catalogue.ts'
import type {
  ActionSubresource,
  ConnectSubresource,
  Subresource,
  Verb,
} from '../catalogue/resource.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import {
  responses,
  article,
  formsOf,
  methodsOf,
  NAMESPACE,
  protobufOf,
  queries,
  type Options,
} from './operation-words.ts'
import type { Definitions } from './definitions.ts'
import { extension } from './extensions.ts'
import type { Json, Operation, Parameter, PathItem, Response } from './document.ts'
import { Status, WatchEvent } from '../kinds/meta/documents.ts'
import { capital, groupWord, kindOf, rootOf, tagOf } from './names.ts'
import type { GroupVersionKind } from './names.ts'
import {
  body,
  connectParameters,
  logParameters,
  PARAMETERS,
  pathParameter,
  query,
} from './parameters.ts'

/** Adds the paths of a resource. */
export type AddPath = (path: string, item: PathItem) => void

/** The word with which the id of an operation begins, by its action. */
const VERB_TEXTS = {
  connect: 'connect',
  delete: 'delete',
  deletecollection: 'delete',
  get: 'read',
  list: 'list',
  patch: 'patch',
  post: 'create',
  put: 'replace',
  watch: 'watch',
  watchlist: 'watch',
} as const

type Action = keyof typeof VERB_TEXTS

/** Writes the operations of one resource. */
export class ResourceOperations {
  readonly #served: ResourceEntry
  readonly #v: Vocabulary
  readonly #definitions: Definitions
  readonly #object: Json
  readonly #kind: GroupVersionKind

  constructor(served: ResourceEntry, v: Vocabulary, definitions: Definitions) {
    this.#served = served
    this.#v = v
    this.#definitions = definitions
    this.#object = definitions.kind(served)
    this.#kind = kindOf(served)
  }

  /** Yields all paths. */
  write(add: AddPath): void {
    const { namespaced, resource, subresources } = this.#served
    const root = rootOf(this.#served.group, this.#served.version)
    const space = namespaced ? '/namespaces/{namespace}' : ''
    const addIfAny: AddPath = (path, item) => {
      if (Object.keys(item).length > 0) add(path, item)
    }
    addIfAny(`${root}${space}/${resource}`, this.#collection())
    addIfAny(`${root}${space}/${resource}/{name}`, this.#single())
    for (const [name, subresource] of subresources) {
      const path = `${root}${space}/${resource}/{name}/${name}`
      addIfAny(path, this.#subresource(name, subresource))
      if (subresource.serves === 'connect' && subresource.deep) {
        addIfAny(`${path}/{path}`, this.#connect(name, subresource, true))
      }
    }
    const has = (verb: Verb) => this.#served.verbs.includes(verb)
    if (has('list') && namespaced) {
      addIfAny(`${root}/${resource}`, { get: this.#list(true) })
    }
    if (!has('watch')) return
    if (has('list')) {
      addIfAny(`${root}/watch${space}/${resource}`, { get: this.#watchList(false) })
      if (namespaced) addIfAny(`${root}/watch/${resource}`, { get: this.#watchList(true) })
    }
    addIfAny(`${root}/watch${space}/${resource}/{name}`, { get: this.#watchOne() })
  }

  #collection(): PathItem {
    const has = (verb: Verb) => this.#served.verbs.includes(verb)
    const { kind } = this.#kind
    const item: PathItem = {}
    if (has('list')) item.get = this.#list(false)
    if (has('create')) {
      item.post = this.#operation(
        'post',
        `create ${article(kind)} ${kind}`,
        { parameters: [body(this.#object, true), ...queries(PARAMETERS.write)] },
        responses(this.#object, ['200', '201', '202']),
      )
    }
    if (has('deletecollection')) {
      item.delete = this.#operation(
        'deletecollection',
        `delete collection of ${kind}`,
        {
          id: { between: 'Collection' },
          parameters: [this.#deleteOptions(), ...queries(PARAMETERS.deleteMany)],
        },
        responses(this.#definitions.shape(Status.shape), ['200']),
      )
    }
    return item
  }

  #single(): PathItem {
    const has = (verb: Verb) => this.#served.verbs.includes(verb)
    const { kind } = this.#kind
    const item: PathItem = {}
    const named = { name: `name of the ${kind}` }
    if (has('get')) {
      item.get = this.#operation(
        'get',
        `read the specified ${kind}`,
        named,
        responses(this.#object, ['200']),
      )
    }
    if (has('update')) {
      item.put = this.#operation(
        'put',
        `replace the specified ${kind}`,
        { ...named, parameters: [body(this.#object, true), ...queries(PARAMETERS.write)] },
        responses(this.#object, ['200', '201']),
      )
    }
    if (has('patch')) item.patch = this.#patch(`partially update the specified ${kind}`, named)
    if (has('delete')) {
      const result =
        this.#served.strategy.deleteAnswers === 'status'
          ? this.#definitions.shape(Status.shape)
          : this.#object
      item.delete = this.#operation(
        'delete',
        `delete ${article(kind)} ${kind}`,
        { ...named, parameters: [this.#deleteOptions(), ...queries(PARAMETERS.delete)] },
        responses(result, ['200', '202']),
      )
    }
    return item
  }

  #list(everywhere: boolean): Operation {
    const list = this.#definitions.list(this.#served, this.#object)
    const streams = this.#served.verbs.includes('watch') ? this.#streams() : []
    return this.#operation(
      'list',
      `list or watch objects of kind ${this.#kind.kind}`,
      {
        parameters: queries(PARAMETERS.list),
        id: everywhere ? { everywhere, after: 'ForAllNamespaces' } : {},
        produces: [...this.#forms(), ...streams],
      },
      responses(list, ['200']),
    )
  }

  #watchList(everywhere: boolean): Operation {
    return this.#watch(
      'watchlist',
      `watch individual changes to a list of ${this.#kind.kind}. deprecated: use the 'watch' parameter with a list operation instead.`,
      { id: { everywhere, after: everywhere ? 'ListForAllNamespaces' : 'List' } },
    )
  }

  #watchOne(): Operation {
    const { kind } = this.#kind
    return this.#watch(
      'watch',
      `watch changes to an object of kind ${kind}. deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter.`,
      { name: `name of the ${kind}` },
    )
  }

  #watch(action: 'watch' | 'watchlist', description: string, options: Options): Operation {
    return this.#operation(
      action,
      description,
      {
        ...options,
        parameters: queries(PARAMETERS.list),
        produces: [...this.#forms(), ...this.#streams()],
      },
      responses(this.#definitions.shape(WatchEvent.shape), ['200']),
    )
  }

  #patch(description: string, options: Options, schema: Json = this.#object): Operation {
    return this.#operation(
      'patch',
      description,
      {
        ...options,
        parameters: [body(this.#definitions.special('patch'), true), ...queries(PARAMETERS.patch)],
        consumes: [
          'application/json-patch+json',
          'application/merge-patch+json',
          ...(this.#served.mergeSchema ? ['application/strategic-merge-patch+json'] : []),
          'application/apply-patch+yaml',
        ],
      },
      responses(schema, ['200', '201']),
    )
  }

  #subresource(name: string, subresource: Subresource<Typed>): PathItem {
    switch (subresource.serves) {
      case 'part':
        return this.#part(name, verbsOf(subresource), this.#object, this.#kind)
      case 'scale': {
        const { home } = Scale.shape
        const gvk = { ...groupVersionOf(home, this.#v), kind: Scale.shape.name }
        const schema = this.#definitions.shape(Scale.shape)
        return this.#part(name, verbsOf(subresource), schema, gvk)
      }
      case 'action':
        return this.#action(name, subresource)
      case 'connect':
        return subresource.kind === this.#kind.kind
          ? this.#log(name)
          : this.#connect(name, subresource, false)
    }
  }

  #part(name: string, verbs: readonly Verb[], schema: Json, gvk: GroupVersionKind): PathItem {
    const { kind } = this.#kind
    const options: Options = {
      name: `name of the ${gvk.kind}`,
      id: { after: capital(name) },
      gvk,
    }
    const item: PathItem = {}
    if (verbs.includes('get')) {
      item.get = this.#operation(
        'get',
        `read ${name} of the specified ${kind}`,
        options,
        responses(schema, ['200']),
      )
    }
    if (verbs.includes('update')) {
      item.put = this.#operation(
        'put',
        `replace ${name} of the specified ${kind}`,
        { ...options, parameters: [body(schema, true), ...queries(PARAMETERS.write)] },
        responses(schema, ['200', '201']),
      )
    }
    if (verbs.includes('patch')) {
      item.patch = this.#patch(`partially update ${name} of the specified ${kind}`, options, schema)
    }
    return item
  }

  #action(name: string, { input }: ActionSubresource): PathItem {
    const { shape } = input
    const schema = this.#definitions.shape(shape)
    const { kind } = this.#kind
    return {
      post: this.#operation(
        'post',
        `create ${name} of ${article(kind)} ${kind}`,
        {
          name: `name of the ${shape.name}`,
          id: { after: capital(name) },
          gvk: { ...groupVersionOf(shape.home, this.#v), kind: shape.name },
          parameters: [body(schema, true), ...queries(PARAMETERS.write)],
        },
        responses(schema, ['200', '201', '202']),
      ),
    }
  }

  #log(name: string): PathItem {
    const { kind } = this.#kind
    return {
      get: this.#operation(
        'get',
        `read ${name} of the specified ${kind}`,
        {
          name: `name of the ${kind}`,
          id: { after: capital(name) },
          parameters: logParameters(),
          produces: ['text/plain', ...this.#forms()],
        },
        responses({ type: 'string' }, ['200']),
      ),
    }
  }

  #connect(name: string, { kind, verbs }: ConnectSubresource, deep: boolean): PathItem {
    const item: PathItem = {}
    for (const method of methodsOf(verbs)) {
      item[method] = this.#operation(
        'connect',
        `connect ${method.toUpperCase()} requests to ${name} of ${this.#kind.kind}`,
        {
          name: `name of the ${kind}`,
          id: {
            before: capital(method),
            after: `${capital(name)}${deep ? 'WithPath' : ''}`,
          },
          gvk: { ...this.#kind, kind },
          parameters: [
            ...connectParameters(kind),
            ...(deep ? [pathParameter('path', 'path to the resource')] : []),
          ],
          produces: ['*/*'],
          plain: true,
        },
        responses({ type: 'string' }, ['200']),
      )
    }
    return item
  }

  #operation(
    action: Action,
    description: string,
    options: Options,
    responses: readonly Response[],
  ): Operation {
    const { group, version, namespaced } = this.#served
    const { before = '', between = '', after = '', everywhere = false } = options.id ?? {}
    const parameters: Parameter[] = [...(options.parameters ?? [])]
    if (options.name !== undefined) parameters.push(pathParameter('name', options.name))
    const inNamespace = namespaced && !everywhere
    if (inNamespace) parameters.push(NAMESPACE)
    if (!options.plain && !parameters.some((p) => p.name === 'pretty')) {
      parameters.push(query('pretty'))
    }
    const words = [
      VERB_TEXTS[action],
      groupWord(group, this.#v),
      capital(version),
      before,
      between,
      inNamespace ? 'Namespaced' : '',
      this.#kind.kind,
      after,
    ]
    return {
      consumes: options.consumes ?? ['*/*'],
      produces: options.produces ?? this.#forms(),
      description,
      operationId: words.join(''),
      parameters,
      responses: [...responses, { code: '401', description: 'Unauthorized' }],
      tag: tagOf(group, version, this.#v),
      extensions: {
        ...extension(this.#v, 'action', action),
        ...extension(this.#v, 'group-version-kind', options.gvk ?? this.#kind),
      },
    }
  }

  #deleteOptions(): Parameter {
    return body(this.#definitions.shape(DeleteOptions.shape), false)
  }

  #forms(): readonly string[] {
    const forms = formsOf(this.#v)
    return this.#served.protobuf ? forms : forms.filter((form) => form !== protobufOf(this.#v))
  }

  #streams(): readonly string[] {
    const streams = ['application/json;stream=watch']
    return this.#served.protobuf ? [...streams, `${protobufOf(this.#v)};stream=watch`] : streams
  }
}
