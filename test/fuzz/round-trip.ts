/** What was written can be read in every form and version, and writing what was read changes nothing. */
import { isDeepStrictEqual } from 'node:util'
import type { Admin, AdminAnswer } from './admin.ts'
import { excuseOfPut } from './excuses.ts'
import { statusOf } from './answer.ts'
import type { Problem } from './findings.ts'
import { rootOf, type Listed, type World } from './world.ts'

const TRIES = 4

/** Where an object of a resource is. */
interface Place {
  readonly resource: Listed
  readonly namespace: string | null
  readonly name: string
}

const pathOf = ({ resource, namespace, name }: Place): string =>
  `${rootOf(resource.groupVersion)}${namespace === null ? '' : `/namespaces/${namespace}`}/${resource.name}/${name}`

/** Finds the resource and object of a path; null when it is not that of an object. */
function placeOf(path: string, world: World): Place | null {
  const [, root, namespace, name, object] =
    /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)\/([^/]+)$/.exec(path) ??
    []
  if (root === undefined) return null
  const resource = world.listed.find(
    (one) =>
      rootOf(one.groupVersion) === root &&
      one.name === name &&
      one.verbs.includes('get') &&
      one.namespaced === (namespace !== undefined),
  )
  return resource ? { resource, namespace: namespace ?? null, name: object! } : null
}

/** The same resource in the other versions of its group. */
const othersOf = ({ resource }: Place, world: World): Listed[] => {
  const groupOf = (groupVersion: string) =>
    groupVersion.includes('/') ? groupVersion.slice(0, groupVersion.indexOf('/')) : ''
  return world.listed.filter(
    (one) =>
      one.name === resource.name &&
      one.groupVersion !== resource.groupVersion &&
      groupOf(one.groupVersion) === groupOf(resource.groupVersion),
  )
}

/** Tries it with one object. Nobody else should write it meanwhile; that controllers may is allowed for. */
export async function roundTrip(admin: Admin, world: World, path: string): Promise<Problem[]> {
  const place = placeOf(path, world)
  if (!place) return []
  let problems: Problem[] = []
  for (let i = 0; i < TRIES; i++) {
    const found = await tryOnce(admin, world, place)
    if (found === 'changed') continue
    if (found.length === 0) return []
    problems = found
    // Seen twice, nobody else can have been the reason.
    if (i > 0) return problems
  }
  return problems
}

async function tryOnce(admin: Admin, world: World, place: Place): Promise<Problem[] | 'changed'> {
  const path = pathOf(place)
  const first = await admin.ask('GET', path)
  if (first.status === 404) return []
  if (first.status !== 200) return [wrong(`GET ${place.resource.name} answered ${first.status}`)]
  const { metadata } = first.body as {
    metadata: { resourceVersion: string; deletionTimestamp?: string }
  }
  if (metadata.deletionTimestamp !== undefined) return []
  const problems: Problem[] = []
  for (const groupVersion of [place.resource, ...othersOf(place, world)]) {
    const there = { ...place, resource: groupVersion }
    for (const accept of ['application/json', 'application/yaml', world.media.protobuf]) {
      const found = await oneForm(admin, { there, accept, version: metadata.resourceVersion })
      if (found === 'changed') return 'changed'
      problems.push(...found)
    }
  }
  const yaml = await admin.ask('GET', path, { accept: 'application/yaml' })
  const again = await admin.ask('GET', path)
  if (
    again.bytes.equals(first.bytes) &&
    yaml.content.form === 'yaml' &&
    !isDeepStrictEqual(yaml.content.value, first.body)
  )
    problems.push(wrong(`YAML of ${place.resource.name} says other than JSON`))
  return problems
}

const versionIn = ({ body }: AdminAnswer): string =>
  (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion

/** Reads one form and writes it back. */
async function oneForm(
  admin: Admin,
  { there, accept, version }: { there: Place; accept: string; version: string },
): Promise<Problem[] | 'changed'> {
  const path = pathOf(there)
  const what = `${there.resource.name} of ${there.resource.groupVersion} in ${accept}`
  const read = await admin.ask('GET', path, { accept })
  if (read.status === 404) return 'changed'
  if (read.status !== 200) return [wrong(`GET ${what} answered ${read.status} ${toldBy(read)}`)]
  if (read.content.form === 'wrong') return [wrong(`GET ${what}: ${read.content.why}`)]
  if (!there.resource.verbs.includes('update')) return []
  const put = await admin.ask('PUT', path, { body: read.bytes, type: accept })
  if (put.status === 409 || put.status === 404) return 'changed'
  if (excuseOfPut(there.resource.name, put.status, toldBy(put)) !== null) return []
  if (put.status !== 200)
    return [wrong(`PUT of what was read, ${what}, answered ${put.status} ${toldBy(put)}`)]
  const now = versionIn(put)
  if (now === version) return []
  // Where another writer made that version before it was read, the same PUT has nothing to do again. Otherwise it conflicts.
  const again = await admin.ask('PUT', path, { body: read.bytes, type: accept })
  if (again.status === 200 && versionIn(again) === now) return 'changed'
  return [wrong(`PUT of what was read, ${what}, made a new version`)]
}

const toldBy = ({ content }: AdminAnswer): string => statusOf(content)?.message ?? ''
const wrong = (message: string): Problem => ({ is: 'round trip', message })

/** Every list must be readable in every form. */
export async function readLists(admin: Admin, world: World): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const resource of world.listed) {
    if (!resource.verbs.includes('list') || resource.name.includes('/')) continue
    const path = `${rootOf(resource.groupVersion)}/${resource.name}`
    for (const accept of ['application/json', 'application/yaml', world.media.protobuf]) {
      const { status, content } = await admin.ask('GET', path, { accept })
      const isRight = status === 200 && content.form !== 'wrong' && content.form !== 'other'
      if (!isRight) {
        const why = content.form === 'wrong' ? content.why : statusOf(content)?.message
        problems.push({ is: 'list', message: `${path} in ${accept}: ${status} ${why ?? ''}` })
      }
    }
  }
  return problems
}
