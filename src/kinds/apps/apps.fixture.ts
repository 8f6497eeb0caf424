/** What the tests of workloads share. */
import { finishIfSteps } from '../../base/steps.ts'
import { checkDeclared } from '../../catalogue/check.ts'
import { codecOf, Decoding } from '../../codec/codec.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type {
  HookContext,
  PartSubresource,
  Resource,
  ScaleSubresource,
} from '../../catalogue/resource.ts'
import { orch } from '../../vocabulary/orch.ts'

/** A context in which these gates are on. */
export const context = (...gates: string[]): HookContext => ({
  v: orch,
  now: Date.parse('2030-01-01T01:00:00Z'),
  gate: (name) => gates.includes(name),
})

/** A context in which no gate is on. */
export const c = context()

const texts = ({ list }: FieldErrors): string[] =>
  list.map(
    ({ field, reason, message }) => `${reason.replace('FieldValue', '')} ${field}: ${message}`,
  )

/** A pod template whose label is `app: web`, with further members of the pods' spec. */
export const template = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { labels: { app: 'web' }, ...metadata },
  spec: { containers: [{ name: 'web', image: 'web:1' }], ...spec },
})

/** A selector that finds the pods of the template. */
export const selector = { matchLabels: { app: 'web' } }

/** Merges plain objects into one another; undefined removes. */
export function merged(base: object, ...more: object[]): object {
  const out: Record<string, unknown> = { ...base }
  for (const one of more) {
    for (const [name, value] of Object.entries(one)) {
      const before = out[name]
      if (value === undefined) delete out[name]
      else if (isPlain(before) && isPlain(value)) out[name] = merged(before, value)
      else out[name] = value
    }
  }
  return out
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A container as the server fills it in. */
const filledContainer = {
  name: 'web',
  image: 'web:1',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
}

/** The template as the server fills it in. */
export const filledTemplate = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [filledContainer],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  },
}

/** Reads and checks objects of one kind; `base` is a valid one. */
export function kit<T extends Typed>(resource: Resource<T>, base: object) {
  const { shape } = resource.storage
  const part = () => resource.subresources!['status'] as PartSubresource<T>

  const raw = (object: object, hooks: HookContext = c): T => {
    const decoding = new Decoding()
    const made = codecOf(shape).decode(object, decoding) as unknown as T
    if (decoding.unknown.length > 0) throw new Error(decoding.unknown.join())
    resource.setDefaults?.(made, hooks)
    return made
  }
  const of = (...changes: object[]): T => raw(merged(base, ...changes))

  const problems = (object: T, hooks: HookContext = c, old?: T): string[] => {
    const errors = new FieldErrors()
    checkDeclared(shape, object, errors)
    resource.validate!(object, errors, hooks, old)
    return texts(errors)
  }
  const changes = (next: T, old: T, hooks: HookContext = c): string[] => {
    const errors = new FieldErrors()
    finishIfSteps(resource.validateUpdate?.(next, old, errors, hooks))
    return texts(errors)
  }
  /** The object as it is created. */
  const created = (object: T, hooks: HookContext = c): T => {
    resource.prepareForCreate!(object, hooks)
    return object
  }
  /** The object as it is updated. */
  const updated = (next: T, old: T, hooks: HookContext = c): T => {
    resource.prepareForUpdate!(next, old, hooks)
    return next
  }
  const statusProblems = (next: T, old: T = next): string[] => {
    const errors = new FieldErrors()
    finishIfSteps(part().validate?.(next, errors, c))
    finishIfSteps(part().validateUpdate?.(next, old, errors, c))
    return texts(errors)
  }
  const scaleOf = (): ScaleSubresource<T> => resource.subresources!['scale'] as ScaleSubresource<T>
  const cells = (object: T): unknown[] => resource.columns!.map(({ cell }) => cell(object, c))
  return {
    raw,
    of,
    problems,
    changes,
    created,
    updated,
    statusProblems,
    statusPart: part,
    scaleOf,
    cells,
  }
}
