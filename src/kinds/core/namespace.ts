import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1123Label, isQualifiedName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, part, resource, type HookContext } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind, shape } = group('core/v1')

/** Desired state of a namespace. */
export class NamespaceSpec extends shape({
  /**
   * Keys that must be removed, through the `finalize` subresource, before the namespace is deleted.
   * The server adds its own on creation.
   */
  finalizers: t.list(1, 'string'),
}) {}

/** One observed condition of a terminating namespace. */
export class NamespaceCondition extends shape({
  /**
   * Type of the condition, for example `NamespaceContentRemaining` or
   * `NamespaceDeletionContentFailure`.
   */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which `status` last changed. */
  lastTransitionTime: t.time(4),
  /** Machine-readable reason for the last change of `status`, one word in CamelCase. */
  reason: t.string(5),
  /** Human-readable details about the last change of `status`. */
  message: t.string(6),
}) {}

/** Most recently observed status of a namespace. */
export class NamespaceStatus extends shape({
  /**
   * Phase of the namespace: `Active`, or `Terminating` while its content is being deleted and new
   * content is rejected. Defaults to `Active`.
   */
  phase: t.string(1).oneOf('Active', 'Terminating').default('Active'),
  /** Observed conditions of the deletion, such as content that remains, one for each type. */
  conditions: t.list(2, NamespaceCondition).patchBy('type'),
}) {}

/** Scope for the names of namespaced objects. Deleting it deletes all objects in it. */
export class Namespace extends kind({
  /** Desired state of the namespace. Users cannot change it with a regular update. */
  spec: t.object(2, NamespaceSpec),
  /** Most recently observed status. Set by controllers; read-only for users. */
  status: t.object(3, NamespaceStatus),
}) {}

/** Sets the label with the name of the namespace, which selectors use; it cannot be removed. */
function labelWithName(namespace: Namespace, { v }: HookContext): void {
  const { metadata } = namespace
  if (metadata.name === undefined) return
  metadata.labels = { ...metadata.labels, [v.resolve('{label}/metadata.name')]: metadata.name }
}

const STANDARD = ['orphan', 'foregroundDeletion']

function validateFinalizers(
  names: readonly string[] = [],
  place: (i: number) => FieldErrors,
  { v }: HookContext,
): void {
  const known = [v.resolve('{brand}'), ...STANDARD]
  for (const [i, name] of names.entries()) {
    const errors = place(i)
    const messages = isQualifiedName(name)
    errors.invalidAll(name, messages)
    if (messages.length === 0 && !name.includes('/') && !known.includes(name)) {
      errors.invalid(name, 'name is neither a standard finalizer name nor is it fully qualified')
    }
  }
}

export const namespaces = resource(Namespace, {
  plural: 'namespaces',
  short: ['ns'],
  scope: 'cluster',
  without: ['deletecollection'],
  nameRule: isDns1123Label,
  noNamespaceSelector: true,
  selectable: { 'status.phase': (namespace) => namespace.status.phase },
  columns: [
    nameColumn,
    column('Status', 'string', (namespace) => namespace.status.phase ?? '', {
      description: 'Phase of the namespace: Active or Terminating.',
    }),
    ageColumn,
  ],

  subresources: {
    /** Takes spec.finalizers from the namespace controller. */
    finalize: part('spec.finalizers', {
      verbs: ['update'],
      unowned: ['status'],
      validate: (namespace, errors, c) =>
        validateFinalizers(namespace.spec.finalizers, (i) => errors.at('spec', 'finalizers', i), c),
    }),
    status: part('status', {
      validateUpdate(next, _old, errors) {
        const wanted = next.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating'
        if (next.status.phase !== wanted) {
          // As the reference writes it: the Go name, not the field name.
          errors
            .at('status', 'Phase')
            .invalid(
              next.status.phase,
              `may only be '${wanted}' if \`deletionTimestamp\` is ${wanted === 'Active' ? '' : 'not '}empty`,
            )
        }
      },
    }),
  },

  setDefaults: labelWithName,
  canonicalize: labelWithName,

  prepareForCreate(namespace, { v }) {
    namespace.status = { phase: 'Active' }
    const finalizers = namespace.spec.finalizers ?? []
    const own = v.resolve('{brand}')
    if (!finalizers.includes(own)) namespace.spec.finalizers = [...finalizers, own]
  },

  prepareForUpdate(next, old) {
    if (old.spec.finalizers) next.spec.finalizers = old.spec.finalizers
    else delete next.spec.finalizers
  },

  validate: (namespace, errors, c) =>
    validateFinalizers(namespace.spec.finalizers, () => errors.at('spec', 'finalizers'), c),

  onTerminate(namespace) {
    namespace.status.phase = 'Terminating'
  },
  isHeld: (namespace) => (namespace.spec.finalizers?.length ?? 0) > 0,
})
