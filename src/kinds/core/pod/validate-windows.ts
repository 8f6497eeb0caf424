import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { allContainers, type AnyContainer } from './containers.ts'
import type { PodSpec } from './pod-spec.ts'
import type { WindowsSecurityContextOptions } from './security-context.ts'

const MAX_CREDENTIAL_BYTES = 64 * 1024
const MAX_DOMAIN = 256
const MAX_USER = 104

/** Validates the Windows options; reports to `errors`. */
export function validateWindowsOptions(
  options: WindowsSecurityContextOptions,
  errors: FieldErrors,
): void {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options
  if (name !== undefined)
    errors.at('gmsaCredentialSpecName').invalidAll(name, isDns1123Subdomain(name))
  if (spec !== undefined) {
    const at = errors.at('gmsaCredentialSpec')
    if (spec === '') at.invalid(spec, 'gmsaCredentialSpec cannot be an empty string')
    else if (Buffer.byteLength(spec) > MAX_CREDENTIAL_BYTES) {
      at.invalid(spec, 'gmsaCredentialSpec size must be under 64 KiB')
    }
  }
  if (user !== undefined) {
    for (const message of userMessages(user)) errors.at('runAsUserName').invalid(user, message)
  }
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const DOMAIN_LABEL = /^[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*$/
const USER_FORBIDDEN = /["/\\:;|=,+*?<>@[\]]/

/** Violations of a Windows user name, `name` or `domain\name`. */
function userMessages(text: string): string[] {
  if (text === '') return ['runAsUserName cannot be an empty string']
  if (CONTROL.test(text)) return ['runAsUserName cannot contain control characters']
  const parts = text.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const user = parts.at(-1)!
  return [...(parts.length === 2 ? domainMessages(parts[0]!) : []), ...nameMessages(user)]
}

function domainMessages(domain: string): string[] {
  const messages: string[] = []
  if (domain.length >= MAX_DOMAIN) {
    messages.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`)
  }
  if (!NETBIOS.test(domain) && !domain.split('.').every((label) => DOMAIN_LABEL.test(label))) {
    messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  }
  return messages
}

function nameMessages(user: string): string[] {
  if (user === '') return ["runAsUserName's User cannot be empty"]
  const messages: string[] = []
  if (user.length > MAX_USER) {
    messages.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`)
  }
  if (/^[. ]+$/.test(user)) {
    messages.push("runAsUserName's User cannot contain only periods or spaces")
  }
  if (USER_FORBIDDEN.test(user)) {
    messages.push(
      'runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]',
    )
  }
  return messages
}

const hasContext = ({ securityContext }: AnyContainer): boolean => securityContext !== undefined

/** Whether there are containers of the other lists. */
const hasOthers = ({ initContainers, ephemeralContainers }: PodSpec): boolean =>
  initContainers !== undefined || ephemeralContainers !== undefined

/** Either all containers of a pod are host processes or none; `errors` is the spec. */
export function validateHostProcess(spec: PodSpec, errors: FieldErrors, c: HookContext): void {
  const podSays = spec.securityContext?.windowsOptions?.hostProcess
  if (podSays === undefined && !spec.containers.some(hasContext) && !hasOthers(spec)) return
  const containers = allContainers(spec)
  let hosts = 0
  for (const { list, index, container } of containers) {
    const says = container.securityContext?.windowsOptions?.hostProcess
    if (says !== undefined && podSays !== undefined && says !== podSays) {
      errors
        .at(list, index, 'securityContext', 'windowsOptions', 'hostProcess')
        .invalid(
          says,
          `pod hostProcess value must be identical if both are specified, was ${podSays}`,
        )
    }
    if (says ?? podSays) hosts++
  }
  if (hosts === 0) return
  if (hosts !== containers.length) {
    errors.invalid(
      '',
      'If pod contains any hostProcess containers then all containers must be HostProcess containers',
    )
  }
  if (!spec.hostNetwork) {
    errors
      .at('hostNetwork')
      .invalid(false, 'hostNetwork must be true if pod contains any hostProcess containers')
  }
  if (c.allowPrivileged !== true) {
    errors.forbidden('hostProcess containers are disallowed by cluster policy')
  }
}

const POD_LINUX_ONLY = ['hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace'] as const
const POD_CONTEXT_LINUX_ONLY = [
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
] as const
const CONTAINER_LINUX_ONLY = [
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const

/** Validates the operating system and rejects settings of another one; `errors` is the spec. */
export function validateOs(spec: PodSpec, errors: FieldErrors): void {
  const name = spec.os?.name
  if (name === undefined) return
  if (name === '') errors.at('os', 'name').required('cannot be empty')
  else if (name === 'linux') refuseWindows(spec, errors)
  else if (name === 'windows') refuseLinux(spec, errors)
  else errors.at('os').notSupported(name, ['linux', 'windows'])
}

function refuseWindows(spec: PodSpec, errors: FieldErrors): void {
  const text = 'windows options cannot be set for a linux pod'
  if (spec.securityContext?.windowsOptions) {
    errors.at('securityContext', 'windowsOptions').forbidden(text)
  }
  for (const { list, index, container } of allContainers(spec)) {
    if (!container.securityContext?.windowsOptions) continue
    errors.at(list, index, 'securityContext', 'windowsOptions').forbidden(text)
  }
}

function refuseLinux(spec: PodSpec, errors: FieldErrors): void {
  refuse(spec, POD_LINUX_ONLY, errors)
  if (spec.securityContext) {
    refuse(spec.securityContext, POD_CONTEXT_LINUX_ONLY, errors.at('securityContext'))
  }
  for (const { list, index, container } of allContainers(spec)) {
    const context = container.securityContext
    if (context) refuse(context, CONTAINER_LINUX_ONLY, errors.at(list, index, 'securityContext'))
  }
}

function refuse<T extends object>(
  holder: T,
  fields: readonly (keyof T & string)[],
  errors: FieldErrors,
): void {
  for (const field of fields) {
    if (holder[field] !== undefined) errors.at(field).forbidden('cannot be set for a windows pod')
  }
}
