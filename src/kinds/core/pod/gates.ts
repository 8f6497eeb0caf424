import type { HookContext } from '../../../catalogue/resource.ts'
import { allContainers } from './containers.ts'
import type { PodSpec } from './pod-spec.ts'
import type { Probe } from './probe.ts'

/** An object that can contain a gated field. */
type Holder = Record<string, unknown>

interface GatedField {
  readonly gate: string
  readonly field: string
  readonly holders: (spec: PodSpec) => readonly (object | undefined)[]
}

const NONE: readonly object[] = []
const constraints = (spec: PodSpec) => spec.topologySpreadConstraints ?? NONE
const probes = (spec: PodSpec): (Probe | undefined)[] =>
  allContainers(spec).flatMap(({ container: { livenessProbe, readinessProbe, startupProbe } }) => [
    livenessProbe,
    readinessProbe,
    startupProbe,
  ])

/** The security settings of containers: most have none. */
function contexts(spec: PodSpec): readonly object[] {
  const found: object[] = []
  for (const list of [spec.initContainers, spec.containers, spec.ephemeralContainers])
    for (const { securityContext } of list ?? []) if (securityContext) found.push(securityContext)
  return found
}

const FIELDS: readonly GatedField[] = [
  {
    gate: 'ProcMountType',
    field: 'procMount',
    holders: contexts,
  },
  { gate: 'UserNamespacesStatelessPodsSupport', field: 'hostUsers', holders: (spec) => [spec] },
  { gate: 'MinDomainsInPodTopologySpread', field: 'minDomains', holders: constraints },
  {
    gate: 'NodeInclusionPolicyInPodTopologySpread',
    field: 'nodeAffinityPolicy',
    holders: constraints,
  },
  {
    gate: 'NodeInclusionPolicyInPodTopologySpread',
    field: 'nodeTaintsPolicy',
    holders: constraints,
  },
  { gate: 'MatchLabelKeysInPodTopologySpread', field: 'matchLabelKeys', holders: constraints },
  { gate: 'GRPCContainerProbe', field: 'grpc', holders: probes },
  { gate: 'ProbeTerminationGracePeriod', field: 'terminationGracePeriodSeconds', holders: probes },
]

/** The fields whose gates are off. Kept for each function that tells the state of gates, since gates never change. */
const off = new WeakMap<HookContext['gate'], readonly GatedField[]>()

function offFields(isOn: HookContext['gate']): readonly GatedField[] {
  let found = off.get(isOn)
  if (!found) off.set(isOn, (found = FIELDS.filter(({ gate }) => !isOn(gate))))
  return found
}

/**
 * Drops fields whose gate is off, unless the stored spec already uses them.
 * Changes the spec.
 */
export function dropGatedPodFields(spec: PodSpec, old: PodSpec | null, c: HookContext): void {
  // It uses what it uses.
  if (spec === old) return
  for (const { field, holders } of offFields(c.gate)) {
    const used = held(holders(spec), field)
    if (used.length === 0) continue
    if (old && held(holders(old), field).length > 0) continue
    for (const one of used) delete one[field]
  }
}

const held = (holders: readonly (object | undefined)[], field: string): readonly Holder[] =>
  holders.length === 0
    ? NO_HOLDERS
    : (holders as readonly (Holder | undefined)[]).filter(
        (one): one is Holder => one?.[field] !== undefined,
      )

const NO_HOLDERS: readonly Holder[] = []
