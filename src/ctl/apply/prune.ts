/** Deletes what was applied before and is in the files no more. */
import { readAll } from '../api/find-objects.ts'
import { lastApplied } from '../api/last-applied.ts'
import { apiVersionOf, inOrder, resourcePath } from '../api/resources.ts'
import type { ServedResource } from '../api/discovery.ts'
import type { Done, DryRun } from '../api/writing.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import type { ApiObject } from '../../client/transport.ts'

/** Kinds that are pruned where none are named, namespaced ones last. */
const KINDS = [
  ...['Namespace', 'PersistentVolume', 'ConfigMap', 'Endpoints', 'PersistentVolumeClaim', 'Pod'],
  ...['ReplicationController', 'Secret', 'Service'],
].map((kind) => `/v1/${kind}`)
const MORE = ['batch/v1/Job', 'batch/v1/CronJob', 'networking{api}/v1/Ingress', 'apps/v1/DaemonSet']
const REST = ['apps/v1/Deployment', 'apps/v1/ReplicaSet', 'apps/v1/StatefulSet']

/** What has been applied. */
export interface Visited {
  readonly uids: ReadonlySet<string>
  readonly namespaces: ReadonlySet<string>
}

/** Prunes after an apply. */
export async function prune(
  c: Context,
  visited: Visited,
  { done, dryRun }: { readonly done: Done; readonly dryRun: DryRun },
): Promise<void> {
  const key = lastApplied(await c.words())
  const resources = await prunable(c)
  const api = await c.api()
  const remove = async (of: ServedResource, namespace: string) => {
    const query = { labelSelector: c.flags.text('selector') || undefined }
    for (const object of await readAll(c, { of, namespace, name: '' }, query)) {
      const { annotations = {}, uid = '', name = '' } = object.metadata
      if (!Object.hasOwn(annotations, key) || visited.uids.has(uid)) continue
      if (object.metadata.deletionTimestamp !== undefined) continue
      if (dryRun !== 'client') {
        await api.json<ApiObject>({
          method: 'DELETE',
          path: resourcePath(of, namespace, name),
          body: {
            apiVersion: 'v1',
            kind: 'DeleteOptions',
            propagationPolicy: propagation(c.flags.text('cascade')),
            ...(dryRun === 'server' ? { dryRun: ['All'] } : {}),
          },
        })
      }
      await done.say(object, 'pruned')
    }
  }
  for (const namespace of visited.namespaces) {
    for (const of of resources) if (of.namespaced) await remove(of, namespace)
  }
  for (const of of resources) if (!of.namespaced) await remove(of, '')
}

/** Throws for a list of kinds that cannot be read: nothing is applied then. */
export const checkPrunable = async (c: Context): Promise<void> => void (await prunable(c))

const propagation = (cascade: string): string =>
  cascade === 'orphan' ? 'Orphan' : cascade === 'foreground' ? 'Foreground' : 'Background'

async function prunable(c: Context): Promise<ServedResource[]> {
  const v = await c.words()
  const named = c.flags.list('prune-whitelist')
  const wanted =
    named.length > 0
      ? named.map(checked)
      : [...KINDS, ...MORE, ...REST].map((text) => v.resolve(text))
  const all = inOrder(await (await c.discovery()).served())
  return wanted.flatMap((text) => {
    const [, apiVersion = '', kind = ''] =
      /^\/?(.*)\/([^/]+)$/.exec(text.replace(/^core\//, '')) ?? []
    const found = all.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion)
    if (!found && named.length > 0) {
      throw new Fault(`error: no matches for kind "${kind}" in version "${apiVersion}"`)
    }
    return found ? [found] : []
  })
}

function checked(text: string): string {
  if (text.split('/').length === 3) return text
  throw new Fault(
    `error: invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`,
  )
}
