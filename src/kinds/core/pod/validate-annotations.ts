import { type FieldErrors, sameValue } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'
import { type Toleration, validateTolerations } from '../toleration.ts'
import { allContainers } from './containers.ts'
import type { PodSpec } from './pod-spec.ts'
import { validateSeccompAnnotations } from './seccomp-annotations.ts'

type Annotations = Readonly<Record<string, string>>

const MIRROR = '{label}/config.mirror'
const TOLERATIONS = 'scheduler.alpha.{label}/tolerations'
const DELETION_COST = 'controller.{label}/pod-deletion-cost'
const APPARMOR = 'container.apparmor.security.beta.{label}/'

const has = (annotations: Annotations, key: string): boolean => Object.hasOwn(annotations, key)

/** Validates the annotations that affect pods; `errors` is that of the annotations. */
export function validatePodAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  errors: FieldErrors,
  c: HookContext,
): void {
  if (Object.keys(annotations).length === 0) return
  const { v } = c
  const mirror = v.resolve(MIRROR)
  if (has(annotations, mirror) && (spec.nodeName ?? '') === '') {
    errors
      .key(mirror)
      .invalid(annotations[mirror], 'must set spec.nodeName if mirror pod annotation is set')
  }
  const tolerations = v.resolve(TOLERATIONS)
  if (annotations[tolerations]) {
    validateTolerationsText(annotations[tolerations], errors.key(tolerations))
  }
  validateDeletionCost(annotations, errors, v)
  validateSeccompAnnotations(annotations, errors, v)
  validateAppArmor(annotations, spec, errors, v)
}

function validateTolerationsText(text: string, errors: FieldErrors): void {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    return errors.invalid(text, 'must be a list of tolerations as JSON')
  }
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'object' && one !== null)) {
    return errors.invalid(text, 'must be a list of tolerations as JSON')
  }
  validateTolerations(list.map(readToleration), errors)
}

/** Members of another type count as absent: this annotation no longer has an effect. */
function readToleration(given: Record<string, unknown>): Toleration {
  const made: Record<string, unknown> = {}
  for (const name of ['key', 'operator', 'value', 'effect']) {
    if (typeof given[name] === 'string' && given[name] !== '') made[name] = given[name]
  }
  if (typeof given.tolerationSeconds === 'number') made.tolerationSeconds = given.tolerationSeconds
  return made
}

function validateDeletionCost(annotations: Annotations, errors: FieldErrors, v: Vocabulary): void {
  const key = v.resolve(DELETION_COST)
  const text = annotations[key]
  if (text === undefined) return
  const isNumber = /^(?:0|-?[1-9][0-9]*)$/.test(text) && Math.abs(Number(text)) <= 0x80000000
  if (!isNumber || Number(text) > 0x7fffffff)
    errors.key(key).invalid(text, 'must be a 32bit integer')
}

function validateAppArmor(
  annotations: Annotations,
  spec: PodSpec,
  errors: FieldErrors,
  v: Vocabulary,
): void {
  const prefix = v.resolve(APPARMOR)
  const names = new Set(allContainers(spec).map(({ container }) => container.name))
  for (const [key, profile] of Object.entries(annotations)) {
    if (!key.startsWith(prefix)) continue
    const name = key.slice(prefix.length)
    if (!names.has(name)) errors.key(key).invalid(name, 'container not found')
    const isKnown = ['', 'runtime/default', 'unconfined'].includes(profile)
    if (!isKnown && !profile.startsWith('localhost/')) {
      errors.key(key).invalid(profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`)
    }
  }
}

/** Validates the annotations that are immutable; `errors` is that of the annotations. */
export function validatePodAnnotationsUpdate(
  next: Annotations,
  old: Annotations,
  errors: FieldErrors,
  { v }: HookContext,
): void {
  const prefix = v.resolve(APPARMOR)
  const mirror = v.resolve(MIRROR)
  for (const key of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const what = key === mirror ? 'mirror pod annotation' : 'AppArmor annotations'
    if (key !== mirror && !key.startsWith(prefix)) continue
    if (!has(old, key)) errors.key(key).forbidden(`may not add ${what}`)
    else if (!has(next, key) || !sameValue(next[key], old[key])) {
      errors.key(key).forbidden(`may not remove or update ${what}`)
    }
  }
}
