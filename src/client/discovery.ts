/** Discovery: the resources that a server serves. */
import type { ServedResource, ServedResources } from './transport.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

interface GroupList {
  readonly groups?: readonly Group[] | null
}
interface Group {
  readonly name: string
  readonly versions?: readonly { readonly version: string }[] | null
  readonly preferredVersion?: { readonly version: string }
}
interface ResourceList {
  readonly resources?: readonly Listed[] | null
}
interface Listed {
  readonly name: string
  readonly kind: string
  readonly namespaced?: boolean
  readonly verbs?: readonly string[] | null
}

/** Reads all discovery documents; `read` fetches one by its path. A group version that cannot be read is a failure. */
export async function discover(read: (path: string) => Promise<unknown>): Promise<ServedResources> {
  const { versions: core = [] } = (await read('/api')) as { versions?: string[] }
  const { groups } = (await read('/apis')) as GroupList
  const wanted = [
    ...core.map((version) => ({ group: '', version })),
    ...(groups ?? []).flatMap((group) =>
      versionsOf(group).map((version) => ({ group: group.name, version })),
    ),
  ]
  const failures = new Map<string, Error>()
  const found = await Promise.all(
    wanted.map(async ({ group, version }): Promise<readonly ServedResource[]> => {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
      try {
        const { resources } = (await read(path)) as ResourceList
        return (resources ?? []).flatMap(({ name, kind, namespaced = false, verbs }) =>
          name.includes('/')
            ? []
            : [{ group, version, resource: name, kind, namespaced, verbs: verbs ?? [] }],
        )
      } catch (error) {
        const why = error instanceof Error ? error : new Error(String(error))
        failures.set(group === '' ? version : `${group}/${version}`, why)
        return []
      }
    }),
  )
  return { resources: found.flat(), failures }
}

function versionsOf({ versions, preferredVersion }: Group): string[] {
  const all = (versions ?? []).map(({ version }) => version)
  const first = preferredVersion?.version
  return first === undefined ? all : [first, ...all.filter((version) => version !== first)]
}

/** Each resource once, in the version that its group prefers. */
export function preferred(resources: readonly ServedResource[]): ServedResource[] {
  const seen = new Set<string>()
  return resources.filter(({ group, resource }) => {
    const name = `${group}/${resource}`
    return !seen.has(name) && seen.add(name)
  })
}

/** The vocabulary of a server, by its groups. Throws an Error when they are of none. */
export function vocabularyOf(resources: readonly ServedResource[]): Vocabulary {
  const groups = new Set(resources.map(({ group }) => group))
  const found = Object.values(vocabularies).find((v) => groups.has(v.resolve('authorization{api}')))
  if (!found) throw new Error('the server serves no group by which its vocabulary could be told')
  return found
}
