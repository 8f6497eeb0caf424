/** Documents as clients see them: some parts in full, and what must hold for all. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/openapi/document.ts'
import { bare, documentsIn, references } from './document.ts'

const kubernetes = documentsIn('kubernetes')
const { v2 } = kubernetes

const FORMS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const query = (name: string, type = 'string') => ({ in: 'query', name, type, uniqueItems: true })
const inPath = (name: string) => ({
  in: 'path',
  name,
  required: true,
  type: 'string',
  uniqueItems: true,
})
const ref = (name: string) => ({ $ref: `#/definitions/io.k8s.${name}` })
const CONFIG_MAP = ref('api.core.v1.ConfigMap')
const STATUS = ref('apimachinery.pkg.apis.meta.v1.Status')
const configMap = { group: '', kind: 'ConfigMap', version: 'v1' }
const ok = (schema: object) => ({ schema })

function operation(id: string, action: string, more: Json, answers: Json): Json {
  return {
    consumes: ['*/*'],
    operationId: id,
    produces: FORMS,
    responses: { ...answers, 401: {} },
    schemes: ['https'],
    tags: ['core_v1'],
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': configMap,
    ...more,
  }
}

describe('definitions in full', () => {
  const cases: [name: string, definition: unknown][] = [
    [
      'api.core.v1.ConfigMap',
      {
        properties: {
          apiVersion: { type: 'string' },
          binaryData: { additionalProperties: { format: 'byte', type: 'string' }, type: 'object' },
          data: { additionalProperties: { type: 'string' }, type: 'object' },
          immutable: { type: 'boolean' },
          kind: { type: 'string' },
          metadata: ref('apimachinery.pkg.apis.meta.v1.ObjectMeta'),
        },
        type: 'object',
        'x-kubernetes-group-version-kind': [configMap],
      },
    ],
    [
      'api.core.v1.ConfigMapList',
      {
        properties: {
          apiVersion: { type: 'string' },
          items: { items: CONFIG_MAP, type: 'array' },
          kind: { type: 'string' },
          metadata: ref('apimachinery.pkg.apis.meta.v1.ListMeta'),
        },
        required: ['items'],
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: '', kind: 'ConfigMapList', version: 'v1' }],
      },
    ],
    [
      'api.core.v1.ContainerPort',
      {
        properties: {
          containerPort: { format: 'int32', type: 'integer' },
          hostIP: { type: 'string' },
          hostPort: { format: 'int32', type: 'integer' },
          name: { type: 'string' },
          protocol: { enum: ['SCTP', 'TCP', 'UDP'], type: 'string' },
        },
        required: ['containerPort'],
        type: 'object',
      },
    ],
    [
      'api.core.v1.SeccompProfile',
      {
        properties: {
          localhostProfile: { type: 'string' },
          type: { enum: ['Localhost', 'RuntimeDefault', 'Unconfined'], type: 'string' },
        },
        required: ['type'],
        type: 'object',
        'x-kubernetes-unions': [
          {
            discriminator: 'type',
            'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' },
          },
        ],
      },
    ],
    [
      'apimachinery.pkg.apis.meta.v1.LabelSelector',
      {
        properties: {
          matchExpressions: {
            items: ref('apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement'),
            type: 'array',
          },
          matchLabels: { additionalProperties: { type: 'string' }, type: 'object' },
        },
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
      },
    ],
    ['apimachinery.pkg.apis.meta.v1.Time', { format: 'date-time', type: 'string' }],
    ['apimachinery.pkg.apis.meta.v1.Patch', { type: 'object' }],
    ['apimachinery.pkg.api.resource.Quantity', { type: 'string' }],
    ['apimachinery.pkg.util.intstr.IntOrString', { format: 'int-or-string', type: 'string' }],
  ]
  test.each(cases)('%s', (name, definition) => {
    expect(bare(v2.definitions[`io.k8s.${name}`])).toEqual(definition)
  })

  test('containers of a pod merge by name', () => {
    const { properties } = v2.definitions['io.k8s.api.core.v1.PodSpec'] as { properties: Json }
    expect(bare(properties.containers)).toEqual({
      items: ref('api.core.v1.Container'),
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    })
    const container = v2.definitions['io.k8s.api.core.v1.Container'] as { properties: Json }
    expect(bare(container.properties.ports)).toEqual({
      items: ref('api.core.v1.ContainerPort'),
      type: 'array',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'containerPort',
      'x-kubernetes-patch-strategy': 'merge',
    })
  })

  test('version 3 wraps references and tells defaults', () => {
    const name = 'io.k8s.api.core.v1.ConfigMapList'
    const meta = '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'
    expect(bare(kubernetes.schemas[name])).toMatchObject({
      properties: {
        items: {
          items: {
            allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.ConfigMap' }],
            default: {},
          },
          type: 'array',
        },
        metadata: { allOf: [{ $ref: meta }], default: {} },
      },
    })
    const selector = 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector'
    expect(bare((kubernetes.schemas[selector]!.properties as Json).matchLabels)).toEqual({
      additionalProperties: { default: '', type: 'string' },
      type: 'object',
    })
  })

  test('options of deletions are there in every group version', () => {
    const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
    const kinds = v2.definitions[name]!['x-kubernetes-group-version-kind'] as Json[]
    expect(kinds[0]).toEqual({ group: '', kind: 'DeleteOptions', version: 'v1' })
    expect(kinds).toContainEqual({
      group: 'flowcontrol.apiserver.k8s.io',
      kind: 'DeleteOptions',
      version: 'v1alpha1',
    })
    expect(kinds.length).toBeGreaterThanOrEqual(52)
  })
})

describe('paths in full', () => {
  const writes = [query('dryRun'), query('fieldManager'), query('fieldValidation')]
  const listing = [
    query('continue'),
    query('fieldSelector'),
    query('labelSelector'),
    query('limit', 'integer'),
    query('resourceVersion'),
    query('resourceVersionMatch'),
    query('timeoutSeconds', 'integer'),
  ]
  const body = { in: 'body', name: 'body', required: true, schema: CONFIG_MAP }
  const options = {
    in: 'body',
    name: 'body',
    schema: ref('apimachinery.pkg.apis.meta.v1.DeleteOptions'),
  }
  const watching = [query('allowWatchBookmarks', 'boolean'), query('watch', 'boolean')]
  const streams = [
    'application/json;stream=watch',
    'application/vnd.kubernetes.protobuf;stream=watch',
  ]
  const byName = (parameters: { name: string }[]) =>
    parameters.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const deleting = [
    query('dryRun'),
    query('gracePeriodSeconds', 'integer'),
    query('orphanDependents', 'boolean'),
    query('propagationPolicy'),
  ]

  test('a collection', () => {
    expect(bare(v2.paths['/api/v1/namespaces/{namespace}/configmaps'])).toEqual({
      delete: operation(
        'deleteCoreV1CollectionNamespacedConfigMap',
        'deletecollection',
        { parameters: byName([options, ...listing, ...deleting]) },
        { 200: ok(STATUS) },
      ),
      get: operation(
        'listCoreV1NamespacedConfigMap',
        'list',
        { parameters: byName([...listing, ...watching]), produces: [...FORMS, ...streams] },
        { 200: ok(ref('api.core.v1.ConfigMapList')) },
      ),
      parameters: [inPath('namespace'), query('pretty')],
      post: operation(
        'createCoreV1NamespacedConfigMap',
        'post',
        { parameters: [body, ...writes] },
        { 200: ok(CONFIG_MAP), 201: ok(CONFIG_MAP), 202: ok(CONFIG_MAP) },
      ),
    })
  })

  test('an object', () => {
    const found = v2.paths['/api/v1/namespaces/{namespace}/configmaps/{name}']
    expect(bare(found)).toEqual({
      delete: operation(
        'deleteCoreV1NamespacedConfigMap',
        'delete',
        { parameters: [options, ...deleting] },
        { 200: ok(STATUS), 202: ok(STATUS) },
      ),
      get: operation('readCoreV1NamespacedConfigMap', 'get', {}, { 200: ok(CONFIG_MAP) }),
      parameters: [inPath('name'), inPath('namespace'), query('pretty')],
      patch: operation(
        'patchCoreV1NamespacedConfigMap',
        'patch',
        {
          consumes: [
            'application/json-patch+json',
            'application/merge-patch+json',
            'application/strategic-merge-patch+json',
            'application/apply-patch+yaml',
          ],
          parameters: [
            { ...body, schema: ref('apimachinery.pkg.apis.meta.v1.Patch') },
            ...writes,
            query('force', 'boolean'),
          ],
        },
        { 200: ok(CONFIG_MAP), 201: ok(CONFIG_MAP) },
      ),
      put: operation(
        'replaceCoreV1NamespacedConfigMap',
        'put',
        { parameters: [body, ...writes] },
        { 200: ok(CONFIG_MAP), 201: ok(CONFIG_MAP) },
      ),
    })
  })

  test('lists and watches over all namespaces have their parameters with the path', () => {
    const parameters = byName([...listing, ...watching, query('pretty')])
    expect(bare(v2.paths['/api/v1/watch/configmaps'])).toEqual({
      get: operation(
        'watchCoreV1ConfigMapListForAllNamespaces',
        'watchlist',
        { produces: [...FORMS, ...streams] },
        { 200: ok(ref('apimachinery.pkg.apis.meta.v1.WatchEvent')) },
      ),
      parameters,
    })
    expect(bare(v2.paths['/api/v1/configmaps'])).toMatchObject({
      get: { operationId: 'listCoreV1ConfigMapForAllNamespaces', 'x-kubernetes-action': 'list' },
      parameters,
    })
  })

  test('discovery and release', () => {
    const ids = ['/api/', '/api/v1/', '/apis/', '/apis/storage.k8s.io/', '/version/'].map(
      (path) => (v2.paths[path]!.get as Json).operationId,
    )
    expect(ids).toEqual([
      'getCoreAPIVersions',
      'getCoreV1APIResources',
      'getAPIVersions',
      'getStorageAPIGroup',
      'getCodeVersion',
    ])
  })

  test('what answers no objects', () => {
    const unauthorized = { '401': {} }
    const text = { '200': { schema: { type: 'string' } }, ...unauthorized }
    const found = (path: string) => bare(v2.paths[path])
    expect(found('/.well-known/openid-configuration/')).toEqual({
      get: {
        operationId: 'getServiceAccountIssuerOpenIDConfiguration',
        produces: ['application/json'],
        responses: text,
        schemes: ['https'],
        tags: ['WellKnown'],
      },
    })
    expect(found('/openid/v1/jwks/')).toEqual({
      get: {
        operationId: 'getServiceAccountIssuerOpenIDKeyset',
        produces: ['application/jwk-set+json'],
        responses: text,
        schemes: ['https'],
        tags: ['openid'],
      },
    })
    const log = (operationId: string) => ({
      operationId,
      responses: unauthorized,
      schemes: ['https'],
      tags: ['logs'],
    })
    const name = { in: 'path', name: 'logpath', required: true, type: 'string', uniqueItems: true }
    expect([found('/logs/'), found('/logs/{logpath}')]).toEqual([
      { get: log('logFileListHandler') },
      { get: log('logFileHandler'), parameters: [name] },
    ])
    for (const place of ['.well-known/openid-configuration', 'openid/v1/jwks', 'logs'])
      expect(Object.keys(kubernetes.v3.get(place)!.paths)).toEqual(
        Object.keys(v2.paths).filter((path) => path.startsWith(`/${place}/`)),
      )
  })

  test('an operation of version 3', () => {
    const path = '/api/v1/namespaces/{namespace}/configmaps/{name}'
    const { put, parameters } = bare(kubernetes.v3.get('api/v1')!.paths[path]) as {
      put: Json
      parameters: unknown
    }
    const schema = { $ref: '#/components/schemas/io.k8s.api.core.v1.ConfigMap' }
    const content = Object.fromEntries(FORMS.map((form) => [form, { schema }]))
    const text = { type: 'string', uniqueItems: true }
    expect(parameters).toEqual([
      { in: 'path', name: 'name', required: true, schema: text },
      { in: 'path', name: 'namespace', required: true, schema: text },
      { in: 'query', name: 'pretty', schema: text },
    ])
    expect(put).toEqual({
      operationId: 'replaceCoreV1NamespacedConfigMap',
      parameters: ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
        in: 'query',
        name,
        schema: text,
      })),
      requestBody: { content: { '*/*': { schema } }, required: true },
      responses: { 200: { content }, 201: { content }, 401: {} },
      tags: ['core_v1'],
      'x-kubernetes-action': 'put',
      'x-kubernetes-group-version-kind': configMap,
    })
  })
})

describe.each(['kubernetes', 'orch'] as const)('all of %s', (name) => {
  const documents = name === 'kubernetes' ? kubernetes : documentsIn(name)
  const all: [string, object, object, string][] = [
    ['v2', documents.v2, documents.v2.definitions, '#/definitions/'],
    ...[...documents.v3].map(([path, document]): [string, object, object, string] => [
      path,
      document,
      document.components.schemas,
      '#/components/schemas/',
    ]),
  ]

  test.each(all)('%s: references lead somewhere and nothing is left over', (_, d, found, start) => {
    const names = new Set(references(d).map((text) => text.slice(start.length)))
    expect([...names].filter((n) => !Object.hasOwn(found, n))).toEqual([])
    expect(Object.keys(found).filter((n) => !names.has(n))).toEqual([])
  })

  test('operation ids are there once', () => {
    const ids = Object.values(documents.v2.paths).flatMap((item) =>
      Object.values(item).flatMap((o) => (o as { operationId?: string }).operationId ?? []),
    )
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
    expect(ids.length).toBeGreaterThan(100)
  })

  test('definitions and fields are described', () => {
    const bareOnes = Object.entries(documents.v2.definitions).flatMap(([at, definition]) => [
      ...(definition.description === undefined ? [at] : []),
      ...Object.entries((definition.properties ?? {}) as Record<string, Json>)
        .filter(([, property]) => property.description === undefined)
        .map(([field]) => `${at}.${field}`),
    ])
    expect(bareOnes).toEqual([])
  })

  test('each extension is there under every key that clients of the vocabulary look for', () => {
    const text = JSON.stringify([documents.v2, ...documents.v3.values()])
    // Schemas of definitions have fields of such names besides, in one spelling.
    const count = (brand: string) =>
      text.match(new RegExp(`"x-${brand}-[a-z-]+":(?!\\{"(?:description|default|items)")`, 'g'))
        ?.length ?? 0
    expect(count('kubernetes')).toBeGreaterThan(1000)
    expect(count('orch')).toBe(name === 'orch' ? count('kubernetes') : 0)
  })

  test('texts speak the language of the vocabulary', () => {
    // Clients have these keys built in.
    const text = JSON.stringify([documents.v2, ...documents.v3.values()]).replaceAll(
      '"x-kubernetes-',
      '"',
    )
    expect(text).not.toMatch(name === 'orch' ? /k8s|kube/i : /orch\b/i)
    expect(text).not.toMatch(/\{(api|label|system|agent|brand|Brand|cli)\}/)
    expect(Object.keys(documents.v2.definitions)).toContain(
      `io.${name === 'orch' ? 'orch' : 'k8s'}.api.core.v1.Pod`,
    )
  })
})
