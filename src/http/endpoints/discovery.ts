import { Scale } from '../../kinds/autoscaling/scale.ts'
import { verbsOf, type Catalogue, type Served, type ServedGroup } from '../../schema/catalogue.ts'
import type { Subresource } from '../../schema/resource.ts'
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../../kinds/meta/documents.ts'
import type { ShapeClass } from '../../schema/shape.ts'
import { documentAnswer } from '../answer.ts'
import type { Endpoint } from '../context.ts'

/**
 * What is served: versions, groups and resources (seed 1, Addressing). Documents are made on first use and
 * kept until the catalogue changes.
 */
export function discoveryEndpoints(
  catalogue: Catalogue,
  address: () => string,
): [string, Endpoint][] {
  const endpoints: [string, Endpoint][] = []
  const add = (path: string, shape: ShapeClass<unknown>, make: () => object) => {
    let made: { generation: number; bytes: Buffer } | null = null
    endpoints.push([
      path,
      (context) => {
        if (made?.generation !== catalogue.generation) {
          made = {
            generation: catalogue.generation,
            bytes: Buffer.from(`${JSON.stringify(make())}\n`),
          }
        }
        return documentAnswer(context, shape, made.bytes)
      },
    ])
  }
  // Documents of the core group carry no apiVersion, for clients as old as they are.
  add('/api', APIVersions, () => ({
    kind: 'APIVersions',
    versions: coreVersions(catalogue),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address() }],
  }))
  add('/apis', APIGroupList, () => ({
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: named(catalogue).map(groupOf),
  }))
  for (const version of coreVersions(catalogue)) {
    add(`/api/${version}`, APIResourceList, () => ({
      kind: 'APIResourceList',
      groupVersion: version,
      resources: resourcesOf(catalogue, '', version),
    }))
  }
  for (const group of named(catalogue)) {
    add(`/apis/${group.group}`, APIGroup, () => ({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...groupOf(group),
    }))
    for (const version of group.versions) {
      add(`/apis/${group.group}/${version}`, APIResourceList, () => ({
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: `${group.group}/${version}`,
        resources: resourcesOf(catalogue, group.group, version),
      }))
    }
  }
  return endpoints
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
    .flatMap((served) => [mainEntry(served), ...partEntries(catalogue, served)])
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function mainEntry(served: Served) {
  const { short, categories } = served
  return {
    name: served.resource,
    // The field fills it for custom kinds only.
    singularName: '',
    namespaced: served.namespaced,
    kind: served.kind,
    verbs: [...served.verbs].sort(),
    ...(short.length > 0 ? { shortNames: short } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(served.virtual === null ? { storageVersionHash: served.storageVersionHash } : {}),
  }
}

const partEntries = (catalogue: Catalogue, served: Served) =>
  [...served.subresources].map(([name, subresource]) => ({
    name: `${served.resource}/${name}`,
    singularName: '',
    namespaced: served.namespaced,
    ...bodyOf(catalogue, served, subresource),
    verbs: [...verbsOf(subresource)].sort(),
  }))

/** The kind that is sent and answered, with its group where that is another. */
function bodyOf(catalogue: Catalogue, served: Served, subresource: Subresource<any>) {
  switch (subresource.serves) {
    case 'part':
      return { kind: served.kind }
    case 'connect':
      return { kind: subresource.kind }
    case 'action':
    case 'scale': {
      const input = subresource.serves === 'scale' ? Scale : subresource.input
      const { group, version, kind } = catalogue.body(input)
      return group === served.group ? { kind } : { group, version, kind }
    }
  }
}
