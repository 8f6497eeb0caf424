/** Short forms of the requests that rows are made of. */
import { many, type Ask, type Row } from './row.ts'

export const NS = '/api/v1/namespaces/default'
export const MAPS = `${NS}/configmaps`
export const PODS = `${NS}/pods`
export const MERGE = 'application/merge-patch+json'
export const STRATEGIC = 'application/strategic-merge-patch+json'
export const JSON_PATCH = 'application/json-patch+json'
export const APPLY = 'application/apply-patch+yaml'

export type Json = Record<string, unknown>

export const ask = (
  method: string,
  path: string,
  value: () => unknown,
  type = 'application/json',
): Ask => ({ method, path, type, body: () => JSON.stringify(value()) })

/** A create of one object, which goes afterwards. */
export const create = (name: string, path: string, object: () => Json, status = 201): Row => ({
  name: `create ${name}`,
  ask: ask('POST', path, () => ({ metadata: { name: 'big' }, ...object() })),
  status,
  after: [{ method: 'DELETE', path: `${path}/big` }],
})

/** A change of one object that is made before and goes afterwards. */
export const change = (
  name: string,
  collection: string,
  object: () => Json,
  {
    method,
    sub = '',
    value,
    type,
    status = 200,
  }: {
    readonly method: string
    readonly sub?: string
    readonly value: () => unknown
    readonly type?: string
    readonly status?: number
  },
): Row => ({
  name,
  before: [ask('POST', collection, () => ({ metadata: { name: 'big' }, ...object() }))],
  ask: ask(method, `${collection}/big${sub}`, value, type),
  status,
  after: [
    ask('PATCH', `${collection}/big`, () => ({ metadata: { finalizers: null } }), MERGE),
    { method: 'DELETE', path: `${collection}/big` },
  ],
})

export const podSpec = (container: Json = {}, more: Json = {}): Json => ({
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...more },
})
export const env = (values?: number) =>
  many((i) => ({ name: `E${i}`, value: '' }), values ? { values } : {})
export const keys = (count: number, value = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))
export const apps = (resource: string) => `/apis/apps/v1/namespaces/default/${resource}`
export const RBAC = '/apis/rbac.authorization.k8s.io/v1'
