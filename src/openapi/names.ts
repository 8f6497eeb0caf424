import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** A kind as documents name it. */
export interface GroupVersionKind {
  readonly group: string
  readonly kind: string
  readonly version: string
}

// Homes whose published place is not below `api`; the rest follow from the group.
const PACKAGES: Readonly<Record<string, string>> = {
  meta: 'apimachinery.pkg.apis.meta.',
  'apiextensions{api}': 'apiextensions-apiserver.pkg.apis.apiextensions.',
  'apiregistration{api}': '{system}-aggregator.pkg.apis.apiregistration.',
}

/** Published names of shapes without a group version. */
export const SPECIAL = {
  time: 'apimachinery.pkg.apis.meta.v1.Time',
  microTime: 'apimachinery.pkg.apis.meta.v1.MicroTime',
  fields: 'apimachinery.pkg.apis.meta.v1.FieldsV1',
  patch: 'apimachinery.pkg.apis.meta.v1.Patch',
  quantity: 'apimachinery.pkg.api.resource.Quantity',
  intOrString: 'apimachinery.pkg.util.intstr.IntOrString',
  raw: 'apimachinery.pkg.runtime.RawExtension',
  info: 'apimachinery.pkg.version.Info',
} as const

/** Start of all definition names: the domain of the vocabulary, turned round. */
export const domainOf = (v: Vocabulary): string =>
  v.words.api.slice(1).split('.').toReversed().join('.')

/**
 * Published name of a shape: reversed domain, package, version, name. Groups are single words there, as in package
 * names.
 */
export function definitionName(home: string, name: string, v: Vocabulary): string {
  const [group = '', version = ''] = home.split('/')
  const place = Object.hasOwn(PACKAGES, group) ? PACKAGES[group]! : `api.${packageOf(group)}.`
  return `${domainOf(v)}.${v.resolve(place)}${version}.${name}`
}

/** Published name of a kind, or of its list; for custom resources it begins with the reversed group. */
export function publishedName(served: ResourceEntry, name: string, v: Vocabulary): string {
  const { published, group, version } = served
  if (published.is === 'shape') return definitionName(published.home, name, v)
  return [...group.split('.').toReversed(), version, name].join('.')
}

function packageOf(group: string): string {
  const words = group.replace('{api}', '').split('.')
  return words[0] === 'internal' ? words.toReversed().join('') : words[0]!
}

/** `Core`, `RbacAuthorization`: the group inside operation ids. */
export function groupWord(group: string, v: Vocabulary): string {
  if (group === '') return 'Core'
  const { api } = v.words
  const plain = group.endsWith(api) ? group.slice(0, -api.length) : group
  return plain.split(/[.-]/).map(capital).join('')
}

/** Tag of the operations of a group version, or of a group. */
export function tagOf(group: string, version: string | null, v: Vocabulary): string {
  const word = groupWord(group, v)
  const tag = word[0]!.toLowerCase() + word.slice(1)
  return version === null ? tag : `${tag}_${version}`
}

/** The text with its first letter as a capital. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** The kind of a resource. */
export const kindOf = ({ group, kind, version }: ResourceEntry): GroupVersionKind => ({
  group,
  kind,
  version,
})

/** `/api/v1` or `/apis/{group}/{version}`. */
export const rootOf = (group: string, version: string): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`
