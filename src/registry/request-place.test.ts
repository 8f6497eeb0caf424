/** What is authorized and what is carried out are the same, for all kinds and all forms of paths. */
import { expect, test } from 'vitest'
import { buildCatalogue, type ResourceEntry } from '../catalogue/catalogue.ts'
import { parseRequest, RequestPathError, type RequestInfo } from '../http/request-info.ts'
import { resources } from '../kinds/index.ts'
import { StatusError } from '../meta/errors.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { placeIn, type Place } from './request-place.ts'

const catalogue = buildCatalogue(resources, vocabularies.orch)
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const QUERIES = [
  '',
  'watch',
  'watch=true&fieldSelector=metadata.name%3Dx',
  'fieldSelector=metadata.name=x',
]
/** Names of custom kinds that paths have a meaning of their own for. */
const AWKWARD = [
  'namespaces',
  'watch',
  'proxy',
  'status',
  'finalize',
  'apis',
  'api',
  'v1',
  '%2e',
  'x/y',
]

const encoded = (text: string) =>
  text.replace(/./, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Paths below a group version that mention a resource in every place where one could be. */
function forms(resource: string): string[] {
  const ends = [
    '',
    '/n',
    '/n/status',
    '/n/scale',
    '/n/finalize',
    '/n/x',
    '/n/status/y',
    '/n/proxy/y/z',
  ]
  const starts = [
    '',
    'namespaces/a/',
    'namespaces/a/namespaces/b/',
    'namespaces/a/status/',
    'namespaces/',
  ]
  const plain = starts.flatMap((start) => ends.map((end) => `${start}${resource}${end}`))
  return [
    ...plain,
    ...plain.map((path) => `watch/${path}`),
    ...plain.map((path) => `proxy/${path}`),
  ].flatMap((path) => [
    path,
    `${path}/`,
    `/${path}`,
    path.replace('/', '//'),
    path.replace('/', '%2F'),
    path.replace('/a/', '/./'),
    path.replace('/a/', '/%2e%2e/'),
    path.replace('/n', '/%2e%2e%2fm'),
    path.replace('namespaces', 'Namespaces'),
    path.replace('namespaces', encoded('namespaces')),
    path.replace(resource, encoded(resource)),
  ])
}

function outcome(served: ResourceEntry, info: RequestInfo, method: string): Place | null {
  try {
    return placeIn(served, info, method)
  } catch (error) {
    if (error instanceof StatusError) return null
    throw error
  }
}

function parsed(method: string, path: string, query: string): RequestInfo | null {
  try {
    return parseRequest(method, path, query)
  } catch (error) {
    if (error instanceof RequestPathError) return null
    throw error
  }
}

/** Counts the places that are carried out; each is the one that was authorized. */
function compare(
  prefix: string,
  resource: string,
  find: (info: RequestInfo) => ResourceEntry | null,
) {
  let carriedOut = 0
  for (const path of forms(resource))
    for (const method of METHODS)
      for (const query of QUERIES) {
        const info = parsed(method, `${prefix}/${path}`, query)
        const served = info?.isResource === true ? find(info) : null
        const place = served && outcome(served, info!, method)
        if (!place) continue
        carriedOut++
        const { namespace, name, subresource } = info!
        const isNamespaceItself = info!.resource === 'namespaces' && namespace === name
        const authorized = {
          namespace: isNamespaceItself && !served.namespaced ? '' : namespace,
          name,
          subresource,
        }
        if (JSON.stringify(place) !== JSON.stringify(authorized))
          expect([method, path, query, place]).toEqual([method, path, query, authorized])
        if (
          place.namespace === '.' ||
          place.namespace === '..' ||
          /[/%]/.test(place.namespace + place.name)
        )
          expect([method, path, place]).toBe('refused')
      }
  return carriedOut
}

test('every built-in kind', () => {
  const entries = [...catalogue.entries()].flatMap(({ served }) => served)
  for (const { group, version, resource } of entries) {
    const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const find = (info: RequestInfo) =>
      catalogue.find(info.group, info.version, info.resource) ?? null
    expect([resource, compare(prefix, resource, find) > 0]).toEqual([resource, true])
  }
})

test('custom kinds with awkward names, of both scopes', () => {
  const configMaps = catalogue.find('', 'v1', 'configmaps')!
  const nodes = catalogue.find('', 'v1', 'nodes')!
  for (const plural of AWKWARD)
    for (const like of [configMaps, nodes]) {
      const entry = { ...like, group: 'example.com', resource: plural } as ResourceEntry
      compare('/apis/example.com/v1', plural, ({ group, resource }) =>
        group === 'example.com' && resource === plural ? entry : null,
      )
    }
})
