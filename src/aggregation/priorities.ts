/** Priorities of the group versions that this server serves itself, as APIServices hold them. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Of a group version; higher comes first. */
export interface Priority {
  readonly group: number
  readonly version: number
}

// Behaviour of the reference at 1.25 (machinery page, built-in groups).
const GROUPS: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events{api}': 17_750,
  'authentication{api}': 17_700,
  'authorization{api}': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates{api}': 17_300,
  'networking{api}': 17_200,
  policy: 17_100,
  'rbac.authorization{api}': 17_000,
  'storage{api}': 16_800,
  'admissionregistration{api}': 16_700,
  'apiextensions{api}': 16_700,
  'scheduling{api}': 16_600,
  'coordination{api}': 16_500,
  'node{api}': 16_300,
  'discovery{api}': 16_200,
  'flowcontrol.apiserver{api}': 16_100,
  'internal.apiserver{api}': 16_000,
}

const VERSIONS: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'autoscaling/v2beta2': 1,
  'flowcontrol.apiserver{api}/v1beta2': 12,
}

const STABLE = 15
const BETA = 9
const ALPHA = 1

const CUSTOM: Priority = { group: 1000, version: 100 }

/** The priorities of group versions, by whether they are built in. */
export function prioritiesOf(
  v: Vocabulary,
): (group: string, version: string, isBuiltIn: boolean) => Priority {
  const resolved = (table: Readonly<Record<string, number>>) =>
    new Map(Object.entries(table).map(([name, priority]) => [v.resolve(name), priority]))
  const groups = resolved(GROUPS)
  const versions = resolved(VERSIONS)
  return (group, version, isBuiltIn) => {
    const found = isBuiltIn ? groups.get(group) : undefined
    if (found === undefined) return CUSTOM
    return { group: found, version: versions.get(`${group}/${version}`) ?? maturity(version) }
  }
}

function maturity(version: string): number {
  if (version.includes('alpha')) return ALPHA
  return version.includes('beta') ? BETA : STABLE
}
