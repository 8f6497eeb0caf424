import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isGid, isUid } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { needRelativePath } from '../volumes/paths.ts'
import type { PodSpec } from './pod-spec.ts'
import type { SeccompProfile, SecurityContext, Sysctl } from './security-context.ts'
import { validateWindowsOptions } from './validate-windows.ts'

/** Validates a container's security settings; reports to `errors`. */
export function validateSecurityContext(
  context: SecurityContext,
  errors: FieldErrors,
  c: HookContext,
): void {
  const { privileged, runAsUser, runAsGroup } = context
  if (privileged === true && c.allowPrivileged !== true) {
    errors.at('privileged').forbidden('disallowed by cluster policy')
  }
  if (runAsUser !== undefined) errors.at('runAsUser').invalidAll(runAsUser, isUid(runAsUser))
  if (runAsGroup !== undefined) errors.at('runAsGroup').invalidAll(runAsGroup, isGid(runAsGroup))
  if (context.seccompProfile) validateSeccomp(context.seccompProfile, errors.at('seccompProfile'))
  if (context.allowPrivilegeEscalation === false) validateNoEscalation(context, errors)
  if (context.windowsOptions)
    validateWindowsOptions(context.windowsOptions, errors.at('windowsOptions'))
}

/** Settings that conflict with `allowPrivilegeEscalation: false`. */
function validateNoEscalation(context: SecurityContext, errors: FieldErrors): void {
  const says = 'cannot set `allowPrivilegeEscalation` to false and'
  if (context.privileged === true) errors.invalid(context, `${says} \`privileged\` to true`)
  if (context.capabilities?.add?.includes('CAP_SYS_ADMIN')) {
    errors.invalid(context, `${says} \`capabilities.Add\` CAP_SYS_ADMIN`)
  }
}

/** Validates a seccomp profile; reports to `errors`. */
function validateSeccomp(profile: SeccompProfile, errors: FieldErrors): void {
  const { localhostProfile: path } = profile
  const type: string = profile.type
  if (type === '') errors.at('type').required('type is required when seccompProfile is set')
  const at = errors.at('localhostProfile')
  if (type !== 'Localhost') {
    if (path !== undefined) at.invalid(path, 'can only be set when seccomp type is Localhost')
  } else if (path === undefined) at.required('must be set when seccomp type is Localhost')
  else needRelativePath(path, at)
}

/** Validates a pod's security settings; `errors` is the spec. */
export function validatePodSecurityContext(spec: PodSpec, errors: FieldErrors): void {
  if (spec.hostPID && spec.shareProcessNamespace === true) {
    errors
      .at('shareProcessNamespace')
      .invalid(true, 'ShareProcessNamespace and HostPID cannot both be enabled')
  }
  const context = spec.securityContext
  if (!context) return
  const at = errors.at('securityContext')
  const { fsGroup, runAsUser, runAsGroup } = context
  if (fsGroup !== undefined) at.at('fsGroup').invalidAll(fsGroup, isGid(fsGroup))
  if (runAsUser !== undefined) at.at('runAsUser').invalidAll(runAsUser, isUid(runAsUser))
  if (runAsGroup !== undefined) at.at('runAsGroup').invalidAll(runAsGroup, isGid(runAsGroup))
  context.supplementalGroups?.forEach((gid, i) => {
    at.at('supplementalGroups', i).invalidAll(gid, isGid(gid))
  })
  if (context.sysctls) validateSysctls(context.sysctls, at.at('sysctls'))
  if (context.seccompProfile) validateSeccomp(context.seccompProfile, at.at('seccompProfile'))
  if (context.windowsOptions)
    validateWindowsOptions(context.windowsOptions, at.at('windowsOptions'))
}

const MAX_SYSCTL = 253
const SYSCTL_SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
// Separators are explicit between segments, so that a name matches in one way only.
const SYSCTL = /^[a-z0-9]+(?:[-_]+[a-z0-9]+)*(?:[./][a-z0-9]+(?:[-_]+[a-z0-9]+)*)*$/

function validateSysctls(list: readonly Sysctl[], errors: FieldErrors): void {
  const names = new Set<string>()
  list.forEach(({ name }, i) => {
    const at = errors.at(i, 'name')
    if (name === '') at.required()
    else if (name.length > MAX_SYSCTL || !SYSCTL.test(name)) {
      at.invalid(
        name,
        `must have at most ${MAX_SYSCTL} characters and match regex ^(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}$`,
      )
    } else if (names.has(name)) at.duplicate(name)
    names.add(name)
  })
}
