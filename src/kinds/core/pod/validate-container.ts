import type { FieldErrors } from '../../../meta/field-errors.ts'
import { checkPart } from '../../../meta/known-parts.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { needText } from '../volumes/paths.ts'
import type { Container } from './container.ts'
import type { AnyContainer } from './containers.ts'
import type { EphemeralContainer } from './ephemeral-container.ts'
import type { Probe } from './probe.ts'
import {
  type Volumes,
  validateHostPorts,
  validateMounting,
  validatePorts,
} from './validate-container-parts.ts'
import { validateEnv, validateEnvFrom } from './validate-env.ts'
import { validateLifecycle, validateProbe } from './validate-probe.ts'
import { validateContainerResources } from './validate-resources.ts'
import { validateSecurityContext } from './validate-security-context.ts'

/** Context for the validation of containers. */
export interface ContainerSurroundings {
  readonly c: HookContext
  readonly volumes: Volumes
  /** Container names seen so far in all lists of the pod; validation adds to it. */
  readonly names: Set<string>
}

/** Validates the containers of a pod; reports to `errors`. */
export function validateContainers(
  list: readonly Container[],
  errors: FieldErrors,
  around: ContainerSurroundings,
): void {
  if (list.length === 0) return errors.required()
  list.forEach((one, i) => {
    const at = errors.at(i)
    validateCommon(one, at, around)
    if (one.lifecycle) validateLifecycle(one.lifecycle, at.at('lifecycle'))
    validateProbes(one, at, around.c)
  })
  validateHostPorts(list, errors)
}

function validateProbes(
  { livenessProbe, readinessProbe, startupProbe }: Container,
  errors: FieldErrors,
  c: HookContext,
): void {
  if (livenessProbe) validateLiveness(livenessProbe, errors.at('livenessProbe'), c)
  if (startupProbe) validateLiveness(startupProbe, errors.at('startupProbe'), c)
  if (!readinessProbe) return
  const at = errors.at('readinessProbe')
  checkPart(readinessProbe, at, c, validateProbe)
  const grace = readinessProbe.terminationGracePeriodSeconds
  if (grace !== undefined) {
    at.at('terminationGracePeriodSeconds').invalid(grace, 'must not be set for readinessProbes')
  }
}

/** A probe that restarts the container succeeds at once. */
function validateLiveness(probe: Probe, errors: FieldErrors, c: HookContext): void {
  checkPart(probe, errors, c, validateProbe)
  const { successThreshold = 0 } = probe
  if (successThreshold !== 1) errors.at('successThreshold').invalid(successThreshold, 'must be 1')
}

const LIFE = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const

/** Validates init containers; reports to `errors`. */
export function validateInitContainers(
  list: readonly Container[],
  errors: FieldErrors,
  around: ContainerSurroundings,
): void {
  list.forEach((one, i) => {
    const at = errors.at(i)
    validateCommon(one, at, around)
    for (const field of LIFE) {
      if (one[field] !== undefined) at.at(field).forbidden('may not be set for init containers')
    }
    // They run in sequence, so only one at a time uses its host ports.
    if (one.ports) validateHostPorts([one], errors, i)
  })
}

/** Validates ephemeral containers; reports to `errors`. `targets` are the valid target names. */
export function validateEphemeralContainers(
  list: readonly EphemeralContainer[],
  errors: FieldErrors,
  around: ContainerSurroundings,
  targets: ReadonlySet<string>,
): void {
  list.forEach((one, i) => {
    const at = errors.at(i)
    validateCommon(one, at, around)
    const target = one.targetContainerName ?? ''
    if (target !== '' && !targets.has(target)) at.at('targetContainerName').notFound(target)
    const says = 'cannot be set for an Ephemeral Container'
    for (const field of ['ports', ...LIFE] as const) {
      if (one[field] !== undefined) at.at(field).forbidden(says)
    }
    if (one.resources.limits || one.resources.requests) at.at('resources').forbidden(says)
    one.volumeMounts?.forEach(({ subPath, subPathExpr }, j) => {
      if (subPath !== undefined) at.at('volumeMounts', j, 'subPath').forbidden(says)
      if (subPathExpr !== undefined) at.at('volumeMounts', j, 'subPathExpr').forbidden(says)
    })
  })
}

function validateCommon(
  container: AnyContainer,
  errors: FieldErrors,
  { c, volumes, names }: ContainerSurroundings,
): void {
  const { name, ports, env, envFrom, securityContext } = container
  const isKnown = c.parts?.pass(validateCommon, container) === true
  const before = errors.list.length
  if (name === '') errors.at('name').required()
  else if (!isKnown) errors.at('name').invalidAll(name, isDns1123Label(name))
  if (names.has(name)) errors.at('name').duplicate(name)
  if (name !== '') names.add(name)
  if (isKnown) return validateMounting(container, volumes, errors)
  needText(container.image, errors.at('image'))
  needText(container.terminationMessagePolicy, errors.at('terminationMessagePolicy'))
  if (ports) checkPart(ports, errors.at('ports'), c, validatePorts)
  if (env) checkPart(env, errors.at('env'), c, validateEnv)
  if (envFrom) validateEnvFrom(envFrom, errors.at('envFrom'))
  validateMounting(container, volumes, errors)
  needText(container.imagePullPolicy, errors.at('imagePullPolicy'))
  checkPart(container.resources, errors.at('resources'), c, validateContainerResources)
  if (securityContext) validateSecurityContext(securityContext, errors.at('securityContext'), c)
  if (errors.list.length === before) c.parts?.add(validateCommon, container)
}

/**
 * Images of pods, unlike those of templates, have no surrounding white space; `errors` is the spec.
 */
export function validateImages(list: readonly Container[] | undefined, errors: FieldErrors): void {
  list?.forEach(({ image = '' }, i) => {
    if (image === image.trim()) return
    errors.at(i, 'image').invalid(image, 'must not have leading or trailing whitespace')
  })
}
