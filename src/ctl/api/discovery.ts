/** What a server serves, from its discovery documents, kept in a file for later commands. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commonVocabulary, vocabularies } from '../../vocabulary/index.ts'
import type { Vocabulary, VocabularyName } from '../../vocabulary/vocabulary.ts'
import type { Api } from './api.ts'

/** A served resource or sub-resource. */
export interface ServedResource {
  readonly group: string
  readonly version: string
  /** Plural; with a slash for a sub-resource. */
  readonly name: string
  readonly singularName: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
}

/** A served group; its preferred version comes first. */
export interface ServedGroup {
  readonly name: string
  readonly versions: readonly string[]
}

/** What is served. */
export interface Served {
  readonly vocabulary: VocabularyName
  readonly groups: readonly ServedGroup[]
  readonly resources: readonly ServedResource[]
  /** Group versions that could not be read, with the reason. */
  readonly failures: readonly (readonly [groupVersion: string, reason: string])[]
}

/** How long a file counts. */
const FRESH_MS = 6 * 60 * 60 * 1000

/** Discovery documents of one server. */
export class Discovery {
  readonly #file: string
  readonly #api: () => Promise<Api>
  readonly #now: () => number
  #served: Promise<Served> | null = null
  /** Whether what is known comes from this run. */
  isFresh = false

  constructor(options: {
    readonly folder: string
    readonly server: string
    readonly api: () => Promise<Api>
    readonly now: () => number
  }) {
    const name = options.server.replace(/^https?:\/\//, '').replaceAll(/[^A-Za-z0-9.-]+/g, '_')
    this.#file = join(options.folder, 'discovery', `${name}.json`)
    this.#api = options.api
    this.#now = options.now
  }

  /** What is served, as the file has it or the server. */
  served(): Promise<Served> {
    return (this.#served ??= this.#load())
  }

  /** Reads it from the server. */
  refresh(): Promise<Served> {
    this.isFresh = true
    return (this.#served = this.#fetch())
  }

  async #load(): Promise<Served> {
    try {
      const kept = JSON.parse(readFileSync(this.#file, 'utf8')) as { atMs: number; served: Served }
      if (Math.abs(this.#now() - kept.atMs) < FRESH_MS && kept.served.groups.length > 0) {
        return kept.served
      }
    } catch {
      // None, or not one of ours.
    }
    this.isFresh = true
    return this.#fetch()
  }

  async #fetch(): Promise<Served> {
    const served = await fetchServed(await this.#api())
    if (served.failures.length === 0) this.#keep(served)
    return served
  }

  #keep(served: Served): void {
    const draft = `${this.#file}.${process.pid}`
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o750 })
      writeFileSync(draft, JSON.stringify({ atMs: this.#now(), served }), { mode: 0o640 })
      renameSync(draft, this.#file)
    } catch {
      // A home that cannot be written to costs time only.
      rmSync(draft, { force: true })
    }
  }
}

interface ListedGroup {
  readonly name: string
  readonly versions: readonly { readonly version: string }[]
  readonly preferredVersion?: { readonly version: string }
}

interface ListedResource {
  readonly name: string
  readonly singularName?: string
  readonly kind: string
  readonly namespaced?: boolean
  readonly group?: string
  readonly version?: string
  readonly verbs?: readonly string[] | null
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

/** Path of a group version. */
export const groupPath = (group: string, version: string): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`

async function fetchServed(api: Api): Promise<Served> {
  const [core, others] = await Promise.all([
    api.json<{ versions?: string[] }>({ path: '/api' }),
    api.json<{ groups?: ListedGroup[] | null }>({ path: '/apis' }),
  ])
  const groups = [
    { name: '', versions: core.versions ?? [] },
    ...(others.groups ?? []).map((group) => ({ name: group.name, versions: versionsOf(group) })),
  ]
  const failures: [string, string][] = []
  const found = await Promise.all(
    groups.flatMap(({ name, versions }) =>
      versions.map(async (version): Promise<ServedResource[]> => {
        try {
          const list = await api.json<{ resources?: ListedResource[] | null }>({
            path: groupPath(name, version),
          })
          return (list.resources ?? []).map((one) => servedOf(one, name, version))
        } catch (error) {
          failures.push([`${name}/${version}`, error instanceof Error ? error.message : ''])
          return []
        }
      }),
    ),
  )
  return { vocabulary: vocabularyOf(groups).name, groups, resources: found.flat(), failures }
}

function servedOf(one: ListedResource, group: string, version: string): ServedResource {
  return {
    group,
    version,
    name: one.name,
    singularName: one.singularName ?? '',
    kind: one.kind,
    namespaced: one.namespaced ?? false,
    verbs: one.verbs ?? [],
    shortNames: one.shortNames ?? [],
    categories: one.categories ?? [],
  }
}

function versionsOf({ versions, preferredVersion }: ListedGroup): string[] {
  const all = versions.map(({ version }) => version)
  const first = preferredVersion?.version
  return first === undefined ? all : [first, ...all.filter((version) => version !== first)]
}

/** The words of a server; those of existing clients where its groups do not show it. */
function vocabularyOf(groups: readonly ServedGroup[]): Vocabulary {
  const names = new Set(groups.map(({ name }) => name))
  return (
    Object.values(vocabularies).find((v) => names.has(v.resolve('authorization{api}'))) ??
    vocabularies[commonVocabulary]
  )
}
