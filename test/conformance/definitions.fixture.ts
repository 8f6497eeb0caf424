/** Definitions of kinds as users send them. */
import type { RunningServer } from '../../src/index.ts'
import type { Client, Reply } from '../client.ts'

export type Json = Record<string, unknown>

export const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions'
export const CRONS = '/apis/stable.example.com/v1/namespaces/default/crontabs'

const text = { type: 'string' }

/** What crontabs say, in both versions. */
const PROPERTIES: Json = {
  spec: {
    type: 'object',
    required: ['cron'],
    properties: {
      cron: { type: 'string', pattern: '^[0-9* ]+$' },
      replicas: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
      mode: { type: 'string', enum: ['Slow', 'Fast'] },
      parts: {
        type: 'array',
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: text, size: text } },
      },
    },
  },
  status: {
    type: 'object',
    properties: { phase: text, replicas: { type: 'integer' }, selector: text },
  },
}

/** One version of a definition. */
export const version = (name: string, more: Json = {}, properties: Json = PROPERTIES): Json => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', properties } },
  ...more,
})

/** A definition with some of its spec in other words. */
export const definition = (
  plural: string,
  kind: string,
  spec: Json = {},
  group = 'stable.example.com',
) => ({
  apiVersion: 'apiextensions.orch.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [version('v1', { storage: true })],
    ...spec,
  },
})

export const CRONTABS = definition('crontabs', 'CronTab', {
  names: {
    plural: 'crontabs',
    singular: 'crontab',
    kind: 'CronTab',
    shortNames: ['ct'],
    categories: ['all'],
  },
  versions: [
    version('v1', {
      storage: true,
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
      additionalPrinterColumns: [
        { name: 'Cron', type: 'string', jsonPath: '.spec.cron' },
        { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
      ],
    }),
  ],
})

/** A crontab. */
export const cron = (name: string, spec: Json = { cron: '* *' }, more: Json = {}) => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'CronTab',
  metadata: { name, ...more },
  spec,
})

/** Conditions of a definition, each as `Type Status Reason`. */
export async function conditionsOf(client: Client, name: string): Promise<string[]> {
  const { body } = await client.get(`${DEFINITIONS}/${name}`)
  return ((body.status?.conditions ?? []) as Record<'type' | 'status' | 'reason', string>[]).map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  )
}

/** Makes a definition and waits, as clients do, until a watch says that it is in force. */
export async function define(client: Client, body: ReturnType<typeof definition>): Promise<void> {
  const { name } = body.metadata
  const watch = await client.watch(`${DEFINITIONS}?watch=1&fieldSelector=metadata.name=${name}`)
  const made = await client.post(DEFINITIONS, body)
  if (made.status !== 201) throw new Error(made.text)
  for (;;) {
    const event = await watch.next()
    if (!event) throw new Error('the watch has ended')
    const { conditions = [] } = (event.object as { status?: { conditions?: Json[] } }).status ?? {}
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) break
  }
  watch.close()
}

/** Deletes a definition, and waits until the controllers have nothing to do. */
export async function undefine(
  server: RunningServer,
  client: Client,
  name: string,
): Promise<Reply> {
  await client.delete(`${DEFINITIONS}/${name}`)
  await server.settled()
  return client.get(`${DEFINITIONS}/${name}`)
}
