import type { FieldErrors } from '../../../meta/field-errors.ts'
import { ipFamily, isDns1123Subdomain, isIp, isQualifiedName } from '../../../meta/names.ts'
import type { Pod } from './pod.ts'
import type { ContainerStatus, PodCondition, PodIP } from './pod-status.ts'

const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
])

/** Validates a status update of a pod. */
export function validateStatusUpdate(next: Pod, old: Pod, errors: FieldErrors): void {
  const { status, spec } = next
  const at = errors.at('status')
  if ((spec.nodeName ?? '') !== (old.spec.nodeName ?? '')) {
    at.at('nodeName').forbidden('may not be changed directly')
  }
  const nominated = status.nominatedNodeName
  if (nominated !== undefined) {
    at.at('nominatedNodeName').invalidAll(nominated, isDns1123Subdomain(nominated))
  }
  for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
    refuseRevival(status[list], old.status[list], old.spec.restartPolicy, at.at(list))
  }
  refuseRevival(
    status.ephemeralContainerStatuses,
    old.status.ephemeralContainerStatuses,
    'Never',
    at.at('ephemeralContainerStatuses'),
  )
  validatePodIps(status.podIPs ?? [], at.at('podIPs'))
  validateConditions(status.conditions ?? [], errors.at('metadata', 'conditions'))
}

/** A container that is not restarted cannot leave the terminated state; reports to `errors`. */
function refuseRevival(
  next: readonly ContainerStatus[] = [],
  old: readonly ContainerStatus[] = [],
  restartPolicy: string | undefined,
  errors: FieldErrors,
): void {
  if (restartPolicy === 'Always') return
  old.forEach(({ name, state: { terminated } }, i) => {
    if (!terminated) return
    if (restartPolicy === 'OnFailure' && terminated.exitCode !== 0) return
    const now = next.find((one) => one.name === name)
    if (now && !now.state.terminated) {
      errors.at(i, 'state').forbidden('may not be transitioned to non-terminated state')
    }
  })
}

function validatePodIps(list: readonly PodIP[], errors: FieldErrors): void {
  const seen = new Set<string>()
  const families = new Set<number>()
  let crowded = false
  list.forEach(({ ip = '' }, i) => {
    errors.at(i).invalidAll(ip, isIp(ip))
    if (seen.has(ip)) errors.at(i).duplicate(ip)
    seen.add(ip)
    const family = ipFamily(ip)
    if (family === null) return
    if (families.has(family)) crowded = true
    families.add(family)
  })
  if (crowded) {
    const ips = list.map(({ ip = '' }) => ip)
    errors.invalid(ips, 'may specify no more than one IP for each IP family')
  }
}

function validateConditions(list: readonly PodCondition[], errors: FieldErrors): void {
  list.forEach(({ type }, i) => {
    // As the reference writes it: the Go name, not the field name.
    if (!OWN_CONDITIONS.has(type)) errors.at(i, 'Type').invalidAll(type, isQualifiedName(type))
  })
}
