import type { Catalogue, Served, ServedGroup } from '../../schema/catalogue.ts'
import { jsonAnswer } from '../answer.ts'
import type { Answer, Context, Endpoint } from '../context.ts'
import { formOf } from '../form.ts'

/**
 * What is served: versions, groups and resources (seed 1, Addressing). Documents are made on first use and
 * kept until the catalogue changes.
 */
export function discoveryEndpoints(
  catalogue: Catalogue,
  address: () => string,
): [string, Endpoint][] {
  const endpoints: [string, Endpoint][] = []
  const add = (path: string, make: () => object) => {
    let made: { generation: number; bytes: Buffer } | null = null
    endpoints.push([
      path,
      (context) => {
        if (made?.generation !== catalogue.generation) {
          made = { generation: catalogue.generation, bytes: Buffer.from(JSON.stringify(make())) }
        }
        return document(context, made.bytes)
      },
    ])
  }
  // Documents of the core group carry no apiVersion, for clients as old as they are.
  add('/api', () => ({
    kind: 'APIVersions',
    versions: coreVersions(catalogue),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address() }],
  }))
  add('/apis', () => ({
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: named(catalogue).map(groupOf),
  }))
  for (const version of coreVersions(catalogue)) {
    add(`/api/${version}`, () => ({
      kind: 'APIResourceList',
      groupVersion: version,
      resources: resourcesOf(catalogue, '', version),
    }))
  }
  for (const group of named(catalogue)) {
    add(`/apis/${group.group}`, () => ({ kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) }))
    for (const version of group.versions) {
      add(`/apis/${group.group}/${version}`, () => ({
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: `${group.group}/${version}`,
        resources: resourcesOf(catalogue, group.group, version),
      }))
    }
  }
  return endpoints
}

async function document(context: Context, bytes: Buffer): Promise<Answer> {
  return jsonAnswer(context, 200, formOf(context, { transform: false }), bytes)
}

const coreVersions = (catalogue: Catalogue) =>
  catalogue.groups.find((g) => g.group === '')?.versions ?? []
const named = (catalogue: Catalogue) => catalogue.groups.filter((g) => g.group !== '')

function groupOf({ group, versions }: ServedGroup) {
  const entries = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: entries, preferredVersion: entries[0] }
}

function resourcesOf(catalogue: Catalogue, group: string, version: string): object[] {
  return catalogue
    .resources(group, version)
    .flatMap((served) => [mainEntry(served), ...partEntries(served)])
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function mainEntry(served: Served) {
  const { short, categories } = served.declaration
  return {
    name: served.resource,
    singularName: served.singular,
    namespaced: served.namespaced,
    kind: served.kind,
    verbs: [...served.verbs].sort(),
    ...(short && short.length > 0 ? { shortNames: short } : {}),
    ...(categories && categories.length > 0 ? { categories } : {}),
    storageVersionHash: served.storageVersionHash,
  }
}

const partEntries = (served: Served) =>
  [...served.subresources.keys()].map((name) => ({
    name: `${served.resource}/${name}`,
    singularName: '',
    namespaced: served.namespaced,
    kind: served.kind,
    verbs: ['get', 'patch', 'update'],
  }))
