import type { Vocabulary } from '../vocabulary/vocabulary.ts'

// Group versions known to clients of earlier releases, whether they are served or not.
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': ['v1'],
  'admission{api}': ['v1', 'v1beta1'],
  'admissionregistration{api}': ['v1', 'v1beta1'],
  'apiextensions{api}': ['v1', 'v1beta1'],
  'apiregistration{api}': ['v1', 'v1beta1'],
  apps: ['v1', 'v1beta1', 'v1beta2'],
  'authentication{api}': ['v1', 'v1beta1'],
  'authorization{api}': ['v1', 'v1beta1'],
  autoscaling: ['v1', 'v2', 'v2beta1', 'v2beta2'],
  batch: ['v1', 'v1beta1'],
  'certificates{api}': ['v1', 'v1beta1'],
  'coordination{api}': ['v1', 'v1beta1'],
  'discovery{api}': ['v1', 'v1beta1'],
  'events{api}': ['v1', 'v1beta1'],
  extensions: ['v1beta1'],
  'flowcontrol.apiserver{api}': ['v1alpha1', 'v1beta1', 'v1beta2'],
  'imagepolicy{api}': ['v1alpha1'],
  'internal.apiserver{api}': ['v1alpha1'],
  'networking{api}': ['v1', 'v1alpha1', 'v1beta1'],
  'node{api}': ['v1', 'v1alpha1', 'v1beta1'],
  policy: ['v1', 'v1beta1'],
  'rbac.authorization{api}': ['v1', 'v1alpha1', 'v1beta1'],
  'scheduling{api}': ['v1', 'v1alpha1', 'v1beta1'],
  'storage{api}': ['v1', 'v1alpha1', 'v1beta1'],
}

/**
 * Group versions in which the options and events that all share may be written. Those of kinds that come at run time
 * are not among them, so that documents of others stay as they are.
 */
export function everyVersion(v: Vocabulary): { group: string; version: string }[] {
  const keys = new Set<string>()
  for (const [group, versions] of Object.entries(KNOWN)) {
    for (const version of versions) keys.add(`${v.resolve(group)}/${version}`)
  }
  return [...keys].sort().map((key) => {
    const [group = '', version = ''] = key.split('/')
    return { group, version }
  })
}
