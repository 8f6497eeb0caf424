/** Discovery beside the facts about release 1.25: every group, resource and sub-resource. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'
import { factsOf, groupVersionFiles } from '../facts.ts'

interface Sub {
  readonly name: string
  readonly verbs: readonly string[]
  readonly kind: string
}
interface Kind {
  readonly kind: string
  readonly resource: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly Sub[]
}
interface File {
  readonly group: string
  readonly branded: boolean
  readonly version: string
  readonly served?: boolean
  readonly enabledByDefault?: boolean
  readonly kinds?: readonly Kind[]
}

const files = groupVersionFiles
  .map((name) => factsOf<File>(name))
  .filter((file) => file.served === true)

const ORDER = [
  'apiregistration{api}',
  'apps',
  'events{api}',
  'authentication{api}',
  'authorization{api}',
  'autoscaling',
  'batch',
  'certificates{api}',
  'networking{api}',
  'policy',
  'rbac.authorization{api}',
  'storage{api}',
  'admissionregistration{api}',
  'apiextensions{api}',
  'scheduling{api}',
  'coordination{api}',
  'node{api}',
  'discovery{api}',
  'flowcontrol.apiserver{api}',
]

describe.each(['orch', 'kubernetes'] as const)('vocabulary %s', (vocabulary) => {
  const v = vocabularies[vocabulary]
  let server: RunningServer
  let client: Client
  beforeAll(async () => {
    server = await startServer({ vocabulary })
    client = new Client(server)
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })

  const groupOf = (file: File) => (file.branded ? v.resolve(`${file.group}{api}`) : file.group)
  const pathOf = (file: File) =>
    file.group === '' ? `/api/${file.version}` : `/apis/${groupOf(file)}/${file.version}`

  test('groups in order, with their versions, preferred first', async () => {
    const { groups } = (await client.get('/apis')).body
    expect(groups.map((g: { name: string }) => g.name)).toEqual(ORDER.map((g) => v.resolve(g)))
    const versions = Object.fromEntries(
      groups.map((g: { name: string; versions: { version: string }[] }) => [
        g.name,
        g.versions.map((x) => x.version),
      ]),
    )
    expect(versions.autoscaling).toEqual(['v2', 'v1', 'v2beta2'])
    expect(versions[v.resolve('flowcontrol.apiserver{api}')]).toEqual(['v1beta2', 'v1beta1'])
    expect(versions[v.resolve('storage{api}')]).toEqual(['v1', 'v1beta1'])
  })

  for (const file of files) {
    test(`${groupOf(file)}/${file.version}`, async () => {
      const { status, body } = await client.get(pathOf(file))
      if (file.enabledByDefault === false) {
        expect(status).toBe(404)
        return
      }
      const group = groupOf(file)
      const wanted = (file.kinds ?? [])
        .flatMap((kind) => [
          {
            name: kind.resource,
            singularName: '',
            namespaced: kind.namespaced,
            kind: kind.kind,
            verbs: [...kind.verbs].sort(),
            ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
            ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
          },
          ...kind.subresources.map((sub) => ({
            name: `${kind.resource}/${sub.name}`,
            singularName: '',
            namespaced: kind.namespaced,
            ...bodyOf(sub),
            verbs: [...sub.verbs].sort(),
          })),
        ])
        .sort((a, b) => (a.name < b.name ? -1 : 1))
      const got = body.resources.map((entry: { storageVersionHash?: string }) => {
        const { storageVersionHash, ...rest } = entry
        void storageVersionHash
        return rest
      })
      expect(got).toEqual(wanted)
      for (const entry of body.resources) {
        const kind = file.kinds!.find((k) => k.resource === entry.name)
        const isStored = kind?.verbs.includes('watch') === true
        expect(entry.storageVersionHash === undefined, entry.name).toBe(!isStored)
      }
      expect(body.groupVersion).toBe(group === '' ? file.version : `${group}/${file.version}`)
    })
  }

  /** Kinds of other groups are told with their group: `policy.v1.Eviction`. */
  function bodyOf(sub: Sub): object {
    const parts = sub.kind.split('.')
    if (parts.length === 1) return { kind: sub.kind }
    const home = files.find((f) => f.group.split('.')[0] === parts[0] && f.version === parts[1])!
    return { group: groupOf(home), version: home.version, kind: parts[2] }
  }

  test('the hash of the stored version is that of group, version and kind', async () => {
    const { resources } = (await client.get('/api/v1')).body
    const hash = createHash('sha256').update('/v1/Pod').digest().subarray(0, 8).toString('base64')
    expect(resources.find((r: { name: string }) => r.name === 'pods').storageVersionHash).toBe(hash)
  })
})
