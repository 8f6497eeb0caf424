import { describe, expect, test } from 'vitest'
import { buildCatalogue } from '../catalogue/catalogue.ts'
import { group, type Typed } from '../meta/object-meta.ts'
import { action, connect, part, resource, same, scale } from '../catalogue/resource.ts'
import { t } from '../notation/shape.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { Json } from './document.ts'
import { openApiV2 } from './v2.ts'
import { openApiV3 } from './v3.ts'

const { kind, shape } = group('rbac.authorization{api}/v1')

class ThingStatus extends shape({
  seen: t.int32(1),
  names: t.list(2, 'string').set(),
}) {}
class Thing extends kind({ wanted: t.int32(2), status: t.object(3, ThingStatus) }) {}
class Push extends kind({ strength: t.int32(2).required() }) {}
class Question extends kind({ text: t.string(2) }) {}

const things = resource(Thing, {
  plural: 'things',
  scope: 'namespace',
  versions: {
    'rbac.authorization{api}/v1beta1': {
      ...same(Thing),
      relabel: {
        'status.seen': { presence: 'always' },
        'ThingStatus.names': { list: 'atomic' },
      },
    },
  },
  subresources: {
    status: part('status'),
    finalize: part('status', { verbs: ['update'] }),
    scale: scale('wanted', 'status.seen', () => ''),
    push: action(Push, 'push'),
    log: connect('Thing', 'log', ['get']),
    exec: connect('PodExecOptions', 'exec', ['create', 'get']),
    proxy: connect('NodeProxyOptions', 'proxy', ['create', 'delete', 'get', 'patch', 'update'], {
      deep: true,
    }),
  },
})
const questions = resource<Typed>(Question, {
  plural: 'questions',
  scope: 'cluster',
  virtual: 'ask',
  without: ['delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
})

const v = vocabularies.orch
const catalogue = buildCatalogue([things, questions], v)
const { paths, definitions } = openApiV2(catalogue, v)
const GROUP = 'rbac.authorization.orch.io'
const ROOT = `/apis/${GROUP}/v1`
const THING = `${ROOT}/namespaces/{namespace}/things/{name}`

/** `method id kind response` of the operations of a path. */
const lines = (path: string) =>
  Object.entries(paths[path] ?? {})
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => {
      const o = operation as Json
      const { schema } = (o.responses as Record<string, { schema: Json }>)['200']!
      const of = o['x-orch-group-version-kind'] as Record<string, string>
      const answer = String(schema.$ref ?? schema.type).replace('#/definitions/io.orch.api.', '')
      return `${method} ${o.operationId} ${of.group}/${of.version} ${of.kind}: ${answer}`
    })

const ID = 'RbacAuthorizationV1'
const OWN = `${GROUP}/v1`

describe('operations of sub-resources', () => {
  test.each([
    [
      `${THING}/status`,
      [
        `get read${ID}NamespacedThingStatus ${OWN} Thing: rbac.v1.Thing`,
        `patch patch${ID}NamespacedThingStatus ${OWN} Thing: rbac.v1.Thing`,
        `put replace${ID}NamespacedThingStatus ${OWN} Thing: rbac.v1.Thing`,
      ],
    ],
    [`${THING}/finalize`, [`put replace${ID}NamespacedThingFinalize ${OWN} Thing: rbac.v1.Thing`]],
    [
      `${THING}/scale`,
      [
        `get read${ID}NamespacedThingScale autoscaling/v1 Scale: autoscaling.v1.Scale`,
        `patch patch${ID}NamespacedThingScale autoscaling/v1 Scale: autoscaling.v1.Scale`,
        `put replace${ID}NamespacedThingScale autoscaling/v1 Scale: autoscaling.v1.Scale`,
      ],
    ],
    [`${THING}/push`, [`post create${ID}NamespacedThingPush ${OWN} Push: rbac.v1.Push`]],
    [`${THING}/log`, [`get read${ID}NamespacedThingLog ${OWN} Thing: string`]],
    [
      `${THING}/exec`,
      [
        `get connect${ID}GetNamespacedThingExec ${OWN} PodExecOptions: string`,
        `post connect${ID}PostNamespacedThingExec ${OWN} PodExecOptions: string`,
      ],
    ],
    [
      `${THING}/proxy/{path}`,
      ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'].map((method) => {
        const word = method[0]!.toUpperCase() + method.slice(1)
        return `${method} connect${ID}${word}NamespacedThingProxyWithPath ${OWN} NodeProxyOptions: string`
      }),
    ],
    [`${ROOT}/questions`, [`post create${ID}Question ${OWN} Question: rbac.v1.Question`]],
  ])('%s', (path, expected) => {
    expect(lines(path)).toEqual(expected)
  })

  test('parameters of a proxied path, and of a stream', () => {
    const names = (path: string) =>
      (paths[path]!.parameters as { in: string; name: string }[]).map((p) => `${p.in} ${p.name}`)
    expect(names(`${THING}/proxy/{path}`).sort()).toEqual([
      'path name',
      'path namespace',
      'path path',
      'query path',
    ])
    expect(names(`${THING}/exec`)).toEqual([
      'query command',
      'query container',
      'path name',
      'path namespace',
      'query stderr',
      'query stdin',
      'query stdout',
      'query tty',
    ])
  })

  test('resources that are not served have no path', () => {
    const found = Object.keys(paths).filter((path) => path.includes('questions'))
    expect(found).toEqual([`${ROOT}/questions`])
  })
})

test('another version of the same wire form may have other marks', () => {
  const base = 'io.orch.api.rbac'
  const status = (version: string) => definitions[`${base}.${version}.ThingStatus`]
  const names = { items: { type: 'string' }, type: 'array' }
  expect(status('v1')).toEqual({
    properties: {
      names: { ...names, 'x-orch-list-type': 'set', 'x-kubernetes-list-type': 'set' },
      seen: { format: 'int32', type: 'integer' },
    },
    type: 'object',
  })
  expect(status('v1beta1')).toEqual({
    properties: {
      names: { ...names, 'x-orch-list-type': 'atomic', 'x-kubernetes-list-type': 'atomic' },
      seen: { format: 'int32', type: 'integer' },
    },
    required: ['seen'],
    type: 'object',
  })
})

test('a document of one group version, and of none', () => {
  expect(Object.keys(openApiV3(catalogue, v, GROUP, 'v1')!.paths)).toContain(`${THING}/scale`)
  expect(openApiV3(catalogue, v, GROUP, 'v7')).toBeNull()
})
