/** What a server publishes of itself: its operations, kinds and versions, and an example of each kind. */
import { vocabularies } from '../../src/vocabulary/index.ts'
import type { VocabularyName } from '../../src/vocabulary/vocabulary.ts'
import { manifests, objectOf, type Manifest } from '../manifests.fixture.ts'
import { protobufForm } from '../protobuf/form.ts'
import type { MediaTypes } from './headers.ts'
import { grammarOfV2, grammarOfV3, type Grammar } from './operations.ts'

/** A resource that discovery lists. */
export interface Listed {
  readonly groupVersion: string
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

export interface World {
  readonly vocabulary: VocabularyName
  readonly media: MediaTypes
  /** That of version 2 first, then one for each document of version 3. */
  readonly grammars: readonly Grammar[]
  readonly listed: readonly Listed[]
  readonly templates: ReadonlyMap<string, Manifest>
  readonly protobuf: { write(value: object): Buffer }
  resolve(template: string): string
}

/** Reads one document. */
export type Read = (path: string) => Promise<unknown>

/** Learns all that is published. */
export async function learnWorld(vocabulary: VocabularyName, read: Read): Promise<World> {
  const v = vocabularies[vocabulary]
  const grammars = [grammarOfV2(await read('/openapi/v2'))]
  const { paths } = (await read('/openapi/v3')) as {
    paths: Record<string, { serverRelativeURL: string }>
  }
  for (const { serverRelativeURL } of Object.values(paths))
    grammars.push(grammarOfV3(await read(serverRelativeURL)))
  return {
    vocabulary,
    media: {
      protobuf: v.resolve('application/vnd.{brand}.protobuf'),
      meta: v.resolve('meta{api}'),
    },
    grammars,
    listed: await discovered(read),
    templates: new Map(manifests(v).map((m) => [`${m.apiVersion} ${m.kind}`, m])),
    protobuf: protobufForm(v),
    resolve: (template) => v.resolve(template),
  }
}

async function discovered(read: Read): Promise<Listed[]> {
  const { groups } = (await read('/apis')) as {
    groups: { versions: { groupVersion: string }[] }[]
  }
  const versions = groups.flatMap((group) => group.versions.map((one) => one.groupVersion))
  const out: Listed[] = []
  for (const groupVersion of ['v1', ...versions]) {
    const { resources } = (await read(rootOf(groupVersion))) as { resources: Listed[] }
    out.push(...resources.map((one) => ({ ...one, groupVersion })))
  }
  return out
}

/** The path below which the resources of a group version are. */
export const rootOf = (groupVersion: string): string =>
  groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`

/** Path of a collection. */
export const collectionOf = (resource: Listed, namespace: string): string =>
  resource.namespaced
    ? `${rootOf(resource.groupVersion)}/namespaces/${namespace}/${resource.name}`
    : `${rootOf(resource.groupVersion)}/${resource.name}`

/** An object of a kind with this name, or one that its kind allows and that has it in it. */
export function exampleOf(manifest: Manifest, name: string, namespace: string): object {
  const object = objectOf(manifest, nameFor(manifest, name), namespace) as {
    spec?: { group?: string; names?: { plural: string } }
  }
  if (manifest.kind === 'CustomResourceDefinition') object.spec!.names!.plural = name
  if (manifest.kind === 'APIService') object.spec!.group = `${name}.example.com`
  return object
}

/** A name for an object of a kind; some kinds want more than a word. */
export function nameFor({ kind }: Pick<Manifest, 'kind'>, name: string): string {
  if (kind === 'CustomResourceDefinition') return `${name}.example.com`
  if (kind === 'APIService') return `v1.${name}.example.com`
  if (kind === 'StorageVersion') return `${name}.deployments`
  return name
}
