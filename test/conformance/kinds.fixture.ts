/**
 * Kinds that the same suites run over: one that is declared, and one whose schema comes when the server is there, by each
 * of its versions. All of them have a map `data` of texts.
 */
import type { RunningServer, ServerOptions } from '../../src/index.ts'
import { schemaEntries, type SchemaKind } from '../../src/extend/schema-entry.ts'
import { JSONSchemaProps, type SchemaProps } from '../../src/structural/json-schema-props.ts'
import { codecOf, Decoding } from '../../src/codec/codec.ts'
import type { Convert } from '../../src/catalogue/entry.ts'
import type { LiveCatalogue } from '../../src/catalogue/live-catalogue.ts'
import type { Inside } from '../../src/server/settings.ts'
import { launchServer } from '../../src/server/start-server.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import type { Vocabulary } from '../../src/vocabulary/vocabulary.ts'

type Json = Record<string, unknown>

/** One kind by one of its versions. */
export interface KindUnderTest {
  readonly title: string
  readonly group: string
  readonly apiVersion: string
  readonly kind: string
  readonly resource: string
  /** The collection in a namespace. */
  readonly in: (namespace: string) => string
  /** That of all namespaces. */
  readonly everywhere: string
  /** The old path of a watch of a collection. */
  readonly watchPath: string
  /** What the server writes into the metadata of each new object of the kind. */
  readonly made: Json
  /** Whether an empty map is kept apart from none. */
  readonly keepsEmpty: boolean
  /** Whether a PUT must carry a resourceVersion. */
  readonly needsVersion: boolean
  /** Columns behind the name in tables, and the cells of an object with two data, 90 seconds after it was made. */
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly cells: readonly unknown[]
  start(options?: ServerOptions): Promise<RunningServer>
}

/** Type of its objects, which bodies of kinds with a schema must say. */
export const typeOf = ({ apiVersion, kind }: Pick<KindUnderTest, 'apiVersion' | 'kind'>) => ({
  apiVersion,
  kind,
})

/** The resource, or another word for it, as errors name it. */
export const qualified = ({ resource, group }: KindUnderTest, word = resource) =>
  group === '' ? word : `${word}.${group}`

/** The details of errors about an object. */
export const detailsOf = ({ resource, group }: KindUnderTest, name: string) => ({
  name,
  ...(group === '' ? {} : { group }),
  kind: resource,
})

const text = { type: 'string' }

/** What both versions of a gizmo have. */
const COMMON: Json = {
  data: { type: 'object', additionalProperties: text },
  parts: {
    type: 'array',
    'x-orch-list-type': 'map',
    'x-orch-list-map-keys': ['name'],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: text, size: { type: 'integer', default: 1 } },
    },
  },
  tags: { type: 'array', 'x-orch-list-type': 'set', items: text },
  free: { type: 'object', 'x-orch-preserve-unknown-fields': true },
  note: { type: 'string', nullable: true },
  '{agent}x': text,
  status: { type: 'object', properties: { phase: text } },
}

const spec = (count: string): Json => ({
  type: 'object',
  properties: {
    [count]: { type: 'integer', minimum: 0, default: 1 },
    mode: { type: 'string', enum: ['Slow', 'Fast'] },
  },
})

/** A structural schema as definitions have it, in the words of the vocabulary. */
export function schemaOf(properties: Json, v: Vocabulary): SchemaProps {
  const words = JSON.stringify({ type: 'object', properties }).replaceAll(
    '"x-orch-',
    `"x-${v.resolve('{brand}')}-`,
  )
  // Read as one of a definition is.
  return codecOf(JSONSchemaProps.shape, v).decode(JSON.parse(words), new Decoding())
}

/** A kind with a count that its two versions call differently. */
export const gizmos = (
  v: Vocabulary,
  more: Partial<Pick<SchemaKind, 'generation' | 'convert'>> = {},
): SchemaKind => ({
  group: 'example.com',
  plural: 'gizmos',
  singular: 'gizmo',
  kind: 'Gizmo',
  listKind: 'GizmoList',
  short: ['gz'],
  categories: ['all'],
  namespaced: true,
  generation: 1,
  versions: [
    {
      name: 'v1',
      schema: schemaOf({ ...COMMON, spec: spec('replicas') }, v),
      status: true,
      columns: [
        { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
    {
      name: 'v2',
      schema: schemaOf({ ...COMMON, spec: spec('size') }, v),
      status: true,
      columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    },
  ],
  ...more,
})

/** Starts a server whose own objects are written: what tests do next has the next revision. */
async function launchSettled(options: ServerOptions, inside?: Inside): Promise<RunningServer> {
  const server = await launchServer(options, inside)
  await server.settled()
  return server
}

/** Starts a server that serves gizmos beside what is built in, and tells of its catalogue. */
export async function startWithGizmos(
  options: ServerOptions = {},
  convert?: Convert,
): Promise<RunningServer & { readonly catalogue: LiveCatalogue }> {
  const v = vocabularies[options.vocabulary ?? 'orch']
  let found: LiveCatalogue | undefined
  const server = await launchSettled(options, {
    made({ catalogue }) {
      const versions = schemaEntries(gizmos(v, convert ? { convert } : {}))
      catalogue.publish('a test', [{ versions, served: versions }])
      found = catalogue
    },
  })
  return { ...server, catalogue: found! }
}

/** Starts a server with a definition of gizmos in force, whether controllers run or not. */
async function startWithDefinition(options: ServerOptions = {}): Promise<RunningServer> {
  const v = vocabularies[options.vocabulary ?? 'orch']
  const server = await launchSettled(options)
  const { group, plural, kind, singular, listKind, short, versions } = gizmos(v)
  const names = { plural, kind, singular, listKind, shortNames: short, categories: ['all'] }
  const schemas = codecOf(JSONSchemaProps.shape, v)
  const api = v.resolve('apiextensions{api}')
  const client = await server.client()
  const definitions = client.resource({
    group: api,
    version: 'v1',
    resource: 'customresourcedefinitions',
  })
  const name = `${plural}.${group}`
  await definitions.create({
    metadata: { name },
    spec: {
      group,
      scope: 'Namespaced',
      names,
      versions: versions.map(({ name, schema, columns }, i) => ({
        name,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: schemas.plain(schema as never) },
        subresources: { status: {} },
        additionalPrinterColumns: columns,
      })),
    },
  } as never)
  const now = '2024-01-01T00:00:00Z'
  const condition = (type: string, reason: string) => ({
    ...{ type, status: 'True', reason, message: '', lastTransitionTime: now },
  })
  // Readers of the answer find the kind.
  const status = {
    acceptedNames: names,
    conditions: [
      condition('NamesAccepted', 'NoConflicts'),
      condition('Established', 'InitialNamesAccepted'),
    ],
  }
  await definitions.sub('status').patch(name, { status }, { type: 'merge' })
  client.close()
  return server
}

const configMaps: KindUnderTest = {
  title: 'a declared kind',
  group: '',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  in: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  everywhere: '/api/v1/configmaps',
  watchPath: '/api/v1/watch/namespaces/default/configmaps',
  made: {},
  keepsEmpty: false,
  needsVersion: false,
  columns: [
    { name: 'Data', type: 'string' },
    { name: 'Age', type: 'string' },
  ],
  cells: [2, '90s'],
  start: (options) => launchSettled(options ?? {}),
}

const gizmo = (
  title: string,
  version: string,
  columns: Pick<KindUnderTest, 'columns' | 'cells'>,
  convert?: Convert,
): KindUnderTest => ({
  title,
  group: 'example.com',
  apiVersion: `example.com/${version}`,
  kind: 'Gizmo',
  resource: 'gizmos',
  in: (namespace) => `/apis/example.com/${version}/namespaces/${namespace}/gizmos`,
  everywhere: `/apis/example.com/${version}/gizmos`,
  watchPath: `/apis/example.com/${version}/watch/namespaces/default/gizmos`,
  made: { generation: 1 },
  keepsEmpty: true,
  needsVersion: true,
  ...columns,
  start: (options) => startWithGizmos(options, convert),
})

const OWN_COLUMNS = {
  columns: [
    { name: 'Replicas', type: 'integer' },
    { name: 'Age', type: 'date' },
  ],
  cells: [null, '90s'],
}
const SIZE = { columns: [{ name: 'Size', type: 'integer' }], cells: [null] }

/** Converts gizmos, after a turn, as a webhook would. */
export const convertGizmos: Convert = async (objects, _kind, groupVersion) => {
  await new Promise<void>((resolve) => setImmediate(resolve))
  const [from, to] = groupVersion.endsWith('/v2') ? ['replicas', 'size'] : ['size', 'replicas']
  return objects.map((one) => {
    const object = JSON.parse(one.json().toString()) as Json
    const { [from]: count, ...spec } = (object['spec'] ?? {}) as Json
    const renamed = count === undefined ? spec : { ...spec, [to]: count }
    const isSame = object['apiVersion'] === groupVersion || object['spec'] === undefined
    return { ...object, apiVersion: groupVersion, ...(isSame ? {} : { spec: renamed }) }
  })
}

/** All of them. */
export const KINDS: readonly KindUnderTest[] = [
  configMaps,
  gizmo('a kind with a schema', 'v1', OWN_COLUMNS),
  gizmo('a kind with a schema, in another version', 'v2', SIZE),
  {
    ...gizmo('a kind with a definition', 'v1', OWN_COLUMNS),
    start: startWithDefinition,
  },
  gizmo('a kind that others convert', 'v1', OWN_COLUMNS, convertGizmos),
  gizmo('a kind that others convert, in another version', 'v2', SIZE, convertGizmos),
]
