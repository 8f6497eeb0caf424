/** What the tests of this folder share. */
import { checkDeclared } from '../../../catalogue/check.ts'
import { codecOf, Decoding } from '../../../codec/codec.ts'
import { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { orch } from '../../../vocabulary/orch.ts'
import { partOf } from '../../parts.fixture.ts'
import { Pod, pods } from './pod.ts'

/** Feature gates that are on by default in tests. */
const ON = ['GRPCContainerProbe', 'ProbeTerminationGracePeriod', 'DownwardAPIHugePages']

/** A context with the usual gates and further ones. */
export const context = (...gates: string[]): HookContext => ({
  v: orch,
  now: Date.parse('2030-01-01T01:00:00Z'),
  gate: (name) => ON.includes(name) || gates.includes(name),
})

/** The usual context. */
export const c = context()

/** A context in which no gate is on. */
export const dark: HookContext = { ...c, gate: () => false }

/** A context of a server that allows privileged containers. */
export const privileged: HookContext = { ...c, allowPrivileged: true }

/** A pod as the server decodes it, with defaults. */
export function readPod(given: object): Pod {
  const pod = codecOf(Pod.shape).decode(given, new Decoding()) as unknown as Pod
  pods.setDefaults!(pod, c)
  return pod
}

/** A small container with further members. */
export const web = (more: object = {}): object => ({ name: 'web', image: 'web:1', ...more })

/** A pod with one container and further members of its spec. */
export const podOf = (spec: object = {}, metadata: object = {}, status: object = {}): Pod =>
  readPod({
    metadata: { name: 'p', namespace: 'n', ...metadata },
    spec: { containers: [web()], serviceAccountName: 'default', ...spec },
    status,
  })

const texts = ({ list }: FieldErrors): string[] =>
  list.map(
    ({ field, reason, message }) => `${reason.replace('FieldValue', '')} ${field}: ${message}`,
  )

/** The violations of a pod on create, or on update when it has a resourceVersion. */
export function problems(pod: Pod, hooks: HookContext = c): string[] {
  const errors = new FieldErrors()
  checkDeclared(Pod.shape, pod, errors)
  pods.validate!(pod, errors, hooks)
  return texts(errors)
}

/** The violations of a change of a pod. */
export function changes(next: Pod, old: Pod, hooks: HookContext = c): string[] {
  const errors = new FieldErrors()
  pods.validateUpdate!(next, old, errors, hooks)
  return texts(errors)
}

/** The violations of a change through a sub-resource. */
export function partChanges(name: string, next: Pod, old: Pod, hooks: HookContext = c): string[] {
  const errors = new FieldErrors()
  partOf(pods, name).validateUpdate!(next, old, errors, hooks)
  return texts(errors)
}
