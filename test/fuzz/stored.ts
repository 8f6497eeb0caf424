/** What is stored: to be compared, and to be put away. */
import type { Admin } from './admin.ts'
import type { Problem } from './findings.ts'
import { collectionOf, exampleOf, nameFor, rootOf, type Listed, type World } from './world.ts'

const WITNESS = 'witness'
/** No witnesses: controllers give a node that does not report taints, after less than a minute. */
const CHANGED_LATER: ReadonlySet<string> = new Set(['nodes'])

interface Item {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
    readonly finalizers?: readonly string[]
    readonly labels?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
}

/** An object by its path. */
export interface Stored {
  readonly resourceVersion: string
  readonly uid: string
  readonly hasFinalizers: boolean
  /** It is being deleted, by itself or with its namespace. */
  readonly isEnding: boolean
}

/** Each resource once, in one of its versions. */
function kindsOf(world: World): Listed[] {
  const seen = new Set<string>()
  return world.listed.filter(({ groupVersion, name, verbs }) => {
    if (name.includes('/') || !verbs.includes('list') || !verbs.includes('create')) return false
    const group = groupVersion.includes('/') ? groupVersion.slice(0, groupVersion.indexOf('/')) : ''
    const key = `${group}/${name}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

const MANAGED_SLICE = /^endpointslice\.[^/]+\/managed-by$/

/** Everything that is stored, but what a server writes by itself all the time. */
async function allStored(admin: Admin, world: World): Promise<Map<string, Stored>> {
  const out = new Map<string, Stored>()
  for (const resource of kindsOf(world)) {
    // Controllers renew leases, and tell in events of what failed when they try it again.
    if (resource.name === 'leases' || resource.name === 'events') continue
    const { body } = await admin.ask('GET', `${rootOf(resource.groupVersion)}/${resource.name}`)
    for (const { metadata } of (body as { items?: Item[] } | null)?.items ?? []) {
      const path = `${collectionOf(resource, metadata.namespace ?? '')}/${encodeURIComponent(metadata.name)}`
      // The controllers that have them repeat what failed after a second and later.
      if (Object.keys(metadata.labels ?? {}).some((key) => MANAGED_SLICE.test(key))) continue
      const { resourceVersion, uid, finalizers, deletionTimestamp } = metadata
      out.set(path, {
        resourceVersion,
        uid,
        hasFinalizers: (finalizers?.length ?? 0) > 0,
        isEnding: deletionTimestamp !== undefined,
      })
    }
  }
  return out
}

/** What differs between two times. */
export function changesOf(
  before: ReadonlyMap<string, Stored>,
  after: ReadonlyMap<string, Stored>,
): Problem[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].flatMap((path): Problem[] => {
    const [old, now] = [before.get(path), after.get(path)]
    const [, namespace] = /^(?:.*)\/namespaces\/([^/]+)\//.exec(path) ?? []
    const isLeaving =
      old?.isEnding === true || before.get(`/api/v1/namespaces/${namespace}`)?.isEnding === true
    if (isLeaving) return []
    if (old?.uid === now?.uid && old?.resourceVersion === now?.resourceVersion) return []
    const how = old === undefined ? 'was made' : now === undefined ? 'went' : 'was changed'
    return [{ is: 'change', message: `${path} ${how} by nobody who may` }]
  })
}

/** Reads all until nothing changes any more. */
export async function settled(admin: Admin, world: World): Promise<Map<string, Stored>> {
  let last = await allStored(admin, world)
  for (let i = 0; i < 20; i++) {
    const now = await allStored(admin, world)
    if (changesOf(last, now).length === 0) return now
    last = now
  }
  return last
}

/** Deletes whatever was not there at a time before. */
export async function putAway(
  admin: Admin,
  world: World,
  kept: ReadonlyMap<string, Stored>,
): Promise<void> {
  for (let i = 0; i < 6; i++) {
    const extra = [...(await allStored(admin, world))].filter(
      ([path, { uid }]) => kept.get(path)?.uid !== uid,
    )
    if (extra.length === 0) return
    for (const [path, { hasFinalizers }] of extra) {
      await admin.ask('DELETE', path, {
        body: {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          gracePeriodSeconds: 0,
          propagationPolicy: 'Background',
        },
      })
      if (hasFinalizers)
        await admin.ask('PATCH', path, {
          type: 'application/merge-patch+json',
          body: { metadata: { finalizers: null } },
        })
    }
  }
}

/** Objects of every kind that no made-up request names, and that must stay as they are. */
export class Witnesses {
  readonly #bytes = new Map<string, Buffer>()

  /** Makes them. */
  static async make(admin: Admin, world: World): Promise<Witnesses> {
    const witnesses = new Witnesses()
    await admin.ask('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: WITNESS } },
    })
    const paths: string[] = []
    for (const resource of kindsOf(world)) {
      const manifest = world.templates.get(`${resource.groupVersion} ${resource.kind}`)
      if (!manifest || CHANGED_LATER.has(resource.name)) continue
      const collection = collectionOf(resource, WITNESS)
      const { status } = await admin.ask('POST', collection, {
        body: exampleOf(manifest, WITNESS, WITNESS),
      })
      if (status === 201 || status === 409)
        paths.push(`${collection}/${nameFor(manifest, WITNESS)}`)
    }
    await settled(admin, world)
    for (const path of paths) {
      const { status, bytes } = await admin.ask('GET', path)
      if (status === 200) witnesses.#bytes.set(path, bytes)
    }
    return witnesses
  }

  get count(): number {
    return this.#bytes.size
  }

  /** Those that are not what they were. */
  async check(admin: Admin): Promise<Problem[]> {
    const problems: Problem[] = []
    for (const [path, bytes] of this.#bytes) {
      const now = await admin.ask('GET', path)
      if (!now.bytes.equals(bytes))
        problems.push({
          is: 'witness',
          message: `${path} is not what it was: ${now.bytes.toString('utf8', 0, 300)}`,
        })
    }
    return problems
  }
}
