/** Stories of managers who write one object in turns, and what of it and of its owners is left. */
import { fromFieldsV1 } from '../../src/patch/fields-v1.ts'
import { pathText } from '../../src/patch/field-path.ts'
import type { Client, Reply } from '../client.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests write and read objects of every kind
export type Json = any

/** One write of a story. */
export interface Step {
  readonly by: string
  readonly as: 'apply' | 'force' | 'merge' | 'put' | 'json' | 'strategic' | 'create'
  /** Configuration, object or patch. */
  readonly with: Json
  readonly sub?: string
  /** Path of the collection, for another version than the story's. */
  readonly at?: string
  readonly query?: string
}

/** Shorthands for steps. */
export const apply = (by: string, config: Json, more: Partial<Step> = {}): Step => ({
  by,
  as: 'apply',
  with: config,
  ...more,
})
export const force = (by: string, config: Json, more: Partial<Step> = {}): Step => ({
  by,
  as: 'force',
  with: config,
  ...more,
})
export const merge = (by: string, patch: Json, more: Partial<Step> = {}): Step => ({
  by,
  as: 'merge',
  with: patch,
  ...more,
})

/** What an object is written as. */
export interface Place {
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

const TYPES = {
  apply: 'application/apply-patch+yaml',
  force: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const

/** Does one step. */
export function write(client: Client, place: Place, step: Step): Promise<Reply> {
  const { path, apiVersion, kind, name } = place
  const base = step.at ?? path
  const query = `?fieldManager=${step.by}${step.as === 'force' ? '&force=true' : ''}${step.query ?? ''}`
  const at = `${base}/${name}${step.sub === undefined ? '' : `/${step.sub}`}${query}`
  const whole = () => ({
    apiVersion,
    kind,
    ...step.with,
    metadata: { name, ...step.with.metadata },
  })
  switch (step.as) {
    case 'create':
      return client.post(`${base}${query}`, whole())
    case 'put':
      return client.put(at, whole())
    case 'apply':
    case 'force':
      return client.ask('PATCH', at, { body: whole(), headers: { 'content-type': TYPES[step.as] } })
    default:
      return client.ask('PATCH', at, {
        body: step.with,
        headers: { 'content-type': TYPES[step.as] },
      })
  }
}

/** Each entry as `manager operation: paths`, with version and sub-resource where they are told apart. */
export function ownersOf(object: Json, version: string): string[] {
  const entries: Json[] = object.metadata.managedFields ?? []
  return entries
    .map(({ manager, operation, apiVersion, fieldsV1, subresource }) => {
      const paths = Array.from(fromFieldsV1(fieldsV1).paths(), (path) =>
        pathText(path).replace(/^\./, ''),
      )
      const how = operation === 'Apply' ? '' : '~'
      const where = subresource === undefined ? '' : `/${subresource}`
      const which = apiVersion === version ? '' : `@${apiVersion}`
      return `${manager}${how}${where}${which}: ${paths.join(' ')}`
    })
    .sort()
}
