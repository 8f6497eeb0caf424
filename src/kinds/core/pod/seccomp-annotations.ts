import type { FieldErrors } from '../../../meta/field-errors.ts'
import { setOwn } from '../../../codec/json-scanner.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'
import { needRelativePath } from '../volumes/paths.ts'
import { allContainers } from './containers.ts'
import type { PodSpec } from './pod-spec.ts'
import type { SeccompProfile } from './security-context.ts'

const POD = 'seccomp.security.alpha.{label}/pod'
const CONTAINER = 'container.seccomp.security.alpha.{label}/'
const LOCALHOST = 'localhost/'
const RUNTIME: readonly string[] = ['runtime/default', 'docker/default']

type Annotations = Readonly<Record<string, string>>

/** A seccomp profile given as annotation, field, or both. */
interface Place {
  readonly key: string
  readonly text: string
  readonly path: readonly [string, ...(string | number)[]]
  readonly profile: SeccompProfile | undefined
  readonly set: (profile: SeccompProfile) => void
}

/** The seccomp profiles of a pod that are given as annotations. */
function annotated(spec: PodSpec, annotations: Annotations, v: Vocabulary): Place[] {
  const places: Place[] = []
  if (Object.keys(annotations).length === 0) return places
  const add = (key: string, place: Omit<Place, 'key' | 'text'>) => {
    if (Object.hasOwn(annotations, key)) places.push({ key, text: annotations[key]!, ...place })
  }
  add(v.resolve(POD), {
    path: ['securityContext', 'seccompProfile'],
    profile: spec.securityContext?.seccompProfile,
    set: (profile) => {
      spec.securityContext = { ...spec.securityContext, seccompProfile: profile }
    },
  })
  for (const { list, index, container } of allContainers(spec)) {
    add(`${v.resolve(CONTAINER)}${container.name}`, {
      path: [list, index, 'securityContext', 'seccompProfile'],
      profile: container.securityContext?.seccompProfile,
      set: (profile) => {
        const securityContext = { ...container.securityContext, seccompProfile: profile }
        // Objects may share the list and the container.
        const containers = spec[list] as (typeof container)[]
        const next = containers.map((one, i) => (i === index ? { ...one, securityContext } : one))
        setOwn(spec as unknown as Record<string, unknown>, list, next)
      },
    })
  }
  return places
}

/** The profile that an annotation specifies; null for an unknown value. */
function readProfile(text: string): SeccompProfile | null {
  if (text === 'unconfined') return { type: 'Unconfined' }
  if (RUNTIME.includes(text)) return { type: 'RuntimeDefault' }
  if (!text.startsWith(LOCALHOST)) return null
  const path = text.slice(LOCALHOST.length)
  return path === '' ? null : { type: 'Localhost', localhostProfile: path }
}

/** Copies seccomp profiles from annotations to unset fields, on create. Changes the spec. */
export function copySeccompAnnotations(spec: PodSpec, metadata: ObjectMeta, c: HookContext): void {
  for (const { text, profile, set } of annotated(spec, metadata.annotations ?? {}, c.v)) {
    const meant = readProfile(text)
    if (!profile && meant) set(meant)
  }
}

/** Annotation and field must specify the same profile; `errors` is the spec. */
export function validateSeccompMatch(
  spec: PodSpec,
  metadata: ObjectMeta,
  errors: FieldErrors,
  c: HookContext,
): void {
  for (const { text, path, profile } of annotated(spec, metadata.annotations ?? {}, c.v)) {
    const meant = readProfile(text)
    if (!profile) continue
    const at = errors.at(...path)
    if (meant?.type !== profile.type) {
      at.at('type').forbidden('seccomp type in annotation and field must match')
    } else if (meant.localhostProfile !== profile.localhostProfile) {
      at.at('localhostProfile').forbidden('seccomp profile in annotation and field must match')
    }
  }
}

/** Validates the annotations themselves; reports to `errors`. */
export function validateSeccompAnnotations(
  annotations: Annotations,
  errors: FieldErrors,
  v: Vocabulary,
): void {
  for (const [key, text] of Object.entries(annotations)) {
    if (key !== v.resolve(POD) && !key.startsWith(v.resolve(CONTAINER))) continue
    if (text === 'unconfined' || RUNTIME.includes(text)) continue
    const at = errors.key(key)
    if (text.startsWith(LOCALHOST)) needRelativePath(text.slice(LOCALHOST.length), at)
    else at.invalid(text, 'must be a valid seccomp profile')
  }
}

/** Warnings about profiles given as annotation only; `path` is that of the annotations. */
export function seccompWarnings(
  spec: PodSpec,
  annotations: Annotations,
  path: string,
  v: Vocabulary,
): string[] {
  return annotated(spec, annotations, v)
    .filter(({ profile }) => !profile)
    .map(
      ({ key }) =>
        `${path}[${key}]: deprecated since v1.19, non-functional in a future release; use the "seccompProfile" field instead`,
    )
}
