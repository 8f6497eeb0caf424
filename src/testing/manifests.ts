/** Applies objects as their files have them. */
import { parseYamlDocuments } from '../codec/yaml.ts'
import type { Client } from '../client/client.ts'
import type { ApiObject, ServedResource } from '../client/transport.ts'
import { eventually } from './eventually.ts'

/** JSON values, or YAML text of any number of documents; lists are taken apart. */
export type Manifests = string | object | readonly (string | object)[]

const MANAGER = 'test'
const DEFINITION = 'CustomResourceDefinition'

/** Applies objects as the user of a client, definitions of custom resources first. */
export async function applyManifests(
  client: Client,
  manifests: Manifests,
): Promise<readonly ApiObject[]> {
  const objects = (await Promise.all([manifests].flat().map(documentsOf))).flat()
  const isFirst = ({ kind }: ApiObject) => kind === DEFINITION
  const results = new Map<ApiObject, ApiObject>()
  for (const object of objects.filter(isFirst)) results.set(object, await apply(client, object))
  for (const object of objects.filter(isFirst)) await established(client, object)
  // In order: what is applied may need what stands before it.
  for (const object of objects.filter((one) => !isFirst(one)))
    results.set(object, await apply(client, object))
  return objects.map((object) => results.get(object)!)
}

async function documentsOf(manifest: string | object): Promise<readonly ApiObject[]> {
  const documents = typeof manifest === 'string' ? await parseYamlDocuments(manifest) : [manifest]
  return documents.flatMap((document): readonly ApiObject[] => {
    const { kind, apiVersion, items } = document as ApiObject & { items?: ApiObject[] }
    if (kind === 'List' && Array.isArray(items)) return items
    if (typeof kind === 'string' && typeof apiVersion === 'string') return [document as ApiObject]
    throw new TypeError(`a manifest needs kind and apiVersion: ${JSON.stringify(document)}`)
  })
}

async function apply(client: Client, object: ApiObject): Promise<ApiObject> {
  const of = await resourceOf(client, object)
  const { metadata } = object
  const all = client.resource(of)
  const place = of.namespaced ? all.in(metadata?.namespace ?? 'default') : all
  if (metadata?.name === undefined && metadata?.generateName !== undefined)
    return place.create(object, { fieldManager: MANAGER })
  return place.apply(object, { fieldManager: MANAGER, force: true })
}

async function resourceOf(
  client: Client,
  { apiVersion = '', kind }: ApiObject,
): Promise<ServedResource> {
  const { resources } = await client.discover()
  const found = resources.find(
    (one) =>
      one.kind === kind && (one.group === '' ? '' : `${one.group}/`) + one.version === apiVersion,
  )
  if (!found) throw new Error(`the server does not serve ${kind} of ${apiVersion}`)
  return found
}

interface Definition extends ApiObject {
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] }
}

/** Waits until a definition is served. */
async function established(client: Client, object: ApiObject): Promise<void> {
  const definitions = client.resource<Definition>(await resourceOf(client, object))
  const { name = '' } = object.metadata ?? {}
  await eventually(async () => {
    const { status } = await definitions.get(name)
    const has = status?.conditions?.some(
      (one) => one.type === 'Established' && one.status === 'True',
    )
    if (has !== true)
      throw new Error(`the definition ${name} is not established: ${JSON.stringify(status)}`)
  })
}
